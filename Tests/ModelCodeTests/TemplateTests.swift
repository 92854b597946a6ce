import ModelCode
import ObjectModel
import Testing

@Suite("Functions for fetch request templates")
struct TemplateTests {
  /// Returns the parameters of the function for a predicate.
  private func parameters(_ predicate: String) throws -> String {
    let place = CompositeType("Place", attributes: [Attribute("city", .string)])
    let trip = Entity(
      "Trip",
      properties: [
        .attribute(Attribute("name", .string, isOptional: false)),
        .attribute(Attribute("start", .date)),
        .attribute(Attribute("days", .int16)),
        .attribute(Attribute("place", .composite, compositeName: "Place")),
        .attribute(Attribute("image", .transformable)),
        .relationship(Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
      ])
    let stop = Entity(
      "Stop",
      properties: [
        .attribute(Attribute("cost", .decimal)),
        .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
      ])
    let model = try Model(
      Model.Description(
        entities: [trip, stop], composites: [place],
        fetchRequestTemplates: [
          FetchRequestTemplate("found", entity: "Trip", predicate: predicate)
        ]))
    let text = try ModelClasses(of: model, named: "T").text
    let start = try #require(text.firstRange(of: "func found("))
    let end = try #require(text[start.upperBound...].firstRange(of: ") throws"))
    return text[start.upperBound..<end.lowerBound]
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(
    "A variable has the type of the other side of its comparison",
    arguments: [
      ("name == $X", "X: String"), ("start == $X", "X: Date?"), ("start > $X", "X: Date"),
      ("$X < days", "X: Int16"), ("days BETWEEN $X", "X: ClosedRange<Int16>"),
      ("days IN $X", "X: [Int16]"), ("name BEGINSWITH[cd] $X", "X: String"),
      ("name MATCHES $X", "X: String"), ("$X IN name", "X: String"),
      ("place.city == $X", "X: String?"), ("ANY stops.cost > $X", "X: Decimal"),
      ("stops.@count >= $X", "X: Int"), ("ANY stops == $X", "X: Stop?"),
      ("stops CONTAINS $X", "X: Stop?"), ("$X IN stops", "X: Stop?"), ("SELF IN $X", "X: [Trip]"),
      ("SELF == $X", "X: Trip?"), ("ANY stops.trip == $X", "X: Trip?"),
      ("start > $A AND start < $B", "A: Date, B: Date"),
      ("start == $X AND start > $X", "X: Date"),
    ])
  func known(_ predicate: String, _ expected: String) throws {
    #expect(try parameters(predicate) == expected)
  }

  @Test(
    "A variable of unknown type takes any value",
    arguments: [
      "days + 1 > $X", "image == $X", "days == $X + 1", "name == $X AND days == $X", "1 == $X",
      "days > $X AND days + 1 < $X", "missing == $X", "name.length == $X", "$X == $X",
      "SUBQUERY(stops, $s, $s.cost > $X).@count > 0",
    ])
  func unknown(_ predicate: String) throws {
    #expect(try parameters(predicate) == "X: (any QueryArgument)?")
  }

  @Test(
    "Names of templates become names of functions",
    arguments: [
      ("late trips", "lateTrips"), ("FetchRequest", "FetchRequest_"),
      ("description", "description_"),
      ("default", "`default`"), ("?!", "template"), ("Keys", "Keys"), ("TModel", "TModel_"),
      ("Place", "Place_"), ("Colour", "Colour_"), ("Quire", "Quire_"), ("Swift", "Swift_"),
      ("Foundation", "Foundation_"),
    ])
  func names(_ name: String, _ function: String) throws {
    // The class names these types itself: a structure, and a type that a developer writes.
    let trip = Entity(
      "Trip",
      properties: [
        .attribute(Attribute("place", .composite, compositeName: "Place")),
        .attribute(
          Attribute("shade", .transformable, valueTransformerName: "T", valueClassName: "Colour")),
      ])
    let model = try Model(
      Model.Description(
        entities: [trip],
        composites: [CompositeType("Place", attributes: [Attribute("city", .string)])],
        fetchRequestTemplates: [FetchRequestTemplate(name, entity: "Trip")]))

    let text = try ModelClasses(of: model, named: "T").text

    #expect(text.contains("public static func \(function)() throws(QueryError) -> FetchRequest<"))
    #expect(
      try Compiler().check(["A.swift": text, "B.swift": "public struct Colour: Sendable {}"]) == "")
  }

  @Test("A variable with the name of a type does not hide the type in the function")
  func variables() throws {
    let names = ["FetchRequest", "TModel", "Quire", "Swift", "Foundation", "QueryError", "String"]
    let predicate = names.map { "name == $\($0)" }.joined(separator: " OR ")
    // If an entity has the name of a Quire type, the code uses the type's full name.
    for entities in [["Trip"], ["Trip", "FetchRequest", "Data", "String"]] {
      let model = try Model(
        Model.Description(
          entities: entities.map {
            Entity(
              $0, properties: ["name", "bytes"].map { .attribute(Attribute($0, .string)) })
          },
          fetchRequestTemplates: [
            FetchRequestTemplate("found", entity: "Trip", predicate: predicate),
            FetchRequestTemplate("one", entity: "Trip", predicate: "name == $FetchRequest"),
          ]))

      let text = try ModelClasses(of: model, named: "T").text

      #expect(try Compiler().check(["A.swift": text]) == "")
    }
  }

  @Test("Variables of a subquery are not parameters")
  func subquery() throws {
    #expect(try parameters("SUBQUERY(stops, $s, $s.cost > 1).@count > $LEAST") == "least: Int")
  }
}
