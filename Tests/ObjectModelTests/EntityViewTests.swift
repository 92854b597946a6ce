import Testing

@testable import ObjectModel

@Suite("Declared and inherited properties of an entity")
struct EntityViewTests {
  private static func model() throws -> Model {
    try Model(entities: [
      Entity(
        "Hotel", superentity: "Place",
        properties: [
          .attribute(Attribute("stars", .int16)),
          .relationship(Relationship("guests", to: "Guest", count: .toMany)),
          .fetched(
            FetchedProperty("nearby", request: FetchRequestTemplate("nearby", entity: "Place"))),
        ]),
      Entity("Resort", superentity: "Hotel"),
      Entity(
        "Place", superentity: "Thing",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("owner", to: "Guest")),
          .relationship(Relationship("next", to: "Place")),
        ]),
      Entity("Thing", isAbstract: true, properties: [.attribute(Attribute("code", .uuid))]),
      Entity("Guest", properties: [.attribute(Attribute("name", .string))]),
    ])
  }

  @Test("Declared properties are the entity's own, and other lists begin with inherited ones")
  func views() throws {
    let model = try Self.model()
    let hotel = try #require(model["Hotel"])

    #expect(hotel.declaredProperties.map(\.name) == ["stars", "guests", "nearby"])
    #expect(hotel.declaredAttributes.map(\.name) == ["stars"])
    #expect(hotel.declaredRelationships.map(\.name) == ["guests"])
    #expect(hotel.declaredFetchedProperties.map(\.name) == ["nearby"])
    #expect(hotel.inheritedProperties.map(\.name) == ["code", "name", "owner", "next"])
    #expect(hotel.attributes.map(\.name) == ["code", "name", "stars"])
    #expect(hotel.relationships.map(\.name) == ["owner", "next", "guests"])
    #expect(hotel.fetchedProperties.map(\.name) == ["nearby"])
    let resort = try #require(model["Resort"])
    #expect(resort.declaredProperties.isEmpty && resort.properties == hotel.properties)
    #expect(model["Guest"]?.inheritedProperties.isEmpty == true)
    for entity in model.entities {
      #expect(
        entity.properties.map(\.name).sorted()
          == model.properties(of: entity.name).map(\.name).sorted())
    }
  }

  @Test("A property is found by name in the entity and its superentities")
  func subscripts() throws {
    let model = try Self.model()

    #expect(model["Resort"]?["stars"]?.name == "stars")
    #expect(model["Resort"]?["code"]?.kind == "attribute")
    #expect(model["Place"]?["stars"] == nil && model["Resort"]?["nothing"] == nil)
  }

  @Test("Relationships are found by their destination, also inherited ones")
  func destinations() throws {
    let model = try Self.model()

    #expect(model["Resort"]?.relationships(to: "Guest").map(\.name) == ["owner", "guests"])
    #expect(model["Resort"]?.relationships(to: "Place").map(\.name) == ["next"])
    #expect(model["Place"]?.relationships(to: "Guest").map(\.name) == ["owner"])
    #expect(model["Hotel"]?.relationships(to: "Thing").isEmpty == true)
  }

  @Test("Entities of a model know inherited properties, and entities of a description do not")
  func sources() throws {
    let model = try Self.model()

    #expect(model.subentities(of: "Place").first?.attributes.count == 3)
    #expect(model.family(of: "Thing").last?.attributes.count == 3)
    #expect(model.root(of: "Resort")?.attributes.map(\.name) == ["code"])
    #expect(model.description.entities[0].attributes.map(\.name) == ["stars"])
    #expect(model.description.entities == model.entities)
    var changed = model.description
    changed.entities[3].declaredProperties.append(.attribute(Attribute("more", .string)))
    #expect(
      try Model(changed)["Resort"]?.attributes.map(\.name) == ["code", "more", "name", "stars"])
    #expect(model["Resort"]?.attributes.count == 3)
  }
}
