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
  "Commits to a PostgreSQL server",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct CommitTests {
  private func model() throws -> Model {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(
        Relationship("stops", to: "Stop", inverse: "trip", inverseEntity: "Stop", count: .toMany)),
    ]
    var stop = Entity("Stop")
    stop.declaredProperties = [
      .relationship(Relationship("trip", to: "Trip", inverse: "stops", inverseEntity: "Trip"))
    ]
    return try Model(entities: [trip, stop])
  }

  private func key(_ store: any Store, _ entity: String, _ number: UInt64) throws -> ObjectKey {
    ObjectKey(entity: try store.snapshot().schema[entity]!.entityNumber, number: number)
  }

  /// Returns the numbers of the commits that a store announces from now on.
  private func announcements(of store: any Store) async throws -> AsyncStream<Int64> {
    let (numbers, announced) = AsyncStream<Int64>.makeStream()
    try #require(store.features.announcements).whenCommitted { announced.yield($0) }
    // The listener connects within its interval.
    try await Task.sleep(for: .seconds(1.5))
    return numbers
  }

  @Test("Two stores on one server see each other's commits, conflicts and announcements")
  func twoStores() async throws {
    let site = try StoreSite()
    let (one, other) = (try site.create(model()), try site.open())
    let trip = try key(one, "Trip", 1)
    let numbers = try await announcements(of: other)
    try one.save { builder, base in
      builder.insert(trip)
      builder.set(.string("Rome"), "name", of: trip, base.schema)
    }
    let base = try other.snapshot()
    #expect(base.commit == 1)
    var iterator = numbers.makeAsyncIterator()
    #expect(await iterator.next() == 1)

    try one.save { builder, base in
      builder.set(.string("Oslo"), "name", of: trip, base.schema, basis: 1)
    }
    #expect(await iterator.next() == 2)
    let builder = LayerBuilder(base.schema)
    builder.set(.string("Bonn"), "name", of: trip, base.schema, basis: 1)
    let error = #expect(throws: StoreError.self) {
      try other.commit(CommitRequest(builder.freeze(), basedOn: base))
    }

    #expect(error?.code == .conflict)
    #expect(error?.conflicts == [StoreConflict(key: trip, basis: 1, current: 2)])
    #expect(try base.values()["Trip 1"]?["name"] == .string("Rome"))
    #expect(try other.snapshot().values()["Trip 1"]?["name"] == .string("Oslo"))
    try one.close()
    try other.close()
  }

  @Test(
    "A commit is announced that was made while the listening connection was lost",
    .timeLimit(.minutes(20)))
  func announcedLater() async throws {
    let site = try StoreSite()
    let one = try site.create(model())
    let other = try site.backend.open(
      "\(site.address)&application_name=\(site.schema)", on: RealDisk(), StoreOpening())
    let trip = try key(one, "Trip", 1)
    let (numbers, announced) = AsyncStream<Int64>.makeStream()
    try #require(other.features.announcements).whenCommitted { announced.yield($0) }
    let connection = try site.connection()
    let others = "FROM pg_stat_activity WHERE application_name = '\(site.schema)'"
    // The third connection listens.
    while try connection.texts("SELECT count(*) \(others) AND state LIKE 'idle%'") != [["3"]] {
      try await Task.sleep(for: .milliseconds(50))
    }

    _ = try connection.texts("SELECT pg_terminate_backend(pid, 5000) \(others)")
    try one.save { builder, _ in builder.insert(trip) }

    var iterator = numbers.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    try one.close()
    try other.close()
  }

  @Test("A notification with the number of no commit announces nothing", .timeLimit(.minutes(20)))
  func falseNotifications() async throws {
    let site = try StoreSite()
    let (one, other) = (try site.create(model()), try site.open())
    let trip = try key(one, "Trip", 1)
    let numbers = try await announcements(of: other)
    let connection = try site.connection()
    for payload in ["9223372036854775807", "1", "-1", "x", "", "7; DROP TABLE trip"] {
      try connection.forEachRow(
        "SELECT pg_notify('quire_' || uuid, $1) FROM quire_store", [PostgreSQLParameter(payload)])
    }

    try one.save { builder, _ in builder.insert(trip) }

    var iterator = numbers.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    try one.close()
    try other.close()
  }

  @Test("A reference to an object that another save removed is refused with the next step")
  func foreignKeys() throws {
    let site = try StoreSite()
    let store = try site.create(model())
    let stop = try key(store, "Stop", 1)
    let trip = try key(store, "Trip", 9)

    let error = #expect(throws: StoreError.self) {
      try store.save { builder, base in
        builder.insert(stop)
        builder.set(.object(trip), "trip", of: stop, base.schema)
      }
    }

    #expect(error?.code == .badChange)
    #expect("\(error!)".contains("23503"))
    #expect("\(error!)".contains("Refresh the context"))
    #expect(try store.snapshot().commit == 0)
    try store.close()
  }

  @Test(
    "If the connection is lost while a commit ends, the commit counts once",
    arguments: [RelayFault.answerToCommitLost, .commitLost, .commitLostLate])
  func lostCommit(fault: RelayFault) throws {
    var options = PostgreSQLStoreOptions()
    // The time begins with the loss, so a longer silence before the loss does not use it up.
    if fault == .commitLostLate { options.patience = .seconds(1) }
    let site = try StoreSite(options: options)
    try site.create(model()).close()
    let relay = try Relay(to: "\(site.server.folder)/.s.PGSQL.5432")
    defer { relay.stop() }
    let address = site.address(through: relay)
    let store = try site.backend.open(address, on: RealDisk(), StoreOpening())
    let trip = try key(store, "Trip", 1)

    relay.fault = fault
    let saved = try store.save { builder, base in
      builder.insert(trip)
      builder.set(.string("Rome"), "name", of: trip, base.schema)
    }

    #expect(relay.faultCount == 1)
    #expect(saved.commit == 1)
    #expect(try store.commits().map(\.number) == [1, 0])
    #expect(try saved.values()["Trip 1"]?["name"] == .string("Rome"))
    try store.close()
  }

  @Test("A save that the server can't confirm in time is uncertain")
  func uncertain() throws {
    var options = PostgreSQLStoreOptions()
    options.patience = .seconds(1)
    let site = try StoreSite(options: options)
    try site.create(model()).close()
    let relay = try Relay(to: "\(site.server.folder)/.s.PGSQL.5432")
    defer { relay.stop() }
    let address = site.address(through: relay)
    let store = try site.backend.open(address, on: RealDisk(), StoreOpening())
    let trip = try key(store, "Trip", 1)

    relay.fault = .serverGoneAfterCommit
    let error = #expect(throws: StoreError.self) {
      try store.save { builder, _ in builder.insert(trip) }
    }

    #expect(error?.code == .uncertain)
    #expect(try site.open().snapshot().commit == 1)
  }

  @Test("Stores in several threads save at once, and no save is lost")
  func manyWriters() throws {
    let site = try StoreSite()
    let first = try site.create(model())
    let trip = try key(first, "Trip", 1)
    try first.save { builder, _ in builder.insert(trip) }
    let saved = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      guard let store = try? site.open() else { return }
      for _ in 0..<20 {
        while true {
          do {
            try store.save { builder, base in
              let row = try #require(try base.view.row(of: trip))
              let version = try row.version
              builder.set(.string("\(version)"), "name", of: trip, base.schema, basis: version)
            }
            saved.withLock { $0 += 1 }
            break
          } catch let error as StoreError where error.code == .conflict {
            continue
          } catch {
            Issue.record("\(error)")
            return
          }
        }
      }
      try? store.close()
    }

    #expect(saved.withLock { $0 } == 120)
    #expect(try first.snapshot().commit == 121)
    try first.close()
  }

  @Test("A snapshot without a connection reads its commit by the history")
  func releasedSnapshots() throws {
    var options = PostgreSQLStoreOptions()
    options.mostSnapshotConnections = 1
    let site = try StoreSite(options: options)
    let store = try site.create(model())
    let trip = try key(store, "Trip", 1)
    try store.save { builder, _ in builder.insert(trip) }
    var snapshots: [any StoreSnapshot] = []
    for number in 0..<6 {
      snapshots.append(
        try store.save { builder, base in
          let version = try #require(try base.view.row(of: trip)).version
          builder.set(.string("\(number)"), "name", of: trip, base.schema, basis: version)
        })
    }

    for number in [3, 0, 5, 2, 4, 1] {
      #expect(try snapshots[number].values()["Trip 1"]?["name"] == .string("\(number)"))
    }
    try store.close()
  }
}
