import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Synchronization
import Testing

@Suite(
  "Transactions that the server stops",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"),
  .timeLimit(.minutes(20)))
struct RetryTests {
  private func store(_ site: StoreSite) throws -> (any Store, ObjectKey) {
    var trip = Entity("Trip")
    trip.declaredProperties = [.attribute(Attribute("name", .string))]
    let store = try site.create(Model(entities: [trip]))
    let entity = try store.snapshot().schema["Trip"]!.entityNumber
    return (store, ObjectKey(entity: entity, number: 1))
  }

  /// Makes every insertion fail with a SQLSTATE, as often as given. A sequence counts, because it is not rolled back.
  private func makeFail(_ site: StoreSite, _ state: String, times: Int) throws {
    try site.connection().execute(
      """
      CREATE SEQUENCE attempts; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN \
      IF nextval('\(site.schema).attempts') <= \(times) THEN RAISE EXCEPTION 'stopped' USING ERRCODE = '\(state)'; END IF; \
      RETURN NEW; END $body$; CREATE TRIGGER fail BEFORE INSERT ON trip FOR EACH ROW EXECUTE FUNCTION fail()
      """)
  }

  private func attempts(_ site: StoreSite) throws -> [[String?]] {
    try site.connection().texts("SELECT last_value FROM attempts")
  }

  @Test("A stopped transaction is run again", arguments: ["40001", "40P01"])
  func repeats(state: String) throws {
    let site = try StoreSite()
    let (store, trip) = try store(site)
    try makeFail(site, state, times: 3)

    let saved = try store.save { builder, _ in builder.insert(trip) }

    #expect(saved.commit == 1)
    #expect(try attempts(site) == [["4"]])
    try store.close()
  }

  @Test("A transaction that is always stopped ends after the bound, and other errors at once")
  func bound() throws {
    var options = PostgreSQLStoreOptions()
    options.mostRetries = 2
    for (state, count, code) in [
      ("40001", "3", StoreError.Code.locked), ("40P01", "3", .locked), ("P0001", "1", .failed),
    ] {
      let site = try StoreSite(options: options)
      let (store, trip) = try store(site)
      try makeFail(site, state, times: .max)

      let error = #expect(throws: StoreError.self) {
        try store.save { builder, _ in builder.insert(trip) }
      }

      #expect(error?.code == code)
      #expect(try attempts(site) == [[count]])
      #expect(try store.snapshot().commit == 0)
      try store.close()
    }
  }

  @Test("A deadlock with a program that writes with SQL is resolved, and the save counts once")
  func deadlock() throws {
    let site = try StoreSite()
    let (store, trip) = try store(site)
    let other = try site.connection()
    try other.execute("BEGIN; LOCK TABLE trip")
    let outcome = Mutex<(commit: Int64?, error: String?)>((nil, nil))
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      do {
        let saved = try store.save { builder, base in
          builder.insert(trip)
          builder.set(.string("Rome"), "name", of: trip, base.schema)
        }
        outcome.withLock { $0.commit = saved.commit }
      } catch { outcome.withLock { $0.error = "\(error)" } }
      isDone.signal()
    }
    // The save has locked the row of the store, and waits for the table.
    let watch = try site.connection()
    while try watch.texts(
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'trip'::regclass") == [["0"]]
    { Thread.sleep(forTimeInterval: 0.01) }

    // The server stops one of the two.
    let isStopped = (try? other.execute("SELECT 1 FROM quire_store FOR UPDATE")) == nil
    try other.execute("ROLLBACK")
    isDone.wait()

    #expect(outcome.withLock { $0.error } == nil)
    #expect(outcome.withLock { $0.commit } == 1)
    #expect(try store.snapshot().values().count == 1)
    let stopped = try watch.texts(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    #expect(isStopped || stopped != [["0"]])
    try store.close()
  }
}
