import ModelCode
import ObjectModel
import Testing

@Suite("Classes of other modules")
struct OtherModuleTests {
  /// A class of another module, and types of that module that generated code must not mean.
  private static let shared = """
    public import Quire
    nonisolated open class Visitor: ManagedObject {}
    public struct Model {}
    public struct Date {}
    """

  /// Returns a model with visitors of another module, and with every kind of reference to them.
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
    "A handwritten class of another module is imported without the rest of its module",
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
    "A class name without a usable module means a class of the code's own module",
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

  @Test("A class that code is generated for belongs to the code's own module")
  func made() throws {
    let classes = try ModelClasses(
      of: model("Shared.Visitor", "class"), named: "T", .init(module: "Made"))

    #expect(!classes.text.contains("Shared\n") && !classes.text.contains("import class"))
    #expect(try Compiler().check(["A.swift": classes.text]) == "")
  }
}
