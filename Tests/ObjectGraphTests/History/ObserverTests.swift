import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Observers of the history")
struct ObserverTests {
  private static func insert(
    _ names: String..., by author: String? = nil, in coordinator: PersistentStoreCoordinator,
    into store: PersistentStore? = nil
  ) throws {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = author
    for name in names {
      try context.insert(Person.self, into: store) { $0.name = name }
      try context.save()
    }
  }

  @Test(
    "An observer delivers untaken transactions to its next listener",
    arguments: [Kind.binary, .compressed])
  func brokenOff(_ kind: Kind) async throws {
    let coordinator = try Graph(kind).coordinator
    let observer = try HistoryObserver(coordinator)
    var taken: [Int64] = []
    do {
      let updates = observer.updates()
      try Self.insert("Ada", in: coordinator)
      for try await transactions in updates {
        taken += transactions.map(\.number)
        // A save now wakes no observer, because no listener waits.
        try Self.insert("Bob", "Cleo", in: coordinator)
        try await Task.sleep(for: .milliseconds(100))
        break
      }
    }
    #expect(taken.count == 1 && observer.token.commits.values.first == taken.last)
    let rest = try observer.next()
    #expect(rest.count == 2 && rest.allSatisfy { !taken.contains($0.number) })
    #expect(try observer.next().isEmpty)
  }

  @Test("Each transaction goes to one of an observer's listeners, once")
  func twoListeners() async throws {
    let coordinator = try Graph(.binary).coordinator
    let observer = try HistoryObserver(coordinator)
    let listeners = (0..<2).map { _ in
      Task {
        var numbers: [Int64] = []
        for try await transactions in observer.updates() {
          numbers += transactions.map(\.number)
          if transactions.contains(where: { $0.author == "last" }) { break }
        }
        return numbers
      }
    }
    try Self.insert("Ada", "Bob", "Cleo", in: coordinator)
    try Self.insert("Dora", by: "last", in: coordinator)
    // The listener that did not get the last transaction is still waiting.
    var numbers: [Int64] = []
    while observer.token != (try coordinator.historyToken) { await Task.yield() }
    for listener in listeners { listener.cancel() }
    for listener in listeners { numbers += try await listener.value }
    #expect(numbers.sorted() == (try coordinator.history().map(\.number)))
  }

  @Test("An observer that polls sees the saves of another process")
  func timer() async throws {
    let graph = try Graph(.binary)
    let observer = try HistoryObserver(graph.coordinator)
    try Self.insert("Ada", by: "own", in: graph.coordinator)
    var authors: [String?] = []
    for try await transactions in observer.updates(every: .milliseconds(5)) {
      authors += transactions.map(\.author)
      if authors.count == 4 { break }
      // This coordinator is not notified of a save through another coordinator.
      try Self.insert("Bob", by: "other", in: graph.reopened())
    }
    #expect(authors == ["own", "other", "other", "other"])
  }

  @Test("An observer skips transactions that its request excludes, and its token advances")
  func filters() throws {
    let coordinator = try Graph(.binary).coordinator
    var request = HistoryRequest()
    request.excludedAuthors = ["me"]
    let observer = try HistoryObserver(coordinator, request)
    try Self.insert("Ada", by: "me", in: coordinator)
    #expect(try observer.next().isEmpty)
    #expect(observer.token == (try coordinator.historyToken))
    try Self.insert("Bob", by: "you", in: coordinator)
    #expect(try observer.next().map(\.author) == ["you"])
  }

  @Test("A sequence ends with the error, and the observer continues from another token")
  func expired() async throws {
    let coordinator = try Graph(.binary).coordinator
    let observer = try HistoryObserver(coordinator)
    try Self.insert("Ada", "Bob", in: coordinator)
    try coordinator.forgetHistory(before: coordinator.historyToken)
    let before = observer.token
    let error = await #expect(throws: ContextError.self) {
      for try await _ in observer.updates() {}
    }
    #expect(error?.code == .historyExpired && observer.token == before)
    #expect(throws: ContextError.self) { try observer.next() }

    try observer.move()
    #expect(try observer.next().isEmpty)
    let here = try coordinator.historyToken
    try Self.insert("Cleo", in: coordinator)
    #expect(try observer.next().count == 1)
    try observer.move(to: here)
    #expect(try observer.next().count == 1)
  }

  @Test("An observer refuses to poll without a pause")
  func noPause() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try HistoryObserver(Graph(.binary).coordinator).updates(every: .zero)
    }
    #expect(MisuseTests.text(result).contains("must be positive, not 0"))
  }

  @Test("The history of several stores is in order of time, and each store keeps its own order")
  func severalStores() throws {
    let coordinator = try Graph(.binary).coordinator
    let first = coordinator.stores[0]
    let second = try coordinator.addStore(at: "/second", type: .binary)
    let observer = try HistoryObserver(coordinator)
    for index in 0..<6 {
      try Self.insert("P\(index)", in: coordinator, into: index % 2 == 0 ? first : second)
    }
    let all = try coordinator.history()
    #expect(all.map(\.time) == all.map(\.time).sorted() && all.count == 6)
    #expect(Set(all.map(\.store)) == [first.uuid, second.uuid])
    var request = HistoryRequest()
    request.stores = [second.uuid]
    #expect(try coordinator.history(request).map(\.tag) == Array(repeating: second.tag, count: 3))
    #expect(try observer.next().count == 6)

    let third = try coordinator.addStore(at: "/third", type: .binary)
    try Self.insert("Late", in: coordinator, into: third)
    #expect(try observer.next().map(\.tag) == [third.tag])
    var token = HistoryToken()
    token.commits[first.uuid] = try coordinator.historyToken.commits[first.uuid]
    try coordinator.forgetHistory(before: token)
    #expect(try coordinator.history().count { $0.tag == first.tag } == 0)
    #expect(try coordinator.history(request).count == 3)
  }

  @Test("A store that is older than the token throws an error that says so")
  func olderCopy() throws {
    let graph = try Graph(.binary)
    let coordinator = graph.coordinator
    try Self.insert("Ada", in: coordinator)
    let early = try coordinator.historyToken
    try coordinator.remove(coordinator.stores[0])
    try coordinator.requireCopy(of: "/main.store", at: "/copy")
    try coordinator.addStore(at: "/main.store")
    try Self.insert("Bob", "Cleo", in: coordinator)
    let late = try coordinator.historyToken
    try coordinator.remove(coordinator.stores[0])
    try coordinator.replaceStore(at: "/main.store", withStoreAt: "/copy")
    try coordinator.addStore(at: "/main.store")

    let error = #expect(throws: ContextError.self) {
      try coordinator.history(HistoryRequest(after: late))
    }
    #expect(error?.code == .historyExpired && error?.message.contains("older copy") ?? false)
    #expect(try coordinator.history(HistoryRequest(after: early)).isEmpty)
  }

  @Test("Forgetting by time keeps later commits that a clock dates earlier")
  func clock() throws {
    let coordinator = PersistentStoreCoordinator(model: Travels.model, classes: Travels.classes)
    let store = try StagedStore(Travels.model)
    try coordinator.add(store)
    try Self.insert("Ada", "Bob", "Cleo", "Dora", in: coordinator)
    let noon = Date(timeIntervalSince1970: 1_000_000)
    let numbers = try store.commits().reversed().map(\.number)
    for (number, hours) in zip(numbers, [-9, -2, 1, -1, 2]) {
      store.setTime(noon.addingTimeInterval(Double(hours) * 3600), ofCommit: number)
    }

    try coordinator.forgetHistory(before: noon)

    #expect(try coordinator.history().map(\.number) == Array(numbers.suffix(3)))
    try coordinator.forgetHistory(before: noon.addingTimeInterval(36_000))
    #expect(try coordinator.history().isEmpty)
  }

  @Test("A context that is pinned to a commit shows that commit, also after the history forgets it")
  func pinned() throws {
    let coordinator = try Graph(.binary).coordinator
    let store = coordinator.stores[0]
    try Self.insert("Ada", in: coordinator)
    let commit = try #require(try coordinator.historyToken.commits[store.uuid])
    try Self.insert("Bob", "Cleo", in: coordinator)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try context.setQueryGeneration(QueryGeneration(coordinator, commit: commit, of: store))
    #expect(try context.fetch(Person.self).map(\.name) == ["Ada"])

    try coordinator.forgetHistory(before: coordinator.historyToken)

    context.reset()
    #expect(try context.fetch(Person.self).map(\.name) == ["Ada"])
    #expect(throws: StoreError.self) {
      try QueryGeneration(coordinator, commit: commit, of: store)
    }
    try context.setQueryGeneration(nil)
    #expect(try context.count(for: FetchRequest("Person")) == 3)
  }
}

extension PersistentStoreCoordinator {
  /// Copies the file of a store to another path.
  fileprivate func requireCopy(of path: String, at other: String) throws {
    try #require(places).copy(path, to: other)
  }
}
