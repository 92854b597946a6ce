import Testing

@testable import ObjectGraph

/// A context shows the state of one commit: when it advances, its unchanged objects show the values of the new commit.
///
/// A changed object keeps the base of its change, so a conflict is not lost (decision 0020).
@Suite("One moment")
struct OneMomentTests {
  @Test(
    "A child's change is based on the value that the child read", arguments: Kind.allCases,
    [false, true])
  func readByChild(_ kind: Kind, isHandedOver: Bool) throws {
    try scenario(kind, isHandedOver ? "handed over" : "saved") { s in
      s.parent.insert("trip").save()
      s.other.set("trip", cost: 10).save()
      s.parent.fetch()
      s.child.expect("trip", cost: 10)
      s.parent.expect("trip", cost: 10)
      s.other.set("trip", cost: 0).save()
      s.child.set("trip", cost: 11).push(handingOver: isHandedOver)
      s.parent.save(expecting: .conflict("trip", "cost", base: 10, mine: 11, theirs: 0))
      s.store.contains(trip: ["trip"]).expect("trip", cost: 0)
    }
  }

  @Test(
    "After a fetch an unchanged object shows the saved value, and undo restores that value",
    arguments: Kind.allCases, [false, true])
  func undone(_ kind: Kind, deleting: Bool) throws {
    try scenario(kind, deleting ? "deleted" : "changed") { s in
      s.one.insert("trip").save().startUndo()
      s.other.set("trip", cost: 10).save()
      s.one.fetch("Trip", where: "cost == 10", finds: ["trip"])
      s.one.expect("trip", cost: 10)

      if deleting { s.one.delete("trip") } else { s.one.set("trip", cost: 1) }
      s.one.undo().expect("trip", cost: 10).expectNoChanges()
      s.one.expectDeleted("trip", isDeleted: false)
      s.one.redo().expectDeleted("trip", isDeleted: deleting)
      if !deleting { s.one.expect("trip", cost: 1) }
      s.one.save()
      s.store.contains(trip: deleting ? [] : ["trip"])
    }
  }

  @Test(
    "After a fetch, a changed value stays in conflict, and unchanged values show another context's save",
    arguments: Kind.allCases)
  func changedBefore(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip").save()
      s.other.set("trip", cost: 10, name: "renamed").save()
      s.one.set("trip", cost: 1).fetch()
      s.one.expect("trip", cost: 1, name: "renamed")
      s.one.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      s.one.policy(.objectWins).save()
      s.store.contains(trip: ["trip"]).expect("trip", cost: 1, name: "renamed")
    }
  }

  @Test(
    "Two contexts that write one value are in conflict, also after a fetch and in a child",
    arguments: Kind.allCases, [false, true])
  func sameValue(_ kind: Kind, inChild: Bool) throws {
    try scenario(kind, inChild ? "in a child" : "after a fetch") { s in
      s.parent.insert("trip").save()
      let counting = inChild ? s.child : s.parent
      counting.expect("trip", cost: 0)
      s.other.set("trip", cost: 1).save()
      counting.set("trip", cost: 1)
      s.parent.fetch()
      if inChild { s.child.save() }
      s.parent.step("save, expecting a conflict of one object") { context in
        do { try context.save() } catch let error as ContextError {
          if error.conflicts.count == 1 { return }
          throw error
        }
        throw StepFailure("The save succeeded, and one of two counts is lost.")
      }
    }
  }

  @Test(
    "A save shows the values of saves before it, and changing these values is not a conflict",
    arguments: Kind.allCases)
  func afterConflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob").save()
      s.outside.contains(person: ["ada", "bob"]).set("ada", age: 1).set("bob", age: 1).save()
      s.one.policy(.objectWins).set("ada", age: 50).save()

      s.one.policy(.error).expect("bob", age: 1).set("bob", age: 60).save()
      s.store.contains(person: ["ada", "bob"]).expect("bob", age: 60)
    }
  }

  @Test(
    "A fetch shows the newest values of an object, after any number of saves of the object",
    arguments: Kind.allCases, 1...9)
  func savedOften(_ kind: Kind, count: Int) throws {
    try scenario(kind, "\(count) saves") { s in
      func number(_ cost: Int) -> StepValue { .number(Double(cost)) }
      s.one.insert("trip").insert(trip: "neighbor").save()
      for cost in 1...count { s.one.set("trip", cost: number(cost)).save() }
      s.other.fetch("Trip", where: "cost > 0", finds: ["trip"])
      s.other.set("trip", cost: number(count + 10), name: "renamed").save()
      s.one.set("trip", cost: number(count + 1)).contains(trip: ["trip", "neighbor"])
      s.one.expect("trip", cost: number(count + 1), name: "renamed")
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
    "A child's change is in conflict in the parent, unless the child has advanced before it",
    arguments: Kind.allCases, [false, true])
  func handedOver(_ kind: Kind, hasLooked: Bool) throws {
    try scenario(kind, hasLooked ? "has looked" : "has not looked") { s in
      s.parent.insert("trip").save()
      s.child.follow().expect("trip", cost: 0)
      s.other.set("trip", cost: 10).save()
      s.parent.refreshAll()
      if hasLooked { s.child.fetch().expect("trip", cost: 10) }

      s.child.set("trip", cost: 1).handOver()
      if hasLooked {
        s.parent.save()
      } else {
        s.parent.save(expecting: .conflict("trip", "cost", base: 0, mine: 1, theirs: 10))
      }
      s.store.contains(trip: ["trip"]).expect("trip", cost: hasLooked ? 1 : 10)
    }
  }
}
