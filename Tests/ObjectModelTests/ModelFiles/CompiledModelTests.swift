import AppleFixtures
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import SeededRandom
import Testing

@Suite("Models as keyed archives")
struct CompiledModelTests {
  private static func read(_ bytes: [UInt8]) throws -> Model.Description {
    try CompiledModel.read(bytes, path: "test.mom")
  }

  @Test("A model with every part comes back equal, with the same hashes")
  func everything() throws {
    let model = try Model(EverythingModel.description)

    let description = try Self.read(CompiledModel.write(model))

    #expect(description == model.description)
    #expect(
      description.entities.map(\.declaredProperties) == model.entities.map(\.declaredProperties))
    #expect(try Model(description).versionHashes == model.versionHashes)
  }

  @Test("Equal models give equal bytes")
  func determinism() throws {
    let bytes = CompiledModel.write(try Model(EverythingModel.description))
    for _ in 0..<4 {
      #expect(CompiledModel.write(try Model(EverythingModel.description)) == bytes)
    }
  }

  @Test("Random models come back equal", arguments: 0..<20)
  func random(_ part: Int) throws {
    var random = SeededGenerator()
    let model = try Model(RandomModel.description(using: &random))
    #expect(try Self.read(CompiledModel.write(model)) == model.description, "\(random)")
  }

  /// Returns the model that Core Data reads from an archive, which ignores the fields of Quire.
  private static func appleView(_ model: Model) throws -> Model.Description {
    var list = try BinaryPropertyList.read(CompiledModel.write(model))
    guard case .dictionary(var fields) = list, let objects = fields["$objects"]?.array else {
      throw CocoaError(.fileReadCorruptFile)
    }
    fields["$objects"] = .array(
      objects.map { object in
        guard case .dictionary(let fields) = object else { return object }
        return .dictionary(fields.filter { !$0.key.hasPrefix("Quire") })
      })
    list = .dictionary(fields)
    return try read(BinaryPropertyList.write(list))
  }

  private static func request(_ predicate: String) throws -> Model {
    try Model(
      Model.Description(
        entities: [Entity("Trip", properties: [.attribute(Attribute("name", .string))])],
        fetchRequestTemplates: [
          FetchRequestTemplate("r", entity: "Trip", predicate: predicate)
        ]))
  }

  @Test(
    "Plain predicates are archived as structures",
    arguments: [
      "name == $NAME OR stop.name == $NEEDLE", "name == $FETCH_SOURCE.name.first",
      "name CONTAINS[cd] \"a \\\"b\\\" \\\\\" AND days >= -3", "ticket == nil", "isDone == true",
      "ANY stops.length < 1.5", "ALL stops.length <= 2", "name MATCHES \"a.*\"",
      "name LIKE[c] \"?\"", "name BEGINSWITH[d] \"x\"", "name ENDSWITH \"x\"",
      "days IN {1, 2, \"3\"}", "days BETWEEN $DAYS", "stops.@count > 3", "SELF == $ME", "days != 4",
      "TRUEPREDICATE", "FALSEPREDICATE", "NOT (days == 3)",
      "(a == 1 AND b == 2) OR (c == 3 AND d == 4) OR e == 5", "days IN {}",
    ])
  func plain(_ predicate: String) throws {
    let view = try Self.appleView(Self.request(predicate))
    #expect(view.fetchRequestTemplates[0].predicate == predicate)
  }

  @Test(
    "Predicates with another spelling are archived with the same meaning",
    arguments: [
      ("name = 'it''s'", nil), ("name = 'a'", "name == \"a\""), ("a<>1&&!b=2", nil),
      ("a <> 1 && !(b = 2)", "a != 1 AND (NOT (b == 2))"), ("isDone == YES", "isDone == true"),
      ("a == 1 or b == NULL and c == 2", "a == 1 OR (b == nil AND c == 2)"),
      ("((a == 1))", "a == 1"), ("a => 1", "a >= 1"), ("a =< 1.0", "a <= 1.0"),
      ("SELF.name == \"a\"", "name == \"a\""),
      ("SOME stops.name == \"a\"", "ANY stops.name == \"a\""),
      ("name == 'a\\n'", nil), ("a == 0x10", "a == 16"), ("#size == 1", nil),
      (String(repeating: "(", count: 40) + "a == 1" + String(repeating: ")", count: 40), "a == 1"),
    ] as [(String, String?)])
  func spelling(_ predicate: String, _ expected: String?) throws {
    let model = try Self.request(predicate)
    let found = try Self.appleView(model).fetchRequestTemplates[0].predicate
    if let expected { #expect(found == expected) }
    #expect(try Self.read(CompiledModel.write(model)) == model.description)
  }

  @Test(
    "Other predicates are left out of the structure, and come back as their text",
    arguments: [
      "price * 2 < 4", "lowercase:(name) == \"a\"", "SUBQUERY(a, $x, $x.b == 1).@count > 0",
      "name ==", "", "name", "== 3", "name == 3 name", "a.b[0] == 1", "name == \"open", "a == 1.",
      "a == --1", "a..b == 1", "a == %@", "name ==[n] \"a\"", "a == {1, 2",
      String(repeating: "NOT ", count: 90_000) + "a == 1",
    ])
  func otherPredicates(_ predicate: String) throws {
    let model = try Self.request(predicate)
    #expect(try Self.appleView(model).fetchRequestTemplates[0].predicate == nil)
    #expect(try Self.read(CompiledModel.write(model)) == model.description)
  }

  @Test("Without Quire's own fields the model has the same entities and hashes")
  func appleView() throws {
    let model = try Model(EverythingModel.description)

    let view = try Model(Self.appleView(model))

    #expect(view.versionHashes == model.versionHashes)
    #expect(view.entities.map(\.name) == ["Place", "Stop", "Train", "Trip"])
    let trip = try #require(view["Trip"])
    let own = try #require(model["Trip"])
    func attribute(_ name: String) -> Attribute? { trip.attributes.first { $0.name == name } }
    for expected in own.attributes
    where expected.derivation == nil && expected.type != .composite && expected.name != "odd" {
      #expect(attribute(expected.name) == expected)
    }
    #expect(attribute("stopCount")?.derivation == .init("count:(stops)", filter: "name == \"a\""))
    #expect(attribute("loudName")?.derivation?.expression == "uppercase:(name)")
    #expect(attribute("copy")?.derivation?.expression == "name")
    #expect(attribute("saved")?.derivation?.expression == "now()")
    #expect(trip.uniquenessConstraints == own.uniquenessConstraints)
    #expect(trip.compoundIndexes == own.compoundIndexes)
    #expect(trip.fetchIndexes[2] == own.fetchIndexes[2])
    #expect(trip.userInfo == own.userInfo && trip.versionHashModifier == "m")
    let property = try #require(trip.fetchedProperties.last)
    #expect(property.request.predicate == "name == $FETCH_SOURCE.name AND SELF != nil")
    #expect(property.request.sortKeys == own.fetchedProperties[0].request.sortKeys)
    let stops = try #require(trip.relationships.first { $0.name == "stops" })
    #expect(stops == own.relationships[0])
    // Each composite attribute has its own copy of its type's attributes. The copies share nested types.
    #expect(
      view.description.composites.map(\.name) == [
        "Stop_home", "Stop_home_spot", "Trip_home", "Trip_work",
      ])
    #expect(attribute("home")?.compositeName == "Trip_home")
    let home = try #require(view.composite("Trip_home"))
    #expect(home.attributes[0] == model.composite("Address")?.attributes[0])
    #expect(home.attributes[1].compositeName == "Stop_home_spot")
    #expect(view.composite("Stop_home_spot")?.attributes == model.composite("Spot")?.attributes)
  }

  @Test("Recursive composite attributes are a fault of the model, and names stay unique")
  func strangeComposites() throws {
    let attribute = ArchivedClass("NSAttributeDescription")
    let entity = ArchivedClass("NSEntityDescription")
    var writer = KeyedArchiveWriter()
    let loop = writer.reserve()
    func composite(_ name: String, _ list: PropertyList) -> PropertyList {
      writer.add(
        attribute,
        [
          "NSPropertyName": writer.text(name), "NSAttributeType": .integer(2100),
          "_P": .integer(3), "NSCompositeElements": list,
        ])
    }
    let within = composite("own", loop)
    writer.fill(loop, .array, ["NS.objects": .array([within])])
    let entities = [("A", "b_c"), ("A_b", "c"), ("Loop", "own")].map { name, property in
      let list = name == "Loop" ? loop : writer.array([])
      let properties = writer.dictionary([(property, composite(property, list))])
      let one = writer.add(entity, ["NSEntityName": writer.text(name), "NSProperties": properties])
      return (name, one)
    }
    let all = writer.dictionary(entities)
    let root = writer.add(ArchivedClass("NSManagedObjectModel"), ["NSEntities": all])

    let description = try Self.read(writer.bytes(root: root))

    #expect(description.composites.map(\.name) == ["A_b_c", "A_b_c_2", "Loop_own"])
    let error = #expect(throws: ModelError.self) { try Model(description) }
    #expect(error?.faults.map(\.code) == [.recursiveComposite])
  }

  /// The expected fields of objects in models that Apple's compiler wrote.
  @Test("Objects have the classes and the fields that Apple's compiler gives them")
  func fields() throws {
    let root = try KeyedArchive(CompiledModel.write(Model(EverythingModel.description))).root
    #expect(root.classNames == ["NSManagedObjectModel", "NSObject"])
    let trip = try #require(root["NSEntities"]?.dictionary?["Trip"])
    #expect(trip.classNames == ["NSEntityDescription", "NSObject"])
    #expect(trip["NSManagedObjectModel"]?.index == root.index && trip["NSSuperentity"] == nil)
    let properties = try #require(trip["NSProperties"]?.dictionary)
    for (name, type, fields, bits) in [
      ("tint", "NSAttributeDescription", [], 0xF3),
      ("odd", "NSAttributeDescription", ["QuireNotes"], 0xF3),
      (
        "saved", "NSDerivedAttributeDescription",
        ["NSIsReadOnly", "NSDerivationExpression", "NSFilteringPredicate"], 0xF7
      ),
    ] as [(String, String, [String], Int64)] {
      let property = try #require(properties[name])
      #expect(property.className == type)
      #expect(property["NSEntity"]?.index == trip.index)
      // Empty fields count too.
      let usual = [
        "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSEntity", "NSFlagsKey",
        "NSIsOptional", "NSPropertyName", "NSRenamingIdentifier", "NSValueTransformerName", "_P",
      ]
      #expect(property.fieldNames == (usual + fields).sorted(), "\(name)")
      #expect(property["_P"]?.integer == bits, "\(name)")
    }
    #expect(properties["note"]?["_P"]?.integer == 0xFB)
    #expect(properties["name"]?["_P"]?.integer == 0x101)
    #expect(properties["stops"]?["_P"]?.integer == 0x4F3)
    #expect(properties["shade"]?["_P"]?.integer == 0xAF3)
    #expect(properties["name"]?["NSFlagsKey"]?.integer == 16)
    #expect(
      properties["name"]?["NSValidationWarnings"]?.array?.map(\.integer) == [1670, 1660, 1680])
    #expect(
      properties["start"]?["NSValidationWarnings"]?.array?.map(\.integer) == [1640, 1630])
    let stops = try #require(properties["stops"])
    let stop = try #require(root["NSEntities"]?.dictionary?["Stop"])
    #expect(stops["NSDestinationEntity"]?.index == stop.index)
    #expect(
      stops["NSInverseRelationship"]?.index == stop["NSProperties"]?.dictionary?["trip"]?.index)
    #expect(stops["NSInverseRelationship"]?["NSInverseRelationship"]?.index == stops.index)
    let elements = try #require(properties["home"]?["NSCompositeElements"]?.array)
    #expect(properties["home"]?.className == "NSCompositeAttributeDescription")
    #expect(elements.map { $0["NSPropertyName"]?.string } == ["street", "spot"])
    #expect(elements[1]["NSCompositeElements"]?.array?.count == 2)
    let others = try #require(properties["work"]?["NSCompositeElements"]?.array)
    #expect(Set(elements.map(\.index)).isDisjoint(with: others.map(\.index)))
    let place = try #require(root["NSEntities"]?.dictionary?["Place"])
    #expect(place["NSSubentities"]?.dictionary?["Stop"]?.index == stop.index)
    #expect(stop["NSSuperentity"]?.index == place.index)
  }

  @Test("Each archived class has the superclasses of models that Apple's compiler wrote")
  func classes() throws {
    let list = try BinaryPropertyList.read(
      CompiledModel.write(Model(EverythingModel.description)))
    var found: Set<[String]> = []
    for object in list["$objects"]?.array ?? [] {
      guard let names = object["$classes"]?.array?.compactMap(\.string) else { continue }
      #expect(object["$classname"]?.string == names[0])
      found.insert(names.dropLast())
      #expect(names.last == "NSObject")
    }
    let property = "NSPropertyDescription"
    let attribute = "NSAttributeDescription"
    let comparator = "NSPredicateOperator"
    #expect(
      found == [
        ["NSArray"], ["NSMutableArray", "NSArray"], ["NSSet"], ["NSDictionary"],
        ["NSMutableDictionary", "NSDictionary"], ["NSDate"], ["NSUUID"], ["NSURL"],
        ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue"],
        ["NSManagedObjectModel"], ["NSEntityDescription"], [attribute, property],
        ["NSDerivedAttributeDescription", attribute, property],
        ["NSCompositeAttributeDescription", attribute, property],
        ["NSRelationshipDescription", property], ["NSFetchedPropertyDescription", property],
        ["NSFetchRequest", "NSPersistentStoreRequest"], ["NSSortDescriptor"],
        ["NSFetchIndexDescription"], ["NSFetchIndexElementDescription"],
        ["NSComparisonPredicate", "NSPredicate"], ["NSCompoundPredicate", "NSPredicate"],
        ["NSComparisonPredicateOperator", comparator], ["NSEqualityPredicateOperator", comparator],
        ["NSInPredicateOperator", comparator], ["NSBetweenPredicateOperator", comparator],
        ["NSMatchingPredicateOperator", "NSStringPredicateOperator", comparator],
        ["NSConstantValueExpression", "NSExpression"], ["NSSelfExpression", "NSExpression"],
        ["NSVariableExpression", "NSExpression"], ["NSFunctionExpression", "NSExpression"],
        ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression"],
        ["NSKeyPathSpecifierExpression", "NSExpression"],
        ["NSAggregateExpression", "NSExpression"],
      ])
  }

  @Test("The bit set of a property and the property's fields state the same")
  func flags() throws {
    let root = try KeyedArchive(CompiledModel.write(Model(EverythingModel.description))).root
    let trip = try #require(root["NSEntities"]?.dictionary?["Trip"])
    let properties = try #require(trip["NSProperties"]?.dictionary)
    for (name, property) in properties {
      let bits = try #require(property["_P"]?.integer)
      for (bit, field) in [
        (2, "NSIsOptional"), (4, "NSIsReadOnly"), (8, "NSIsTransient"),
        (0x100, "NSIndexedBySpotlight"), (0x400, "NSIsOrdered"),
      ] as [(Int64, String)] {
        #expect((bits & bit != 0) == (property[field]?.boolean ?? false), "\(name) \(field)")
      }
      for (bit, field) in [
        (0x10, "NSValidationPredicates"), (0x20, "NSValidationWarnings"), (0x40, "NSUserInfo"),
        (0x80, "NSVersionHashModifier"),
      ] as [(Int64, String)] {
        #expect((bits & bit != 0) == (property[field] == nil), "\(name) \(field)")
      }
    }
    #expect(properties["namesakes"]?["_P"]?.integer == 0x3F)
    let classes = [
      "name": "NSString", "start": "NSDate", "days": "NSNumber", "budget": "NSDecimalNumber",
      "isDone": "NSNumber", "weight": "NSNumber", "photo": "NSData", "key": "NSUUID",
      "page": "NSURL", "shade": "Shade",
    ]
    for (name, expected) in classes {
      #expect(properties[name]?["NSAttributeValueClassName"]?.string == expected, "\(name)")
    }
  }

  @Test("The size of nested composite types grows only with their number")
  func composites() throws {
    var composites = [CompositeType("C0", attributes: [Attribute("a", .string)])]
    for number in 1...40 {
      composites.append(
        CompositeType(
          "C\(number)",
          attributes: ["a", "b"].map {
            Attribute($0, .composite, compositeName: "C\(number - 1)")
          }))
    }
    let top = Entity(
      "Top", properties: [.attribute(Attribute("c", .composite, compositeName: "C40"))])
    let model = try Model(Model.Description(entities: [top], composites: composites.reversed()))

    let bytes = CompiledModel.write(model)

    #expect(bytes.count < 40_000)
    #expect(try Self.read(bytes) == model.description)
  }

  @Test("A model with a changed byte is read or refused")
  func damage() throws {
    let bytes = CompiledModel.write(try Model(EverythingModel.description))
    for index in stride(from: 0, to: bytes.count, by: 47) {
      var changed = bytes
      changed[index] ^= 0x15
      do { _ = try Model(Self.read(changed)) } catch is ModelFileError {
      } catch is ModelError {
      } catch { Issue.record("Byte \(index): \(error)") }
    }
  }

  private static let root = {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }()

  @Test(
    "The models of the examples come back equal",
    arguments: [
      "Examples/Trips.xcdatamodeld", "Examples/ToDo/Sources/todo/ToDo.xcdatamodeld",
      "Examples/Recipes/Sources/recipes/Recipes.xcdatamodeld",
      "Examples/TypedModel/Sources/books/Books.xcdatamodeld",
      "Tests/ModelCodeTests/Goldens/Zoo.xcdatamodel",
    ])
  func examples(_ path: String) throws { try Self.roundTrip(Self.root.appending(path: path).path) }

  @Test("The models in the documents of the specification come back equal")
  func vectors() throws {
    let folder = Self.root.appending(path: "spec/vectors/rules")
    let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    var count = 0
    for name in names.sorted() where name.contains("/models/") && name.hasSuffix(".xml") {
      let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
      // Some of the documents break a rule.
      guard let model = try? Model(ModelSource.read(bytes)) else { continue }
      let description = try Self.read(CompiledModel.write(model))
      #expect(description.withoutSource == model.description.withoutSource, "\(name)")
      count += 1
    }
    #expect(count > 30)
  }

  @Test(
    "The models of other projects come back equal",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: AppleFixtures.paths(".xcdatamodeld")
      + AppleFixtures.paths(".momd"))
  func fixtures(_ path: String) throws { try Self.roundTrip(path) }

  private static func roundTrip(_ path: String) throws {
    let versions = try ModelVersions.read(path)
    #expect(!versions.versions.isEmpty)
    for version in versions.versions {
      let description = try read(CompiledModel.write(version.model))
      #expect(
        description.withoutSource == version.model.description.withoutSource, "\(version.name)")
      #expect(try Model(description).versionHashes == version.model.versionHashes)
    }
  }

  @Test("The validation predicates of a compiled model come back equal")
  func otherDemands() throws {
    var name = Attribute("name", .string)
    name.validation.minimum = .integer(1)
    name.validation.predicates = [
      ValidationPredicate("length >= 3 AND length <= 50", message: "From 3 to 50 characters."),
      ValidationPredicate("SELF CONTAINS 'title'", code: 42),
      // A bound with a message of its own, and a predicate that is not archived as a structure.
      ValidationPredicate("length >= 4", message: "Four."),
      ValidationPredicate("SUBQUERY({1}, $x, $x > 0).@count == 1"),
    ]
    var next = Relationship("next", to: "Trip", count: .toMany)
    next.validationPredicates = [ValidationPredicate("SELF.@count < 9", message: "Too many.")]
    let model = try Model(entities: [
      Entity("Trip", properties: [.attribute(name), .relationship(next)])
    ])
    let read = try Self.read(CompiledModel.write(model))
    #expect(read == model.description)
  }
}
