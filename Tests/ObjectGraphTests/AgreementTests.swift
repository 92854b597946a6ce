import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// What both sides have changed, and who did not know of the other.
@Suite("Agreement with others")
struct AgreementTests {
  private static let policies: [(name: String, policy: MergePolicy)] = [
    ("store wins", .storeWins), ("object wins", .objectWins), ("overwrite", .overwrite),
    ("rollback", .rollback),
    ("custom", .custom { $0.isDeletedHere ? .delete : .save($0.mine ?? [:]) }),
  ]

  @Test(
    "Both ends of one to one agree, whatever is decided about a conflict", arguments: Kind.allCases,
    policies.indices)
  func oneToOne(_ kind: Kind, _ policy: Int) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let bob = try one.insert(Person.self) { $0.name = "Bob" }
    let old = try one.insert(Passport.self) { $0.number = "old" }
    let new = try one.insert(Passport.self) { $0.number = "new" }
    ada.passport = old
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    (two.object(with: bob.objectID) as! Person).passport =
      two.object(with: old.objectID) as? Passport
    try two.save()

    ada.passport = new
    one.mergePolicy = Self.policies[policy].policy
    try one.save()

    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    one.refreshAllObjects()
    for context in [one, fresh] {
      #expect(try context.disagreements() == [], "\(Self.policies[policy].name)")
    }
    #expect((ada.passport == new) == [1, 2, 4].contains(policy))
  }

  @Test(
    "Who was led elsewhere and goes is not led to by whom others had led to it",
    arguments: Kind.allCases)
  func goneAfterLeading(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let bob = try one.insert(Person.self) { $0.name = "Bob" }
    let passport = try one.insert(Passport.self) { $0.number = "1" }
    try one.save()
    #expect(ada.passport == nil)
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    (two.object(with: passport.objectID) as! Passport).holder =
      two.object(with: ada.objectID) as? Person
    try two.save()

    // Ada is as she was here, and Bob takes the passport with him.
    one.mergePolicy = .overwrite
    one.refresh(passport, mergeChanges: false)
    bob.passport = passport
    one.delete(bob)
    try one.save()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.count(for: FetchRequest("Passport")) == 0)
  }

  @Test(
    "Giving up the changes of one object leaves both ends of one to one in agreement",
    arguments: Kind.allCases)
  func givenUp(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    let old = try context.insert(Passport.self) { $0.number = "old" }
    let new = try context.insert(Passport.self) { $0.number = "new" }
    ada.passport = old
    try context.save()
    ada.passport = new
    context.refresh(ada, mergeChanges: false)
    #expect(ada.passport == old && old.holder == ada && new.holder == nil)
    ada.passport = new
    bob.passport = old
    context.refresh(ada, mergeChanges: false)
    #expect(try context.disagreements() == [] && bob.passport == old && new.holder == nil)
    try context.save()
    let fresh = graph.context()
    #expect(try fresh.disagreements() == [])
  }

  @Test("Looking again takes no denial of a deletion away", arguments: Kind.allCases)
  func deniedStill(_ kind: Kind) throws {
    let graph = try Graph(kind, model: Wild.model, classes: [])
    let context = graph.context()
    try context.insert("Node")["i32"] = .integer(1)
    try context.save()
    let other = graph.context()
    try other.fetch(FetchRequest("Node"))[0]["i32"] = .integer(2)
    try other.save()
    let node = try context.insert("Node")
    let guardian = try context.insert("Guard")
    guardian.setObjects([node], forKey: "post")
    context.delete(node)
    context.refreshAllObjects()

    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.rule) == [.deletionDenied])
    context.delete(guardian)
    try context.save()
    #expect(try context.count(for: FetchRequest("Guard")) == 0)
  }

  @Test(
    "Two links that were made side by side to connect the same go together",
    arguments: Kind.allCases)
  func repeatedLinks(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let bob = try one.insert(Person.self) { $0.name = "Bob" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let there = try two.fetch(Person.self, sortedBy: [SortKey("name")])
    ada.add(bob, to: Person.friends)
    there[0].add(there[1], to: Person.friends)
    try one.save()
    try two.save()
    two.delete(there[1])
    try two.save()

    one.refreshAllObjects()
    #expect(ada.friends.isEmpty)
    ada.age = 7
    try one.save()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.fetch(Person.self).map(\.friends.count) == [0])
  }

  @Test(
    "What stays because its policy says so leads to nobody who goes", arguments: Kind.allCases)
  func staying(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    one.mergePolicy = .storeWins
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let passport = try one.insert(Passport.self) { $0.number = "1" }
    passport.holder = ada
    try one.save()
    let two = graph.context()
    try two.fetch(Passport.self)[0].number = "2"
    try two.save()
    one.delete(passport)
    try one.processPendingChanges()
    one.delete(ada)
    try one.save()

    #expect(!passport.isDeleted && passport["holder"] == .null && ada.isGone)
    let fresh = graph.context()
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.fetch(Passport.self).map(\.number) == ["2"])
  }

  @Test(
    "After a conflict was decided about, what others changed before is still noticed",
    arguments: Kind.allCases)
  func afterConflict(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let ada = try one.insert(Person.self) { $0.name = "Ada" }
    let bob = try one.insert(Person.self) { $0.name = "Bob" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    for person in try two.fetch(Person.self) { person.age += 1 }
    try two.save()
    one.mergePolicy = .objectWins
    ada.age = 50
    try one.save()

    one.mergePolicy = .error
    bob.age = 60
    let error = #expect(throws: ContextError.self) { try one.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.object) == [bob.objectID])
  }

  @Test(
    "What follows from others is no reason for a conflict, and follows from what there is by then",
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
    let graph = try Graph(kind, model: model, classes: [])
    let one = graph.context()
    let owner = try one.insert("Owner")
    func thing(_ cost: Int64, in context: ManagedObjectContext) throws -> ManagedObject {
      let thing = try context.insert("Thing")
      thing["cost"] = .integer(cost)
      thing.setObjects([context.object(with: owner.objectID)], forKey: "owner")
      return thing
    }
    let first = try thing(1, in: one)
    try one.save()
    #expect(owner["total"] == .integer(1))
    let two = graph.context()
    two.object(with: first.objectID)["cost"] = .integer(10)
    _ = try thing(100, in: two)
    try two.save()
    _ = try thing(1000, in: one)
    try one.save()
    two.object(with: owner.objectID)["name"] = .string("Ada")
    try two.save()

    #expect(owner["total"] == .integer(1110) && first["cost"] == .integer(10))
    let fresh = graph.context()
    #expect(fresh.object(with: owner.objectID)["total"] == .integer(1110))
    #expect(fresh.object(with: owner.objectID)["name"] == .string("Ada"))
  }

  @Test(
    "What a policy decides is held to the same rules as everything else", arguments: Kind.allCases)
  func validatedAfterConflict(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let one = graph.context()
    let first = try one.insert(Passport.self) { $0.number = "1" }
    let second = try one.insert(Passport.self) { $0.number = "2" }
    try one.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let theirs = try two.fetch(Passport.self, sortedBy: [SortKey("number")])
    theirs[0].number = "4"
    theirs[1].number = "3"
    try two.save()
    one.mergePolicy = .objectWins
    first.number = "3"

    let error = #expect(throws: ContextError.self) { try one.save() }

    #expect(error?.constraintConflicts.map(\.conflictingObjects) == [[first.objectID]])
    #expect(first.number == "3")
    first.number = "5"
    try one.save()
    #expect(second.isFault == false)
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(
      try fresh.fetch(Passport.self, sortedBy: [SortKey("number")]).map(\.number) == ["3", "5"])
  }

  @Test(
    "A child that did not look again leads nothing to what its parent has deleted",
    arguments: Kind.allCases, [false, true])
  func staleChild(_ kind: Kind, _ isSaved: Bool) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    let bob = try parent.insert(Person.self) { $0.name = "Bob" }
    let coast = try parent.insert(Trip.self) { $0.name = "Coast" }
    try parent.insert(Passport.self) { $0.number = "1" }
    if isSaved { try parent.save() } else { try parent.processPendingChanges() }
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    func mine<T: ManagedObject>(_ object: T) throws -> T {
      try #require(try child.existingObject(with: object.objectID) as? T)
    }
    let (adaThere, bobThere, coastThere) = (try mine(ada), try mine(bob), try mine(coast))
    let passport = try #require(try child.fetch(Passport.self).first)
    #expect(adaThere.name == "Ada" && bobThere.name == "Bob" && coastThere.name == "Coast")
    parent.delete(ada)
    parent.delete(coast)
    try parent.processPendingChanges()

    let trip = try child.insert(Trip.self) { $0.name = "Faro" }
    trip.owner = adaThere
    trip.members = [adaThere, bobThere]
    let other = try child.insert(Trip.self) { $0.name = "Lagos" }
    other.owner = bobThere
    passport.holder = adaThere
    let stop = try child.insert(Stop.self) {
      $0.place = "Beach"
      $0.trip = coastThere
    }
    try child.save()

    #expect(try parent.disagreements() == [])
    #expect(try parent.fetch(Person.self) == [bob] && !child.hasChanges)
    #expect(try parent.count(for: FetchRequest("Trip")) == 2)
    #expect(trip["owner"] == .null && Array(trip.members) == [bobThere])
    #expect(passport["holder"] == .null && stop["trip"] == .null && other.owner == bobThere)
    child.refreshAllObjects()
    #expect(try child.disagreements() == [])
    try parent.save()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.disagreements() == [])
  }

  @Test(
    "A child that leads one to one elsewhere than its parent parts whom the parent had led there",
    arguments: Kind.allCases)
  func displaced(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    let bob = try parent.insert(Person.self) { $0.name = "Bob" }
    let passport = try parent.insert(Passport.self) { $0.number = "1" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let there = try #require(try child.fetch(Passport.self).first)
    there.holder = try child.existingObject(with: ada.objectID) as? Person
    bob.passport = passport
    try child.save()

    #expect(passport.holder == ada && ada.passport == passport && bob.passport == nil)
    #expect(try parent.disagreements() == [])
  }

  @Test("A child's deletion reaches what its parent has led there since", arguments: Kind.allCases)
  func deletingChild(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let parent = graph.context()
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    let trip = try parent.insert(Trip.self) { $0.name = "Faro" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let there = try #require(try child.fetch(Person.self).first)
    #expect(there.name == "Ada")
    trip.members = [ada]
    let passport = try parent.insert(Passport.self) {
      $0.number = "1"
      $0.holder = ada
    }
    try parent.processPendingChanges()

    child.delete(there)
    try child.save()

    #expect(ada.isDeleted && passport.isDeleted && trip.members.isEmpty)
    try parent.save()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.count(for: FetchRequest("Passport")) == 0)
  }

  @Test(
    "Undoing an insertion reaches what leads to the object by work that is not undone",
    arguments: Kind.allCases)
  func undoneInsertion(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    let trip = try context.insert(Trip.self) { $0.name = "Faro" }
    try context.save()
    let undo = UndoStack()
    context.undoManager = undo
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.processPendingChanges()
    var passport: Passport?
    try undo.withoutUndo {
      passport = try context.insert(Passport.self) {
        $0.number = "1"
        $0.holder = ada
      }
      trip.members = [ada]
    }

    try undo.undo()
    #expect(ada.isDeleted && passport?.isDeleted == true && trip.members.isEmpty)
    #expect(try context.disagreements() == [])
    try undo.redo()
    #expect(ada.passport == passport && passport?.holder == ada && Array(trip.members) == [ada])
    #expect(try context.disagreements() == [])
    try undo.undo()
    try context.save()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.count(for: FetchRequest("Passport")) == 0)
  }

  @Test(
    "Undoing what was saved reaches what others have led there since, and nothing comes back to lead nowhere",
    arguments: Kind.allCases)
  func undoneAfterOthers(_ kind: Kind) throws {
    let graph = try Graph(kind)
    let context = graph.context()
    context.undoManager = UndoStack()
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    let trip = try context.insert(Trip.self) {
      $0.name = "Faro"
      $0.owner = bob
    }
    try context.save()
    trip.owner = nil
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    let two = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    try two.insert(Passport.self) {
      $0.number = "1"
      $0.holder = two.object(with: ada.objectID) as? Person
    }
    two.delete(two.object(with: bob.objectID))
    try two.save()
    context.refreshAllObjects()

    // Takes Ada back, and leads the trip to Bob again.
    try context.undoManager?.undo()
    #expect(ada.isDeleted && trip["owner"] == .null)
    try context.save()
    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.count(for: FetchRequest("Passport")) == 0)
  }
}
