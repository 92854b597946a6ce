import Foundation
import ModelCode
import ModelNotations
import ObjectModel
import Testing

/// Models with names and texts that try to inject code.
@Suite("Hostile models")
struct HostileModelTests {
  /// Texts that would end a comment or a literal if they were written unchanged.
  static let attacks = [
    "\n}\nlet injected = 1 //", "\"\"\"#\nlet injected = 1\n#\"\"\"", "*/ let injected = 1 /*",
    "\\(wrong)", "\\#(wrong)", "\\##(wrong)", "\"; let injected = 1; \"", "`wrong`",
    "\u{2028}let injected = 1", "\u{202E}let injected\u{2066}", "\r\nlet injected = 1",
    "\u{0B}\u{0C}\u{85}let injected = 1", String(repeating: "x", count: 900), "#\"\"\"####",
    "```\nlet injected = 1\n```",
  ]

  @Test("No text of a model ends a comment or a literal", arguments: attacks)
  func texts(_ attack: String) throws {
    var trip = Entity("Trip", userInfo: ["documentation": attack, attack: attack])
    trip.className = attack
    trip.versionHashModifier = attack
    var name = Attribute(
      "name", .string, defaultValue: .string(attack), userInfo: ["documentation": attack])
    name.renamingIdentifier = attack
    name.versionHashModifier = attack
    let image = Attribute(
      "image", .transformable, valueTransformerName: attack, valueClassName: attack)
    let home = Attribute("home", .composite, compositeName: "Home")
    let near = FetchedProperty(
      "near", request: FetchRequestTemplate(attack, entity: "Trip"),
      userInfo: ["documentation": attack])
    trip.declaredProperties = [
      .attribute(name), .attribute(image), .attribute(home), .fetched(near),
    ]
    let quoted = attack.filter { $0 != "'" && $0 != "\\" }
    let description = Model.Description(
      entities: [trip],
      composites: [
        CompositeType(
          "Home",
          attributes: [
            Attribute(
              "street", .string, defaultValue: .string(attack),
              userInfo: ["documentation": attack])
          ])
      ],
      fetchRequestTemplates: [
        FetchRequestTemplate(attack, entity: "Trip", predicate: "name == '\(quoted)'")
      ],
      versionIdentifiers: [attack])
    let model = try Model(description)

    let classes: ModelClasses
    do {
      let versions = ModelVersions(
        [.init(attack, model: model), .init(attack + "2", model: model)], currentName: attack + "2")
      classes = try ModelClasses(of: versions, named: attack)
    } catch {
      // XML cannot represent some control characters.
      #expect(error.code == .unwritableModel)
      #expect(
        attack.unicodeScalars.contains { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) })
      return
    }

    #expect(try Compiler().check(["A.swift": classes.text]) == "")
    // No text became a declaration, or `injected` would be declared twice.
    let check = classes.text + "\nlet injected = 0\n"
    #expect(try Compiler().check(["A.swift": check]) == "")
  }

  @Test("Code with reserved words and common names compiles")
  func names() throws {
    let names = [
      "class", "self", "Self", "Type", "Protocol", "init", "deinit", "subscript", "default", "in",
      "inout", "let", "var", "func", "Any", "AnyObject", "nil", "true", "try", "async", "await",
      "some", "any", "get", "set", "willSet", "open", "actor", "macro", "each", "borrowing",
      "description", "hash", "hashValue", "objectID", "context", "isDeleted", "entity",
      "entityName", "add", "remove", "fetched", "transformed", "setTransformed", "Keys", "keys",
      "AttributeName", "ToManyName", "String", "Date", "Data", "Trip", "TripsModel", "x", "x_",
      "addToClass", "removeFromSelf", "_", "__", "größe", "ﬁ", "名前", "ʼn", "ª", "İ", "model",
      "classes", "source", "old", "name", "count", "awake", "insert", "key", "row", "state",
      "newValue", "value", "objects", "object", "variables",
    ]
    var entities = names.map { Entity($0) }
    entities.append(
      Entity("Parent", properties: names.map { .attribute(Attribute($0, .string)) }))
    entities.append(
      Entity(
        "Child", superentity: "Parent",
        properties: names.map { .attribute(Attribute($0 + "_c", .date)) }))
    entities.append(
      Entity(
        "Many",
        properties: names.map { .relationship(Relationship($0, to: $0, count: .toMany)) }))
    entities.append(
      Entity(
        "Parts",
        properties: names.map { .attribute(Attribute($0, .composite, compositeName: "C" + $0)) }))
    let composites = names.enumerated().map { number, name in
      let parts = number == 0 ? names : [name, "other"]
      return CompositeType("C" + name, attributes: parts.map { Attribute($0, .string) })
    }
    let templates = names.map { name in
      FetchRequestTemplate(
        name, entity: "Parent", predicate: "#name == $\(name == "_" ? "__x" : name)")
    }

    let model = try Model(
      Model.Description(
        entities: entities, composites: composites, fetchRequestTemplates: templates))
    let classes = try ModelClasses(of: model, named: "Trips")

    #expect(try Compiler().check(["A.swift": classes.text]) == "")
    #expect(
      Set(classes.files.map { $0.name.lowercased() }).count == classes.files.count)
  }

  @Test(
    "Classes with names of keywords and of the list's members get usable names")
  func classNames() throws {
    let names = [
      "class", "default", "self", "Any", "Type", "model", "classes", "source", "versions", "read",
      "model.class",
    ]
    let model = try Model(
      entities: names.enumerated().map { number, name in Entity("E\(number)", className: name) })
    let versions = ModelVersions([.init("Made", model: model)], currentName: "Made")
    let classes = try ModelClasses(of: versions, named: "Made", .init(module: "Made"))

    #expect(try Compiler().check(["A.swift": classes.text]) == "")
  }

  @Test("Entities with the names of used types do not hide these types")
  func typeNames() throws {
    let names = [
      "ManagedObject", "EntityProperty", "EntityDeclaration", "CompositeValue", "CompositePart",
      "CompositeParts", "SortKey", "Composite", "Entity", "Attribute", "Relationship",
      "RelatedObjects", "FetchRequest", "QueryError", "QueryArgument", "Model", "ModelSource",
      "ModelVersions", "String", "Bool", "Int", "Int16", "Int32", "Int64", "Float", "Double",
      "Decimal", "Date",
      "Data", "UUID", "URL", "Array", "Sequence", "ClosedRange", "Sendable", "Hashable",
      "Optional", "fatalError", "Quire", "Swift", "Foundation", "Made",
    ]
    let types: [AttributeType] = [
      .int16, .int32, .int64, .float, .double, .decimal, .string, .boolean, .date, .binary, .uuid,
      .uri,
    ]
    let properties: [Property] =
      types.map { .attribute(Attribute("a\($0.rawValue)", $0)) }
      + [
        .relationship(Relationship("one", to: "String")),
        .relationship(Relationship("many", to: "Data", count: .toMany)),
        .fetched(
          FetchedProperty("near", request: FetchRequestTemplate("", entity: "Sequence"))),
        .attribute(Attribute("parts", .composite, compositeName: "Parts")),
      ]
    let model = try Model(
      Model.Description(
        entities: names.map { Entity($0, properties: properties) },
        composites: [CompositeType("Parts", attributes: [Attribute("a", .string)])],
        fetchRequestTemplates: [
          FetchRequestTemplate(
            "t", entity: "Model",
            predicate:
              "a700 == $A AND a900 BETWEEN $B AND a100 IN $C AND many.@count > $D AND 1 = $E")
        ]))
    let versions = ModelVersions(
      [.init("Made", model: model), .init("Made 2", model: model)], currentName: "Made")
    let classes = try ModelClasses(of: versions, named: "Made")

    #expect(try Compiler().check(["A.swift": classes.text]) == "")
  }

  @Test("A template with an unreadable predicate is an error that names the template")
  func template() throws {
    let model = try Model(
      Model.Description(
        entities: [Entity("Trip")],
        fetchRequestTemplates: [FetchRequestTemplate("late", entity: "Trip", predicate: "start >")])
    )

    let error = #expect(throws: ModelCodeError.self) { try ModelClasses(of: model, named: "T") }
    #expect(error?.code == .unreadableTemplate)
    #expect(error?.message.contains("\"late\"") ?? false)
  }

  @Test("Composite types that double at each level have one structure each")
  func composites() throws {
    let types = (0..<60).map { number in
      CompositeType(
        "C\(number)",
        attributes: ["a", "b"].map {
          number == 59
            ? Attribute($0, .string) : Attribute($0, .composite, compositeName: "C\(number + 1)")
        })
    }
    let trip = Entity(
      "Trip", properties: [.attribute(Attribute("c", .composite, compositeName: "C0"))])
    let model = try Model(Model.Description(entities: [trip], composites: types))

    let classes = try ModelClasses(of: model, named: "T")
    #expect(classes.files.count == 62)
    #expect(classes.text.utf8.count < 100_000)
  }

  @Test("The largest number of entities has one file each")
  func manyEntities() throws {
    let entities = (0..<8_000).map { number in
      Entity("Entity\(number)", properties: [.attribute(Attribute("name", .string))])
    }
    let model = try Model(entities: entities)
    #expect(try ModelClasses(of: model, named: "T").files.count == entities.count + 1)
  }

  @Test("A model without entities has code that compiles")
  func empty() throws {
    let classes = try ModelClasses(of: Model(entities: []), named: "")

    #expect(classes.files.map(\.name) == ["Object+Classes.swift"])
    #expect(try Compiler().check(["A.swift": classes.text]) == "")
  }
}
