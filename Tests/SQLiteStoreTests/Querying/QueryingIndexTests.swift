import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import SQLTranslation
import Testing

@testable import SQLiteStore

@Suite("Conditions that an index of SQLite answers")
struct QueryingIndexTests {
  @Test(
    "A column that is compared with a value is looked up in its index",
    arguments: [
      ("small == 3", "ZSMALL"), ("small > 3 AND small < 9", "ZSMALL"),
      ("small IN {1, 3}", "ZSMALL"),
      ("small BETWEEN {1, 3}", "ZSMALL"), ("name == 'Ada'", "ZNAME"), ("name > 'Ada'", "ZNAME"),
      ("name BEGINSWITH 'A'", "ZNAME"), ("name IN {'Ada', 'ada'}", "ZNAME"),
      ("real > 1.5", "ZREAL"), ("real <= 1.5", "ZREAL"), ("real == 0", "ZREAL"),
      ("when > '2001-01-02'", "ZWHEN"), ("link LIKE 'https:*'", "ZLINK"),
      ("owner == CAST('x-quire://0123456789abcdef/2/p21', 'NSManagedObjectID')", "ZOWNER"),
    ])
  func lookUps(text: String, column: String) throws {
    let tables = try QueryingExpressionTests.tables()
    for name in ["ZSMALL", "ZNAME", "ZREAL", "ZWHEN", "ZLINK", "ZOWNER"] {
      try tables.connection.execute("CREATE INDEX I_\(name) ON ZSAMPLE (\(name) COLLATE BINARY)")
    }
    let request = QueryRequest("Sample", where: try QueryPredicate(text))
    let query = try #require(tables.answers.translation.keys(request))

    let plan = try tables.connection.prepare("EXPLAIN QUERY PLAN \(query.text)", isKept: false)
    var steps: [String] = []
    while try plan.step() { steps.append(plan.text(3) ?? "") }

    #expect(steps.contains { $0.contains("I_\(column) ") }, "\(steps)")
  }

  @Test(
    "A condition on a shared object is evaluated once, not for each object",
    arguments: [
      "ANY owner.samples.small > 3", "ALL owner.samples.small > 3", "NONE owner.samples.small > 3",
      "owner.samples.@max.small > 3", "owner.samples.@count == 2",
      "owner.samples.@min.small == nil",
      "SUBQUERY(owner.samples, $s, $s.small > 3).@count > 0", "max(owner.samples.small) > 3",
      "sum(owner.samples.small) >= 0",
    ])
  func shared(text: String) throws {
    let tables = try QueryingExpressionTests.tables()
    let request = QueryRequest("Sample", where: try QueryPredicate(text))
    let query = try #require(tables.answers.translation.keys(request))

    let plan = try tables.connection.prepare("EXPLAIN QUERY PLAN \(query.text)", isKept: false)
    var steps: [String] = []
    while try plan.step() { steps.append(plan.text(3) ?? "") }

    #expect(steps.contains { $0.hasPrefix("LIST SUBQUERY") }, "\(steps)")
    #expect(!steps.contains { $0.hasPrefix("CORRELATED LIST SUBQUERY") }, "\(steps)")
  }

  @Test("The objects of a relationship are looked up by the column of the inverse")
  func relationships() throws {
    let tables = try QueryingExpressionTests.tables()
    try tables.connection.execute("CREATE INDEX I_OWNER ON ZSAMPLE (ZOWNER)")
    let request = QueryRequest("Person", where: try QueryPredicate("samples.@count > 1"))
    let query = try #require(tables.answers.translation.keys(request))

    let plan = try tables.connection.prepare("EXPLAIN QUERY PLAN \(query.text)", isKept: false)
    var steps: [String] = []
    while try plan.step() { steps.append(plan.text(3) ?? "") }

    #expect(steps.contains { $0.contains("I_OWNER ") }, "\(steps)")
  }
}
