import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface
import Testing

@Suite(
  "The room for the history of a PostgreSQL store",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"))
struct HistoryRoomTests {
  private static let room = 20_000

  /// Makes a store with room for about four rows before a change.
  private func make() throws -> (site: StoreSite, store: any Store, trip: ObjectKey) {
    var options = PostgreSQLStoreOptions()
    (options.historyShare, options.leastHistoryByteCount) = (0.000_001, Self.room)
    let site = try StoreSite(options: options)
    let store = try site.create(
      Model(entities: [Entity("Trip", properties: [.attribute(Attribute("name", .string))])]))
    let trip = ObjectKey(entity: try store.snapshot().schema["Trip"]!.entityNumber, number: 1)
    try store.save { builder, _ in builder.insert(trip) }
    return (site, store, trip)
  }

  /// Gives the trip a name of the given length.
  private func rename(_ trip: ObjectKey, _ count: Int, in store: any Store) throws {
    try store.save { builder, base in
      let version = try #require(try base.view.row(of: trip)).version
      builder.set(
        .string(String(repeating: "n", count: count)), "name", of: trip, base.schema, basis: version
      )
    }
  }

  private func nameLength(_ snapshot: any StoreSnapshot) throws -> Int {
    guard case .string(let name)? = try snapshot.rows()["Trip"]?.first?["name"] else { return 0 }
    return name.count
  }

  private func number(_ text: String, _ site: StoreSite) throws -> Int {
    let rows = try site.connection().texts(text)
    return try #require(rows.first?.first.flatMap { $0.flatMap { Int($0) } })
  }

  @Test("The oldest commits are forgotten when the history exceeds its room")
  func forgetsOldest() throws {
    let (site, store, trip) = try make()
    for count in 4000..<4020 { try rename(trip, count, in: store) }

    let commits = try store.commits().map(\.number)

    #expect(commits.first == 21 && commits.count > 2 && commits.count < 8)
    #expect(commits == Array((commits.last!...21).reversed()))
    for commit in commits {
      #expect(try nameLength(store.snapshot(ofCommit: commit)) == 3998 + Int(commit))
    }
    let error = #expect(throws: StoreError.self) {
      try store.snapshot(ofCommit: commits.last! - 1)
    }
    #expect(error?.code == .notFound)
    let kept = try number("SELECT kept FROM quire_store", site)
    #expect(kept <= Self.room)
    #expect(try number("SELECT sum(kept) FROM quire_commit", site) == kept)
    #expect(
      try number("SELECT count(DISTINCT commit) FROM quire_before", site) == commits.count - 1)
    try store.close()
  }

  @Test("A commit whose history exceeds the room ends the history before it")
  func exceedsRoom() throws {
    let (site, store, trip) = try make()
    try rename(trip, 30_000, in: store)
    try rename(trip, 10, in: store)
    #expect(try store.commits().map(\.number) == [3])
    #expect(try number("SELECT count(*) FROM quire_before", site) == 0)

    try rename(trip, 20, in: store)

    #expect(try store.commits().map(\.number) == [4, 3])
    #expect(try nameLength(store.snapshot(ofCommit: 3)) == 10)
    try store.close()
  }

  @Test("A store that keeps no history writes none, also in saves of one round trip")
  func noHistory() throws {
    var options = PostgreSQLStoreOptions()
    options.historyShare = 0
    let site = try StoreSite(options: options)
    let store = try site.create(
      Model(entities: [Entity("Trip", properties: [.attribute(Attribute("name", .string))])]))
    let trip = ObjectKey(entity: try store.snapshot().schema["Trip"]!.entityNumber, number: 1)
    try store.save { builder, _ in builder.insert(trip) }
    for count in 1...4 { try rename(trip, count, in: store) }

    #expect(try number("SELECT count(*) FROM quire_before", site) == 0)
    #expect(try store.commits().map(\.number) == [5])
    #expect(try nameLength(store.snapshot()) == 4)
    try store.close()
  }

  @Test("The list of commits is cut from time to time")
  func cutsList() throws {
    let (site, store, trip) = try make()
    try site.connection().execute(
      """
      INSERT INTO quire_commit (number, time, token) SELECT n, 0, md5(n::text)::uuid FROM generate_series(2, 10238) n; \
      UPDATE quire_store SET newest = 10238
      """)
    try rename(trip, 1, in: store)
    #expect(try number("SELECT min(number) FROM quire_commit", site) == 240)
    #expect(try number("SELECT count(*) FROM quire_commit", site) == 10_000)

    try rename(trip, 2, in: store)

    #expect(try number("SELECT count(*) FROM quire_commit", site) == 10_001)
    #expect(try store.commits().map(\.number) == [10_240, 10_239, 10_238])
    try store.close()
  }
}
