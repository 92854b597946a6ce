import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

/// What others have saved and whoever changes the same has not seen.
@Suite("Saves that were not seen")
struct UnseenTests {
  /// What a parent has done since its child read something.
  enum Look: CaseIterable {
    case nothing, knowing, fetching, refreshing, changing
  }

  @Test(
    "What was saved since a child has read it is not written over through its parent",
    arguments: Kind.allCases, Look.allCases)
  func child(_ kind: Kind, _ look: Look) throws {
    for depth in 1...2 { try child(kind, look, depth: depth) }
  }

  private func child(_ kind: Kind, _ look: Look, depth: Int) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let theirs = try other.insert(Trip.self) { $0.name = "counted" }
    try other.save()
    if look != .nothing { _ = try parent.fetch(Person.self) }
    if look == .refreshing { #expect((parent.object(with: theirs.objectID) as? Trip)?.cost == 0) }
    let between = ManagedObjectContext(parent: parent, concurrency: .confined)
    let child =
      depth == 1 ? between : ManagedObjectContext(parent: between, concurrency: .confined)
    let same = child.object(theirs)
    #expect(same.cost == 0)
    theirs.cost = 10
    try other.save()
    switch look {
    case .nothing, .knowing: break
    case .fetching: _ = try parent.fetch(Person.self)
    case .refreshing: parent.refreshAllObjects()
    case .changing:
      _ = try parent.fetch(Person.self)
      (parent.object(with: theirs.objectID) as? Trip)?.name = "renamed"
    }

    same.cost += 1
    try child.save()
    if depth == 2 { try between.save() }
    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts.first?.contestedKeys == ["cost"])
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
    parent.mergePolicy = .objectWins
    try parent.save()
    let found = try #require(try graph.context().fetch(Trip.self).first)
    #expect(found.cost == 1 && found.name == (look == .changing ? "renamed" : "counted"))
  }

  @Test(
    "What was saved since a child has saved it is not written over through its parent",
    arguments: Kind.allCases, [false, true])
  func childAgain(_ kind: Kind, isHandedOver: Bool) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = try child.insert(Trip.self) { $0.name = "counted" }
    try child.save()
    try parent.save()
    let theirs = other.object(same)
    theirs.cost = 10
    try other.save()
    parent.refreshAllObjects()
    #expect(same.cost == 0)
    same.cost += 1
    if isHandedOver { try child.handOver() } else { try child.save() }
    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.conflicts.first?.contestedKeys == ["cost"])
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
  }

  @Test(
    "What a child has read counts, and not what its parent showed before", arguments: Kind.allCases,
    [false, true])
  func readByChild(_ kind: Kind, isHandedOver: Bool) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let trip = try parent.insert(Trip.self) { $0.name = "counted" }
    try parent.save()
    let theirs = other.object(trip)
    theirs.cost = 10
    try other.save()
    _ = try parent.fetch(Person.self)
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = child.object(trip)
    #expect(same.cost == 10 && trip.cost == 0)
    // Back to what the parent shows.
    theirs.cost = 0
    try other.save()
    same.cost += 1
    if isHandedOver { try child.handOver() } else { try child.save() }
    let error = try #require(throws: ContextError.self) { try parent.save() }
    #expect(error.conflicts.first?.base?["cost"] == .double(10))
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [0])
  }

  @Test(
    "What was saved since a child has read it is not deleted through its parent",
    arguments: Kind.allCases)
  func childDeletion(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let theirs = try other.insert(Trip.self) { $0.name = "counted" }
    try other.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = child.object(theirs)
    #expect(same.cost == 0)
    theirs.cost = 10
    try other.save()
    child.delete(same)
    try child.save()
    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.code == .conflict)
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
  }

  @Test(
    "So is its change of what it has saved there itself", arguments: Kind.allCases, [false, true])
  func deletedThereAfterSaving(_ kind: Kind, isOwn: Bool) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let same = try child.insert(Trip.self) { $0.name = "counted" }
    try child.save()
    try parent.save()
    let deleting = isOwn ? parent : other
    deleting.delete(deleting.object(same))
    try deleting.save()
    parent.refreshAllObjects()
    same.cost = 1
    try child.save()
    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.conflicts.map(\.isDeletedThere) == [true])
    #expect(try graph.context().count(for: FetchRequest("Trip")) == 0)
    parent.mergePolicy = .objectWins
    try parent.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [1])
  }

  @Test(
    "What others have deleted and brought back is there again", arguments: Kind.allCases,
    [false, true])
  func broughtBack(_ kind: Kind, isPrefetched: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let trip = try one.insert(Trip.self) { trip in
      trip.name = "counted"
      trip.owner = ada
    }
    try one.save()
    let undo = UndoStack()
    other.undoManager = undo
    other.delete(other.object(trip))
    try other.save()
    one.refreshAllObjects()
    #expect(trip.name == "")
    try undo.undo()
    try other.save()

    var request = FetchRequest("Person")
    if isPrefetched { request.relationshipKeyPathsForPrefetching = ["trips"] }
    _ = try one.fetch(request)
    #expect(ada.trips.first === trip && trip.name == "counted" && !trip.isDeleted)
    trip.cost = 5
    #expect(one.hasChanges)
    #expect(try one.existingObject(with: trip.objectID) === trip)
    try one.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [5])
  }

  @Test(
    "A batch about another value of an object takes no conflict away", arguments: Kind.allCases)
  func batchBeside(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    trip.cost += 1
    other.object(trip).cost = 10
    try other.save()
    var update = BatchUpdateRequest("Trip")
    update.valuesToUpdate = ["name": try QueryExpression("uppercase(name)")]
    try one.execute(update)
    #expect(trip.name == "COUNTED" && trip.cost == 1)
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.conflicts.map(\.contestedKeys) == [["cost"]])
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
    // What the batch itself has changed it has changed for this context.
    one.refresh(trip, mergeChanges: false)
    trip.name = "own"
    try one.execute(update)
    #expect(trip.name == "own")
    try one.save()
    #expect(try graph.context().fetch(Trip.self).map(\.name) == ["own"])
  }

  @Test(
    "What a grandchild has read counts, whatever the context between has saved and looked at",
    arguments: Kind.allCases, [false, true])
  func between(_ kind: Kind, isSaved: Bool) throws {
    let graph = try Graph(kind)
    let (root, other) = (graph.context(), graph.context())
    let trip = try root.insert(Trip.self) { $0.name = "counted" }
    try root.save()
    let between = ManagedObjectContext(parent: root, concurrency: .confined)
    let child = ManagedObjectContext(parent: between, concurrency: .confined)
    let same = child.object(trip)
    #expect(same.cost == 0)
    other.object(trip).cost = 10
    try other.save()
    root.refreshAllObjects()
    between.object(trip).name = "renamed"
    try between.save()
    if isSaved { try root.save() }
    between.refreshAllObjects()
    #expect(between.object(trip).cost == 10)

    same.cost += 1
    try child.save()
    try between.save()
    let error = #expect(throws: ContextError.self) { try root.save() }
    #expect(error?.conflicts.map(\.contestedKeys) == [["cost"]])
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
  }

  @Test(
    "A child's change of what others have deleted is in conflict, whoever has looked at that",
    arguments: Kind.allCases, [false, true])
  func deletedThere(_ kind: Kind, isHandedOver: Bool) throws {
    for (depth, isOwn) in [(1, false), (2, false), (1, true)] {
      let graph = try Graph(kind)
      let (parent, other) = (graph.context(), graph.context())
      let ada = try other.insert(Person.self) { $0.name = "Ada" }
      let theirs = try other.insert(Trip.self) { trip in
        trip.name = "counted"
        trip.owner = ada
      }
      try other.save()
      _ = try parent.fetch(Person.self)
      let between = ManagedObjectContext(parent: parent, concurrency: .confined)
      let child =
        depth == 1 ? between : ManagedObjectContext(parent: between, concurrency: .confined)
      let same = child.object(theirs)
      #expect(same.cost == 0)
      let deleting = isOwn ? parent : other
      deleting.delete(deleting.object(theirs))
      try deleting.save()
      _ = try parent.fetch(Person.self)
      if isOwn { parent.workspace.sweep() }

      same.cost += 1
      if isHandedOver { try child.handOver() } else { try child.save() }
      if depth == 2 { try between.save() }
      let error = #expect(throws: ContextError.self) { try parent.save() }
      #expect(error?.conflicts.map(\.isDeletedThere) == [true])
      #expect(error?.conflicts.first?.base?["name"] == .string("counted"))
      #expect(error?.conflicts.first?.mine?["cost"] == .double(1))
      #expect(try graph.context().count(for: FetchRequest("Trip")) == 0)
      parent.mergePolicy = .objectWins
      try parent.save()
      let fresh = graph.context()
      let found = try #require(try fresh.fetch(Trip.self).first)
      #expect(found.cost == 1 && found.name == "counted" && found.owner?.name == "Ada")
      #expect(try parent.disagreements() == [])
    }
  }

  @Test(
    "A batch about other objects takes no conflict away", arguments: Kind.allCases, [false, true])
  func batch(_ kind: Kind, deleting: Bool) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    if deleting { one.delete(trip) } else { trip.cost += 1 }
    let theirs = try #require(try other.fetch(Trip.self).first)
    theirs.cost = 10
    try other.save()
    try one.execute(BatchInsertRequest("Person", objects: [["name": .string("Ada")]]))
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict)
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [10])
  }

  @Test(
    "A batch about other objects gives up no change of one that others have deleted",
    arguments: Kind.allCases)
  func batchBesideDeleted(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    trip.cost += 1
    other.delete(other.object(trip))
    try other.save()
    try one.execute(BatchInsertRequest("Person", objects: [["name": .string("Ada")]]))
    #expect(trip.cost == 1)
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.conflicts.first?.isDeletedThere == true)
    one.mergePolicy = .objectWins
    try one.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == [1])
  }

  @Test(
    "Looking again at one object takes no conflict of another away", arguments: Kind.allCases)
  func another(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    let second = try one.insert(Trip.self) { $0.name = "second" }
    try one.save()
    trip.cost += 1
    let theirs = other.object(trip)
    theirs.cost = 10
    try other.save()
    one.refresh(second, mergeChanges: true)
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts.first?.contestedKeys == ["cost"])
    #expect(theirs.cost == 10 && trip.cost == 1)
  }

  @Test(
    "What is saved while all objects are looked at again is noticed", arguments: Kind.allCases)
  func whileRefreshing(_ kind: Kind) throws {
    let graph = try Graph(kind, classes: [Person.self, Meddler.self])
    let (one, other) = (graph.context(), graph.context())
    let meddler = try one.insert(Meddler.self) { $0["name"] = .string("counted") }
    try one.save()
    let theirs = other.object(meddler)
    meddler["start"] = .date(.now)
    meddler.reaction = {
      theirs["cost"] = .double(10)
      try other.save()
      _ = try one.fetch(Person.self)
    }
    one.refreshAllObjects()
    #expect(meddler["cost"] == .double(10))
    meddler["cost"] = .double(1)
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict)
    #expect(try graph.context().fetch(Meddler.self).map { $0["cost"] } == [.double(10)])
  }

  @Test(
    "Rolling back leads to what a parent showed before its child saved", arguments: Kind.allCases,
    [false, true])
  func rolledBack(_ kind: Kind, isDeleted: Bool) throws {
    let graph = try Graph(kind)
    let (parent, other) = (graph.context(), graph.context())
    let trip = try parent.insert(Trip.self) { $0.name = "counted" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let (same, theirs) = (child.object(trip), other.object(trip))
    #expect(same.cost == 0)
    if isDeleted { other.delete(theirs) } else { theirs.cost = 10 }
    try other.save()
    parent.refreshAllObjects()
    #expect(parent.object(with: trip.objectID) === trip && trip.cost == (isDeleted ? 0 : 10))
    same.cost += 1
    try child.save()
    #expect(throws: ContextError.self) { try parent.save() }

    parent.rollback()
    #expect(!parent.hasChanges && trip.cost == (isDeleted ? 0 : 10))
    if isDeleted {
      #expect(throws: ContextError.self) { try parent.existingObject(with: trip.objectID) }
    }
    #expect(trip.isDeleted == isDeleted)
    trip.cost += 1
    try parent.save()
    #expect(try graph.context().fetch(Trip.self).map(\.cost) == (isDeleted ? [] : [11]))
  }

  @Test(
    "The main actor's context shows what was saved, also when it has fetched before it was told",
    arguments: Kind.allCases)
  @MainActor func fetchedBefore(_ kind: Kind) async throws {
    let graph = try Graph(kind, classes: [Person.self, Meddler.self])
    let main = ManagedObjectContext(graph.coordinator, concurrency: .mainActor)
    main.automaticallyMergesChangesFromParent = true
    let other = graph.context()
    let theirs = try other.insert(Meddler.self) { $0["name"] = .string("counted") }
    try other.save()
    let mine = main.object(theirs)
    #expect(mine["cost"] == .double(0))
    theirs["cost"] = .double(10)
    theirs.saved = { _ = try main.fetch(Person.self) }
    try other.save()
    // What the context was to do comes before.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    #expect(mine["cost"] == .double(10))
  }
}

/// A trip that does something when it was looked at again, or saved.
private class Meddler: ManagedObject {
  override class var entityName: String { "Trip" }
  var reaction: (() throws -> Void)?
  var saved: (() throws -> Void)?

  private func react(_ hook: ReferenceWritableKeyPath<Meddler, (() throws -> Void)?>) {
    guard let body = self[keyPath: hook] else { return }
    self[keyPath: hook] = nil
    do { try body() } catch { Issue.record(error) }
  }

  override func awake(fromSnapshotEvents events: SnapshotEvents) { react(\.reaction) }
  override func didSave() { react(\.saved) }
}
