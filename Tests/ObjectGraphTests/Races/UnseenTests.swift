import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

/// Lost-update detection: saves by another context that the author of a change has not seen.
@Suite("Saves that were not seen")
struct UnseenTests {
  /// A parent's work between its child's read and the child's change.
  enum Look: CaseIterable {
    case nothing, knowing, fetching, refreshing, changing
  }

  @Test(
    "A child's change of a value that another context has saved since is a conflict in its parent",
    arguments: Kind.allCases, Look.allCases)
  func child(_ kind: Kind, _ look: Look) throws {
    for depth in 1...2 {
      try scenario(kind, look, "depth \(depth)") { s in
        s.other.insert("trip").save()
        if look != .nothing { s.parent.fetch() }
        if look == .refreshing { s.parent.expect("trip", cost: 0) }
        let lowest = depth == 1 ? s.child : s.grandchild
        lowest.expect("trip", cost: 0)
        s.other.set("trip", cost: 10).save()
        switch look {
        case .nothing, .knowing: break
        case .fetching: s.parent.fetch()
        case .refreshing: s.parent.refreshAll()
        case .changing: s.parent.fetch().set("trip", name: "renamed")
        }
        lowest.set("trip", cost: 1).save()
        if depth == 2 { s.child.save() }
        s.parent.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
        s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
        s.parent.policy(.objectWins).save()
        s.store.expect("trip", cost: 1, name: look == .changing ? "renamed" : "trip")
      }
    }
  }

  @Test(
    "A child's change of an object that the child has saved before is a conflict too",
    arguments: Kind.allCases, [false, true])
  func childAgain(_ kind: Kind, isHandedOver: Bool) throws {
    try scenario(kind, isHandedOver ? "handed over" : "saved") { s in
      s.child.insert("trip").save()
      s.parent.save()
      s.other.set("trip", cost: 10).save()
      s.parent.refreshAll()
      s.child.expect("trip", cost: 0)
      s.child.set("trip", cost: 1).push(handingOver: isHandedOver)
      s.parent.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
    }
  }

  @Test(
    "A child's deletion of an object that another context has saved since is a conflict",
    arguments: Kind.allCases)
  func childDeletion(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.other.insert("trip").save()
      s.child.expect("trip", cost: 0)
      s.other.set("trip", cost: 10).save()
      s.child.delete("trip").save()
      s.parent.save(expecting: .deletedHere("trip"))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
    }
  }

  @Test(
    "A child's change of an object that the child saved and another context deleted is a conflict",
    arguments: Kind.allCases, [false, true])
  func deletedThereAfterSaving(_ kind: Kind, isOwn: Bool) throws {
    try scenario(kind, isOwn ? "deleted by the parent" : "deleted by another context") { s in
      s.child.insert("trip").save()
      s.parent.save()
      (isOwn ? s.parent : s.other).delete("trip").save()
      s.parent.refreshAll()
      s.child.set("trip", cost: 1).save()
      s.parent.save(expecting: .deletedThere("trip"))
      s.store.contains(trip: [])
      s.parent.policy(.objectWins).save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 1)
    }
  }

  @Test(
    "An object that another context deleted and brought back is there again, as the same instance",
    arguments: Kind.allCases, [false, true])
  func broughtBack(_ kind: Kind, isPrefetched: Bool) throws {
    try scenario(kind, isPrefetched ? "prefetched" : "not prefetched") { s in
      s.one.insert(person: "ada").insert("trip", owner: "ada").save()
      s.other.startUndo().delete("trip").save()
      s.one.refreshAll().expect("trip", name: nil)
      s.other.undo().save()

      let one = s.one
      one.step("fetch people") { context in
        var request = FetchRequest("Person")
        if isPrefetched { request.relationshipKeyPathsForPrefetching = ["trips"] }
        _ = try context.fetch(request)
        guard try (one.object("ada") as? Person)?.trips.first === one.object("trip") else {
          throw StepFailure("The trip is a new instance.")
        }
      }
      one.expect("ada", trips: ["trip"]).expect("trip", name: "trip").expectDeleted(
        "trip", isDeleted: false)
      one.set("trip", cost: 5).expectChanges().expectSameInstance("trip").save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 5)
    }
  }

  @Test(
    "A batch that changes another value of an object removes no conflict", arguments: Kind.allCases)
  func batchBeside(_ kind: Kind) throws {
    func upperCaseNames(_ context: ManagedObjectContext) throws {
      var update = BatchUpdateRequest("Trip")
      update.valuesToUpdate = ["name": try QueryExpression("uppercase(name)")]
      try context.execute(update)
    }
    try scenario(kind) { s in
      s.one.insert("trip").save().set("trip", cost: 1)
      s.other.set("trip", cost: 10).save()
      s.one.step("upper-case all names in a batch", upperCaseNames)
      s.one.expect("trip", name: "TRIP", cost: 1)
      s.one.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
      // A batch of this context is seen by this context, so a change of the same value is not a conflict.
      s.one.refresh("trip", keepingChanges: false).set("trip", name: "own")
      s.one.step("upper-case all names in a batch", upperCaseNames)
      s.one.expect("trip", name: "own").save()
      s.store.contains(trip: ["trip"]).expect("trip", name: "own")
    }
  }

  @Test(
    "A grandchild's change is based on what the grandchild read, not on its parent's newer state",
    arguments: Kind.allCases, [false, true])
  func between(_ kind: Kind, isSaved: Bool) throws {
    try scenario(kind, isSaved ? "the root saves" : "the root does not save") { s in
      s.parent.insert("trip").save()
      s.grandchild.expect("trip", cost: 0)
      s.other.set("trip", cost: 10).save()
      s.parent.refreshAll()
      s.child.set("trip", name: "renamed").save()
      if isSaved { s.parent.save() }
      s.child.refreshAll().expect("trip", cost: 10)

      s.grandchild.set("trip", cost: 1).save()
      s.child.save()
      s.parent.save(expecting: .conflict("trip", "cost", mine: 1, theirs: 10))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
    }
  }

  /// The context that deletes an object while a child changes it.
  enum Deleter: CaseIterable {
    case other, otherAboveGrandchild, parent
  }

  @Test(
    "A child's change of an object that is deleted above the child is a conflict",
    arguments: Kind.allCases, Deleter.allCases)
  func deletedThere(_ kind: Kind, _ deleter: Deleter) throws {
    for isHandedOver in [false, true] {
      try scenario(kind, deleter, isHandedOver ? "handed over" : "saved") { s in
        s.other.insert(person: "ada").insert("trip", owner: "ada").save()
        s.parent.fetch()
        let lowest = deleter == .otherAboveGrandchild ? s.grandchild : s.child
        lowest.expect("trip", cost: 0)
        (deleter == .parent ? s.parent : s.other).delete("trip").save()
        s.parent.fetch()
        if deleter == .parent { s.parent.release("trip").sweep() }

        lowest.set("trip", cost: 1).push(handingOver: isHandedOver)
        if deleter == .otherAboveGrandchild { s.child.save() }
        s.parent.save(
          expecting: .deletedThere("trip", base: ["name": "trip"], mine: ["cost": 1]))
        s.store.contains(trip: [])
        s.parent.policy(.objectWins).save().expectAgreement()
        s.store.contains(trip: ["trip"]).expect("trip", cost: 1, name: "trip", owner: "ada")
      }
    }
  }

  /// Inserts a person in a batch, which saves and advances the context.
  private func insertPerson(_ context: ManagedObjectContext) throws {
    try context.execute(BatchInsertRequest("Person", objects: [["name": .string("Ada")]]))
  }

  @Test(
    "A batch that changes other objects removes no conflict", arguments: Kind.allCases,
    [false, true])
  func batch(_ kind: Kind, deleting: Bool) throws {
    try scenario(kind, deleting ? "deleted" : "changed") { s in
      s.one.insert("trip").save()
      if deleting { s.one.delete("trip") } else { s.one.set("trip", cost: 1) }
      s.other.contains(trip: ["trip"]).set("trip", cost: 10).save()
      s.one.step("insert a person in a batch", insertPerson)
      s.one.save(
        expecting: deleting
          ? .deletedHere("trip") : .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
    }
  }

  @Test(
    "A batch that changes other objects keeps the change of an object that another context deleted",
    arguments: Kind.allCases)
  func batchBesideDeleted(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip").save().set("trip", cost: 1)
      s.other.delete("trip").save()
      s.one.step("insert a person in a batch", insertPerson).expect("trip", cost: 1)
      s.one.save(expecting: .deletedThere("trip"))
      s.one.policy(.objectWins).save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 1)
    }
  }

  @Test("A refresh of one object removes no conflict of another", arguments: Kind.allCases)
  func another(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip").insert(trip: "second").save().set("trip", cost: 1)
      s.other.set("trip", cost: 10).save()
      s.one.refresh("second", keepingChanges: true)
      s.one.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      s.other.expect("trip", cost: 10)
      s.one.expect("trip", cost: 1)
    }
  }

  @Test(
    "A save during a refresh of all objects is a conflict for a change after the refresh",
    arguments: Kind.allCases)
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
    "A rollback discards a child's changes and shows the newest state that the parent has seen",
    arguments: Kind.allCases, [false, true])
  func rolledBack(_ kind: Kind, isDeleted: Bool) throws {
    try scenario(kind, isDeleted ? "deleted" : "changed") { s in
      s.parent.insert("trip").save()
      s.child.expect("trip", cost: 0)
      if isDeleted { s.other.delete("trip") } else { s.other.set("trip", cost: 10) }
      s.other.save()
      let newest: StepValue = isDeleted ? nil : 10
      s.parent.refreshAll().expect("trip", cost: newest)
      s.child.set("trip", cost: 1).save()
      s.parent.save(
        expecting: isDeleted
          ? .deletedThere("trip") : .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))

      s.parent.rollback().expectNoChanges().expect("trip", cost: newest)
      if isDeleted { s.parent.expectMissing("trip") }
      s.parent.expectDeleted("trip", isDeleted: isDeleted)
      s.parent.set("trip", cost: isDeleted ? 1 : 11).save()
      s.store.contains(trip: isDeleted ? [] : ["trip"])
      if !isDeleted { s.store.expect("trip", cost: 11) }
    }
  }

  @Test(
    "A context on the main actor shows a save, also if it has fetched before it was notified",
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
    // The main queue runs the scheduled work of the context before this block, so the save is merged.
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    #expect(mine["cost"] == .double(10))
  }
}

/// A trip that runs a closure after it was refreshed or saved.
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
