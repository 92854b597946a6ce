import ObjectQuery
import Testing

@testable import ObjectGraph

/// Undo of changes, while other contexts save changes of the same objects.
@Suite("Undo after saves of other contexts")
struct UndoBesideOthersTests {
  @Test(
    "Undo of a saved change is in conflict with a later save, also for a released object",
    arguments: Kind.allCases, [false, true])
  func letGo(_ kind: Kind, inserted: Bool) throws {
    try scenario(kind, inserted ? "inserted" : "changed") { s in
      s.one.insert(trip: "beside")
      if inserted { s.one.startUndo() }
      s.one.insert("trip").save()
      if !inserted { s.one.startUndo().set("trip", cost: 1).save() }
      s.one.release("trip").sweep()
      s.other.find("trip").set("trip", cost: inserted ? 10 : 11).save()
      // The context advances.
      s.one.set("beside", cost: 3).save()

      s.one.undo().undo()
      s.one.save(
        expecting: inserted
          ? .deletedHere("trip", base: ["cost": 0])
          : .conflict("trip", "cost", base: 1, mine: 0, theirs: 11))
      s.one.policy(.storeWins).save()
      s.other.fetch("Trip", where: "name == 'trip'", finds: ["trip"])
      s.other.expect("trip", cost: inserted ? 10 : 11)
    }
  }

  @Test(
    "Undo of an insertion deletes objects that were added while the stack was off the context",
    arguments: Kind.allCases)
  func putBack(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.startUndo().insert("trip").save()
      s.one.stopUndo().insert("stop", trip: "trip").save()
      s.one.startUndo().undo().save()
      s.store.contains(trip: []).fetch("Stop", where: "trip != nil", finds: [])
    }
  }

  @Test(
    "A change that an observer makes during a save is a group of its own for undo",
    arguments: Kind.allCases)
  func changedWhenTold(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let trip = try one.insert(Trip.self) { $0.name = "counted" }
    try one.save()
    let undo = UndoStack()
    one.undoStack = undo
    let results = try FetchedResults(FetchRequest(Trip.self), in: one)
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

  @Test("A stack releases the objects of groups that it has dropped", arguments: [Kind.memory])
  func levels(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let (one, other) = (graph.context(), graph.context())
    let undo = UndoStack(levels: 4)
    one.undoStack = undo
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

  /// The reason why a context refreshes an object without a request of the program.
  enum Reason: CaseIterable {
    /// The object's derived number of trips is computed again.
    case derived
    /// A new trip changes the object's number of trips.
    case addition
    /// An object that refers to the object is deleted.
    case deletion
    /// A second object is refreshed, and the object itself has unsaved changes.
    case beside
  }

  @Test(
    "Undo is in conflict with a save that was shown because of another object",
    arguments: Kind.allCases, Reason.allCases)
  func lookedAgain(_ kind: Kind, _ reason: Reason) throws {
    for byChild in [false, true] { try lookedAgain(kind, reason, byChild: byChild) }
  }

  private func lookedAgain(_ kind: Kind, _ reason: Reason, byChild: Bool) throws {
    try scenario(kind, reason, byChild ? "in a child" : "in a root context") { s in
      let one = s.one(isChild: byChild)
      let root = byChild ? s.parent : one
      func save(expecting refusal: SaveRefusal? = nil) {
        s.saveOne(isChild: byChild, expecting: refusal)
      }
      one.insert(person: "ada").insert("trip", owner: "ada").insert("passport", holder: "ada")
      save()
      one.startUndo().set("ada", age: 1)
      save()
      s.other.set("ada", age: 10).save()
      switch reason {
      case .derived: one.set("trip", name: "renamed")
      case .addition: one.insert(trip: "second", owner: "ada")
      case .deletion:
        root.contains(trip: ["trip"])
        one.contains(trip: ["trip"]).delete("passport")
      case .beside:
        one.set("ada", name: "Ada B.")
        if byChild { root.contains(trip: ["trip"]) }
        one.refresh("trip", keepingChanges: true)
      }
      // Two changes of different values of one object are a conflict unless the policy merges them.
      if reason == .beside || byChild { root.policy(.objectWins) }
      save()
      root.policy(.error).expect("ada", age: 10)

      one.undo().undo().expect("ada", age: 0)
      save(expecting: .conflict("ada", "age", base: 1, mine: 0, theirs: 10))
      s.store.expect("ada", age: 10)
      root.policy(.objectWins)
      save()
      s.store.contains(person: ["ada"]).expect("ada", age: 0)

      // The undo was saved, so that a redo of it is based on the save.
      root.policy(.error)
      one.redo().expect("ada", age: 1)
      save()
      s.store.expect("ada", age: 1)
    }
  }

  @Test(
    "Undo after a refresh of the object is not a conflict with the save that the refresh has shown",
    arguments: Kind.allCases)
  func asked(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert("trip", owner: "ada").save()
      s.one.startUndo().set("ada", age: 1).save()
      s.other.set("ada", age: 10).save()
      s.one.set("trip", name: "renamed").save()
      s.one.refresh("ada", keepingChanges: true).expect("ada", age: 10)
      s.one.undo().undo().expect("ada", age: 0).save()
      s.store.contains(person: ["ada"]).expect("ada", age: 0)
    }
  }

  @Test(
    "Undo after a refresh that kept the changes of the undone step is not a conflict",
    arguments: Kind.allCases)
  func keptChanges(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob").save()
      s.one.startUndo()
      s.one.insert(person: "eve").process().set("ada", age: 1).process().delete("bob")
      s.one.refreshAll().refresh("ada", keepingChanges: true).save()
      s.one.undo().contains(person: ["ada", "bob", "eve"]).save()
      s.one.undo().expect("ada", age: 0).save()
      s.one.undo().contains(person: ["ada", "bob"]).save()
      s.one.redo().redo().redo().expect("ada", age: 1).contains(person: ["ada", "eve"]).save()
      s.store.expect("ada", age: 1).contains(person: ["ada", "eve"])
    }
  }

  @Test(
    "Undo of a deletion is in conflict with another context that has brought the object back",
    arguments: Kind.allCases, [false, true])
  func broughtBack(_ kind: Kind, byChild: Bool) throws {
    try scenario(kind, byChild ? "in a child" : "in a root context") { s in
      let one = s.one(isChild: byChild)
      let root = byChild ? s.parent : one
      func save(expecting refusal: SaveRefusal? = nil) {
        s.saveOne(isChild: byChild, expecting: refusal)
      }
      one.insert("trip")
      save()
      s.other.set("trip", cost: 10)
      one.startUndo().delete("trip")
      save()
      s.other.policy(.objectWins).save()
      if byChild {
        root.contains(trip: ["trip"])
      } else {
        one.expectCount("Trip", 1)
      }

      one.undo()
      save(expecting: .conflict("trip", "cost", mine: 0, theirs: 10))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
      // After a redo nothing is left to save.
      one.redo()
      save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
    }
  }

  @Test(
    "Redo is not a conflict with a save that the context has merged or refreshed since the undo",
    arguments: Kind.allCases, [false, true])
  func redoneAboveOthers(_ kind: Kind, isFollowing: Bool) throws {
    try scenario(kind, isFollowing ? "following" : "refreshing") { s in
      s.one.insert(person: "ada").save().startUndo()
      if isFollowing { s.one.follow() }
      s.one.set("ada", age: 1).save().undo()
      s.other.set("ada", age: 10).save()
      if !isFollowing { s.one.refresh("ada", keepingChanges: true) }
      s.one.expect("ada", age: 0)

      s.one.redo().expect("ada", age: 1).expectChanges().save()
      s.store.contains(person: ["ada"]).expect("ada", age: 1)
      // An undo and a redo of a saved change leave nothing to save.
      s.one.undo().redo().expect("ada", age: 1).expectNoChanges()
    }
  }

  @Test("A change stays in conflict when it is undone and redone", arguments: Kind.allCases)
  func redoneInConflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip").save().startUndo().set("trip", cost: 1)
      s.other.set("trip", cost: 10).save()
      s.one.fetch().undo().redo().undo().redo().expect("trip", cost: 1)
      s.one.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
    }
  }

  /// A way to change a context without a record for undo.
  enum Unrecorded: CaseIterable {
    case stackOff, withoutUndo
  }

  @Test(
    "Undo and redo of an insertion clear references that were not recorded",
    arguments: Kind.allCases, Unrecorded.allCases)
  func unrecordedReferences(_ kind: Kind, _ way: Unrecorded) throws {
    try scenario(kind, way) { s in
      s.one.insert(trip: "beside").save().startUndo().insert("trip").process()
      switch way {
      case .stackOff:
        s.one.stopUndo().insert("stop", trip: "trip").process().startUndo()
      case .withoutUndo: s.one.withoutUndo { s.one.insert("stop", trip: "trip") }
      }
      s.one.undo().save()
      s.store.contains(trip: ["beside"]).fetch("Stop", where: "trip != nil", finds: [])
    }
  }

  @Test(
    "Undo works across a commit of another context, and so does redo", arguments: Kind.allCases)
  func overCommit(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip").insert(trip: "doomed").insert(stop: "lisbon").save().startUndo()
      s.one.set("lisbon", trip: "doomed").process()
      s.other.delete("doomed").save()
      s.one.undo().fetch()
      // The redo must not set the stop's reference to a deleted trip.
      s.one.redo().save()
      s.store.contains(trip: ["trip"]).fetch("Stop", where: "trip != nil", finds: [])
    }
  }
}

extension Scenario {
  /// Saves the context `one`, and then its parent if it is a child.
  fileprivate func saveOne(isChild: Bool, expecting refusal: SaveRefusal?) {
    let one = one(isChild: isChild)
    if isChild { one.save() }
    (isChild ? parent : one).save(expecting: refusal)
  }
}
