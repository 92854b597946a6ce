import BinaryStore
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import StoreInterface
import Synchronization
import Testing

@Suite(
  "Contexts that follow the saves of other programs on a server",
  .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.absence)"),
  .timeLimit(.minutes(20)))
@MainActor
struct FollowingTests {
  private func model() throws -> Model {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int64)),
    ]
    return try Model(entities: [trip])
  }

  private func container(
    _ address: String, options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws -> PersistentContainer {
    try PersistentContainer(
      model(), at: address, type: .postgreSQL,
      places: StorePlaces(
        StoreBackends([PostgreSQLStoreBackend(options: options)]), on: RealDisk()))
  }

  /// Waits until a condition holds. The test's time limit ends a wait without success.
  private func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(20)) }
  }

  private func names(_ results: FetchedResults<ManagedObject>) -> [String] {
    results.map { if case .string(let name) = $0["name"] { name } else { "" } }
  }

  private static let request = FetchRequest<ManagedObject>("Trip", sortedBy: [SortKey("name")])

  @Test(
    "A save of one container appears in the view context and the lists of another by itself, also without announcements",
    arguments: ["", "&announcements=off"])
  func follows(parameters: String) async throws {
    let site = try StoreSite(parameters)
    let (one, other) = (try container(site.address), try container(site.address))
    let listener = try site.connection()
    let uuid = try #require(listener.texts("SELECT uuid FROM quire_store")[0][0])
    try listener.execute("LISTEN \"quire_\(uuid)\"")
    let told = Mutex<[HistoryToken]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: .persistentStoreRemoteChange, object: other.coordinator, queue: nil
    ) { note in
      let token = note.userInfo?[PersistentStoreCoordinator.historyTokenKey] as? HistoryToken
      told.withLock { $0 += [token].compactMap { $0 } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let results = try FetchedResults(Self.request, in: other.viewContext)
    #expect(results.isEmpty)

    let rome = try one.viewContext.insert("Trip")
    rome["name"] = .string("Rome")
    let oslo = try one.viewContext.insert("Trip")
    oslo["name"] = .string("Oslo")
    try one.viewContext.save()
    try await wait { names(results) == ["Oslo", "Rome"] }

    let shown = try #require(results.first { $0["name"] == .string("Rome") })
    let kept = try #require(results.first { $0["name"] == .string("Oslo") })
    kept["days"] = .integer(9)
    rome["name"] = .string("Bonn")
    oslo["name"] = .string("Oslo 2")
    try one.viewContext.save()
    try await wait { shown["name"] == .string("Bonn") && kept["name"] == .string("Oslo 2") }
    // An unsaved change stays.
    #expect(kept["days"] == .integer(9))
    try other.viewContext.save()
    try await wait { oslo["days"] == .integer(9) }

    one.viewContext.delete(rome)
    try one.viewContext.save()
    try await wait { names(results) == ["Oslo 2"] }
    #expect(shown.isDeleted)
    #expect(told.withLock { $0.last?.commits.values.first } == 4)
    #expect(try listener.notifications().isEmpty == !parameters.isEmpty)
  }

  @Test("A container is not notified of its own saves, and merges each other save once")
  func ownSaves() async throws {
    let site = try StoreSite()
    let (one, other) = (try container(site.address), try container(site.address))
    let count = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .persistentStoreRemoteChange, object: one.coordinator, queue: nil
    ) { _ in count.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(observer) }
    let results = try FetchedResults(Self.request, in: one.viewContext)
    for number in 0..<10 {
      try await one.performBackgroundTask { context in
        try context.insert("Trip")["name"] = .string("own \(number)")
        try context.save()
      }
    }
    try await other.performBackgroundTask { context in
      try context.insert("Trip")["name"] = .string("zz")
      try context.save()
    }

    try await wait { results.count == 11 }
    #expect(count.withLock { $0 } == 1)
  }

  @Test("Contexts follow commits without a history, and a context that does not follow stays")
  func withoutHistory() async throws {
    let site = try StoreSite()
    var options = PostgreSQLStoreOptions()
    options.historyShare = 0
    options.leastHistoryByteCount = 0
    let one = try container(site.address, options: options)
    let other = try container(site.address)
    let still = other.newBackgroundContext()
    let trip = try one.viewContext.insert("Trip")
    trip["name"] = .string("Rome")
    try one.viewContext.save()
    let results = try FetchedResults(Self.request, in: other.viewContext)
    let before = try await still.perform {
      try still.fetch(FetchRequest<ManagedObject>("Trip")).map(\.objectID)
    }
    #expect(names(results) == ["Rome"])

    trip["name"] = .string("Oslo")
    try one.viewContext.insert("Trip")["name"] = .string("Bonn")
    try one.viewContext.save()

    try await wait { names(results) == ["Bonn", "Oslo"] }
    let name = try await still.perform { try still.existingObject(with: before[0])["name"] }
    #expect(name == .string("Rome"))
  }

  @Test("A context follows the commits that were made while the listening connection was lost")
  func lostConnection() async throws {
    let site = try StoreSite()
    let one = try container(site.address)
    let other = try container("\(site.address)&application_name=\(site.schema)")
    let results = try FetchedResults(Self.request, in: other.viewContext)
    let connection = try site.connection()
    let others = "FROM pg_stat_activity WHERE application_name = '\(site.schema)'"
    try await wait {
      try connection.texts("SELECT count(*) \(others) AND query LIKE 'SELECT format%'") != [["0"]]
    }

    _ = try connection.texts("SELECT pg_terminate_backend(pid, 5000) \(others)")
    try one.viewContext.insert("Trip")["name"] = .string("Rome")
    try one.viewContext.save()

    try await wait { names(results) == ["Rome"] }
  }
}
