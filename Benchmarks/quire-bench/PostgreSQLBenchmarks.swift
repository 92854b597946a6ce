import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PostgreSQLServer
import PostgreSQLStore
import StoreInterface

/// Compares the store in PostgreSQL with a program that uses libpq on the same server.
func runPostgreSQLBenchmarks(_ count: Int) throws {
  guard PostgreSQLServer.isInstalled else { return print("\n\(PostgreSQLServer.absence)") }
  let server = try PostgreSQLServer.shared.get()
  let places = StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk())
  let companies = max(1, count / 100)
  func open(_ schema: String) -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(
      model: People.indexedModel, places: places,
      classes: [PersonObject.self, CompanyObject.self])
    try! coordinator.addStore(at: server.address(schema: schema), type: .postgreSQL)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }
  _ = ObjectBench.insert(count, into: open("people"))
  let peer = PostgreSQLPeer(server.address)
  peer.makeTables(like: "people")
  _ = peer.insert(count, companies: companies)

  var inserting = Measurement(rounds: 5)
  inserting.add("libpq: COPY", count, "row") { peer.insert(count, companies: companies) }
  inserting.prepare { peer.makeTables(like: "people") }
  inserting.add("insert and save", count, "row") { ObjectBench.insert(count, into: open("new")) }
  inserting.prepare { try? places.destroy(server.address(schema: "new")) }
  let first = inserting.report("Objects into PostgreSQL")
  target(
    "insert and save / COPY", Measurement.ratio(first, "insert and save", to: "libpq: COPY"),
    atMost: 1.5)

  peer.run("SET search_path TO people; ANALYZE person; ANALYZE company")
  let sorted = "last_name >= 'S' ORDER BY age, id"
  var reading = Measurement(rounds: 7)
  reading.add("libpq: binary select", count, "row") { peer.select("SELECT * FROM person") }
  reading.add("fetch all, all attributes", count, "row") {
    let context = open("people")
    return withExtendedLifetime(context) { ObjectBench.readAll(context) }
  }
  reading.add("libpq: filter and sort", count, "row") {
    peer.select("SELECT entity, id FROM person WHERE \(sorted)")
  }
  let store = try places.open(server.address(schema: "people")).features.querying!
  let snapshot = try store.snapshot()
  let request = QueryRequest(
    "Person", where: try QueryPredicate("lastName >= 'S'"), sortedBy: [SortKey("age")])
  reading.add("filter and sort", count, "row") {
    try! store.keys(answering: request, in: snapshot)!.count
  }
  let times = reading.report("Objects out of PostgreSQL")
  target(
    "fetch all, all attributes / binary select",
    Measurement.ratio(times, "fetch all, all attributes", to: "libpq: binary select"), atMost: 1.5)
  target(
    "filter and sort / the same SQL",
    Measurement.ratio(times, "filter and sort", to: "libpq: filter and sort"), atMost: 1.2)

  var saving = Measurement(rounds: 9)
  let saves = 100
  peer.run("SET search_path TO peer; CREATE TABLE head (n bigint); INSERT INTO head VALUES (0)")
  peer.run("CREATE TABLE log (n bigint PRIMARY KEY, time double precision, bytes bytea)")
  var number = 0
  saving.add("libpq: transactions of one row", saves, "save") {
    for _ in 0..<saves {
      number += 1
      peer.run("BEGIN; SELECT n FROM head FOR UPDATE")
      _ = peer.select("SELECT * FROM person WHERE id = 7")
      peer.run("UPDATE person SET balance = balance + 1, version = \(number) WHERE id = 7")
      peer.run("INSERT INTO log VALUES (\(number), 0, decode(repeat('00', 300), 'hex'))")
      peer.run("UPDATE head SET n = \(number)")
      peer.run("COMMIT")
    }
    return saves
  }
  let context = open("people")
  let person = try context.fetch(PersonObject.self, where: QueryPredicate("id == 7"))[0]
  saving.add("saves of one object", saves, "save") {
    for _ in 0..<saves {
      person.balance += 1
      try! context.save()
    }
    return saves
  }
  let last = saving.report("Small saves into PostgreSQL")
  target(
    "save of one object / the same transaction by hand",
    Measurement.ratio(last, "saves of one object", to: "libpq: transactions of one row"),
    atMost: 1.3)
  try PostgreSQLMix.measure(server, schema: "people", count)
}
