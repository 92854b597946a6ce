import Testing

@testable import ObjectModel

/// Descriptions that try to keep their reader busy. A check that takes more than linear time would not end here.
@Suite("Checks on hostile models")
struct HostileModelTests {
  private func chain(_ count: Int, propertiesEach: Int = 0) -> [Entity] {
    (0..<count).map { number in
      Entity(
        "E\(number)", superentity: number == 0 ? nil : "E\(number - 1)",
        properties: (0..<propertiesEach).map { .attribute(Attribute("p\(number)_\($0)", .string)) })
    }
  }

  @Test("Ten thousand entities that inherit in a circle are one fault")
  func circle() throws {
    var entities = chain(10_000)
    entities[0].superentity = "E9999"

    let faults = Model.faults(in: .init(entities: entities))

    #expect(faults.map(\.code) == [.cyclicInheritance])
    #expect(faults.allSatisfy { $0.message.utf8.count < 300 })
  }

  @Test("Many circles of inheritance are one fault each, whatever entities inherit from them")
  func circles() throws {
    let entities = (0..<3_000).flatMap { number in
      [
        Entity("A\(number)", superentity: "B\(number)"),
        Entity("B\(number)", superentity: "A\(number)"),
        Entity("C\(number)", superentity: "A\(number)"),
      ]
    }

    let faults = Model.faults(in: .init(entities: entities))

    #expect(faults.count == 3_000)
    #expect(faults.allSatisfy { $0.code == .cyclicInheritance })
  }

  @Test("A chain of inheritance that is too long is one fault, whatever its subentities are")
  func depth() throws {
    #expect(throws: Never.self) {
      try Model(entities: chain(Model.greatestInheritanceDepth + 1, propertiesEach: 3))
    }
    let faults = Model.faults(in: .init(entities: chain(10_000, propertiesEach: 1)))

    let codes = Set(faults.map(\.code))
    #expect(codes == [.inheritanceTooDeep, .tooManyInheritedProperties])
    #expect(faults.first { $0.code == .inheritanceTooDeep }?.entity == "E101")
  }

  @Test("Many subentities of an entity with many properties are refused without a computation")
  func width() throws {
    var entities = [
      Entity("Root", properties: (0..<5_000).map { .attribute(Attribute("p\($0)", .string)) })
    ]
    entities += (0..<5_000).map { Entity("E\($0)", superentity: "Root") }

    let faults = Model.faults(in: .init(entities: entities))

    #expect(faults.map(\.code) == [.tooManyInheritedProperties])
  }

  @Test("Too many entities, and too many properties of an entity, are refused")
  func numbers() throws {
    let entities = (0...Model.greatestEntityCount).map { Entity("E\($0)") }
    #expect(Model.faults(in: .init(entities: entities)).map(\.code) == [.tooManyEntities])

    let properties = (0...Model.greatestPropertyCount).map {
      Property.attribute(Attribute("p\($0)", .string))
    }
    let entity = Entity("E", properties: properties)
    #expect(Model.faults(in: .init(entities: [entity])).map(\.code) == [.tooManyProperties])
  }

  @Test("Thousands of wrong names are checked without thousands of searches")
  func wrongNames() throws {
    let entities = (0..<5_000).map { number in
      Entity(
        "Entity\(number)",
        properties: [.relationship(Relationship("r", to: "Antity\(number)", inverse: "s"))])
    }

    let faults = Model.faults(in: .init(entities: entities))

    #expect(faults.count == 5_000)
    #expect(faults[0].message.contains("Did you mean \"Entity0\"?"))
  }

  @Test("Deeply nested composite types are accepted, and recursive ones are faults")
  func composites() throws {
    var composites = (0..<5_000).map { number in
      CompositeType(
        "C\(number)",
        attributes: [Attribute("a", .composite, compositeName: "C\(number + 1)")])
    }
    composites.append(CompositeType("C5000", attributes: [Attribute("a", .string)]))
    let entity = Entity(
      "E", properties: [.attribute(Attribute("a", .composite, compositeName: "C0"))])

    let model = try Model(.init(entities: [entity], composites: composites))
    #expect(model.versionHash(of: "E") != nil)

    composites[5_000].attributes[0] = Attribute("a", .composite, compositeName: "C0")
    let faults = Model.faults(in: .init(entities: [entity], composites: composites))
    #expect(faults.count == 5_001)
    #expect(faults.allSatisfy { $0.code == .recursiveComposite })
  }

  @Test("Long names are cut short in messages")
  func longNames() throws {
    let name = String(repeating: "x y", count: 100_000)
    let faults = Model.faults(in: .init(entities: [Entity(name)]))

    #expect(faults.map(\.code) == [.invalidName])
    #expect(faults[0].message.utf8.count < 300)
  }

  @Test("A pattern with unbounded time is not applied to the default value")
  func pattern() throws {
    let attribute = Attribute(
      "a", .string, defaultValue: .string(String(repeating: "a", count: 60) + "!"),
      validation: .init(pattern: "(a+)+$"))

    #expect(throws: Never.self) {
      try Model(entities: [Entity("E", properties: [.attribute(attribute)])])
    }
  }

  @Test("A long path through a recursive composite type is refused in bounded time")
  func paths() throws {
    let path = [String](repeating: "a", count: 100_000).joined(separator: ".")
    let attribute = Attribute("a", .composite, compositeName: "C")
    let derived = Attribute("d", .string, derivation: .init(path))
    let entity = Entity(
      "E", properties: [.attribute(attribute), .attribute(derived)],
      uniquenessConstraints: [[path]])

    let faults = Model.faults(
      in: .init(
        entities: [entity], composites: [CompositeType("C", attributes: [attribute])]))

    #expect(faults.map(\.code) == [.recursiveComposite])
  }

  @Test("Wrong names in an entity of many properties take time in proportion to their number")
  func wrongColumns() throws {
    let entity = Entity(
      "E", properties: (0..<20_000).map { .attribute(Attribute("p\($0)", .string)) },
      uniquenessConstraints: (0..<20_000).map { ["q\($0)"] })

    #expect(Model.faults(in: .init(entities: [entity])).count == 20_000)
  }

  @Test("Many configurations of an entity with many relationships are checked in bounded time")
  func configurations() throws {
    let entity = Entity(
      "E",
      properties: (0..<5_000).map { .relationship(Relationship("r\($0)", to: "E")) })
    let configurations = (0..<5_000).map { Configuration("c\($0)", entities: ["E"]) }

    let model = try Model(.init(entities: [entity], configurations: configurations))

    #expect(model.warnings.count == 5_000)
  }
}
