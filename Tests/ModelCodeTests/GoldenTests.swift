import Foundation
import ModelCode
import ModelNotations
import ObjectModel
import Testing

@Suite("Code of a model with everything")
struct GoldenTests {
  @Test("The code equals the golden files, one for each class")
  func goldens() throws {
    let folder = Zoo.folder.appending(path: "Zoo")
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try? FileManager.default.removeItem(at: folder)
      try classes.write(to: folder.path)
    }

    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(classes.files.map(\.name)))
    for file in classes.files {
      let golden = try String(contentsOf: folder.appending(path: file.name), encoding: .utf8)
      #expect(file.text == golden, "\(file.name): RECORD_SNAPSHOTS=1 writes it anew.")
    }
  }

  @Test("The code is the same each time")
  func deterministic() throws {
    let first = try ModelClasses(of: Zoo.model, named: "Zoo")
    let second = try ModelClasses(of: Zoo.model, named: "Zoo")

    #expect(first.files == second.files)
  }

  @Test("A single file contains the code of all files, with each import once")
  func oneFile() throws {
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")
    let lines = classes.text.split(separator: "\n", omittingEmptySubsequences: false)

    #expect(lines.filter { $0.hasSuffix("import Quire") } == ["public import Quire"])
    for file in classes.files {
      let body = file.text.split(separator: "\n\n").drop { !$0.hasPrefix("///") }
      #expect(classes.text.contains(body.joined(separator: "\n\n")), "\(file.name)")
    }
  }

  @Test("The code compiles with every check of the compiler", arguments: CodeAccess.allCases)
  func compiles(_ access: CodeAccess) throws {
    let classes = try ModelClasses(
      of: Zoo.model, named: "Zoo", .init(access: access, unmarkedEntities: .class))

    let compiler = Compiler()
    let several = try compiler.check(
      Dictionary(uniqueKeysWithValues: classes.files.map { ($0.name, $0.text) })
        .merging(["Zoo.swift": Zoo.handwritten]) { first, _ in first },
      flags: Compiler.strict + (access == .package ? ["-no-warnings-as-errors"] : []))
    let one = try compiler.check(["A.swift": classes.text, "Zoo.swift": Zoo.handwritten])

    // Swift 6.3 warns that an import with the access level `package` is not used if only the expansion of a macro uses
    // it. Without the import the expansion is an error.
    let problems = several.split(separator: "\n").filter {
      ($0.contains(": error: ") || $0.contains(": warning: "))
        && !$0.contains("warning: package import of 'Quire' was not used")
    }
    #expect(problems == [] && one == "")
  }

  @Test("The file of a class with dates in nested composites compiles on its own")
  func partsInAFile() throws {
    let trip = Entity(
      "Trip",
      properties: [.attribute(Attribute("booking", .composite, compositeName: "Booking"))])
    let model = try Model(
      Model.Description(
        entities: [trip],
        composites: [
          CompositeType(
            "Booking",
            attributes: [
              Attribute("code", .string), Attribute("stay", .composite, compositeName: "Stay"),
            ]),
          CompositeType("Stay", attributes: [Attribute("from", .date), Attribute("to", .date)]),
        ]))
    let files = try ModelClasses(of: model, named: "T").files

    let messages = try Compiler().check(
      Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) }), flags: Compiler.strict)

    #expect(messages == "")
    // The outer structure and the class do not name a type of Foundation.
    #expect(files.filter { $0.text.contains("import Foundation") }.count == 1)
  }

  @Test("Days and decimal places become options of attributes")
  func precision() throws {
    let bill = Entity(
      "Bill",
      properties: [
        .attribute(Attribute("due", .date, validation: .init(precision: .day))),
        .attribute(
          Attribute("price", .decimal, isOptional: false, validation: .init(precision: .places(2)))),
      ])
    let files = try ModelClasses(of: Model(entities: [bill]), named: "T").files
    let text = files.map(\.text).joined()

    #expect(text.contains("@Attribute(.day) public var due: Date?"), "\(text)")
    #expect(text.contains("@Attribute(.places(2)) public var price: Decimal"))
    #expect(text.contains("a day.") && text.contains("a decimal number with 2 places, required."))
    #expect(
      try Compiler().check(
        Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) }), flags: Compiler.strict)
        == "")
  }

  @Test("The code compiles in a module that is isolated to the main actor by default")
  func mainActor() throws {
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")

    let messages = try Compiler().check(
      ["A.swift": classes.text, "Zoo.swift": Zoo.handwritten],
      flags: ["-default-isolation", "MainActor"])

    #expect(messages == "")
  }

  @Test("The code is formatted")
  func formatted() throws {
    let classes = try ModelClasses(of: Zoo.model, named: "Zoo")
    let ignore = "// swift-format-ignore-file\n"

    #expect(classes.files.allSatisfy { $0.text.hasPrefix(ignore) })
    #expect(
      try Compiler().formatted(String(classes.text.dropFirst(ignore.count)))
        == String(classes.text.dropFirst(ignore.count)))
  }

  @Test("The code contains all versions of the model, one or several", arguments: [1, 2])
  func versions(_ count: Int) throws {
    let names = ["Zoo", "Zoo 2"].prefix(count)
    let versions = ModelVersions(
      try names.map { .init($0, model: try Zoo.model) }, currentName: "Zoo")
    let classes = try ModelClasses(of: versions, named: "Zoo")
    let ignore = "// swift-format-ignore-file\n"
    let list = try #require(classes.files.last).text.dropFirst(ignore.count)

    #expect(try Compiler().formatted(String(list)) == list)
    for name in names { #expect(list.contains("ModelVersions.Version(\"\(name)\", model: ")) }
    #expect(list.contains("], currentName: \"Zoo\")\n"))
    #expect(list.components(separatedBy: "<?xml").count == count + 1)
    #expect(try Compiler().check(["A.swift": classes.text, "Zoo.swift": Zoo.handwritten]) == "")
  }

  @Test("Code is made only for entities that the source or the options select")
  func kinds() throws {
    var description = try Zoo.model.description
    for index in description.entities.indices {
      description.entities[index].source.attributes["codeGenerationType"] = nil
    }
    description.entities[0].source.attributes["codeGenerationType"] = "category"
    let classes = try ModelClasses(
      of: Model(description), named: "Zoo", .init(unmarkedEntities: .none))

    #expect(
      classes.files.map(\.name).filter { !$0.contains("Value") } == [
        "Animal+Generated.swift", "Place+Generated.swift", "Point+Generated.swift",
        "Zoo+Classes.swift",
      ])
    #expect(classes.files[0].text.contains("\nextension Animal {"))
    #expect(!classes.files[0].text.contains("override class var entityName"))
  }

  @Test("A transient relationship has a marker and an accessor")
  func transientRelationship() throws {
    let model = try Model(
      Model.Description(entities: [
        Entity(
          "Leaf",
          properties: [
            .relationship(
              Relationship("shadow", to: "Leaf", inverse: nil, isTransient: true))
          ])
      ]))
    let text = try ModelClasses(of: model, named: "T").files.map(\.text).joined()
    #expect(text.contains("  @Transient public var shadow: Leaf?\n"))
  }
}
