import ObjectModel
import ObjectQuery
import Testing

@Suite("Requests with errors")
struct BadRequestTests {
  private static let bad:
    [(change: @Sendable (inout QueryRequest) throws -> Void, code: QueryError.Code, words: String)] =
      [
        ({ $0.entity = "Persn" }, .unknownEntity, "Did you mean \"Person\"?"),
        ({ $0.sortKeys = [SortKey("nme")] }, .unknownProperty, "Did you mean \"name\"?"),
        ({ $0.sortKeys = [SortKey("")] }, .unknownProperty, "\"\""),
        ({ $0.sortKeys = [SortKey("city")] }, .typeMismatch, "objects have no order"),
        (
          { $0 = QueryRequest("City", sortedBy: [SortKey("people.name")]) }, .typeMismatch,
          "not one value"
        ),
        ({ $0.relationshipKeyPathsForPrefetching = ["name"] }, .typeMismatch, "not to objects"),
        (
          { $0.relationshipKeyPathsForPrefetching = ["citty"] }, .unknownProperty,
          "Did you mean \"city\"?"
        ),
        (
          {
            $0.resultType = .dictionaries
            $0.propertiesToFetch = [FetchedValue("name"), FetchedValue("name", .path("age"))]
          }, .notSupported, "Two values are fetched as \"name\""
        ),
        (
          {
            $0.resultType = .dictionaries
            $0.propertiesToGroupBy = ["name"]
            $0.propertiesToFetch = [FetchedValue("age")]
          }, .notSupported, "differ within a group"
        ),
        (
          {
            $0.resultType = .dictionaries
            $0.havingPredicate = try QueryPredicate("age > 3")
          }, .notSupported, "propertiesToGroupBy"
        ),
        (
          {
            $0.resultType = .dictionaries
            $0.propertiesToGroupBy = ["name"]
            $0.havingPredicate = try QueryPredicate("age > 3")
          }, .notSupported, "differ within a group"
        ),
        (
          {
            $0.resultType = .dictionaries
            $0.propertiesToGroupBy = ["name"]
            $0.sortKeys = [SortKey("age")]
          }, .notSupported, "\"age\" is not fetched"
        ),
        (
          {
            $0 = QueryRequest("City")
            $0.resultType = .dictionaries
            $0.propertiesToFetch = [FetchedValue("people")]
          }, .typeMismatch, "single values"
        ),
        ({ $0.predicate = try QueryPredicate("name == $X") }, .missingVariable, "$X"),
      ]

  @Test("Each error names the wrong part, and suggests a near name", arguments: bad.indices)
  func refused(_ index: Int) throws {
    let crowd = try Crowd(3, seed: 1)
    var request = QueryRequest("Person")
    try Self.bad[index].change(&request)
    let error = #expect(throws: QueryError.self) { try crowd.plan(request) }
    #expect(error?.code == Self.bad[index].code)
    #expect(error?.message.contains(Self.bad[index].words) == true, "\(error?.message ?? "")")
  }

  @Test("A request for objects gives no table of rows")
  func wrongResult() throws {
    let crowd = try Crowd(3, seed: 1)
    #expect(throws: QueryError.self) {
      try crowd.plan(QueryRequest("Person")).table(in: crowd.source)
    }
  }
}
