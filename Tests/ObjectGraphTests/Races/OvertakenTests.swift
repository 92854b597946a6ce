import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// What others save between the moment a save has looked at everything and the moment it commits.
@Suite("Saves that are overtaken")
struct OvertakenTests {
  /// Has something happen between the look at everything and the commit.
  ///
  /// - Parameter times: At how many attempts.
  /// - Returns: How many attempts there were.
  private func overtaking(
    _ context: ManagedObjectContext, times: Int = 1, by body: @escaping () throws -> Void,
    during save: () throws -> Void
  ) throws -> Int {
    // Sendable: a confined context posts on this thread.
    nonisolated(unsafe) var announcements = 0
    nonisolated(unsafe) var failure: (any Error)?
    nonisolated(unsafe) let body = body
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextWillSave, object: context, queue: nil
    ) { _ in
      announcements += 1
      guard announcements <= times else { return }
      do { try body() } catch { failure = error }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    defer { #expect(failure == nil) }
    try save()
    return announcements
  }

  /// A save that another context of the same coordinator comes before, five times if it may.
  ///
  /// - Parameter onThread: Whether the other saves on a thread of its own, for which the first save waits a moment.
  /// - Returns: How often the save was tried.
  private func overtaking(_ graph: Graph, onThread: Bool) throws -> Int {
    let one = graph.context()
    let other = ManagedObjectContext(
      graph.coordinator, concurrency: onThread ? .privateQueue : .confined)
    try one.insert(Person.self) { $0.name = "one" }
    @Sendable func overtake() throws {
      try other.performAndWait {
        try other.insert(Person.self) { $0.name = "other" }
        try other.save()
      }
    }
    let running = DispatchGroup()
    let attempts = try overtaking(
      one, times: 5,
      by: {
        guard onThread else { return try overtake() }
        guard running.wait(timeout: .now()) == .success else { return }
        running.enter()
        Thread.detachNewThread {
          do { try overtake() } catch { Issue.record(error) }
          running.leave()
        }
        // Whoever is not done by then gives way.
        _ = running.wait(timeout: .now() + .milliseconds(200))
      },
      during: { try one.save() })
    running.wait()
    return attempts
  }

  @Test(
    "A save that is overtaken again and again is given way to, and who gives way saves after it",
    arguments: Kind.allCases)
  func givenWay(_ kind: Kind) throws {
    let graph = try Graph(kind)
    // Without that it would be the sixth: nobody comes before that one.
    let attempts = try overtaking(graph, onThread: true)
    #expect(attempts < 6)
    let names = try graph.context().fetch(Person.self).map(\.name)
    #expect(names.count { $0 == "one" } == 1 && names.count { $0 == "other" } >= 1)
  }

  @Test("A save within another waits for nobody", arguments: Kind.allCases)
  func within(_ kind: Kind) throws {
    let graph = try Graph(kind)
    #expect(try overtaking(graph, onThread: false) == 6)
    #expect(try graph.context().fetch(Person.self).count == 6)
  }

  @Test(
    "A save is tried again after each save of another coordinator, as of another process",
    arguments: Kind.files)
  func otherCoordinator(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (
      graph.context(), ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    )
    try one.insert(Person.self) { $0.name = "one" }

    let attempts = try overtaking(
      one, times: 5,
      by: {
        try other.insert(Person.self) { $0.name = "other" }
        try other.save()
      },
      during: { try one.save() })

    #expect(attempts == 6)
    #expect(try graph.context().fetch(Person.self).count == 6)
  }

  @Test("A value that nobody else may have is refused", arguments: Kind.allCases)
  func uniqueness(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    for context in [one, two] { try context.insert(Passport.self) { $0.number = "7" } }

    let error = #expect(throws: ContextError.self) {
      _ = try overtaking(one, by: { try two.save() }, during: { try one.save() })
    }

    #expect(error?.code == .conflict && error?.constraintConflicts.count == 1)
    #expect(one.hasChanges && one.insertedObjects.count == 1)
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.fetch(Passport.self).map(\.number) == ["7"])
    (one.insertedObjects.first as? Passport)?.number = "8"
    try one.save()
    #expect(try fresh.count(for: FetchRequest("Passport")) == 2)
  }

  @Test("Nothing leads to an object that was deleted", arguments: Kind.allCases)
  func deletion(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let bob = try one.insert(Person.self) { $0.name = "Bob" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let trip = try one.insert(Trip.self) { $0.name = "Faro" }
    trip.owner = ada
    trip.members = [ada, bob]

    let announcements = try overtaking(
      one,
      by: {
        two.delete(two.object(with: ada.objectID))
        try two.save()
      }, during: { try one.save() })

    #expect(announcements == 2)
    #expect(trip["owner"] == .null && Array(trip.members) == [bob])
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let found = try #require(try fresh.fetch(Trip.self).first)
    #expect(found["owner"] == .null && found.members.map(\.name) == ["Bob"])
  }

  @Test("A deletion reaches what was led to the object", arguments: Kind.allCases)
  func member(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let coast = try one.insert(Trip.self) { $0.name = "Coast" }
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let hills = try one.insert(Trip.self) { $0.name = "Hills" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(hills.owner == nil)
    one.delete(coast)
    one.delete(ada)

    _ = try overtaking(
      one,
      by: {
        try two.insert(Stop.self) {
          $0.place = "Beach"
          $0.trip = two.object(with: coast.objectID) as? Trip
        }
        // An object that the other context knows as it was.
        (two.object(with: hills.objectID) as? Trip)?.owner =
          two.object(with: ada.objectID) as? Person
        try two.save()
      }, during: { try one.save() })

    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.count(for: FetchRequest("Stop")) == 0)
    #expect(try fresh.count(for: FetchRequest("Trip")) == 0)
    #expect(try fresh.count(for: FetchRequest("Person")) == 0)
  }

  @Test("The merge policy decides about what both have changed", arguments: Kind.allCases)
  func conflict(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    one.mergePolicy = .storeWins
    ada.name = "Mine"
    ada.age = 7

    _ = try overtaking(
      one,
      by: {
        (two.object(with: ada.objectID) as? Person)?.name = "Theirs"
        try two.save()
      }, during: { try one.save() })

    #expect(ada.name == "Theirs" && ada.age == 7)
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.fetch(Person.self).map(\.name) == ["Theirs"])
    #expect(try fresh.fetch(Person.self).map(\.age) == [7])
  }

  @Test(
    "A change is one of what was read here, however often it was saved before",
    arguments: Kind.allCases, 1...9)
  func savedOften(_ kind: Kind, count: Int) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    let neighbor = try one.insert(Trip.self) { $0.name = "kept" }
    try one.save()
    for _ in 0..<count {
      trip.cost += 1
      try one.save()
    }
    let theirs = try #require(try other.fetch(Trip.self, where: QueryPredicate("cost > 0")).first)
    theirs.cost += 10
    theirs.name = "renamed"
    try other.save()
    // Looks at what others have saved, and shows nothing of it in what was read.
    #expect(try one.fetch(Trip.self).count == 2)
    trip.cost += 1
    #expect(trip.cost == Double(count + 1) && trip.name == "counted")
    let error = try #require(throws: ContextError.self) { try one.save() }
    #expect(error.code == .conflict)
    let conflict = try #require(error.conflicts.first)
    #expect(conflict.base?["cost"] == .double(Double(count)))
    #expect(conflict.theirs?["cost"] == .double(Double(count + 10)))
    one.mergePolicy = .objectWins
    try one.save()
    #expect(trip.cost == Double(count + 1) && trip.name == "renamed" && neighbor.name == "kept")
    let found = try graph.context().fetch(Trip.self, sortedBy: [SortKey("name")])
    #expect(found.map(\.cost) == [0, Double(count + 1)])
  }

  @Test("What has nothing to do with the changes is passed over", arguments: Kind.allCases)
  func unrelated(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    try one.insert(Stop.self) { $0.place = "Here" }

    let announcements = try overtaking(
      one,
      by: {
        for number in 0..<3 {
          try two.insert(Passport.self) { $0.number = "\(number)" }
          try two.save()
        }
      }, during: { try one.save() })

    #expect(announcements == 1)
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.count(for: FetchRequest("Passport")) == 3)
    #expect(try fresh.count(for: FetchRequest("Stop")) == 1)
    #expect(try one.count(for: FetchRequest("Passport")) == 3)
  }

  @Test(
    "A context that is pinned to an earlier moment is held against the newest",
    arguments: Kind.allCases)
  func pinned(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    try one.save()
    try one.setQueryGeneration(QueryGeneration(graph.coordinator))
    let two = graph.context()
    try two.insert(Passport.self) { $0.number = "7" }
    try two.save()
    let mine = try one.insert(Passport.self) { $0.number = "7" }

    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.constraintConflicts.map(\.conflictingObjects) == [[mine.objectID]])
    mine.number = "8"
    mine.holder = ada
    try one.save()
    #expect(
      try one.fetch(Passport.self, sortedBy: [SortKey("number")]).map(\.number) == ["7", "8"])
    try two.insert(Passport.self) { $0.number = "9" }
    try two.save()
    #expect(try one.count(for: FetchRequest("Passport")) == 2)
  }
}
