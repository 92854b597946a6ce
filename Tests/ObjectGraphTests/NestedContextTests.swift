import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

/// What people say of nested contexts elsewhere, and what is so here.
@Suite("Nested contexts, complaint by complaint")
struct NestedContextTests {
  /// Objects `P0`, `P1` and so on, with their numbers as ages, saved.
  private func people(_ count: Int, in context: ManagedObjectContext) throws {
    for number in 0..<count {
      try context.insert(Person.self) {
        $0.name = "P\(number)"
        $0.age = Int32(number % 100)
      }
    }
    try context.save()
  }

  @Test(
    "A child's fetch waits for no ancestor, however busy that is", arguments: Kind.allCases)
  func neverBlocks(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let root = ManagedObjectContext(graph.coordinator)
    let parent = ManagedObjectContext(parent: root)
    let child = ManagedObjectContext(parent: parent)
    let saved: ObjectID = try root.performAndWait {
      try people(10, in: root)
      return try root.insert(Person.self) { $0.name = "Unsaved" }.objectID
    }
    let mayGoOn = DispatchSemaphore(value: 0)
    let areBusy = DispatchGroup()
    for busy in [root, parent] {
      areBusy.enter()
      busy.schedule {
        areBusy.leave()
        mayGoOn.wait()
      }
    }
    areBusy.wait()

    let isDone = DispatchSemaphore(value: 0)
    let found = Mutex<[String]>([])
    child.schedule {
      let names = try? child.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.name)
      let trips = (try? child.existingObject(with: saved) as? Person)?.trips.count
      found.withLock { $0 = (names ?? []) + ["\(trips ?? -1)"] }
      isDone.signal()
    }
    let outcome = isDone.wait(timeout: .now() + 3000)
    for _ in 0..<2 { mayGoOn.signal() }

    #expect(outcome == .success)
    #expect(found.withLock { $0 } == (0..<10).map { "P\($0)" } + ["Unsaved", "0"])
  }

  @Test(
    "Changing many objects in a child makes what it makes in a root context",
    arguments: Kind.allCases)
  func changesOfMany(_ kind: Kind) throws {
    func rows(_ context: ManagedObjectContext) throws -> (layers: Int, rows: Int, seals: Int) {
      var seals = 0
      let people = try context.fetch(Person.self)
      for (number, person) in people.enumerated() {
        person.name = "N\(number)"
        person.age += 1
      }
      try context.workspace.sealAll()
      seals = context.workspace.unannounced.layers.values.reduce(0) { $0 + $1.count }
      let pending = context.workspace.storeStates.flatMap(\.pending)
      return (pending.count, pending.reduce(0) { $0 + $1.count }, seals)
    }
    let graph = try Graph(kind)
    try people(5000, in: graph.context())

    let root = graph.context()
    let inRoot = try rows(root)
    root.rollback()
    let parent = ManagedObjectContext(parent: root, concurrency: .confined)
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let inChild = try rows(child)
    try child.save()
    let inParent = parent.workspace.storeStates.flatMap(\.pending)

    #expect(inRoot == inChild && inRoot == (1, 5000, 1))
    #expect(inParent.count == 1 && inParent[0].count == 5000)
  }

  @Test(
    "What was saved upwards is found at once, one level and two, through relationships too",
    arguments: Kind.allCases)
  func resultsAfterSaving(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let root = graph.context()
    let parent = ManagedObjectContext(parent: root, concurrency: .confined)
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let ada = try child.insert(Person.self) { $0.name = "Ada" }
    let trip = try child.insert(Trip.self) {
      $0.name = "Lisbon"
      $0.owner = ada
    }
    trip.members = [ada]
    func found(_ context: ManagedObjectContext) throws -> [ObjectID] {
      let owner = context.object(with: ada.objectID)
      var all: [ObjectID] = []
      for predicate in [
        try QueryPredicate("owner == %@", owner),
        try QueryPredicate("owner.name == 'Ada'"), try QueryPredicate("ANY members.name == 'Ada'"),
      ] {
        all += try context.fetch(Trip.self, where: predicate).map(\.objectID)
      }
      return all
    }
    let expected = Array(repeating: trip.objectID, count: 3)

    #expect(try found(child) == expected)
    try child.save()
    #expect(try found(child) == expected)
    #expect(try found(parent) == expected)
    #expect(try found(root).isEmpty)
    try parent.save()
    for context in [child, parent, root] { #expect(try found(context) == expected) }
    try root.save()
    for context in [child, parent, root] { #expect(try found(context) == expected) }
    #expect(trip.owner === ada && ada.trips.map(\.objectID) == [trip.objectID])
  }

  @Test(
    "Relationships of what the parent has not saved are seen in a child", arguments: Kind.allCases)
  func unsavedRelationships(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    let bob = try parent.insert(Person.self) { $0.name = "Bob" }
    ada.friends = [bob]
    ada.passport = try parent.insert(Passport.self) { $0.number = "1" }
    let trip = try parent.insert(Trip.self) {
      $0.name = "Faro"
      $0.owner = ada
    }
    for place in ["A", "B"] {
      trip.add(try parent.insert(Stop.self) { $0.place = place }, to: ToManyName("stops"))
    }

    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let mine = child.object(ada)

    #expect(mine !== ada && mine.friends.map(\.name) == ["Bob"] && mine.passport?.number == "1")
    #expect(mine.trips.map(\.name) == ["Faro"] && mine.trips[0].stops.map(\.place) == ["A", "B"])
    #expect(mine.trips[0].owner === mine && child.object(bob).friends.map(\.name) == ["Ada"])
  }

  @Test("Results keep their order whatever is unsaved in the parent", arguments: Kind.allCases)
  func order(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    try people(20, in: parent)
    let people = try parent.fetch(Person.self, sortedBy: [SortKey("age")])
    people[3].age = 99
    people[15].age = 1
    parent.delete(people[7])
    try parent.insert(Person.self) {
      $0.name = "New"
      $0.age = 6
    }
    try parent.processPendingChanges()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    try child.insert(Person.self) {
      $0.name = "Newer"
      $0.age = 6
    }

    let ascending = try child.fetch(Person.self, sortedBy: [SortKey("age"), SortKey("name")])
    let first = try child.fetch(Person.self, sortedBy: [SortKey("age", ascending: false)], limit: 1)

    #expect(
      ascending.map(\.name)
        == [
          "P0", "P1", "P15", "P2", "P4", "P5", "New", "Newer", "P6", "P8", "P9", "P10", "P11",
          "P12", "P13", "P14", "P16", "P17", "P18", "P19", "P3",
        ])
    #expect(first.map(\.name) == ["P3"])
  }

  @Test(
    "Fetching in the background while others wait for it comes to an end", arguments: Kind.allCases)
  func noDeadlock(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let root = ManagedObjectContext(graph.coordinator)
    try root.performAndWait { try people(200, in: root) }
    let group = DispatchGroup()
    let counts = Mutex<[Int]>([])
    for _ in 0..<4 {
      let parent = ManagedObjectContext(parent: root)
      let child = ManagedObjectContext(parent: parent)
      parent.schedule {
        // The parent waits for its child, which reads through it all the same.
        for _ in 0..<20 {
          do {
            let count = try child.performAndWait { try child.fetch(Person.self).count }
            counts.withLock { $0.append(count) }
          } catch {
            Issue.record(error)
          }
        }
      }
      DispatchQueue.global().async(group: group) { parent.performAndWait {} }
    }

    #expect(group.wait(timeout: .now() + 3000) == .success)
    #expect(counts.withLock { $0 } == Array(repeating: 200, count: 80))
  }

  @Test(
    "A list of a child is kept right while the parent waits for the child",
    arguments: Kind.allCases)
  func listsDontDeadlock(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let root = ManagedObjectContext(graph.coordinator)
    try root.performAndWait { try people(50, in: root) }
    let group = DispatchGroup()
    // Sendable: a list is used in the turns of its context only.
    nonisolated(unsafe) var lists: [(ManagedObjectContext, FetchedResults<Person>)] = []
    for _ in 0..<3 {
      let parent = ManagedObjectContext(parent: root)
      let child = ManagedObjectContext(parent: parent)
      child.automaticallyMergesChangesFromParent = true
      nonisolated(unsafe) let list = try child.performAndWait {
        try FetchedResults(
          Person.self, FetchRequest("Person", sortedBy: [SortKey("name")]), in: child)
      }
      lists.append((child, list))
      parent.schedule {
        for number in 0..<20 {
          _ = try? parent.insert(Person.self) { $0.name = "A\(number)" }
          try? parent.save()
          child.performAndWait { #expect(list.count >= 50) }
        }
      }
      DispatchQueue.global().async(group: group) { parent.performAndWait {} }
    }

    #expect(group.wait(timeout: .now() + 3000) == .success)
    for (child, list) in lists {
      child.performAndWait {
        #expect(list.count >= 70 && list.first?.name == "A0" && list.last?.name == "P9")
      }
    }
  }

  /// How a context comes to see what others have saved.
  enum Look: CaseIterable {
    case fetching, refreshing, refreshingAll
  }

  @Test(
    "A child looks again where its parent does, and changes what that has read",
    arguments: Kind.allCases, Look.allCases)
  func lookedAgain(_ kind: Kind, _ look: Look) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let trip = try parent.insert(Trip.self) { $0.name = "counted" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = child.object(trip)
    #expect(same.cost == 0)
    let theirs = other.object(trip)
    theirs.cost = 10
    try other.save()

    switch look {
    case .fetching:
      let found = try parent.fetch(Trip.self, where: QueryPredicate("cost == 10"))
      #expect(found == [trip])
    case .refreshing: parent.refresh(trip, mergeChanges: false)
    case .refreshingAll: parent.refreshAllObjects()
    }
    child.refreshAllObjects()
    #expect(same.cost == 10)
    same.cost += 1
    try child.save()
    parent.mergePolicy = .objectWins
    try parent.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [11])
  }

  @Test("Identifiers need no obtaining and never change", arguments: Kind.allCases)
  func identifiers(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let root = graph.context()
    let parent = ManagedObjectContext(parent: root, concurrency: .confined)
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let ada = try child.insert(Person.self) { $0.name = "Ada" }
    let id = ada.objectID
    let uri = id.uri

    for context in [child, parent, root] {
      try context.save()
      #expect(ada.objectID == id && ada.objectID.uri == uri)
      #expect(try child.fetch(Person.self) == [ada])
    }
    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try other.existingObject(with: id).objectID.uri == uri)
  }

  @Test(
    "What is unsaved is seen however deep the contexts are", arguments: Kind.allCases,
    [true, false])
  func deep(_ kind: Kind, _ isProcessed: Bool) throws {
    let root = try Graph(kind).context()
    try root.insert(Person.self) { $0.name = "Ada" }
    if isProcessed { try root.processPendingChanges() }
    var lowest = root
    for _ in 0..<5 {
      lowest = ManagedObjectContext(parent: lowest, concurrency: .confined)
      // Whoever looks shows what there is to those below: nobody may have looked.
      let lowest = ManagedObjectContext(parent: lowest, concurrency: .confined)
      #expect(try lowest.fetch(Person.self).map(\.name) == ["Ada"])
    }
    #expect(try lowest.fetch(Person.self).map(\.name) == ["Ada"])
  }

  @Test(
    "Of what two children change, each value is what the later of them has saved",
    arguments: Kind.allCases)
  func siblings(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let trip = try parent.insert(Trip.self) { $0.name = "Porto" }
    try parent.save()
    let (one, two) = (
      ManagedObjectContext(parent: parent, concurrency: .confined),
      ManagedObjectContext(parent: parent, concurrency: .confined)
    )
    one.object(trip).cost = 1
    one.object(trip).name = "Lisbon"
    two.object(trip).cost = 2

    try one.save()
    #expect(trip.cost == 1 && trip.name == "Lisbon" && two.object(trip).cost == 2)
    try two.save()
    #expect(trip.cost == 2 && trip.name == "Lisbon")
    try parent.save()
    let saved = try graph.context().fetch(Trip.self)
    #expect(saved.map(\.cost) == [2] && saved.map(\.name) == ["Lisbon"])
  }

  @Test(
    "What a parent is to delete stays deleted, whatever a child changes in it",
    arguments: Kind.allCases)
  func deletedMeanwhile(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let trip = try parent.insert(Trip.self) { $0.name = "Porto" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = child.object(trip)
    #expect(same.cost == 0)
    parent.delete(trip)
    same.cost = 1
    try child.save()
    #expect(trip.isDeleted)
    try parent.save()
    #expect(try graph.context().count(for: FetchRequest("Trip")) == 0)
  }

  @Test(
    "Who was to be deleted in the parent and is not is the same object in a child, and not another",
    arguments: Kind.allCases, [false, true])
  func deletedAndBack(_ kind: Kind, isUndone: Bool) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let trip = try parent.insert(Trip.self) { $0.name = "Porto" }
    try parent.save()
    let undo = UndoStack()
    parent.undoManager = undo
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = child.object(trip)
    same.name = "draft"
    parent.delete(trip)
    try parent.processPendingChanges()
    try child.save()
    #expect(same.isDeleted)
    if isUndone {
      while try undo.undo() {}
    } else {
      parent.rollback()
    }

    #expect(try child.fetch(Trip.self).first === same)
    #expect(same.name == "Porto" && !same.isDeleted)
    same.cost = 1
    try child.save()
    try parent.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [1])
  }
}
