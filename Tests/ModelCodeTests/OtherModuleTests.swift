import ModelCode
import ObjectModel
import Testing

@Suite("Classes of other modules")
struct OtherModuleTests {
  /// What is written by hand in another module. Its other types are none of those that code means.
  private static let shared = """
    public import Quire
    nonisolated open class Visitor: ManagedObject {}
    public struct Model {}
    public struct Date {}
    """

  /// Visitors of another module, and entities that name them in every way.
  private func model(_ className: String, _ kind: String) throws -> Model {
    var visitor = Entity(
      "Visitor", className: className,
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("trip", to: "Trip", inverse: "visitors")),
      ])
    visitor.source.attributes["codeGenerationType"] = kind
    return try Model(
      Model.Description(
        entities: [
          visitor,
          Entity(
            "Trip",
            properties: [
              .attribute(Attribute("start", .date)),
              .relationship(
                Relationship("visitors", to: "Visitor", inverse: "trip", count: .toMany)),
              .fetched(
                FetchedProperty(
                  "near", request: FetchRequestTemplate("", entity: "Visitor"))),
            ]),
          Entity("Guest", superentity: "Visitor"),
          Entity("Other", properties: [.attribute(Attribute("place", .string))]),
        ],
        fetchRequestTemplates: [
          FetchRequestTemplate("others", entity: "Other", predicate: "place == $PLACE"),
          FetchRequestTemplate(
            "found", entity: "Trip", predicate: "ANY visitors == $VISITOR"),
        ]))
  }

  @Test(
    "One that is written by hand is imported, and nothing else of its module",
    arguments: ["none", "category"], CodeAccess.allCases)
  func imported(_ kind: String, _ access: CodeAccess) throws {
    let classes = try ModelClasses(
      of: model("Shared.Visitor", kind), named: "T", .init(access: access, module: "Made"))

    let several = try Compiler().check(
      Dictionary(uniqueKeysWithValues: classes.files.map { ($0.name, $0.text) }),
      flags: Compiler.strict, beside: ["Shared": Self.shared])
    let one = try Compiler().check(["A.swift": classes.text], beside: ["Shared": Self.shared])

    #expect(several == "" && one == "")
    #expect(classes.text.components(separatedBy: "import class Shared.Visitor").count == 2)
    let other = try #require(classes.files.first { $0.name.hasPrefix("Other") })
    #expect(!other.text.contains("Shared"))
  }

  @Test(
    "It is taken for one of the code's own module where that is so, or not known, or the other is not there",
    arguments: [
      ("Made.Visitor", "Made"), (".Visitor", "Made"), ("Visitor", "Made"), ("Shared.Visitor", nil),
      ("Shared.Visitor", "Made"), ("A.Shared.Visitor", "Made"), ("a b.Visitor", "Made"),
    ])
  func own(_ className: String, _ module: String?) throws {
    let classes = try ModelClasses(
      of: model(className, "none"), named: "T", .init(module: module))

    #expect(
      try Compiler().check([
        "A.swift": classes.text,
        "B.swift": Self.shared.replacing("public struct Model {}\npublic struct Date {}", with: ""),
      ]) == "")
  }

  @Test("One that code is made for is made here")
  func made() throws {
    let classes = try ModelClasses(
      of: model("Shared.Visitor", "class"), named: "T", .init(module: "Made"))

    #expect(!classes.text.contains("Shared\n") && !classes.text.contains("import class"))
    #expect(try Compiler().check(["A.swift": classes.text]) == "")
  }
}
