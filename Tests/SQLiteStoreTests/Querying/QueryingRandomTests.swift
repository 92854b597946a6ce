import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import SQLTranslation
import TestEffort
import Testing

@testable import SQLiteStore

@Suite("Random requests as SQL")
struct QueryingRandomTests {
  private static let worlds = Effort.seeds(12)
  private static let requests = 250

  private func tables(_ seed: UInt64) throws -> QueryingTables {
    let crowd = try QueryingCrowd(seed, hasLongDecimals: seed % 3 == 0)
    return try QueryingTables(
      crowd.model, crowd.schema, crowd.view, now: Date(timeIntervalSinceReferenceDate: 8e8))
  }

  @Test("SQL finds the same objects and the same count as a search of the rows")
  func objects() throws {
    var (answered, asked) = (0, 0)
    for seed in Self.worlds {
      let tables = try tables(seed)
      var requests = QueryingRequests(seed)
      for _ in 0..<Self.requests {
        let request = requests.objects()
        // Both ways refuse a request without a meaning.
        guard let plan = try? tables.plan(request) else {
          #expect(try tables.answers.keys(request) == nil)
          continue
        }
        asked += 1
        let keys = try tables.answers.keys(request)
        if let keys {
          answered += 1
          #expect(try keys == plan.keys(in: tables.source), "seed \(seed): \(request.words)")
        }
        // Only a number that does not fit in 64 bits stops a statement.
        if let refusal = try tables.refusal(tables.answers.translation.keys(request)) {
          #expect(refusal.contains("integer overflow"), "seed \(seed): \(refusal)")
        }
        if let count = try tables.answers.count(request) {
          #expect(try count == plan.count(in: tables.source), "seed \(seed): \(request.words)")
        }
      }
    }
    #expect(answered * 2 > asked, "\(answered) of \(asked)")
  }

  @Test("SQL gives the same values, groups and aggregates as a search of the rows")
  func dictionaries() throws {
    var (answered, asked) = (0, 0)
    for seed in Self.worlds {
      let tables = try tables(seed)
      var requests = QueryingRequests(seed + 1000)
      for _ in 0..<Self.requests {
        let request = requests.table()
        guard let plan = try? tables.plan(request) else {
          #expect(try tables.answers.table(request) == nil)
          continue
        }
        asked += 1
        if let table = try tables.answers.table(request) {
          answered += 1
          let expected = try plan.table(in: tables.source)
          #expect(
            table == expected,
            "seed \(seed): \(request.words) \(tables.answers.translation.table(request)!.query.text)"
          )
          #expect(
            table.rows.description == expected.rows.description, "seed \(seed): \(request.words)")
        }
        if let refusal = try tables.refusal(tables.answers.translation.table(request)?.query) {
          #expect(refusal.contains("integer overflow"), "seed \(seed): \(refusal)")
        }
        if let count = try tables.answers.count(request) {
          #expect(try count == plan.count(in: tables.source), "seed \(seed): \(request.words)")
        }
      }
    }
    #expect(answered * 4 > asked, "\(answered) of \(asked)")
  }
}
