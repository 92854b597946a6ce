import ObjectQuery
import Testing

@testable import ObjectGraph

@Suite("Undo beside others")
struct UndoBesideOthersTests {
  @Test(
    "Undo leads back to what an object showed, whatever others have saved since, and a redo to what it was",
    arguments: Kind.allCases, [false, true])
  func staleObjects(_ kind: Kind, deleting: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    let undo = UndoStack()
    one.undoManager = undo
    let theirs = other.object(trip)
    theirs.cost = 10
    try other.save()
    #expect(try one.fetch(Trip.self, where: QueryPredicate("cost == 10")) == [trip])
    #expect(trip.cost == 0)

    if deleting { one.delete(trip) } else { trip.cost += 1 }
    try undo.undo()
    #expect(trip.cost == 0 && !one.hasChanges && !trip.isDeleted)
    try undo.redo()
    #expect(trip.isDeleted == deleting && (deleting || trip.cost == 1))
    let error = try #require(throws: ContextError.self) { try one.save() }
    #expect(error.code == .conflict)
    #expect(error.conflicts.first?.base?["cost"] == .double(0))
  }

  @Test(
    "What is undone after saving does not pass over what others have saved since, though nobody holds the object",
    arguments: Kind.allCases, [false, true])
  func letGo(_ kind: Kind, inserted: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let beside = try one.insert(Trip.self) { $0.name = "beside" }
    let undo = UndoStack()
    if inserted { one.undoManager = undo }
    var trip: Trip? = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    let id = try #require(trip?.objectID)
    if !inserted {
      one.undoManager = undo
      trip?.cost += 1
      try one.save()
    }
    trip = nil
    one.workspace.sweep()
    let theirs = try #require(other.existingObject(with: id) as? Trip)
    theirs.cost += 10
    try other.save()
    // What lies beneath moves on.
    beside.cost = 3
    try one.save()

    try undo.undo()
    try undo.undo()
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.object) == [id])
    #expect(error?.conflicts.first?.base?["cost"] == .double(inserted ? 0 : 1))
    one.mergePolicy = .storeWins
    try one.save()
    #expect(
      try other.fetch(Trip.self, where: QueryPredicate("name == 'counted'")).map(\.cost) == [
        inserted ? 10 : 11
      ])
  }

  @Test(
    "Undo reaches what was done while it was off the context", arguments: Kind.allCases)
  func putBack(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let undo = UndoStack()
    context.undoManager = undo
    let trip = try context.insert(Trip.self) { $0.name = "Porto" }
    try context.save()
    context.undoManager = nil
    try context.insert(Stop.self) { $0.trip = trip }
    try context.save()
    context.undoManager = undo

    try undo.undo()
    try context.save()

    let fresh = graph.context()
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.fetch(Stop.self, where: QueryPredicate("trip != nil")).isEmpty)
    #expect(try fresh.count(for: FetchRequest("Trip")) == 0)
  }

  @Test(
    "What is changed by whoever is told of a save is not given up by an undo",
    arguments: Kind.allCases)
  func changedWhenTold(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    let undo = UndoStack()
    one.undoManager = undo
    let results = try FetchedResults(Trip.self, FetchRequest("Trip"), in: one)
    results.onChange = { _ in if trip.cost == 1, !trip.hasChanges { ada.age = 1 } }
    trip.cost = 1
    try one.save()
    #expect(one.hasChanges && ada.age == 1)
    trip.name = "other"
    try undo.undo()
    #expect(ada.age == 1 && trip.name == "counted" && one.hasChanges)
    try undo.undo()
    #expect(ada.age == 0 && trip.cost == 1 && !one.hasChanges)
    try undo.undo()
    #expect(trip.cost == 0)
    withExtendedLifetime(results) {}
  }

  @Test("What can't be undone any more is not held for it", arguments: [Kind.memory])
  func levels(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let undo = UndoStack(levels: 4)
    one.undoManager = undo
    for number in 0..<200 {
      let person = try one.insert(Person.self) { $0.name = "P\(number)" }
      let trip = try one.insert(Trip.self) { trip in
        trip.name = "T"
        trip.owner = person
      }
      try one.save()
      person.age = 1
      try one.save()
      other.object(person).age = 10
      try other.save()
      trip.name = "renamed"
      try one.save()
    }
    #expect(undo.known.isEmpty && undo.undoCount == 4)
  }

  /// Why an object is looked at again that nobody has asked about.
  enum Reason: CaseIterable {
    /// Its number of trips is computed.
    case derived
    /// What it leads to is deleted.
    case deletion
    /// Another object is looked at again, and this one is changed.
    case beside
  }

  @Test(
    "What an object shows for another's sake is not written over by undo",
    arguments: Kind.allCases, Reason.allCases)
  func lookedAgain(_ kind: Kind, _ reason: Reason) throws {
    for byChild in [false, true] { try lookedAgain(kind, reason, byChild: byChild) }
  }

  private func lookedAgain(_ kind: Kind, _ reason: Reason, byChild: Bool) throws {
    let graph = try Graph(kind)
    let (root, other) = (graph.context(), graph.context())
    let one = byChild ? ManagedObjectContext(parent: root, concurrency: .confined) : root
    func save() throws {
      if byChild { try one.save() }
      try root.save()
    }
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let trip = try one.insert(Trip.self) { trip in
      trip.name = "counted"
      trip.owner = ada
    }
    let passport = try one.insert(Passport.self) { passport in
      passport.number = "1"
      passport.holder = ada
    }
    try save()
    let undo = UndoStack()
    one.undoManager = undo
    ada.age = 1
    try save()
    let theirs = other.object(ada)
    theirs.age = 10
    try other.save()
    switch reason {
    case .derived: trip.name = "renamed"
    case .deletion:
      _ = try root.fetch(Trip.self)
      _ = try one.fetch(Trip.self)
      one.delete(passport)
    case .beside:
      ada.name = "Ada B."
      if byChild { _ = try root.fetch(Trip.self) }
      one.refresh(trip, mergeChanges: true)
    }
    // What was changed of an object here is one with what others have changed in it only if the policy says so.
    if reason == .beside || byChild { root.mergePolicy = .objectWins }
    try save()
    root.mergePolicy = .error
    #expect(root.object(ada).age == 10)

    try undo.undo()
    try undo.undo()
    #expect(ada.age == 0)
    let error = #expect(throws: ContextError.self) { try save() }
    #expect(error?.conflicts.map(\.contestedKeys) == [["age"]])
    #expect(error?.conflicts.first?.base?["age"] == .integer(1))
    #expect(try graph.context().fetch(Person.self).map(\.age) == [10])
    root.mergePolicy = .objectWins
    try save()
    #expect(try graph.context().fetch(Person.self).map(\.age) == [0])
  }

  @Test("Who has asked to see what others have saved undoes from there", arguments: Kind.allCases)
  func asked(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let trip = try one.insert(Trip.self) { trip in
      trip.name = "counted"
      trip.owner = ada
    }
    try one.save()
    let undo = UndoStack()
    one.undoManager = undo
    ada.age = 1
    try one.save()
    other.object(ada).age = 10
    try other.save()
    trip.name = "renamed"
    try one.save()
    one.refresh(ada, mergeChanges: true)
    #expect(ada.age == 10)
    try undo.undo()
    try undo.undo()
    #expect(ada.age == 0)
    try one.save()
    #expect(try graph.context().fetch(Person.self).map(\.age) == [0])
  }

  @Test(
    "What others have brought back is not written over by whoever brings it back too",
    arguments: Kind.allCases, [false, true])
  func broughtBack(_ kind: Kind, byChild: Bool) throws {
    let graph = try Graph(kind)
    let (root, other) = (graph.context(), graph.context())
    let one = byChild ? ManagedObjectContext(parent: root, concurrency: .confined) : root
    func save() throws {
      if byChild { try one.save() }
      try root.save()
    }
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try save()
    let theirs = other.object(trip)
    theirs.cost = 10
    let undo = UndoStack()
    one.undoManager = undo
    one.delete(trip)
    try save()
    other.mergePolicy = .objectWins
    try other.save()
    // Its parent may see that.
    let seen = byChild ? try root.fetch(Trip.self) : []
    if seen.isEmpty { #expect(try one.count(for: FetchRequest("Trip")) == 1) }

    try undo.undo()
    let error = #expect(throws: ContextError.self) { try save() }
    #expect(error?.conflicts.map(\.contestedKeys) == [["cost"]])
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
    // And nothing is left when it is taken out again.
    try undo.redo()
    try save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
  }

  @Test(
    "What is done again is done, whatever others have saved and was looked at in between",
    arguments: Kind.allCases, [false, true])
  func redoneAboveOthers(_ kind: Kind, isFollowing: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    try one.save()
    let undo = UndoStack()
    one.undoManager = undo
    one.automaticallyMergesChangesFromParent = isFollowing
    ada.age = 1
    try one.save()
    try undo.undo()
    let theirs = other.object(ada)
    theirs.age = 10
    try other.save()
    if !isFollowing { one.refresh(ada, mergeChanges: true) }
    #expect(ada.age == 0)

    try undo.redo()
    #expect(ada.age == 1 && one.hasChanges)
    try one.save()
    #expect(try graph.context().fetch(Person.self).map(\.age) == [1])
    // What is saved is nothing to be done.
    try undo.undo()
    try undo.redo()
    #expect(ada.age == 1 && !one.hasChanges)
  }
}
