import ObjectModel
import ObjectQuery
import Testing

@Suite("Requests from templates of a model")
struct TemplateTests {
  private func model() throws -> Model {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int32)),
    ]
    return try Model(
      Model.Description(
        entities: [trip],
        fetchRequestTemplates: [
          FetchRequestTemplate(
            "longTrips", entity: "Trip", predicate: "days > $DAYS AND name CONTAINS[c] $NAME",
            sortKeys: [
              .init("name", selector: "caseInsensitiveCompare:"), .init("days", isAscending: false),
            ],
            resultType: .identifiers, fetchLimit: 9, fetchOffset: 2, fetchBatchSize: 5,
            flags: [.includesPendingChanges, .returnsDistinctResults])
        ]))
  }

  @Test("A template becomes a request with every option of the template")
  func everything() throws {
    let request = try QueryRequest(
      template: "longTrips", in: model(), variables: ["DAYS": 3, "NAME": "l"])
    var wanted = QueryRequest(
      "Trip", where: try QueryPredicate("days > 3 AND name CONTAINS[c] 'l'"))
    wanted.sortKeys = [
      SortKey("name", options: .caseInsensitive), SortKey("days", ascending: false),
    ]
    wanted.resultType = .identifiers
    (wanted.fetchLimit, wanted.fetchOffset, wanted.fetchBatchSize) = (9, 2, 5)
    wanted.includesSubentities = false
    wanted.includesPropertyValues = false
    wanted.returnsObjectsAsFaults = false
    wanted.returnsDistinctResults = true
    #expect(request == wanted)
  }

  @Test("Either all variables of a template are given, or none")
  func variables() throws {
    let request = try QueryRequest(template: "longTrips", in: model())
    #expect(request.predicate?.variables == ["DAYS", "NAME"])
    let error = #expect(throws: QueryError.self) {
      try QueryRequest(template: "longTrips", in: model(), variables: ["DAYS": 3])
    }
    #expect(error?.code == .missingVariable)
    #expect(error?.message.contains("$NAME") == true)
  }

  @Test("An unknown name, an unknown comparison and an unreadable predicate are refused")
  func refusing() throws {
    let error = #expect(throws: QueryError.self) {
      try QueryRequest(template: "longTrip", in: model())
    }
    #expect(error?.message.contains("Did you mean \"longTrips\"?") == true)
    let odd = FetchRequestTemplate(
      "odd", entity: "Trip", sortKeys: [.init("name", selector: "compareBackwards:")])
    #expect(throws: QueryError.self) { try QueryRequest(odd) }
    let broken = FetchRequestTemplate("odd", entity: "Trip", predicate: "name ==")
    #expect(throws: QueryError.self) { try QueryRequest(broken) }
  }
}
