import Foundation
import ObjectModel
import ObjectQuery
import QueryWorld
import Rows
import SeededRandom
import Testing

/// Expressions that are computed for whole blocks, compared with the same expressions row by row.
///
/// `noindex(x)` has the value of `x`, and is always evaluated row by row.
@Suite("Columns of computed values")
struct ComputedColumnTests {
  private static let expressions = [
    "age + 1", "age - big", "age * age", "age * big", "big + big", "age / 2", "big / age",
    "big % age", "age / flag", "score * 2", "score / age", "score - score", "abs(age)", "abs(big)",
    "abs(score)", "floor(score)", "ceiling(score)", "trunc(score)", "round(score)", "round(big)",
    "flag + flag", "age * 1.5 + score", "modulus(score, age)", "modulus(big, 7)", "big * 0",
    "year(born)", "quarter(born)", "month(born)", "week(born)", "day(born)", "weekday(born)",
    "hour(born)", "minute(born)", "second(born)", "year(born) * 12 + month(born)",
    "month(born, 'Europe/Berlin')", "hour(born, 'America/St_Johns')", "hour(born, '+05:30')",
    "trunc(born, 'year')", "trunc(born, 'quarter')", "trunc(born, 'month')", "trunc(born, 'week')",
    "trunc(born, 'day')", "trunc(born, 'hour')", "trunc(born, 'minute')", "trunc(born, 'second')",
    "trunc(born, 'day', 'Europe/Berlin')", "trunc(born, 'month', 'Africa/Cairo')",
    "year(trunc(born, 'week'))",
  ].map { $0.replacing("big % age", with: "modulus(big, age)") }

  private static let patterns: [ValuePattern?] = ValuePattern.allCases.map { $0 } + [nil, nil]

  private func rows(_ request: QueryRequest, _ crowd: Crowd) throws -> [[Value]] {
    var request = request
    request.resultType = .dictionaries
    return try QueryPlan(request, model: crowd.model, schema: crowd.schema)
      .table(in: crowd.source).rows
  }

  private func keys(_ request: QueryRequest, _ crowd: Crowd) throws -> [ObjectKey] {
    try QueryPlan(request, model: crowd.model, schema: crowd.schema).keys(in: crowd.source)
  }

  @Test("Blocks and rows give the same filters, groups, sums and orders", arguments: patterns)
  func agreement(_ pattern: ValuePattern?) throws {
    let crowd = try Crowd(pattern: pattern)
    for text in Self.expressions {
      let fast = try QueryExpression(text)
      let slow = QueryExpression.function(.noIndex, [fast])
      let comment = Comment(rawValue: "\(text), seed \(crowd.seed)")

      // The values of some objects are the constants of filters.
      var values = QueryRequest("Person")
      values.propertiesToFetch = [FetchedValue("value", slow)]
      let found = try rows(values, crowd).map { $0[0] }
      for value in Set(found.prefix(5)) {
        for operation in [
          QueryPredicate.Operator.equal, .notEqual, .lessThan, .greaterThanOrEqual,
        ] {
          func matches(_ expression: QueryExpression) throws -> [ObjectKey] {
            try keys(
              QueryRequest(
                "Person", where: .comparison(.init(expression, operation, .constant(value)))), crowd
            )
          }
          // Only equality may have NULL on a side.
          if value.isNull, operation != .equal, operation != .notEqual { continue }
          #expect(try matches(fast) == matches(slow), comment)
        }
      }

      func groups(_ expression: QueryExpression) throws -> [[Value]] {
        var request = QueryRequest("Person")
        request.propertiesToGroupBy = ["key"]
        request.propertiesToFetch = [
          FetchedValue("key", expression),
          FetchedValue("count", .function(.count, [.evaluatedObject])),
        ]
        return try rows(request, crowd)
      }
      #expect(try same(groups(fast), groups(slow)), comment)

      func sums(_ expression: QueryExpression) throws -> [[Value]] {
        var request = QueryRequest("Person")
        request.propertiesToGroupBy = ["flag"]
        request.propertiesToFetch = [FetchedValue("count", .function(.count, [expression]))]
        if !text.hasPrefix("trunc(born") {
          request.propertiesToFetch += [
            FetchedValue("sum", .function(.sum, [expression])),
            FetchedValue("average", .function(.average, [expression])),
          ]
        }
        return try rows(request, crowd)
      }
      #expect(try same(sums(fast), sums(slow)), comment)

      for isAscending in [false, true] {
        func sorted(_ expression: QueryExpression) throws -> [ObjectKey] {
          try keys(
            QueryRequest("Person", sortedBy: [SortKey(expression, ascending: isAscending)]), crowd)
        }
        #expect(try sorted(fast) == sorted(slow), comment)
      }
    }
  }

  /// Returns whether two tables are equal. "Not a number" is equal to itself here, and −0 to 0: a sum of columns begins
  /// with 0, and a sum of rows with its first value.
  private func same(_ one: [[Value]], _ other: [[Value]]) -> Bool {
    func words(_ rows: [[Value]]) -> [[String]] {
      rows.map { row in
        row.map { value in
          guard case .double(let number) = value else { return "\(value)" }
          return number.isNaN ? "nan" : number == 0 ? "0" : "\(number)"
        }
      }
    }
    return words(one) == words(other)
  }

  // MARK: - Calendars

  @Test("Starts of units are not after the date, and start where they are")
  func starts() throws {
    var random = SeededGenerator(seed: 17)
    let world = try World()
    let row = try #require(
      try world.source.row(
        of: ObjectKey(entity: world.schema["Sample"]!.entityNumber, number: 1)))
    func value(_ expression: QueryExpression) throws -> Value {
      let compiled = try CompiledExpression(
        expression, entity: "Sample", model: world.model, schema: world.schema)
      let key = ObjectKey(entity: world.schema["Sample"]!.entityNumber, number: 1)
      guard case .value(let value) = try compiled.value(for: key, row, in: world.source) else {
        return .null
      }
      return value
    }
    let zones = ["UTC", "Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe", "-03:30"]
    for _ in 0..<60 {
      let seconds = Double.random(in: -4e9...4e9, using: &random)
      let date = QueryExpression.constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
      for unit in QueryExpression.CalendarUnit.allCases {
        for zone in zones {
          let place: [QueryExpression] = [
            .constant(.string(unit.rawValue)), .constant(.string(zone)),
          ]
          guard case .date(let start) = try value(.function(.trunc, [date] + place)) else {
            Issue.record("\(seconds) has no \(unit) in \(zone)")
            continue
          }
          #expect(start.timeIntervalSinceReferenceDate <= seconds, "\(seconds) \(unit) \(zone)")
          let again = try value(.function(.trunc, [.constant(.date(start))] + place))
          #expect(again == .date(start), "\(seconds) \(unit) \(zone)")
        }
      }
    }
  }

  @Test("Parts of dates are those of Foundation's calendar")
  func parts() throws {
    var random = SeededGenerator(seed: 18)
    let world = try World()
    var calendar = Calendar(identifier: .iso8601)
    for zone in ["UTC", "Europe/Berlin", "America/St_Johns"] {
      calendar.timeZone = try #require(TimeZone(identifier: zone))
      for _ in 0..<200 {
        // Foundation's calendar has Julian days before 1582.
        let date = Date(
          timeIntervalSinceReferenceDate: .random(in: -1e10...1e11, using: &random))
        let parts = calendar.dateComponents(
          [.year, .month, .day, .hour, .minute, .second, .weekday, .weekOfYear], from: date)
        for (function, wanted) in [
          (QueryExpression.Function.year, parts.year), (.month, parts.month), (.day, parts.day),
          (.hour, parts.hour), (.minute, parts.minute), (.second, parts.second),
          (.week, parts.weekOfYear), (.weekday, (parts.weekday! + 5) % 7 + 1),
        ] {
          let predicate = QueryPredicate.comparison(
            .init(
              .function(function, [.constant(.date(date)), .constant(.string(zone))]), .equal,
              .constant(.integer(Int64(wanted!)))))
          #expect(try world.scan(predicate).count == 8, "\(function) of \(date) in \(zone)")
        }
      }
    }
  }
}
