import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import Testing

@testable import SQLiteStore

/// Runs the table of expressions against tables of a database.
@Suite("The table of expressions as SQL")
struct QueryingExpressionTests {
  static let lines = QueryingRequests.expressions

  static func tables() throws -> QueryingTables {
    let world = try World()
    return try QueryingTables(
      world.model, world.schema, world.view, store: World.store, now: World.now)
  }

  @Test("Each answered predicate and its negation find the same objects as the rows")
  func answers() throws {
    let tables = try Self.tables()
    for line in Self.lines {
      let predicate = try QueryPredicate(line.text)
      for predicate in [predicate, !predicate] {
        let request = QueryRequest(line.entity, where: predicate)
        let plan = try tables.plan(request)
        let keys = try plan.keys(in: tables.source)
        if let found = try tables.answers.keys(request) { #expect(found == keys, "\(predicate)") }
        if let count = try tables.answers.count(request) {
          #expect(count == keys.count, "\(predicate)")
        }
      }
    }
  }

  @Test("SQL answers most of the table")
  func coverage() throws {
    let tables = try Self.tables()
    var left: [String] = []
    for line in Self.lines {
      let request = QueryRequest(line.entity, where: try QueryPredicate(line.text))
      if try tables.answers.keys(request) == nil { left.append(line.text) }
    }
    let folding = left.filter { $0.contains("[") || $0.contains("MATCHES") || $0.contains("LIKE") }
    #expect(Self.lines.count - left.count >= 400)
    if ProcessInfo.processInfo.environment["QUIRE_SHOW_LEFT"] != nil {
      print("left:", left.count, "folding:", folding.count)
      for text in left where !folding.contains(text) { print("left to the rows:", text) }
    }
  }

  @Test("Every order, page and family equals that of the rows")
  func orders() throws {
    let tables = try Self.tables()
    let paths = [
      "flag", "small", "medium", "large", "real", "ratio", "money", "name", "link", "when",
      "token", "owner.name", "owner.age", "owner.city.population", "owner.samples.@count",
    ]
    var answered = 0
    for path in paths {
      for ascending in [true, false] {
        for (limit, offset) in [(0, 0), (3, 0), (2, 3), (0, 5), (5, 100), (0, -1)] {
          var request = QueryRequest("Sample", sortedBy: [SortKey(path, ascending: ascending)])
          (request.fetchLimit, request.fetchOffset) = (limit, offset)
          request.includesSubentities = limit != 2
          let plan = try tables.plan(request)
          guard let found = try tables.answers.keys(request) else { continue }
          answered += 1
          #expect(try found == plan.keys(in: tables.source), "\(path) \(ascending) \(limit)")
          #expect(
            try tables.answers.count(request) == plan.count(in: tables.source),
            "\(path) \(limit) \(offset)")
        }
      }
    }
    #expect(answered == paths.count * 12)
  }
}
