import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

/// Known problems of nested contexts in other frameworks, each with the behaviour of contexts here.
@Suite("Nested contexts, problem by problem")
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
    "A child's fetch does not wait for busy ancestors", arguments: Kind.allCases)
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
    "Changes of many objects in a child are one layer, as in a root context",
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
      seals = context.workspace.observation.unannounced.layers.values.reduce(0) { $0 + $1.count }
      let pending = context.workspace.drafts.states.flatMap(\.pending)
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
    let inParent = parent.workspace.drafts.states.flatMap(\.pending)

    #expect(inRoot == inChild && inRoot == (1, 5000, 1))
    #expect(inParent.count == 1 && inParent[0].count == 5000)
  }

  @Test(
    "A fetch finds saved objects in every ancestor, also through relationships",
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
    "A child sees relationships of objects that its parent has not saved", arguments: Kind.allCases)
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
      trip.add(try parent.insert(Stop.self) { $0.place = place }, to: "stops")
    }

    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let mine = child.object(ada)

    #expect(mine !== ada && mine.friends.map(\.name) == ["Bob"] && mine.passport?.number == "1")
    #expect(mine.trips.map(\.name) == ["Faro"] && mine.trips[0].stops.map(\.place) == ["A", "B"])
    #expect(mine.trips[0].owner === mine && child.object(bob).friends.map(\.name) == ["Ada"])
  }

  @Test("Results are in order, also with unsaved changes in the parent", arguments: Kind.allCases)
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
    "A child can fetch while its parent waits for the child", arguments: Kind.allCases)
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
        // The parent waits for its child, which nevertheless reads through the parent.
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
    "A list of a child stays right while the parent waits for the child",
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
        try FetchedResults(FetchRequest(Person.self, sortedBy: [SortKey("name")]), in: child)
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

  /// The way in which a context advances to the newest commit.
  enum Look: CaseIterable {
    case fetching, refreshing, refreshingAll
  }

  @Test(
    "A refreshed child shows the commit that its parent shows, and changes objects of that commit",
    arguments: Kind.allCases, Look.allCases)
  func lookedAgain(_ kind: Kind, _ look: Look) throws {
    try scenario(kind, look) { s in
      s.parent.insert("trip").save()
      s.child.expect("trip", cost: 0)
      s.other.set("trip", cost: 10).save()

      switch look {
      case .fetching: s.parent.fetch("Trip", where: "cost == 10", finds: ["trip"])
      case .refreshing: s.parent.refresh("trip", keepingChanges: false)
      case .refreshingAll: s.parent.refreshAll()
      }
      s.child.refreshAll().expect("trip", cost: 10).set("trip", cost: 11).save()
      s.parent.policy(.objectWins).save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 11)
    }
  }

  @Test("An identifier is permanent from the insertion on", arguments: Kind.allCases)
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
    "Unsaved objects are seen at any depth of nesting", arguments: Kind.allCases,
    [true, false])
  func deep(_ kind: Kind, _ isProcessed: Bool) throws {
    let root = try Graph(kind).context()
    try root.insert(Person.self) { $0.name = "Ada" }
    if isProcessed { try root.processPendingChanges() }
    var lowest = root
    for _ in 0..<5 {
      lowest = ManagedObjectContext(parent: lowest, concurrency: .confined)
      // A context that fetches publishes its changes to its children, so this one must not fetch.
      let lowest = ManagedObjectContext(parent: lowest, concurrency: .confined)
      #expect(try lowest.fetch(Person.self).map(\.name) == ["Ada"])
    }
    #expect(try lowest.fetch(Person.self).map(\.name) == ["Ada"])
  }

  @Test(
    "A value that two children change is the one that the later child has saved",
    arguments: Kind.allCases)
  func siblings(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert("trip").save()
      s.child.set("trip", cost: 1, name: "Lisbon")
      s.sibling.set("trip", cost: 2)

      s.child.save()
      s.parent.expect("trip", cost: 1, name: "Lisbon")
      s.sibling.expect("trip", cost: 2).save()
      s.parent.expect("trip", cost: 2, name: "Lisbon").save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 2, name: "Lisbon")
    }
  }

  @Test(
    "An object that a parent has deleted stays deleted when a child changes it",
    arguments: Kind.allCases)
  func deletedMeanwhile(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert("trip").save()
      s.child.expect("trip", cost: 0)
      s.parent.delete("trip")
      s.child.set("trip", cost: 1).save()
      s.parent.expectDeleted("trip").save()
      s.store.contains(trip: [])
    }
  }

  @Test(
    "A child keeps an object's instance when its parent deletes the object and discards the deletion",
    arguments: Kind.allCases, [false, true])
  func deletedAndBack(_ kind: Kind, isUndone: Bool) throws {
    try scenario(kind, isUndone ? "undone" : "rolled back") { s in
      s.parent.insert("trip").save().startUndo()
      s.child.set("trip", name: "draft")
      s.parent.delete("trip").process()
      s.child.save().expectDeleted("trip")
      if isUndone { s.parent.undoAll() } else { s.parent.rollback() }

      s.child.contains(trip: ["trip"]).expectSameInstance("trip")
      s.child.expect("trip", name: "trip").expectDeleted("trip", isDeleted: false)
      s.child.set("trip", cost: 1).save()
      s.parent.save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 1)
    }
  }
}
