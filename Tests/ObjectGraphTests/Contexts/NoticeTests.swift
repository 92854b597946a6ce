import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@Suite("Notifications of contexts")
struct NoticeTests {
  /// The notifications of one context, as text.
  private final class Listener {
    /// The texts of the recorded notifications.
    private final class Notes: Sendable {
      let lines = Mutex<[String]>([])
    }
    private let notes = Notes()
    private var tokens: [any NSObjectProtocol] = []

    init(_ context: ManagedObjectContext) {
      let names: [(Notification.Name, String)] = [
        (.managedObjectContextObjectsDidChange, "changed"),
        (.managedObjectContextWillSave, "will save"), (.managedObjectContextDidSave, "saved"),
      ]
      for (name, word) in names {
        tokens.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            [notes] notice in
            let change = notice.userInfo?[ContextChange.userInfoKey] as? ContextChange
            let counts = [change?.inserted, change?.updated, change?.deleted].map { $0?.count ?? 0 }
            notes.lines.withLock { $0.append(word + " \(counts)") }
          })
      }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    /// Returns the texts recorded since the last call.
    func take() -> [String] {
      notes.lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  @Test(
    "Notifications of changes and saves contain the affected objects",
    arguments: Kind.allCases)
  func notifications(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let listener = Listener(context)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    #expect(listener.take() == [])
    try context.processPendingChanges()
    #expect(listener.take() == ["changed [2, 0, 0]"])
    try context.processPendingChanges()
    #expect(listener.take() == [])
    try context.save()
    let saved = listener.take()
    // The save computes derived values, which is a change of its own.
    #expect(saved.first == "will save [0, 0, 0]" && saved.last == "saved [2, 0, 0]")
    ada.age = 1
    context.delete(bob)
    try context.save()
    #expect(listener.take() == ["changed [0, 1, 1]", "will save [0, 0, 0]", "saved [0, 1, 1]"])
    try context.save()
    ada.age = 200
    #expect(throws: ContextError.self) { try context.save() }
    #expect(!listener.take().contains { $0.hasPrefix("saved") })
  }

  @Test("Notifications contain no object for an added or removed link", arguments: Kind.allCases)
  func links(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    try context.save()
    let listener = Listener(context)
    ada.friends = [bob]
    try context.save()
    #expect(listener.take() == ["changed [0, 0, 0]", "will save [0, 0, 0]", "saved [0, 0, 0]"])
    ada.friends = []
    try context.save()
    #expect(listener.take() == ["changed [0, 0, 0]", "will save [0, 0, 0]", "saved [0, 0, 0]"])
    let history = try graph.coordinator.history(HistoryRequest())
    for change in history.suffix(2).map(\.contextChange) {
      #expect(change.inserted.isEmpty && change.deleted.isEmpty)
    }
  }

  @Test(
    "Notifications form an asynchronous sequence, with names, authors and layers",
    arguments: Kind.allCases)
  func stream(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let context = ManagedObjectContext(graph.coordinator)
    context.name = "writer"
    var changes = context.changes.makeAsyncIterator()
    let id = try await context.perform {
      context.transactionAuthor = "Ada"
      let person = try context.insert(Person.self) { $0.name = "Ada" }
      try context.save()
      return person.objectID
    }
    var kinds: [ContextChange.Kind] = []
    while let change = await changes.next() {
      kinds.append(change.kind)
      guard change.kind == .saved else { continue }
      #expect(change.inserted == [id] && change.updated.isEmpty && change.deleted.isEmpty)
      #expect(change.contextName == "writer" && change.author == "Ada")
      #expect(change.layers.keys.map { $0 } == [id.store] && change.layers[id.store]?.count == 1)
      break
    }
    #expect(kinds.last == .saved)
  }

  @Test("A context merges another's save on request, or automatically", arguments: Kind.allCases)
  func merging(_ kind: Kind) async throws {
    let graph = try Graph(kind)
    let writer = ManagedObjectContext(graph.coordinator)
    let byHand = ManagedObjectContext(graph.coordinator)
    let byItself = ManagedObjectContext(graph.coordinator)
    byItself.performAndWait { byItself.automaticallyMergesChangesFromParent = true }
    let id = try await writer.perform {
      let person = try writer.insert(Person.self) { $0.name = "Ada" }
      try writer.save()
      return person.objectID
    }
    for context in [byHand, byItself] {
      try await context.perform {
        context.retainsRegisteredObjects = true
        let person = try context.existingObject(with: id) as? Person
        #expect(person?.name == "Ada")
      }
    }
    var changes = writer.changes.makeAsyncIterator()
    try await writer.perform {
      (writer.object(with: id) as? Person)?.name = "Grace"
      try writer.save()
    }
    var saved: ContextChange?
    while let change = await changes.next() {
      if change.kind == .saved {
        saved = change
        break
      }
    }
    func name(_ context: ManagedObjectContext) async throws -> String? {
      try await context.perform { (context.registeredObject(for: id) as? Person)?.name }
    }
    for _ in 0..<12_000 where try await name(byItself) != "Grace" {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await name(byItself) == "Grace")
    #expect(try await name(byHand) == "Ada")
    let change = try #require(saved)
    try await byHand.perform { try byHand.mergeChanges(from: change) }
    #expect(try await name(byHand) == "Grace")
  }

  @Test("A context detects conflicts before it saves", arguments: Kind.allCases)
  func conflicts(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, two) = (graph.context(), graph.context())
    let mine = try one.insert(Person.self) {
      $0.name = "Ada"
      $0.age = 3
    }
    #expect(try one.conflict(of: mine) == nil)
    try one.save()
    let theirs = two.object(mine)
    mine.name = "Mine"
    #expect(try one.conflict(of: mine) == nil)
    theirs.name = "Theirs"
    theirs.age = 4
    try two.save()
    let conflict = try #require(try one.conflict(of: mine))
    #expect(conflict.object == mine.objectID && conflict.contestedKeys == ["name"])
    #expect(conflict.base?["age"] == .integer(3) && conflict.theirs?["age"] == .integer(4))
    one.refresh(mine, mergeChanges: true)
    #expect(try one.conflict(of: mine) == nil)
    #expect(mine.name == "Mine" && mine.age == 4)
    try one.save()
    two.refresh(theirs, mergeChanges: true)
    two.delete(theirs)
    try two.save()
    #expect(try one.conflict(of: mine)?.isDeletedThere == true)
  }

  @Test("A pinned context shows nothing newer until it is unpinned", arguments: Kind.allCases)
  func pinned(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (writer, reader) = (graph.context(), graph.context())
    let ada = try writer.insert(Person.self) { $0.name = "Ada" }
    try writer.save()
    try reader.setQueryGeneration(QueryGeneration(graph.coordinator))
    let seen = try #require(try reader.fetch(Person.self).first)
    ada.name = "Grace"
    try writer.insert(Person.self) { $0.name = "Bob" }
    try writer.save()

    #expect(try reader.fetch(Person.self).map(\.name) == ["Ada"])
    reader.refreshAllObjects()
    reader.refresh(seen, mergeChanges: false)
    #expect(seen.name == "Ada")
    #expect(try reader.count(for: FetchRequest("Person")) == 1)
    let child = ManagedObjectContext(parent: reader, concurrency: .confined)
    #expect(try child.fetch(Person.self).map(\.name) == ["Ada"])
    seen.name = "Mine"
    let error = #expect(throws: ContextError.self) { try reader.save() }
    #expect(error?.code == .conflict)
    reader.rollback()
    try reader.setQueryGeneration(nil)
    #expect(
      try reader.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.name) == ["Bob", "Grace"])
    #expect(seen.name == "Grace")
  }

  /// Runs `body` on a new thread, and waits for the thread.
  private func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws {
    let result = Mutex<Result<Void, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      result.withLock { $0 = Result { try body() } }
      done.signal()
    }
    done.wait()
    try result.withLock { try $0?.get() }
  }

  @Test(
    "A confined context that merges automatically merges a save when the context is next used",
    arguments: Kind.allCases)
  func confined(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (coordinator, context) = (graph.coordinator, graph.context())
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    try context.save()
    context.automaticallyMergesChangesFromParent = true
    let ids = [ada.objectID, bob.objectID]
    func save(_ age: Int32) throws {
      try elsewhere {
        let there = ManagedObjectContext(coordinator, concurrency: .confined)
        for id in ids {
          (try there.existingObject(with: id) as? Person)?.age = age
          try there.save()
        }
      }
    }
    func isMerged(_ age: Int32) -> Bool { ada.age == age && bob.age == age }

    try save(1)
    #expect(isMerged(0))
    try context.processPendingChanges()
    #expect(isMerged(1))
    try save(2)
    _ = try context.count(for: FetchRequest("Trip"))
    #expect(isMerged(2))
    try save(3)
    context.performAndWait { #expect(isMerged(3)) }
    ada.name = "Eve"
    try save(4)
    try context.save()
    #expect(isMerged(4) && ada.name == "Eve")
    let found = try graph.again().fetch(Person.self, sortedBy: [SortKey("name")])
    #expect(found.map(\.name) == ["Bob", "Eve"] && found.map(\.age) == [4, 4])
    try save(5)
    try context.setQueryGeneration(QueryGeneration(coordinator))
    try save(6)
    try context.processPendingChanges()
    #expect(isMerged(5))
  }

  @Test(
    "A save includes the changes that an observer of willSave makes", arguments: Kind.allCases,
    [(false, false), (false, true), (true, false), (true, true)])
  func changingWhenTold(_ kind: Kind, _ way: (isChild: Bool, isFetching: Bool)) throws {
    let graph = try Graph(kind)
    let root = graph.context()
    let ids = try ["Ada", "Doomed"].map { name in
      try root.insert(Person.self) { $0.name = name }.objectID
    }
    try root.save()
    let context =
      way.isChild ? ManagedObjectContext(parent: root, concurrency: .confined) : root
    let people = try ids.map { try #require(try context.existingObject(with: $0) as? Person) }
    nonisolated(unsafe) let (person, other) = (people[0], people[1])
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextWillSave, object: context, queue: nil
    ) { _ in
      if person.age == 7 { return }
      person.age = 7
      context.delete(other)
      _ = try? context.insert(Trip.self) {
        $0.name = "T"
        $0.owner = person
      }
      if way.isFetching { _ = try? context.fetch(Person.self) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    person.name = "Eve"
    try context.save()

    #expect(!context.hasChanges && other.managedObjectContext == nil && person.tripCount == 1)
    try root.save()
    let found = try graph.again().fetch(Person.self)
    #expect(found.map(\.age) == [7] && found.map(\.tripCount) == [1])
    person.age = 8
    context.rollback()
    #expect(person.age == 7)
  }

  @Test("A save includes changes by an observer of the changed objects", arguments: Kind.allCases)
  func changingWhenToldOfChanges(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    nonisolated(unsafe) let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let count = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      count.withLock { $0 += 1 }
      if ada.age < 3 { ada.age += 1 }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(!context.hasChanges && count.withLock { $0 } == 4)
    #expect(try graph.again().fetch(Person.self).map(\.age) == [3])
  }

  @Test("A save validates the changes that an observer of willSave makes", arguments: Kind.allCases)
  func wrongWhenTold(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    nonisolated(unsafe) let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextWillSave, object: context, queue: nil
    ) { _ in ada.age = 200 }
    defer { NotificationCenter.default.removeObserver(observer) }
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.key) == ["age"])
    #expect(try graph.again().count(for: FetchRequest("Person")) == 0)
  }

  @Test(
    "A confined context accepts a child's push when the context is next used",
    arguments: Kind.allCases, [true, false])
  func handedOverToConfined(_ kind: Kind, _ isTurn: Bool) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let undo = UndoStack()
    parent.undoStack = undo
    let bob = try parent.insert(Person.self) { $0.name = "Bob" }
    try parent.save()
    let id = bob.objectID
    try elsewhere {
      let child = ManagedObjectContext(parent: parent, concurrency: .confined)
      for name in ["Ada", "Eve"] {
        try child.insert(Person.self) { $0.name = name }
        (try child.existingObject(with: id) as? Person)?.age += 1
        try child.handOver()
      }
    }
    if isTurn { parent.performAndWait {} } else { try parent.processPendingChanges() }
    #expect(parent.insertedObjects.count == 2 && bob.age == 2 && undo.undoCount == 3)
    try parent.save()
    let found = try graph.again().fetch(Person.self, sortedBy: [SortKey("name")])
    #expect(found.map(\.name) == ["Ada", "Bob", "Eve"] && found.map(\.age) == [0, 2, 0])
  }

  @Test(
    "A child shows no more than its pinned parent, even if the parent has fetched nothing",
    arguments: Kind.allCases)
  func pinnedParent(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (writer, parent) = (graph.context(), graph.context())
    try parent.setQueryGeneration(QueryGeneration(graph.coordinator))
    try writer.insert(Person.self) { $0.name = "Ada" }
    try writer.save()
    var lowest = parent
    for _ in 0..<3 {
      lowest = ManagedObjectContext(parent: lowest, concurrency: .confined)
      #expect(try lowest.count(for: FetchRequest("Person")) == 0)
      lowest.reset()
    }
    try parent.setQueryGeneration(nil)
    #expect(try lowest.count(for: FetchRequest("Person")) == 1)
  }
}
