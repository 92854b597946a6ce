import Testing

@testable import ObjectModel

@Suite("Look-ups in a model")
struct LookupTests {
  @Test("Entities, properties and composite types are found by name")
  func names() throws {
    let model = try TripModel.model()

    #expect(model["Stop"]?.superentity == "Place")
    #expect(model["stop"] == nil)
    #expect(model.composite("Address")?.attributes.count == 2)
    #expect(model.composite("Nothing") == nil)
    #expect(model.property("name", of: "Stop")?.isOptional == false)
    #expect(model.property("stops", of: "Stop") == nil)
    #expect(model.properties(of: "Stop").map(\.name) == ["address", "name", "photo", "trip"])
    #expect(model.properties(of: "Nothing").isEmpty)
  }

  @Test("Inherited and own properties are listed together in the order of hashes")
  func order() throws {
    func attributes(_ names: String...) -> [Property] {
      names.map { .attribute(Attribute($0, .string)) }
    }
    let model = try Model(entities: [
      Entity("C", superentity: "B", properties: attributes("b", "_a", "Z")),
      Entity("A", properties: attributes("m", "a", "z")),
      Entity("B", superentity: "A"),
    ])

    #expect(model.properties(of: "C").map(\.name) == ["Z", "_a", "a", "b", "m", "z"])
    #expect(model.properties(of: "B").map(\.name) == ["a", "m", "z"])
  }

  @Test("The inheritance tree can be traversed in both directions")
  func inheritance() throws {
    let model = try Model(entities: [
      Entity("C", superentity: "B"), Entity("A"), Entity("B", superentity: "A"),
      Entity("D", superentity: "A"), Entity("E"),
    ])

    #expect(model.subentities(of: "A").map(\.name) == ["B", "D"])
    #expect(model.family(of: "A").map(\.name) == ["A", "B", "C", "D"])
    #expect(model.root(of: "C")?.name == "A")
    #expect(model.root(of: "E")?.name == "E")
    #expect(model.root(of: "F") == nil)
    #expect(model.entity("C", isOrInheritsFrom: "A"))
    #expect(model.entity("A", isOrInheritsFrom: "A"))
    #expect(!model.entity("A", isOrInheritsFrom: "C"))
    #expect(!model.entity("F", isOrInheritsFrom: "A"))
  }

  @Test("The inverse of a relationship is found, also if it is inherited")
  func inverse() throws {
    let model = try TripModel.model()
    let stops = try #require(model["Trip"]?.relationships.first)

    let trip = try #require(model.inverse(of: stops))

    #expect(trip.name == "trip")
    #expect(model.inverse(of: trip) == stops)
  }
}
