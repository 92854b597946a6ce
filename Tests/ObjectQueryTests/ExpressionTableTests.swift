import Foundation
import ObjectQuery
import QueryWorld
import Testing

/// The table of predicates with their expected results, evaluated in every way.
@Suite("The table of expressions")
struct ExpressionTableTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let entity: String
    let text: String
    let expected: [UInt64]
    var testDescription: String { text }
  }

  static let lines: [Line] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Expressions/expressions.table")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      return Line(
        entity: String(parts[0]), text: String(parts[1]),
        expected: parts[2].split(separator: " ").compactMap { UInt64($0) })
    }
  }()

  @Test("The table has at least 600 lines")
  func size() { #expect(Self.lines.count >= 600) }

  @Test(
    "A scan, single objects and a count give the results of the table", arguments: [false, true])
  func answers(layered: Bool) throws {
    let world = try World(layered: layered)
    for line in Self.lines {
      do {
        let predicate = try QueryPredicate(line.text)
        let scanned = try world.scan(predicate, line.entity)
        #expect(scanned == line.expected, "scan: \(line.text)")
        let asked = try world.ask(predicate, line.entity)
        #expect(asked == line.expected, "one by one: \(line.text)")
        let counted = try QueryPlan(
          countRequest(line.entity, predicate), model: world.model, schema: world.schema,
          store: World.store, now: World.now
        ).count(in: world.source)
        #expect(counted == line.expected.count, "count: \(line.text)")
      } catch {
        Issue.record("\(line.text): \(error)")
      }
    }
  }

  private func countRequest(_ entity: String, _ predicate: QueryPredicate) -> QueryRequest {
    var request = QueryRequest(entity, where: predicate)
    request.resultType = .count
    return request
  }

  @Test("Printed predicates read back as equal trees, and print the same")
  func printing() throws {
    for line in Self.lines {
      let predicate = try QueryPredicate(line.text)
      let printed = predicate.description
      #expect(try QueryPredicate(printed) == predicate, "\(line.text) printed as \(printed)")
      #expect(try QueryPredicate(printed).description == printed)
      let coded = try JSONDecoder().decode(
        QueryPredicate.self, from: JSONEncoder().encode(predicate))
      #expect(coded == predicate)
    }
  }

  @Test("A predicate and its negation select all objects, and a double negation changes nothing")
  func negation() throws {
    let world = try World()
    for line in Self.lines {
      let predicate = try QueryPredicate(line.text)
      let all = try world.scan(.constant(true), line.entity)
      let others = try world.scan(!predicate, line.entity)
      #expect(others == all.filter { !line.expected.contains($0) }, "NOT \(line.text)")
      #expect(try world.scan(!(!predicate), line.entity) == line.expected, "NOT NOT \(line.text)")
    }
  }
}
