import ObjectGraph
import ObjectModel
import Testing

/// Relationships after a context has merged a save that it had not seen.
@Suite("Agreement between contexts")
struct AgreementTests {
  private static let policies: [ScenarioPolicy] = [
    .storeWins, .objectWins, .overwrite, .rollback,
    ScenarioPolicy(
      "custom", .custom { $0.isDeletedHere ? .delete : .save($0.mine ?? [:]) }),
  ]

  @Test(
    "Both ends of a one-to-one relationship agree after every resolution of a conflict",
    arguments: Kind.allCases, policies)
  func oneToOne(_ kind: Kind, _ policy: ScenarioPolicy) throws {
    try scenario(kind, policy) { s in
      s.one.insert(person: "ada").insert(person: "bob")
      s.one.insert(passport: "old").insert(passport: "new").set("ada", passport: "old").save()
      s.outside.set("bob", passport: "old").save()

      s.one.set("ada", passport: "new").policy(policy).save()

      s.one.refreshAll().expectAgreement()
      let isStores = ["storeWins", "rollback"].contains(policy.description)
      s.one.expect("ada", passport: isStores ? nil : "new")
    }
  }

  @Test(
    "A deletion also deletes an object to which this context or another context moved a reference",
    arguments: Kind.allCases)
  func goneAfterLeading(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob").insert("passport").save()
      s.one.expect("ada", passport: nil)
      s.outside.set("passport", holder: "ada").save()

      // Ada is unchanged here. Bob's deletion cascades to the passport.
      s.one.policy(.overwrite).refresh("passport", keepingChanges: false)
      s.one.set("bob", passport: "passport").delete("bob").save()
      s.store.expectAgreement().contains(passport: [])
    }
  }

  @Test(
    "Both ends of a one-to-one relationship agree after one object's changes are discarded",
    arguments: Kind.allCases)
  func discarded(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob")
      s.one.insert(passport: "old").insert(passport: "new").set("ada", passport: "old").save()
      s.one.set("ada", passport: "new").refresh("ada", keepingChanges: false)
      s.one.expect("ada", passport: "old").expect("old", holder: "ada").expect("new", holder: nil)

      s.one.set("ada", passport: "new").set("bob", passport: "old")
      s.one.refresh("ada", keepingChanges: false).expectAgreement()
      s.one.expect("bob", passport: "old").expect("new", holder: nil).save()
    }
  }

  @Test("A refresh keeps the denial of a deletion", arguments: Kind.allCases)
  func deniedStill(_ kind: Kind) throws {
    try scenario(kind, model: Wild.model, classes: []) { s in
      s.one.insert(node: "first", i32: 1).save()
      s.other.contains(node: ["first"]).set("first", i32: 2).save()
      s.one.insert(node: "second").insert(guard: "guardian", post: ["second"]).delete("second")
      s.one.refreshAll().save(expecting: .denied)
      s.one.delete("guardian").save().contains(guard: [])
    }
  }

  @Test(
    "Two links that two contexts made between the same objects are removed together",
    arguments: Kind.allCases)
  func repeatedLinks(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(person: "ada").insert(person: "bob").save()
      s.outside.contains(person: ["ada", "bob"])
      s.one.add("ada", friends: "bob")
      s.outside.add("ada", friends: "bob")
      s.one.save()
      s.outside.save().delete("bob").save()

      s.one.refreshAll().expect("ada", friends: []).set("ada", age: 7).save()
      s.store.contains(person: ["ada"]).expect("ada", friends: [])
    }
  }

  @Test(
    "Two links that a parent and its child made between the same objects are removed together",
    arguments: Kind.allCases)
  func repeatedLinksOfChild(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert(person: "bob").save()
      s.child.contains(person: ["ada", "bob"])
      s.parent.add("ada", friends: "bob").process()
      s.child.add("ada", friends: "bob").save()

      s.parent.expect("ada", friends: ["bob"]).remove("ada", friends: "bob").save()
      s.parent.expect("ada", friends: []).expect("bob", friends: [])
      s.store.expect("ada", friends: []).expect("bob", friends: [])
    }
  }

  @Test(
    "An object that a merge policy keeps has no reference to an object that is deleted with it",
    arguments: Kind.allCases)
  func staying(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.policy(.storeWins).insert(person: "ada").insert("passport", holder: "ada").save()
      s.two.contains(passport: ["passport"]).set("passport", number: "2").save()
      s.one.delete("passport").process().delete("ada").save()

      s.one.expectDeleted("passport", isDeleted: false).expect("passport", holder: nil)
      s.one.expectGone("ada")
      s.store.contains(passport: ["passport"]).expect("passport", number: "2")
    }
  }

  @Test(
    "A derived value is never in conflict, and is computed from the objects that are stored then",
    arguments: Kind.allCases)
  func derived(_ kind: Kind) throws {
    let model = try Model(entities: [
      Entity(
        "Owner",
        properties: [
          .attribute(Attribute("total", .int64, derivation: .init("sum:(things.cost)"))),
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("things", to: "Thing", inverse: "owner", count: .toMany)),
        ]),
      Entity(
        "Thing",
        properties: [
          .attribute(Attribute("cost", .int64)),
          .relationship(Relationship("owner", to: "Owner", inverse: "things")),
        ]),
    ])
    try scenario(kind, model: model, classes: []) { s in
      s.one.insert("owner").insert(thing: "first", cost: 1, owner: "owner").save()
      s.one.expect("owner", total: 1)
      s.two.set("first", cost: 10).insert(thing: "second", cost: 100, owner: "owner").save()
      s.one.insert(thing: "third", cost: 1000, owner: "owner").save()
      s.two.set("owner", name: "Ada").save()

      s.one.expect("owner", total: 1110).expect("first", cost: 10)
      s.store.expect("owner", total: 1110, name: "Ada")
    }
  }

  @Test(
    "The values that a merge policy decides on are validated like all values",
    arguments: Kind.allCases)
  func validatedAfterConflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(passport: "first", number: "1").insert(passport: "second", number: "2").save()
      s.outside.contains(passport: ["first", "second"])
      s.outside.set("first", number: "4").set("second", number: "3").save()
      s.one.policy(.objectWins).set("first", number: "3").save(expecting: .sharedValue("first"))

      s.one.expect("first", number: "3").set("first", number: "5").save()
      s.store.contains(passport: ["first", "second"])
      s.store.expect("first", number: "5").expect("second", number: "3")
    }
  }

  @Test(
    "In a child that has not advanced, no relationship leads to an object that its parent has deleted",
    arguments: Kind.allCases, [false, true])
  func staleChild(_ kind: Kind, _ isSaved: Bool) throws {
    try scenario(kind, isSaved ? "saved" : "unsaved") { s in
      s.parent.insert(person: "ada").insert(person: "bob").insert(trip: "coast").insert("passport")
      if isSaved { s.parent.save() } else { s.parent.process() }
      s.child.find("ada", "bob", "coast").contains(passport: ["passport"])
      s.child.expect("ada", name: "ada").expect("bob", name: "bob").expect("coast", name: "coast")
      s.parent.delete("ada", "coast").process()

      s.child.insert(trip: "faro", owner: "ada", members: ["ada", "bob"])
      s.child.insert(trip: "lagos", owner: "bob").set("passport", holder: "ada")
      s.child.insert(stop: "beach", trip: "coast").save()

      s.parent.expectAgreement().contains(person: ["bob"], trip: ["faro", "lagos"])
      s.child.expectNoChanges().expect("faro", owner: nil, members: ["bob"])
      s.child.expect("passport", holder: nil).expect("beach", trip: nil)
      s.child.expect("lagos", owner: "bob").refreshAll().expectAgreement()
      s.parent.save()
    }
  }

  @Test(
    "A child's one-to-one reference clears its parent's reference to the same object",
    arguments: Kind.allCases)
  func displaced(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert(person: "bob").insert("passport").save()
      s.child.contains(passport: ["passport"]).find("ada").set("passport", holder: "ada")
      s.parent.set("bob", passport: "passport")
      s.child.save()

      s.parent.expect("passport", holder: "ada").expect("ada", passport: "passport")
      s.parent.expect("bob", passport: nil).expectAgreement()
    }
  }

  @Test(
    "A child's deletion propagates to objects that its parent has added since",
    arguments: Kind.allCases)
  func deletingChild(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert(person: "ada").insert("trip").save()
      s.child.contains(person: ["ada"]).expect("ada", name: "ada")
      s.parent.set("trip", members: ["ada"]).insert("passport", holder: "ada").process()

      s.child.delete("ada").save()

      s.parent.expectDeleted("ada", "passport").expect("trip", members: []).save()
      s.store.contains(passport: [])
    }
  }

  @Test(
    "Undo of an insertion also clears references that were made without undo",
    arguments: Kind.allCases)
  func undoneInsertion(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip").save().startUndo().insert(person: "ada").process()
      s.one.withoutUndo {
        s.one.insert("passport", holder: "ada").set("trip", members: ["ada"])
      }

      s.one.undo().expectDeleted("ada", "passport").expect("trip", members: []).expectAgreement()
      s.one.redo().expect("ada", passport: "passport").expect("passport", holder: "ada")
      s.one.expect("trip", members: ["ada"]).expectAgreement()
      s.one.undo().save()
      s.store.contains(passport: [])
    }
  }

  @Test(
    "Undo clears references of later saves, and restores no reference to a deleted object",
    arguments: Kind.allCases)
  func undoneAfterOthers(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.startUndo().insert(person: "bob").insert("trip", owner: "bob").save()
      s.one.set("trip", owner: nil).insert(person: "ada").save()
      s.outside.insert("passport", holder: "ada").delete("bob").save()
      s.one.refreshAll()

      // The undo deletes Ada, and must not set the trip's owner to Bob again.
      s.one.undo().expectDeleted("ada").expect("trip", owner: nil).save()
      s.store.contains(passport: [])
    }
  }
}
