import ModelCode
import ObjectModel
import Testing

@Suite("Code of composite attributes")
struct CompositeTests {
  private func text(_ attribute: Attribute, _ composites: CompositeType...) throws -> String {
    let trip = Entity("Trip", properties: [.attribute(attribute)])
    let model = try Model(Model.Description(entities: [trip], composites: composites))
    return try ModelClasses(of: model, named: "T").text
  }

  @Test("A composite attribute may have any name")
  func names() throws {
    for name in ["newValue", "old", "default", "parts"] {
      let text = try text(
        Attribute(name, .composite, compositeName: "Place"),
        CompositeType("Place", attributes: [Attribute("city", .string), Attribute("parts", .date)]))

      #expect(text.contains(": Place\n"), "\(name)")
      #expect(try Compiler().check(["A.swift": text]) == "")
    }
  }

  @Test("A part may have the name of any structure, also its own")
  func partsAsStructures() throws {
    let text = try text(
      Attribute("route", .composite, compositeName: "Route"),
      CompositeType(
        "Route",
        attributes: [
          Attribute("Point", .composite, compositeName: "Point"),
          Attribute("other", .composite, compositeName: "Point"),
          Attribute("Route", .composite, compositeName: "Line"),
        ]),
      CompositeType("Point", attributes: [Attribute("x", .double), Attribute("y", .double)]),
      CompositeType("Line", attributes: [Attribute("length", .double)]))

    #expect(try Compiler().check(["A.swift": text]) == "")
  }
}
