import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("History")
struct HistoryTests {
  /// The model of travels, changed so that a deleted passport leaves its number in the history.
  private static let model: Model = {
    var entities = Travels.model.entities
    let place = entities.firstIndex { $0.name == "Passport" }!
    entities[place].declaredProperties = entities[place].declaredProperties.map { property in
      guard case .attribute(var attribute) = property else { return property }
      attribute.options.insert(.preservesValueOnDeletion)
      return .attribute(attribute)
    }
    return try! Model(entities: entities)
  }()

  private static func coordinator(_ kind: Kind) throws -> PersistentStoreCoordinator {
    guard kind == .memory else { return try Graph(kind, model: model).coordinator }
    let coordinator = PersistentStoreCoordinator(model: model, classes: Travels.classes)
    try coordinator.add(MemoryStore(model, keepsHistory: true))
    return coordinator
  }

  private static func context(
    _ coordinator: PersistentStoreCoordinator, _ author: String? = nil
  ) -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = author
    return context
  }

  private static let kinds: [Kind] = [.memory, .binary, .compressed, .sqlite]

  @Test("A token of other stores is an error and selects no transactions", arguments: kinds)
  func foreignToken(_ kind: Kind) throws {
    let (coordinator, other) = (try Self.coordinator(kind), try Self.coordinator(kind))
    for coordinator in [coordinator, other] {
      let context = Self.context(coordinator)
      try context.insert(Person.self) { $0.name = "Ada" }
      try context.save()
    }
    let foreign = try other.historyToken

    let error = #expect(throws: ContextError.self) {
      try coordinator.history(HistoryRequest(after: foreign))
    }
    #expect(error?.code == .historyExpired)
    #expect(error?.message.contains(other.stores[0].uuid.uuidString) == true)
    #expect(error?.message.contains(coordinator.stores[0].uuid.uuidString) == true)
    #expect(throws: ContextError.self) { try coordinator.forgetHistory(before: foreign) }
    #expect(throws: ContextError.self) {
      try HistoryObserver(coordinator, HistoryRequest(after: foreign))
    }
    let observer = try HistoryObserver(coordinator)
    #expect(throws: ContextError.self) { try observer.move(to: foreign) }
    // A token of several stores selects all kept transactions of a store that it does not name.
    let both = foreign.merged(with: try coordinator.historyToken)
    #expect(try coordinator.history(HistoryRequest(after: both)).isEmpty)
    #expect(try coordinator.history(HistoryRequest(after: HistoryToken())).count == 1)
  }

  @Test("The history contains the author, the time and the changes of each save", arguments: kinds)
  func transactions(_ kind: Kind) throws {
    let coordinator = try Self.coordinator(kind)
    let context = Self.context(coordinator, "Ann")
    context.name = "main"
    #expect(try coordinator.history().isEmpty)
    let begin = try coordinator.historyToken
    let start = Date(timeIntervalSinceNow: -1)

    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let passport = try context.insert(Passport.self) {
      $0.number = "17"
      $0.holder = ada
    }
    let passportID = passport.objectID
    try context.save()
    let inserted = try coordinator.historyToken
    let trip = try context.insert(Trip.self) { $0.name = "Porto" }
    trip.members = [ada]
    context.transactionAuthor = "Bob"
    try context.save()
    context.delete(passport)
    trip.cost = 7
    trip.owner = ada
    context.transactionAuthor = nil
    context.name = nil
    try context.save()

    let all = try coordinator.history()
    #expect(all.map(\.author) == ["Ann", "Bob", nil])
    #expect(all.map(\.contextName) == ["main", "main", nil])
    let times = start...Date(timeIntervalSinceNow: 1)
    #expect(all.allSatisfy { times.contains($0.time) })
    #expect(all[0].changes.map(\.object) == [ada.objectID, passportID].sorted { $0.key < $1.key })
    #expect(all[0].changes.allSatisfy { $0.kind == .insert && $0.changedProperties.isEmpty })
    #expect(all[1].changes.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.insert, .update])
    let joined = try #require(all[1].changes.first { $0.object == ada.objectID })
    #expect(joined.entity == "Person" && joined.changedProperties.contains("joined"))
    let gone = try #require(all[2].changes.first { $0.object == passportID })
    #expect(gone.kind == .delete && gone.tombstone == ["number": .string("17")])
    let changed = try #require(all[2].changes.first { $0.object == trip.objectID })
    #expect(changed.changedProperties == ["cost", "owner"])

    #expect(try coordinator.history(HistoryRequest(after: begin)).count == 3)
    #expect(try coordinator.history(HistoryRequest(after: inserted)).map(\.author) == ["Bob", nil])
    #expect(try coordinator.history(HistoryRequest(after: coordinator.historyToken)).isEmpty)
    #expect(
      try coordinator.history(HistoryRequest(after: all[1].token)).map(\.number) == [all[2].number])
  }

  @Test("A request selects transactions by author, context, entity and time", arguments: kinds)
  func parts(_ kind: Kind) throws {
    let coordinator = try Self.coordinator(kind)
    let (ann, bob) = (Self.context(coordinator, "Ann"), Self.context(coordinator, "Bob"))
    ann.name = "import"
    try ann.insert(Guide.self) { $0.name = "Ada" }
    try ann.save()
    try bob.insert(Trip.self) { $0.name = "Porto" }
    try bob.save()

    func found(_ change: (inout HistoryRequest) -> Void) throws -> [String?] {
      var request = HistoryRequest()
      change(&request)
      return try coordinator.history(request).map(\.author)
    }
    #expect(try found { $0.authors = ["Bob"] } == ["Bob"])
    #expect(try found { $0.excludedAuthors = ["Bob"] } == ["Ann"])
    #expect(try found { $0.contextNames = ["import"] } == ["Ann"])
    #expect(try found { $0.entities = ["Person"] } == ["Ann"])
    #expect(try found { $0.entities = ["Trip", "Nothing"] } == ["Bob"])
    #expect(try found { $0.since = .distantFuture }.isEmpty)
    #expect(try found { $0.before = .distantFuture }.count == 2)
    #expect(try found { $0.stores = [] }.isEmpty)
  }

  @Test("A request before the forgotten history throws, a later one succeeds", arguments: kinds)
  func forgetting(_ kind: Kind) throws {
    let coordinator = try Self.coordinator(kind)
    let context = Self.context(coordinator, "Ann")
    let begin = try coordinator.historyToken
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    let middle = try coordinator.historyToken
    for age in 1...3 {
      ada.age = Int32(age)
      try context.save()
    }

    try coordinator.forgetHistory(before: middle)
    #expect(try coordinator.history(HistoryRequest(after: middle)).count == 3)
    #expect(try coordinator.history().map(\.author) == ["Ann", "Ann", "Ann"])
    let error = #expect(throws: ContextError.self) {
      try coordinator.history(HistoryRequest(after: begin))
    }
    #expect(error?.code == .historyExpired)
    ada.age = 9
    try context.save()
    #expect(try coordinator.history(HistoryRequest(after: middle)).count == 4)
    try coordinator.forgetHistory(before: Date(timeIntervalSinceNow: 10))
    #expect(try coordinator.history().isEmpty)
    ada.age = 10
    try context.save()
    #expect(try coordinator.history().count == 1 && ada.age == 10)
  }

  @Test(
    "A context merges the transactions of another process",
    arguments: [Kind.binary, .compressed, .sqlite])
  func merging(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let here = Self.context(graph.coordinator)
    let ada = try here.insert(Person.self) { $0.name = "Ada" }
    try here.save()
    let observer = try HistoryObserver(graph.coordinator)
    #expect(try observer.next().isEmpty)
    let there = Self.context(try graph.reopened(), "other")
    let found = try #require(try there.fetch(Person.self).first)
    found.name = "Eve"
    try there.save()

    let transactions = try observer.next()
    #expect(transactions.map(\.author) == ["other"] && ada.name == "Ada")
    for transaction in transactions { try here.mergeChanges(from: transaction.contextChange) }
    #expect(ada.name == "Eve")
    #expect(try observer.next().isEmpty)
  }

  @Test("Transactions come as an asynchronous sequence", arguments: kinds)
  func sequence(_ kind: Kind) async throws {
    let coordinator = try Self.coordinator(kind)
    let observer = try HistoryObserver(coordinator)
    let updates = observer.updates()
    let context = ManagedObjectContext(coordinator)
    context.transactionAuthor = "Ann"
    try await context.perform {
      for name in ["Ada", "Bob"] {
        try context.insert(Person.self) { $0.name = name }
        try context.save()
      }
    }
    var count = 0
    for try await transactions in updates {
      count += transactions.count
      #expect(transactions.allSatisfy { $0.author == "Ann" })
      if count == 2 { break }
    }
    #expect(count == 2)
  }

  @Test(
    "A lease of keys and a rewrite of the file keep the times and authors of commits",
    arguments: [Kind.binary, .compressed])
  func kept(_ kind: Kind) throws {
    let coordinator = try Self.coordinator(kind)
    let context = Self.context(coordinator, "Ann Ĉ")
    try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    let store = coordinator.stores[0].store
    let before = try store.commits()
    _ = try store.leaseKeys(ofEntity: 1, count: 100_000)
    #expect(try store.commits() == before && before[0].author == "Ann Ĉ")
    try store.features.history?.forgetCommits(before: 1)
    #expect(try store.commits() == before)
    context.transactionAuthor = String(repeating: "x", count: 70_000)
    try context.insert(Person.self) { $0.name = "Bob" }
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .badChange && context.hasChanges)
  }

  @Test("A store that keeps no commits has no history", arguments: [Kind.xml])
  func none(_ kind: Kind) throws {
    let coordinator = try Graph(kind).coordinator
    let context = Self.context(coordinator, "Ann")
    try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    #expect(try coordinator.history().isEmpty && coordinator.historyToken == HistoryToken())
    try coordinator.forgetHistory(before: Date())
  }
}
