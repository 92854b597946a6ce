import BinaryStore
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("History that an observer has not taken yet")
struct HistoryHoldTests {
  /// Returns a coordinator over a store that vacuums as soon as half of its file is dead.
  private static func coordinator(
    isCompressed: Bool = false, _ change: (inout BinaryStoreOptions) -> Void = { _ in }
  ) throws -> PersistentStoreCoordinator {
    var options = BinaryStoreOptions()
    options.leastDeadByteCount = 1
    options.deadShare = 0.01
    change(&options)
    let ground = Ground(.binary)
    let backend = BinaryStoreBackend(isCompressed: isCompressed, options: options)
    let coordinator = PersistentStoreCoordinator(
      model: Travels.model, places: StorePlaces(StoreBackends([backend]), on: ground.disk),
      classes: Travels.classes)
    try coordinator.addStore(
      at: ground.path("/main.store"), type: isCompressed ? .compressed : .binary)
    return coordinator
  }

  /// Inserts a person unless one exists, and renames the person in each of the saves.
  private static func save(
    _ count: Int, in coordinator: PersistentStoreCoordinator
  ) throws {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    let person = try context.fetch(Person.self).first ?? context.insert(Person.self) { _ in }
    for number in 0..<count {
      person.name = "Ada \(number) of \(count)"
      try context.save()
    }
  }

  private static func vacuum(_ coordinator: PersistentStoreCoordinator) throws {
    try #require(coordinator.stores[0].store as? BinaryStore).vacuum()
  }

  private static func commitCount(_ coordinator: PersistentStoreCoordinator) throws -> Int {
    try coordinator.stores[0].store.commits().count
  }

  @Test("An observer that lags gets every transaction once", arguments: [false, true])
  func everyTransaction(isCompressed: Bool) throws {
    let coordinator = try Self.coordinator(isCompressed: isCompressed)
    try Self.save(5, in: coordinator)
    let observer = try HistoryObserver(coordinator)
    let start = try #require(observer.token.commits.values.first)

    for _ in 0..<3 {
      try Self.save(40, in: coordinator)
      try Self.vacuum(coordinator)
    }

    let numbers = try observer.next().map(\.number)
    #expect(numbers == Array(start + 1...start + 120))
    #expect(try observer.next().isEmpty)
  }

  @Test("A store keeps a commit only until all observers have read it")
  func takenTransactions() throws {
    let coordinator = try Self.coordinator()
    let first = try HistoryObserver(coordinator)
    try Self.save(20, in: coordinator)
    let second = try HistoryObserver(coordinator)
    try Self.save(10, in: coordinator)

    #expect(try first.next().count == 30)
    try Self.vacuum(coordinator)
    #expect(try Self.commitCount(coordinator) == 11)
    #expect(try second.next().count == 10)
    try Self.vacuum(coordinator)
    #expect(try Self.commitCount(coordinator) == 1)
    withExtendedLifetime((first, second)) {}
  }

  @Test("A store stops keeping commits for an observer beyond the bound")
  func bound() throws {
    let coordinator = try Self.coordinator { $0.observedCommitCount = 10 }
    let observer = try HistoryObserver(coordinator)
    try Self.save(10, in: coordinator)
    try Self.vacuum(coordinator)
    #expect(try observer.next().count == 10)
    try Self.save(11, in: coordinator)
    try Self.vacuum(coordinator)

    let error = #expect(throws: ContextError.self) { try observer.next() }
    #expect(error?.code == .historyExpired)
    #expect(try Self.commitCount(coordinator) == 1)
    try observer.move()
    try Self.save(3, in: coordinator)
    try Self.vacuum(coordinator)
    #expect(try observer.next().count == 3)
  }

  @Test("The end of an observer releases the commits that it held")
  func endOfObserver() throws {
    let coordinator = try Self.coordinator()
    var observer: HistoryObserver? = try HistoryObserver(coordinator)
    try Self.save(10, in: coordinator)
    try Self.vacuum(coordinator)
    withExtendedLifetime(observer) {}
    #expect(try Self.commitCount(coordinator) == 11)

    observer = nil

    try Self.vacuum(coordinator)
    #expect(try Self.commitCount(coordinator) == 1)
  }

  @Test("A save through another coordinator keeps the commits that an observer waits for")
  func otherCoordinator() throws {
    let graph = try Graph(.binary)
    let observer = try HistoryObserver(graph.coordinator)
    let other = try graph.reopened()
    try Self.save(15, in: other)
    try Self.vacuum(other)

    #expect(try observer.next().count == 15)
  }
}
