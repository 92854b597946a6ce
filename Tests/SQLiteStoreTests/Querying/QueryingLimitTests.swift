import Foundation
import ObjectModel
import ObjectQuery
import SQLTranslation
import Testing

@testable import SQLiteStore

@Suite("Requests that exceed SQL's limits")
struct QueryingLimitTests {
  private let small = QueryExpression.path("small")

  private func equal(_ left: QueryExpression, _ number: Int64) -> QueryPredicate {
    .comparison(.init(left, .equal, .constant(.integer(number))))
  }

  @Test("Long lists and deep trees are left to a search of the rows")
  func limits() throws {
    let translation = try QueryingExpressionTests.tables().answers.translation
    let list = QueryExpression.aggregate((0..<2000).map { .constant(.integer($0)) })
    let long = QueryPredicate.comparison(.init(small, .in, list))
    let deep = (0..<100).reduce(equal(small, 1)) { predicate, _ in .not(predicate) }

    for predicate in [long, deep] {
      #expect(translation.keys(QueryRequest("Sample", where: predicate)) == nil)
    }
    #expect(translation.keys(QueryRequest("Sample", where: equal(small, 1))) != nil)
  }

  @Test("A 64-bit overflow stops the SQL statement, and a search of the rows answers")
  func overflows() throws {
    let tables = try QueryingExpressionTests.tables()
    var request = QueryRequest("Sample")
    request.resultType = .dictionaries
    request.propertiesToFetch = [FetchedValue("sum", .function(.sum, [.path("large")]))]

    #expect(tables.answers.translation.table(request) != nil)
    #expect(try tables.answers.table(request) == nil)
  }

  @Test("A request without a meaning has no statement")
  func nonsense() throws {
    let translation = try QueryingExpressionTests.tables().answers.translation
    for request in [
      QueryRequest("Nothing"), QueryRequest("Sample", where: equal(.path("nothing"), 1)),
      QueryRequest("Sample", where: equal(.path("name"), 1)),
      QueryRequest("Sample", where: try QueryPredicate("small == 1 / 0")),
      QueryRequest("Sample", where: try QueryPredicate("small != {5}[3]")),
    ] {
      #expect(translation.keys(request) == nil)
      #expect(translation.count(request) == nil)
    }
    #expect(translation.table(QueryRequest("Sample")) == nil)
  }
}
