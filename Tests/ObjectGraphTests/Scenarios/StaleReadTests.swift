import Testing

@testable import ObjectGraph

/// Reads of unchanged objects after their context has advanced, which show the older state.
///
/// Each test names its stale read in a comment. These reads change when a context shows one commit only.
@Suite("Stale reads")
struct StaleReadTests {
  @Test(
    "A child's change is based on what the child read, not on its parent's older object",
    arguments: Kind.allCases, [false, true])
  func readByChild(_ kind: Kind, isHandedOver: Bool) throws {
    try scenario(kind, isHandedOver ? "handed over" : "saved") { s in
      s.parent.insert("trip").save()
      s.other.set("trip", cost: 10).save()
      s.parent.fetch()
      s.child.expect("trip", cost: 10)
      // Stale read: the parent's object is unchanged and shows 0, though the parent has fetched 10.
      s.parent.expect("trip", cost: 0)
      // Back to the value that the parent shows.
      s.other.set("trip", cost: 0).save()
      s.child.set("trip", cost: 11).push(handingOver: isHandedOver)
      s.parent.save(expecting: .conflict("trip", "cost", base: 10, mine: 11, theirs: 0))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 0)
    }
  }

  @Test(
    "Undo restores the value that an object showed, and redo the change, with the conflict of the change",
    arguments: Kind.allCases, [false, true])
  func undone(_ kind: Kind, deleting: Bool) throws {
    try scenario(kind, deleting ? "deleted" : "changed") { s in
      s.one.insert("trip").save().startUndo()
      s.other.set("trip", cost: 10).save()
      s.one.fetch("Trip", where: "cost == 10", finds: ["trip"])
      // Stale read: the object is unchanged and shows 0, though the context has fetched 10.
      s.one.expect("trip", cost: 0)

      if deleting { s.one.delete("trip") } else { s.one.set("trip", cost: 1) }
      // Stale read: the undo shows 0 again, not the saved 10.
      s.one.undo().expect("trip", cost: 0).expectNoChanges()
      s.one.expectDeleted("trip", isDeleted: false)
      s.one.redo().expectDeleted("trip", isDeleted: deleting)
      if !deleting { s.one.expect("trip", cost: 1) }
      s.one.save(
        expecting: deleting
          ? .deletedHere("trip", base: ["cost": 0])
          : .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
    }
  }

  @Test(
    "A change of an object is in conflict with a save before the context's own last save",
    arguments: Kind.allCases)
  func afterConflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob").save()
      s.outside.contains(person: ["ada", "bob"]).set("ada", age: 1).set("bob", age: 1).save()
      s.one.policy(.objectWins).set("ada", age: 50).save()

      // Stale read: Bob was unchanged when this context saved, and still has the age 0 here.
      s.one.policy(.error).set("bob", age: 60)
      s.one.save(expecting: .conflict("bob", "age", base: 0, mine: 60, theirs: 1))
    }
  }

  @Test(
    "A change is based on the value that was read, after any number of saves of the object",
    arguments: Kind.allCases, 1...9)
  func savedOften(_ kind: Kind, count: Int) throws {
    try scenario(kind, "\(count) saves") { s in
      func number(_ cost: Int) -> StepValue { .number(Double(cost)) }
      s.one.insert("trip").insert(trip: "neighbor").save()
      for cost in 1...count { s.one.set("trip", cost: number(cost)).save() }
      s.other.fetch("Trip", where: "cost > 0", finds: ["trip"])
      s.other.set("trip", cost: number(count + 10), name: "renamed").save()
      s.one.contains(trip: ["trip", "neighbor"])
      // Stale read: the object is unchanged and shows its old values after the fetch.
      s.one.expect("trip", cost: number(count), name: "trip")

      s.one.set("trip", cost: number(count + 1)).expect("trip", name: "trip")
      s.one.save(
        expecting: .conflict(
          "trip", "cost", base: number(count), mine: number(count + 1), theirs: number(count + 10)))
      s.one.policy(.objectWins).save()
      s.one.expect("trip", cost: number(count + 1), name: "renamed")
      s.one.expect("neighbor", name: "neighbor")
      s.store.contains(trip: ["trip", "neighbor"]).expect("neighbor", cost: 0)
      s.store.expect("trip", cost: number(count + 1))
    }
  }

  @Test(
    "A following child's change of an older object is a conflict in its parent",
    arguments: Kind.allCases)
  func handedOver(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert("trip").save()
      s.child.follow().expect("trip", cost: 0)
      s.other.set("trip", cost: 10).save()
      s.parent.refreshAll()
      s.child.fetch()
      // Stale read: the child's object is unchanged and shows 0, though the child has fetched.
      s.child.expect("trip", cost: 0)

      s.child.set("trip", cost: 1).handOver()
      s.parent.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 10)
    }
  }
}
