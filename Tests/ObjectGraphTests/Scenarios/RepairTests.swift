import ObjectGraph
import ObjectModel
import Testing

/// Rows that a context repairs because of another save.
@Suite("Repairs")
struct RepairTests {
  @Test(
    "A deletion that the policy discards restores the references to the object",
    arguments: Kind.allCases, [false, true])
  func givenUpDeletion(_ kind: Kind, byChild: Bool) throws {
    try scenario(kind, byChild ? "in a child" : "in a root context") { s in
      let one = s.one(isChild: byChild)
      let root = byChild ? s.parent : one
      root.insert(person: "ada").insert("passport").save()
      one.expect("ada", passport: nil).delete("passport")
      s.other.set("ada", passport: "passport").save()
      one.fetch().expect("ada", passport: nil)
      if byChild { one.handOver() }
      s.other.set("passport", number: "2").save()

      root.policy(.storeWins).save()
      root.expect("ada", passport: "passport").expect("passport", number: "2")
      s.store.contains(passport: ["passport"]).expect("ada", passport: "passport")
    }
  }

  @Test(
    "A deletion that the policy discards restores the parts of the object",
    arguments: Kind.allCases, [false, true])
  func givenUpDeletionOfParts(_ kind: Kind, byChild: Bool) throws {
    try scenario(kind, byChild ? "in a child" : "in a root context") { s in
      let one = s.one(isChild: byChild)
      let root = byChild ? s.parent : one
      root.insert(person: "ada").insert("trip").insert(trip: "coast").save()
      one.expect("trip", owner: nil).expect("coast", owner: nil).delete("ada")
      s.other.set("trip", owner: "ada").set("coast", owner: "ada").save()
      root.set("coast", cost: 7).fetch()
      one.fetch().expectDeleted("trip", "coast")
      if byChild { one.handOver() }
      s.other.set("ada", age: 10).save()

      root.policy(.storeWins).save()
      root.expectDeleted("trip", "coast", "ada", isDeleted: false)
      root.expect("trip", owner: "ada").expect("coast", cost: 7, owner: "ada")
      s.store.contains(trip: ["trip", "coast"]).expect("trip", owner: "ada")
      s.store.expect("coast", cost: 7, owner: "ada")
    }
  }

  @Test("A repair of an object causes no conflict about the object", arguments: Kind.allCases)
  func noConflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert("passport").save()
      s.one.delete("passport")
      s.other.set("ada", passport: "passport").save()
      s.one.fetch().expect("ada", passport: nil)
      s.other.set("ada", age: 10).save()

      s.one.policy(.objectWins).save()
      s.store.contains(passport: []).expect("ada", age: 10, passport: nil)
    }
  }

  @Test(
    "A change of a repaired object is an ordinary change", arguments: Kind.allCases,
    [false, true])
  func changedSince(_ kind: Kind, inParent: Bool) throws {
    try scenario(kind, inParent ? "in the parent" : "after the repair") { s in
      s.parent.insert(person: "ada").insert("passport").save()
      s.child.expect("ada", age: 0).delete("passport")
      if inParent { s.parent.set("ada", age: 7) }
      s.other.set("ada", passport: "passport").save()
      s.parent.fetch()
      s.child.fetch()
      if !inParent { s.child.set("ada", age: 7) }
      s.child.handOver()
      s.other.set("ada", age: 10).save()

      s.parent.policy(.objectWins).save()
      s.store.contains(passport: []).expect("ada", age: 7, passport: nil)
    }
  }

  @Test(
    "A repair ends with its reason, also if another value of the object has changed since",
    arguments: Kind.allCases)
  func otherValueChanged(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert(passport: "old", holder: "ada").insert(passport: "new")
        .save()
      s.child.delete("new")
      s.parent.set("new", holder: "ada").process()
      s.child.refreshAll().expect("ada", passport: nil).set("ada", age: 7)
      s.parent.rollback()
      s.child.refreshAll().expect("ada", age: 7, passport: "old")
      s.child.expect("old", holder: "ada")
    }
  }

  @Test(
    "A repaired object shows a value that another context has changed since the repair",
    arguments: Kind.allCases)
  func changedBeneath(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada", age: 1).insert("passport").save()
      s.child.delete("passport")
      s.parent.set("ada", passport: "passport").process()
      // The reference refers to the passport that the child deletes.
      s.child.refreshAll().expect("ada", age: 1, passport: nil)
      s.parent.set("ada", age: 2).process()
      s.child.refreshAll().expect("ada", age: 2, passport: nil)
    }
  }

  @Test(
    "A part that a child's deletion deletes does not come back in the parent that inserted both",
    arguments: Kind.allCases)
  func insertedParts(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(trip: "saved").save()
      s.parent.insert("trip").process()
      s.child.fetch().delete("trip")
      s.parent.insert(stop: "lisbon", place: "a", trip: "trip").process()
      s.child.refreshAll().save()
      s.other.set("saved", cost: 1).save()
      s.parent.fetch().save()
      s.store.contains(trip: ["saved"]).contains(stop: [])
    }
  }

  @Test(
    "A deleted part stays deleted in the parent that inserted its owner, despite another context's save",
    arguments: Kind.allCases)
  func savedPart(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(stop: "lisbon", place: "a").insert(trip: "beside").save()
      s.parent.insert("trip").process()
      s.child.fetch().delete("trip")
      s.parent.set("lisbon", trip: "trip").process()
      s.child.save()
      s.other.set("beside", cost: 1).save()
      s.parent.save()
      s.store.contains(trip: ["beside"]).contains(stop: [])
    }
  }

  @Test(
    "A deletion does not reach an object that the context had disconnected before",
    arguments: Kind.allCases)
  func disconnectedBefore(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert(passport: "old", holder: "ada").save()
      s.parent.insert(passport: "new", holder: "ada")
      s.child.refreshAll()
      s.child.expect("ada", passport: "new").set("new", holder: nil)
      s.parent.rollback()
      s.child.refreshAll()
      // The child's change stays, so the saved passport is disconnected too.
      s.child.expect("ada", passport: nil)
      s.child.expect("old", holder: nil)
      s.child.delete("ada")
      s.parent.set("ada", age: 3).save()
      s.child.save()
      s.parent.expectDeleted("ada")
      s.parent.expect("old", holder: nil)
    }
  }

  @Test(
    "A deletion does not reach an object that a repair had disconnected before",
    arguments: Kind.allCases)
  func disconnectedByRepair(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert(passport: "old").save()
      s.parent.set("old", holder: "ada")
      s.other.insert(passport: "new", holder: "ada").save()
      // Both passports have the holder Ada, and the parent's change wins.
      s.parent.fetch().expect("ada", passport: "old").expect("new", holder: nil)
      s.child.refreshAll().delete("ada").handOver()
      s.other.set("new", number: "2").save()
      s.parent.fetch().expectDeleted("ada", "old")
      s.parent.expect("new", number: "2", holder: nil)
    }
  }

  @Test(
    "A part that a child's deletion reached stays deleted in the parent that had connected it",
    arguments: Kind.allCases)
  func connectedPart(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert("passport").save()
      s.child.refreshAll().delete("ada")
      s.parent.set("passport", holder: "ada").process()
      s.child.refreshAll().expectDeleted("ada", "passport")
      s.child.handOver()
      s.other.insert(person: "bob").save()
      s.parent.fetch().expectDeleted("ada", "passport")
    }
  }

  @Test(
    "A deletion reaches a repaired object that another context connects to the deleted one",
    arguments: Kind.allCases)
  func connectedAfterRepair(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert(person: "bob").insert("passport").save()
      s.child.refreshAll().delete("ada").insert(passport: "mine", holder: "bob")
      s.parent.set("passport", holder: "bob").process()
      s.child.refreshAll().expect("passport", holder: nil)
      s.parent.set("passport", holder: "ada").process()
      s.child.refreshAll().expectDeleted("ada", "passport")
    }
  }

  @Test(
    "An object that a context kept in a conflict and deleted is shown when another context restores it",
    arguments: Kind.allCases, [false, true])
  func restored(_ kind: Kind, isDisconnected: Bool) throws {
    try scenario(kind, isDisconnected ? "disconnected first" : "as it was") { s in
      s.parent.insert(person: "ada").insert(passport: "passport", holder: "ada").save()
      s.one.startUndo().delete("passport").save()
      s.parent.set("passport", number: "8").fetch()
      s.one.undo()
      if isDisconnected { s.parent.set("ada", passport: nil) }
      s.one.save()
      s.parent.delete("passport")
      s.parent.refreshAll().expect("ada", passport: "passport").expect("passport", holder: "ada")
    }
  }

  @Test(
    "A child's member of a new list keeps a place of its own when the parent saves after others",
    arguments: Kind.allCases)
  func placeInNewList(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.other.insert(stop: "last").save()
      s.parent.refreshAll()
      s.child.refreshAll().insert("trip").save()
      s.child.set("last", trip: "trip")
      s.parent.insert(stop: "first", trip: "trip")
      s.child.save()
      s.parent.expect("trip", stops: ["first", "last"])
      s.other.insert(trip: "another").save()
      s.parent.save()
      s.store.expect("trip", stops: ["first", "last"])
    }
  }

  @Test(
    "A member that another save has put at the same place of another list gets a place of its own",
    arguments: Kind.allCases, [false, true])
  func sameNumberElsewhere(_ kind: Kind, byChild: Bool) throws {
    try scenario(kind, byChild ? "in a child" : "in a root context") { s in
      let one = s.one(isChild: byChild)
      s.parent.policy(.objectWins)
      s.one.policy(.objectWins)
      s.other.insert("trip").insert(trip: "another").insert(stop: "moved").insert(stop: "first")
      s.other.save()
      one.set("moved", trip: "trip")
      s.other.set("moved", trip: "another").set("first", trip: "trip").save()
      one.save()
      if byChild { s.parent.save() }
      s.store.expect("trip", stops: ["first", "moved"])
    }
  }

  private static let nodes: Model = try! Model(entities: [
    Entity(
      "Node",
      properties: [
        .relationship(
          Relationship("parent", to: "Node", inverse: "children")),
        .relationship(
          Relationship(
            "children", to: "Node", inverse: "parent", count: .toMany, deleteRule: .cascade)),
        .relationship(
          Relationship("badge", to: "Badge", inverse: "holder", deleteRule: .cascade)),
      ]),
    Entity(
      "Badge", properties: [.relationship(Relationship("holder", to: "Node", inverse: "badge"))]),
  ])

  @Test(
    "An object that a rule deletes again takes only its own relatives with it",
    arguments: Kind.allCases)
  func deletedAgain(_ kind: Kind) throws {
    let graph = try Graph(kind, model: Self.nodes, classes: [])
    let root = graph.context()
    let (top, low) = (try root.insert("Node"), try root.insert("Node"))
    let (mine, other) = (try root.insert("Badge"), try root.insert("Badge"))
    try root.save()
    let child = ManagedObjectContext(parent: root, concurrency: .confined)
    child.delete(child.object(with: top.objectID))
    child.object(with: mine.objectID)["holder"] = .object(low.objectID.key)
    low["parent"] = .object(top.objectID.key)
    try root.processPendingChanges()
    child.refreshAllObjects()
    let badges = FetchRequest<ManagedObject>("Badge")
    #expect(try child.fetchIdentifiers(badges) == [other.objectID])

    other["holder"] = .object(low.objectID.key)
    try root.processPendingChanges()
    child.refreshAllObjects()
    #expect(try child.fetchIdentifiers(badges) == [other.objectID])
  }
}
