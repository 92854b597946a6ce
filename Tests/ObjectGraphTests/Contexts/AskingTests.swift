import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Synchronization
import Testing

@Suite("Contexts send queries to stores that can answer them from the saved rows")
struct AskingTests {
  /// A store that counts its queries, and answers each from its rows or declines it.
  private final class Asked: QueryingStore {
    let store: MemoryStore
    let answers: Bool
    private let capabilities: StoreCapabilities
    let count = Mutex(0)

    init(_ model: Model, answers: Bool = true, claims: Bool = true) throws {
      store = try MemoryStore(model)
      self.answers = answers
      capabilities = claims ? [.incremental, .querying] : [.incremental]
    }

    var type: StoreType { store.type }
    var features: StoreFeatures { StoreFeatures(capabilities, querying: self) }
    var tag: StoreTag { store.tag }
    var path: String? { nil }
    func snapshot() throws -> any StoreSnapshot { try store.snapshot() }
    func commit(_ request: CommitRequest) throws -> any StoreSnapshot { try store.commit(request) }
    func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
      try store.leaseKeys(ofEntity: number, count: count)
    }
    func describe() throws -> StoreSummary { try store.describe() }
    func close() throws { try store.close() }

    private func answer<R>(_ ask: () throws -> R) rethrows -> R? {
      count.withLock { $0 += 1 }
      return answers ? try ask() : nil
    }
    func keys(
      answering request: QueryRequest, in snapshot: any StoreSnapshot
    ) throws -> [ObjectKey]? { try answer { try store.keys(request, in: snapshot) } }
    func count(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int? {
      try answer { try store.count(request, in: snapshot) }
    }
    func table(
      answering request: QueryRequest, in snapshot: any StoreSnapshot
    ) throws -> ResultTable? { try answer { try store.table(request, in: snapshot) } }

    /// The number of queries since the last read of this property.
    var asked: Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private static let model: Model = {
    let note = Entity(
      "Note",
      properties: [.attribute(Attribute("stars", .int32)), .attribute(Attribute("name", .string))])
    return try! Model(entities: [note])
  }()

  private func context(_ store: Asked) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator)
    try context.performAndWait { () throws in
      for number in 1...5 {
        let note = try context.insert("Note")
        note["stars"] = .integer(Int64(number))
      }
      try context.save()
    }
    _ = store.asked
    return context
  }

  private var some: FetchRequest<ManagedObject> {
    FetchRequest(
      "Note", where: .comparison(.init(.path("stars"), .greaterThan, .constant(.integer(3)))),
      sortedBy: [SortKey("stars", ascending: false)])
  }

  private func stars(_ context: ManagedObjectContext, _ request: FetchRequest<ManagedObject>) throws
    -> [Value]
  {
    try context.fetch(request).map { $0["stars"] }
  }

  @Test("Every kind of fetch sends one query, and returns the store's answer")
  func kinds() throws {
    let store = try Asked(Self.model)
    let context = try context(store)
    try context.performAndWait { () throws in
      #expect(try stars(context, some) == [.integer(5), .integer(4)])
      #expect(store.asked == 1)
      #expect(try context.fetchIdentifiers(some).count == 2)
      #expect(store.asked == 1)
      #expect(try context.count(for: some) == 2)
      #expect(store.asked == 1)
      var table = some
      table.propertiesToFetch = [FetchedValue("stars")]
      #expect(try context.fetchTable(table).rows == [[.integer(5)], [.integer(4)]])
      #expect(store.asked == 1)
    }
  }

  @Test("A query for all objects returns their rows too")
  func all() throws {
    let store = try Asked(Self.model)
    let context = try context(store)
    try context.performAndWait { () throws in
      #expect(try context.fetch(FetchRequest("Note")).count == 5)
      #expect(store.asked == 0)
    }
  }

  @Test("A context with unsaved changes searches the rows, and queries the store after the save")
  func pending() throws {
    let store = try Asked(Self.model)
    let context = try context(store)
    try context.performAndWait { () throws in
      let note = try context.insert("Note")
      note["stars"] = .integer(9)
      #expect(try stars(context, some) == [.integer(9), .integer(5), .integer(4)])
      #expect(try context.count(for: some) == 3)
      #expect(store.asked == 0)

      var saved = some
      saved.includesPendingChanges = false
      #expect(try context.count(for: saved) == 2)
      #expect(store.asked == 1)

      try context.save()
      _ = store.asked
      #expect(try stars(context, some) == [.integer(9), .integer(5), .integer(4)])
      #expect(store.asked == 1)
    }
  }

  @Test("A child searches the rows itself while an ancestor has unsaved changes")
  func ancestors() throws {
    let store = try Asked(Self.model)
    let parent = try context(store)
    let child = ManagedObjectContext(parent: parent)
    try child.performAndWait { () throws in
      #expect(try stars(child, some).count == 2)
      #expect(store.asked == 1)
      let note = try child.insert("Note")
      note["stars"] = .integer(7)
      try child.save()
      _ = store.asked
      #expect(try stars(child, some) == [.integer(7), .integer(5), .integer(4)])
      #expect(store.asked == 0)
    }
    try parent.performAndWait { () throws in
      #expect(try parent.count(for: some) == 3)
      #expect(store.asked == 0)
    }
  }

  @Test("A context searches the rows itself if the store declines the query")
  func left() throws {
    let store = try Asked(Self.model, answers: false)
    let context = try context(store)
    try context.performAndWait { () throws in
      #expect(try stars(context, some) == [.integer(5), .integer(4)])
      #expect(try context.count(for: some) == 2)
      #expect(store.asked == 2)
    }
  }

  @Test("A context sends no query to a store that does not claim to answer queries")
  func unasked() throws {
    let store = try Asked(Self.model, claims: false)
    let context = try context(store)
    try context.performAndWait { () throws in
      #expect(try stars(context, some) == [.integer(5), .integer(4)])
      #expect(store.asked == 0)
    }
  }

  @Test("A context sends a query to each of several stores, and merges the answers in one order")
  func several() throws {
    let stores = [try Asked(Self.model), try Asked(Self.model)]
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    for store in stores { try coordinator.add(store) }
    let context = ManagedObjectContext(coordinator)
    try context.performAndWait { () throws in
      for number in 1...6 {
        let note = try context.insert("Note", into: coordinator.stores[number % 2])
        note["stars"] = .integer(Int64(number))
      }
      try context.save()
      for store in stores { _ = store.asked }
      #expect(try stars(context, some) == [.integer(6), .integer(5), .integer(4)])
      #expect(stores.map(\.asked) == [1, 1])
    }
  }

  @Test("Asynchronous fetches send queries to the store too")
  func elsewhere() async throws {
    let store = try Asked(Self.model)
    let context = try context(store)

    #expect(try await context.count(for: some, progress: nil) == 2)
    #expect(try await context.fetchIdentifiers(some, progress: nil).count == 2)
    #expect(store.asked == 2)
  }
}
