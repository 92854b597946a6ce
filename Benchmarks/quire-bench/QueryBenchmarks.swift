import CSQLite3
import Foundation
import ObjectModel
import ObjectQuery
import Rows

/// Compares queries over columns with SQLite, on the same people in the same run.
func runQueryBenchmarks(_ count: Int) throws {
  let companies = max(1, count / 100)
  var writer = BlockWriter()
  let blocks = People.drafts(count, companies: companies)
    .flatMap { Draft.freeze([$0], version: 1, &writer) }
  let layer = Layer([.init(entityNumber: People.layout.entityNumber, put: BlockRun(blocks))])
  let source = ViewSource(View([layer]), model: People.model, schema: People.schema)
  let peer = try SQLitePeer(count, companies: companies)

  try measureFetching(source, peer)
  try measureGrouping(source, peer)
  try measureSearching(source, peer)
}

/// Adds a query on a source and on the peer. Both must have the same number of results.
private func compare(
  _ measurement: inout Measurement, _ name: String, _ plan: QueryPlan, _ source: ViewSource,
  _ peer: SQLitePeer, _ sql: String, run: @escaping (QueryPlan) throws -> Int
) throws {
  let statement = peer.prepare(sql)
  let (ours, theirs) = (try run(plan), SQLitePeer.count(statement))
  precondition(ours == theirs, "\(name): \(ours) results here and \(theirs) in SQLite")
  measurement.add("SQLite: \(name)", 1, "query") { SQLitePeer.count(statement) }
  measurement.add(name, 1, "query") { try! run(plan) }
  measurement.prepare { tidyMemory() }
}

/// Joins the free pieces of the heap. A peer may release a million small pieces, and the next large allocation joins them. This
/// time must not be part of a measurement.
func tidyMemory() {
  UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16).deallocate()
}

private func plan(_ request: QueryRequest) throws -> QueryPlan {
  try QueryPlan(request, model: People.model, schema: People.schema)
}

private func measureFetching(_ source: ViewSource, _ peer: SQLitePeer) throws {
  var measurement = Measurement()
  var request = QueryRequest(
    "Person", where: try QueryPredicate("lastName BEGINSWITH 'Sm' AND age > 40"),
    sortedBy: [SortKey("lastName"), SortKey("age")])
  let condition = "lastName >= 'Sm' AND lastName < 'Sn' AND age > 40 ORDER BY lastName, age"
  try compare(
    &measurement, "filter and sort, identifiers", plan(request), source, peer,
    "SELECT id FROM person WHERE \(condition)"
  ) { try $0.keys(in: source).count }
  request.resultType = .dictionaries
  try compare(
    &measurement, "filter and sort, every attribute", plan(request), source, peer,
    "SELECT * FROM person WHERE \(condition)"
  ) { try $0.table(in: source).rows.count }
  request.resultType = .objects
  request.fetchLimit = 20
  try compare(
    &measurement, "filter and sort, the first 20", plan(request), source, peer,
    "SELECT id FROM person WHERE \(condition) LIMIT 20"
  ) { try $0.keys(in: source).count }
  let times = measurement.report("Fetching (W4)")
  ratio(times, "filter and sort, identifiers", atMost: 0.08)
  ratio(times, "filter and sort, every attribute", atMost: 0.20)
  ratio(times, "filter and sort, the first 20", atMost: 0.08)
}

private func measureGrouping(_ source: ViewSource, _ peer: SQLitePeer) throws {
  var measurement = Measurement(rounds: 5)
  var request = QueryRequest("Person")
  request.resultType = .dictionaries
  request.propertiesToGroupBy = ["lastName"]
  request.propertiesToFetch = [
    FetchedValue("lastName"), FetchedValue("count", try QueryExpression("count:(SELF)")),
    FetchedValue("age", try QueryExpression("average:(age)")),
  ]
  try compare(
    &measurement, "count and average per last name", plan(request), source, peer,
    "SELECT lastName, count(*), avg(age) FROM person GROUP BY lastName"
  ) { try $0.table(in: source).rows.count }
  let times = measurement.report("Grouping (W11)")
  ratio(times, "count and average per last name", atMost: 0.010)
}

private func measureSearching(_ source: ViewSource, _ peer: SQLitePeer) throws {
  var measurement = Measurement()
  for (name, text) in [
    ("rare", "E 99998"), ("in one of sixty", People.words[17].uppercased()), ("in all", " OK"),
  ] {
    try compare(
      &measurement, "note CONTAINS[c], \(name)",
      plan(QueryRequest("Person", where: try QueryPredicate("note CONTAINS[c] %@", text))), source,
      peer, "SELECT id FROM person WHERE note LIKE '%\(text)%'"
    ) { try $0.keys(in: source).count }
  }
  let times = measurement.report("Searching text")
  for name in ["rare", "in one of sixty", "in all"] {
    ratio(times, "note CONTAINS[c], \(name)", atMost: 0.5)
  }
}
