import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing

@Suite(
  "Round trips to the server",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"),
  .timeLimit(.minutes(20)))
struct RoundTripTests {
  private static let model: Model = {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int64)),
    ]
    return try! Model(entities: [trip])
  }()

  /// A store with 100 trips, and the store again, as another program opens it through a relay.
  private struct Pair {
    let relay: Relay
    let store: any Store
    let remote: any Store
    let entity: UInt16

    init() throws {
      let site = try StoreSite()
      let store = try site.create(RoundTripTests.model)
      let entity = try store.snapshot().schema["Trip"]!.entityNumber
      try store.save { builder, _ in
        for number in 1...100 { builder.insert(ObjectKey(entity: entity, number: UInt64(number))) }
      }
      relay = try Relay(to: "\(site.server.folder)/.s.PGSQL.5432")
      remote = try site.backend.open(site.address(through: relay), on: RealDisk(), StoreOpening())
      (self.store, self.entity) = (store, entity)
    }

    func key(_ number: Int) -> ObjectKey { ObjectKey(entity: entity, number: UInt64(number)) }

    /// Changes a trip in the first store.
    func change(_ number: Int, _ days: Int64) throws {
      try store.save { builder, base in
        let column = base.schema["Trip"]!.index(of: "days")!
        builder.set(
          .integer(days), column: column, of: key(number),
          basis: try base.view.row(of: key(number))!.version)
      }
    }

    func close() throws {
      try remote.close()
      try store.close()
      relay.stop()
    }
  }

  /// Returns the number of round trips of some work.
  private func trips(_ relay: Relay, _ work: () throws -> Void) rethrows -> Int {
    let before = relay.tripCount
    try work()
    return relay.tripCount - before
  }

  @Test("A read by key of the newest commit takes one round trip")
  func reading() throws {
    let pair = try Pair()
    for round in 1...6 {
      try pair.change(7, Int64(round))

      let count = try trips(pair.relay) {
        let snapshot = try pair.remote.snapshot(reading: pair.key(7))
        let row = try snapshot.view.row(of: pair.key(7))
        let version = try row?.version
        #expect(version == Int64(round + 1))
      }

      // A statement is prepared when it is used for the second time, which is a round trip of its own. The second read asks
      // for the neighbours too, with another statement.
      if round > 4 { #expect(count == 1) }
    }
    try pair.close()
  }

  @Test(
    "A row is read as it was at the snapshot's commit, whether or not a later commit changed it")
  func takingBack() throws {
    let pair = try Pair()
    for round in 1...3 {
      try pair.change(7, Int64(round))
      let snapshot = try pair.remote.snapshot(reading: pair.key(7))
      try pair.change(7, 100)
      try pair.change(40 + round, 100)

      let same = try snapshot.view.row(of: pair.key(20 * round))
      #expect(try same?.version == 1)
      let changed = try snapshot.view.row(of: pair.key(40 + round))
      let version = try changed?.version
      #expect(version == 1)
    }
    try pair.close()
  }

  /// Returns a request that sets the days of some trips, which have just been read.
  private func request(_ numbers: [Int], _ days: Int, in pair: Pair) throws -> CommitRequest {
    let base = try pair.remote.snapshot(reading: pair.key(numbers[0]))
    let builder = LayerBuilder(base.schema)
    let column = base.schema["Trip"]!.index(of: "days")!
    for number in numbers {
      let row = try base.view.row(of: pair.key(number))!
      builder.set(
        .integer(Int64(days)), column: column, of: pair.key(number), basis: try row.version)
    }
    return CommitRequest(builder.freeze(), basedOn: base)
  }

  @Test("A save of attributes of objects that were read takes one round trip")
  func savingInOneTrip() throws {
    let pair = try Pair()
    for round in 1...5 {
      let request = try request([7], round, in: pair)
      // Another program saves another object, so that the versions have to be compared.
      try pair.change(80, Int64(round))

      let count = try trips(pair.relay) { try pair.remote.commit(request) }

      // The first commit of a store looks at the size of the history. Each statement is prepared at its second use.
      if round > 3 { #expect(count == 1) }
      let version = try pair.store.snapshot().view.row(of: pair.key(7))?.version
      #expect(version == Int64(1 + 2 * round))
      // The same base again: the object has changed since.
      let error = #expect(throws: StoreError.self) { try pair.remote.commit(request) }
      #expect(error?.code == .conflict)
    }
    try pair.close()
  }

  @Test("A save of rows that the program does not know takes two round trips")
  func savingUnknownRows() throws {
    let pair = try Pair()
    for round in 1...4 {
      let request = try request([7], round, in: pair)
      let read = try pair.store.snapshot()
      // The trip is too far from trip 7 to be read with it.
      let other = pair.key(100)
      let builder = LayerBuilder(read.schema)
      let column = read.schema["Trip"]!.index(of: "days")!
      builder.set(
        .integer(Int64(round)), column: column, of: other,
        basis: try read.view.row(of: other)!.version)
      var unknown = request
      unknown.changes = builder.freeze()

      let count = try trips(pair.relay) { try pair.remote.commit(unknown) }

      if round > 2 { #expect(count == 2) }
    }
    try pair.close()
  }

  @Test("The history of saves in one round trip shows and merges as of the rest")
  func historyOfOneTrip() throws {
    let pair = try Pair()
    for round in 1...6 {
      let numbers = round % 2 == 0 ? [7, 20, 64] : [7]
      let request = try request(numbers, round, in: pair)
      try pair.remote.commit(request)
    }

    func days(_ number: Int, _ snapshot: any StoreSnapshot) throws -> Value? {
      try snapshot.rows()["Trip"]?[number - 1]["days"]
    }
    for round in 1...6 {
      for store in [pair.remote, pair.store] {
        let earlier = try (store as! any HistoryStore).snapshot(ofCommit: Int64(1 + round))
        #expect(try days(7, earlier) == .integer(Int64(round)))
        #expect(
          try days(20, earlier) == (round < 2 ? .null : .integer(Int64(round / 2 * 2))))
      }
    }
    // The versions of rows that return are those of the commits that wrote them.
    let first = try (pair.store as! any HistoryStore).snapshot(ofCommit: 1)
    let version = try first.view.row(of: pair.key(7))?.version
    #expect(version == 1)
    let history = pair.store as! any HistoryStore
    try history.keepCommits { $0 == 2 || $0 == 5 }
    #expect(try history.commits().map(\.number) == [7, 5, 2])
    for commit in [2, 5, 7] {
      let earlier = try history.snapshot(ofCommit: Int64(commit))
      #expect(try days(7, earlier) == .integer(Int64(commit - 1)))
    }
    let check = try PostgreSQLStoreBackend().check(
      pair.store.path!, on: RealDisk(), model: nil, progress: { _ in })
    #expect(check?.findings.kept.map(\.description) == [])
    try pair.close()
  }

  @Test("A context saves an attribute although another program has saved another object")
  func contexts() throws {
    let pair = try Pair()
    let coordinator = PersistentStoreCoordinator(
      model: RoundTripTests.model,
      places: StorePlaces(StoreBackends([PostgreSQLStoreBackend()]), on: RealDisk()))
    try coordinator.addStore(at: pair.remote.path!, type: .postgreSQL)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    let id = ObjectID(store: pair.remote.tag, key: pair.key(7))
    var counts: [Int] = []
    for round in 1...16 {
      let count = try trips(pair.relay) {
        context.reset()
        let trip = try context.existingObject(with: id)
        try pair.change(80, Int64(round))
        try trip.setValues(["days": .integer(Int64(round))])
        try context.save()
      }
      counts.append(count)

      // A change of the same object by another program is a conflict, and not lost.
      context.reset()
      let trip = try context.existingObject(with: id)
      try pair.change(7, 1000 + Int64(round))
      try trip.setValues(["days": .integer(-1)])
      #expect(throws: ContextError.self) { try context.save() }
      context.reset()
      #expect(
        try context.existingObject(with: id)["days"] == .integer(1000 + Int64(round)))
    }
    // One round trip for the read and one for the save. The first read also ends the transaction of the snapshot that found
    // the conflict. Each connection of the store prepares each statement at its second use.
    #expect(counts.suffix(12).min() ?? 9 <= 3, "\(counts)")
    try pair.close()
  }
}
