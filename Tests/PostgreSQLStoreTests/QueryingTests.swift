import Foundation
import ObjectModel
import ObjectQuery
import PostgreSQLServer
import PostgreSQLStore
import QueryWorld
import Rows
import StoreInterface
import Testing

@Suite(
  "A PostgreSQL store answers as a search of its rows does",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct QueryingTests {
  private func store(_ model: Model, _ view: View) throws -> any QueryingStore {
    // Some objects of the tests refer to objects that do not exist.
    let store = try StoreSite("&foreign_keys=off").create(model)
    for case let layer as Layer in view.tables {
      try store.commit(CommitRequest(layer, basedOn: try store.snapshot()))
    }
    return try #require(store.features.querying)
  }

  private func source(_ snapshot: any StoreSnapshot, _ store: any Store) throws -> ViewSource {
    try ViewSource(
      snapshot.view, model: snapshot.model, schema: snapshot.schema, store: store.tag)
  }

  @Test("The store answers the table of expressions as its rows do")
  func expressions() throws {
    let world = try World()
    let store = try store(world.model, world.view)
    let snapshot = try store.snapshot()
    let source = try source(snapshot, store)
    var answered = 0
    for line in QueryingRequests.expressions {
      let predicate = try QueryPredicate(line.text)
      for predicate in [predicate, !predicate] {
        let request = QueryRequest(line.entity, where: predicate)
        guard let keys = try store.keys(answering: request, in: snapshot) else { continue }
        answered += 1
        let plan = try QueryPlan(
          request, model: world.model, schema: snapshot.schema, store: store.tag)
        #expect(try keys == plan.keys(in: source), "\(predicate)")
        if let count = try store.count(answering: request, in: snapshot) {
          #expect(count == keys.count, "\(predicate)")
        }
      }
    }
    #expect(answered >= 700)
    try store.close()
  }

  @Test("Every order, page and family equals that of the rows")
  func orders() throws {
    let world = try World()
    let store = try store(world.model, world.view)
    let snapshot = try store.snapshot()
    let source = try source(snapshot, store)
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
          let plan = try QueryPlan(
            request, model: world.model, schema: snapshot.schema, store: store.tag)
          guard let found = try store.keys(answering: request, in: snapshot) else { continue }
          answered += 1
          #expect(try found == plan.keys(in: source), "\(path) \(ascending) \(limit)")
          #expect(
            try store.count(answering: request, in: snapshot) == plan.count(in: source),
            "\(path) \(limit) \(offset)")
        }
      }
    }
    #expect(answered == paths.count * 12)
    try store.close()
  }

  @Test("The store answers random requests as its rows do", arguments: 1...6 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let crowd = try QueryingCrowd(seed, hasLongDecimals: seed % 2 == 0)
    let store = try store(crowd.model, crowd.view)
    let snapshot = try store.snapshot()
    let source = try source(snapshot, store)
    var requests = QueryingRequests(seed + 7000)
    var (objects, tables) = (0, 0)
    for _ in 0..<250 {
      let request = requests.objects()
      if let keys = try store.keys(answering: request, in: snapshot) {
        let plan = try QueryPlan(
          request, model: crowd.model, schema: snapshot.schema, store: store.tag)
        #expect(try keys == plan.keys(in: source), "seed \(seed): \(request.words)")
        objects += 1
      }
      let table = requests.table()
      if let found = try store.table(answering: table, in: snapshot) {
        let plan = try QueryPlan(
          table, model: crowd.model, schema: snapshot.schema, store: store.tag)
        let expected = try plan.table(in: source)
        // Foundation can't describe every date, so the values themselves stay out of the message.
        #expect(found.names == expected.names)
        let isIdentical = found.rows.elementsEqual(expected.rows) { one, other in
          one.elementsEqual(other) { $0.isIdentical(to: $1) }
        }
        #expect(isIdentical, "seed \(seed): \(table.words)\n\(found.shown)\n\(expected.shown)")
        tables += 1
      }
    }
    #expect(objects > 100, "\(objects) of 250")
    #expect(tables > 40, "\(tables) of 250")
    try store.close()
  }
}

extension ResultTable {
  /// The first rows, with dates as seconds.
  fileprivate var shown: String {
    rows.prefix(30).map { row in
      row.map { value in
        if case .date(let date) = value { return "\(date.timeIntervalSinceReferenceDate)s" }
        return "\(value)"
      }.joined(separator: " ")
    }.joined(separator: "; ")
  }
}
