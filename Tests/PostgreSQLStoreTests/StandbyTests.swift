import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import Rows
import StoreInterface
import Synchronization
import Testing

@testable import PostgreSQLStore

/// The way in which a server stops waiting for a standby.
enum LostStandby: CaseIterable {
  /// An administrator cancels the statement.
  case cancelled
  /// An administrator ends the connection.
  case terminated
}

@Suite(
  "Commits to a PostgreSQL server that waits for a standby",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct StandbyTests {
  private func model() throws -> Model {
    try Model(entities: [Entity("Trip", properties: [.attribute(Attribute("name", .string))])])
  }

  private func insertTrip(into store: any Store) throws {
    let trip = ObjectKey(entity: try store.snapshot().schema["Trip"]!.entityNumber, number: 1)
    try store.save { builder, _ in builder.insert(trip) }
  }

  /// Runs `body` with a store on a server of its own, which waits for a standby that does not exist.
  private func withLonelyServer(
    _ options: PostgreSQLStoreOptions, _ body: (any Store, _ address: String) throws -> Void
  ) throws {
    let server = try PostgreSQLServer()
    defer { server.stop() }
    let store = try PostgreSQLStoreBackend(options: options).create(
      at: server.address(schema: "trips"), model: model(), on: RealDisk(), StoreCreation())
    try waitForStandby(named: "nobody", server.address)
    try body(store, server.address)
    try store.close()
  }

  private func waitForStandby(named name: String, _ address: String) throws {
    let administrator = try PostgreSQLConnection(address, connectSeconds: 5, name: "test")
    try administrator.execute("ALTER SYSTEM SET synchronous_standby_names TO '\(name)'")
    try administrator.execute("SELECT pg_reload_conf()")
    while try administrator.texts("SHOW synchronous_standby_names") != [[name]] {
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  /// Stops the server's waiting for a standby, as soon as a commit waits.
  private func interrupt(_ fault: LostStandby, _ address: String) throws {
    let administrator = try PostgreSQLConnection(address, connectSeconds: 5, name: "test")
    let function = fault == .cancelled ? "pg_cancel_backend" : "pg_terminate_backend"
    for _ in 0..<100 {
      let stopped = try administrator.texts(
        "SELECT \(function)(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      if !stopped.isEmpty { return }
      Thread.sleep(forTimeInterval: 0.05)
    }
    Issue.record("No commit waits for a standby.")
  }

  @Test("A save that no standby confirms is uncertain", arguments: LostStandby.allCases)
  func unconfirmed(fault: LostStandby) throws {
    var options = PostgreSQLStoreOptions()
    options.patience = .seconds(1)
    try withLonelyServer(options) { store, address in
      let saving = Saving { try self.insertTrip(into: store) }
      try interrupt(fault, address)
      let error = saving.error

      #expect((error as? StoreError)?.code == .uncertain)
      #expect("\(error, default: "")".contains("standby"))
    }
  }

  @Test("A save counts once if a standby confirms it after an interruption")
  func confirmedLater() throws {
    try withLonelyServer(PostgreSQLStoreOptions()) { store, address in
      let saving = Saving { try self.insertTrip(into: store) }
      try interrupt(.terminated, address)
      // The save looks whether the commit counts, and waits for the standby again.
      Thread.sleep(forTimeInterval: 0.5)
      #expect(!saving.isEnded)
      try waitForStandby(named: "", address)

      #expect(saving.error == nil)
      #expect(try store.snapshot().commit == 1)
    }
  }

  @Test("A context that saves again after an uncertain save makes no second object")
  func savedAgain() throws {
    var options = PostgreSQLStoreOptions()
    options.patience = .seconds(1)
    try withLonelyServer(options) { store, address in
      let coordinator = PersistentStoreCoordinator(
        model: try model(),
        places: StorePlaces(
          StoreBackends([PostgreSQLStoreBackend(options: options)]), on: RealDisk()))
      try coordinator.addStore(at: #require(store.path))
      let trips = FetchRequest("Trip")
      let context = ManagedObjectContext(coordinator, concurrency: .confined)
      // The context gets keys for its objects from the server, and that waits for the standby too.
      try waitForStandby(named: "", address)
      try context.insert("Trip")["name"] = .string("Rome")
      try waitForStandby(named: "nobody", address)
      let interrupter = Saving { try self.interrupt(.terminated, address) }
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.code == .uncertain)
      #expect(interrupter.error == nil)
      try waitForStandby(named: "", address)

      let again = #expect(throws: ContextError.self) { try context.save() }
      #expect(again?.code == .conflict)
      context.reset()
      #expect(try context.count(for: trips) == 1)
      try context.insert("Trip")["name"] = .string("Oslo")
      try context.save()

      #expect(try context.count(for: trips) == 2)
    }
  }

  @Test("An error of a server that only reads names the next step")
  func readOnly() {
    let error = StoreError(
      PostgreSQLError(
        state: "25006", message: "cannot execute SELECT FOR UPDATE in a read-only transaction"),
      path: "postgresql://db/trips")

    #expect(error.code == .readOnly)
    #expect(error.message.contains("target_session_attrs=read-write"))
  }

  // MARK: - Reading from a standby

  @Test(
    "A program that only reads uses a standby, and its contexts follow the saves on the primary")
  func readingStandby() async throws {
    let primary = try PostgreSQLServer(port: 5441)
    defer { primary.stop() }
    let places = StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk())
    let writer = try PostgreSQLStoreBackend().create(
      at: primary.address(schema: "trips"), model: model(), on: RealDisk(), StoreCreation())
    try insertTrip(into: writer)
    let copying =
      "rm -rf \"$1/data\"; \(primary.program("pg_basebackup")) -h \(primary.folder) -p 5441 -U quire -D \"$1/data\" -R -c fast"
    let standby = try PostgreSQLServer(port: 5442, preparation: copying)
    defer { standby.stop() }
    let address = standby.address(schema: "trips")

    let coordinator = PersistentStoreCoordinator(model: try model(), places: places)
    try coordinator.addStore(at: address, type: .postgreSQL, readOnly: true)
    let context = ManagedObjectContext(coordinator)
    context.automaticallyMergesChangesFromParent = true
    let trip = try await context.perform {
      try #require(try context.fetch(FetchRequest<ManagedObject>("Trip")).first).objectID
    }
    try writer.save { builder, base in
      builder.set(
        .string("Rome"), "name", of: ObjectKey(entity: trip.key.entity, number: 1), base.schema,
        basis: 1)
    }

    var name = Value.null
    for _ in 0..<600 where name == .null {
      try await Task.sleep(for: .milliseconds(50))
      name = try await context.perform { try context.existingObject(with: trip)["name"] }
    }
    #expect(name == .string("Rome"))
    let error = #expect(throws: StoreError.self) {
      let store = try PostgreSQLStoreBackend().open(address, on: RealDisk(), StoreOpening())
      defer { try? store.close() }
      try store.save { builder, _ in builder.insert(ObjectKey(entity: trip.key.entity, number: 9)) }
    }
    #expect(error?.code == .readOnly)
    try writer.close()
  }
}

/// A save on another thread.
private final class Saving: Sendable {
  private let state = Mutex<(isEnded: Bool, error: (any Error)?)>((false, nil))

  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// The error of the save, after its end.
  var error: (any Error)? {
    while !isEnded { Thread.sleep(forTimeInterval: 0.02) }
    return state.withLock { $0.error }
  }

  init(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      var failure: (any Error)?
      do { try body() } catch { failure = error }
      state.withLock { $0 = (true, failure) }
    }
  }
}
