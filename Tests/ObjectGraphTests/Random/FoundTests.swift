import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SQLiteStore
import StoreInterface
import Testing
import Validation

/// Failures that random work has found, each reduced to the smallest case.
@Suite("Failures that random work has found")
struct FoundTests {
  /// Ada without a passport, and a passport without a holder.
  private struct Scene {
    let graph: Graph
    let context: ManagedObjectContext
    let ada: Person
    let passport: Passport
    let coast: Trip

    init(_ kind: Kind) throws {
      graph = try Graph(kind)
      context = graph.context()
      coast = try context.insert(Trip.self) { $0.name = "Coast" }
      ada = try context.insert(Person.self) { $0.name = "Ada" }
      passport = try context.insert(Passport.self) { $0.number = "1" }
      try context.save()
    }

    func child() -> ManagedObjectContext {
      ManagedObjectContext(parent: context, concurrency: .confined)
    }

    /// Returns a context of a new coordinator over the same store.
    func fresh() throws -> ManagedObjectContext {
      ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    }

    /// Saves, and returns a context of a new coordinator, after a check that both ends of all relationships agree there.
    func saved(sourceLocation: SourceLocation = #_sourceLocation) throws -> ManagedObjectContext {
      try context.save()
      let fresh = try fresh()
      #expect(try fresh.disagreements() == [], sourceLocation: sourceLocation)
      return fresh
    }
  }

  // MARK: Links

  @Test(
    "A link that a child and its parent both make belongs to the parent, and is removed with it",
    arguments: Kind.allCases)
  func linkedTwice(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let child = scene.child()
    let (ada, coast) = (child.object(scene.ada), child.object(scene.coast))
    coast.members = RelatedObjects([ada])
    scene.coast.members = RelatedObjects([scene.ada])
    try scene.context.processPendingChanges()
    child.refreshAllObjects()
    #expect(Array(coast.members) == [ada])

    scene.context.rollback()
    child.refreshAllObjects()

    #expect(coast.members.isEmpty && ada.joined.isEmpty)
  }

  @Test(
    "A link that a child and its parent both remove returns when the parent discards its removal",
    arguments: Kind.allCases)
  func takenOutTwice(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.coast.members = RelatedObjects([scene.ada])
    try scene.context.save()
    let child = scene.child()
    let (ada, coast) = (child.object(scene.ada), child.object(scene.coast))
    coast.members = RelatedObjects([])
    scene.coast.members = RelatedObjects([])
    try scene.context.processPendingChanges()
    child.refreshAllObjects()
    #expect(coast.members.isEmpty)

    scene.context.rollback()
    child.refreshAllObjects()

    #expect(Array(coast.members) == [ada])
  }

  @Test(
    "The same link made by two contexts is one link in the file",
    arguments: Kind.files)
  func oneLink(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let other = try scene.fresh()
    other.mergePolicy = .objectWins
    other.object(scene.coast).members = RelatedObjects([
      other.object(scene.ada)
    ])
    scene.coast.members = RelatedObjects([scene.ada])
    try scene.context.save()
    try other.save()

    let report = try Validator(backends: StoreBackends([SQLiteStoreBackend()])).validate(
      scene.graph.path("/main.store"), on: scene.graph.ground.disk)
    #expect(report.verdict == .valid && report.counts.isEmpty, "\(report.findings)")
    let fresh = try scene.fresh()
    #expect(try fresh.fetch(Trip.self)[0].members.count == 1)
  }

  @Test(
    "A symmetric link is unchanged after another context has written the file",
    arguments: Kind.allCases)
  func readAnew(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let bob = try scene.context.insert(Person.self) { $0.name = "Bob" }
    bob.friends = RelatedObjects([scene.ada])
    try scene.context.save()
    scene.context.delete(scene.ada)
    let other = try scene.fresh()
    try other.insert(Stop.self)
    try other.save()
    #expect(try scene.context.fetch(Person.self) == [bob])

    #expect(bob.friends.isEmpty)
    try scene.context.save()
    let fresh = try scene.fresh()
    #expect(try fresh.fetch(Person.self).map(\.friends.count) == [0])
  }

  // MARK: One to one

  @Test(
    "Two changed objects that another context has related stay related after any partial merge",
    arguments: Kind.allCases)
  func mergedInPart(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.context.automaticallyMergesChangesFromParent = true
    scene.context.mergePolicy = .objectWins
    scene.ada.age = 36
    scene.passport.number = "2"
    let elsewhere = try scene.fresh()
    elsewhere.object(scene.ada).passport = elsewhere.object(scene.passport)
    try elsewhere.save()
    let beside = scene.graph.context()
    beside.object(scene.ada).name = "Ada L."
    try beside.save()

    #expect(scene.ada.name == "Ada L." && scene.ada.passport == scene.passport)
    #expect(scene.passport.holder == scene.ada)
    let fresh = try scene.saved()
    #expect(try fresh.fetch(Person.self).map { $0.passport?.number } == ["2"])
  }

  @Test(
    "A duplicate without a holder clears the holder that the stored object got meanwhile",
    arguments: Kind.allCases)
  func overtakenDuplicate(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let late = scene.graph.context()
    late.mergePolicy = .overwrite
    #expect(late.object(scene.ada).passport == nil)
    scene.ada.passport = scene.passport
    try scene.context.save()
    try late.insert(Passport.self) { $0.number = "1" }
    try late.save()

    let fresh = try scene.fresh()
    #expect(try fresh.disagreements() == [])
    #expect(try fresh.fetch(Person.self).map(\.passport) == [nil])
    #expect(try fresh.count(for: FetchRequest("Passport")) == 1)
  }

  // MARK: Deleting

  @Test(
    "An object disconnected before a deletion stays, also if another context changes the deleted object",
    arguments: Kind.allCases, ["parent", "store", "refresh"])
  func ledAway(_ kind: Kind, _ way: String) throws {
    let scene = try Scene(kind)
    scene.ada.passport = scene.passport
    try scene.context.save()
    let mine = way == "parent" ? scene.child() : scene.graph.context()
    mine.mergePolicy = .overwrite
    let ada = mine.object(scene.ada)
    ada.passport = nil
    mine.delete(ada)
    try mine.processPendingChanges()
    scene.ada.age = 36
    if way == "parent" {
      try scene.context.processPendingChanges()
    } else {
      try scene.context.save()
    }
    if way == "refresh" { mine.refreshAllObjects() }
    try mine.save()
    if way == "parent" { try scene.context.save() }

    let fresh = try scene.fresh()
    #expect(try fresh.count(for: FetchRequest("Person")) == 0)
    #expect(try fresh.fetch(Passport.self).map(\.holder) == [nil])
  }

  @Test(
    "A grandchild's deletion of an owner keeps the object that the child has disconnected",
    arguments: Kind.allCases, [[], [0], [1], [0, 1]])
  func ledAwayByAnother(_ kind: Kind, _ handing: [Int]) throws {
    let scene = try Scene(kind)
    let child = scene.child()
    let grandchild = ManagedObjectContext(parent: child, concurrency: .confined)
    let other = try child.insert(Passport.self) { $0.number = "2" }
    try child.save()
    child.refreshAllObjects()
    grandchild.refreshAllObjects()
    grandchild.delete(grandchild.object(scene.ada))
    try grandchild.processPendingChanges()
    other.holder = child.object(scene.ada)
    scene.passport.holder = scene.ada
    try scene.context.processPendingChanges()
    child.refreshAllObjects()
    grandchild.refreshAllObjects()
    for (level, one) in [grandchild, child].enumerated() {
      if handing.contains(level) { try one.handOver() } else { try one.save() }
    }

    #expect(try scene.context.fetch(Passport.self).map(\.number) == ["1"])
    let fresh = try scene.saved()
    #expect(try fresh.fetch(Passport.self).map(\.holder) == [nil])
  }

  @Test(
    "A deletion includes an object that another context has connected to it again",
    arguments: Kind.allCases, ["parent", "store"])
  func ledBack(_ kind: Kind, _ way: String) throws {
    let scene = try Scene(kind)
    scene.ada.passport = scene.passport
    try scene.context.save()
    let elsewhere = try scene.fresh()
    let mine = way == "parent" ? scene.child() : scene.context
    let passport = mine.object(scene.passport)
    #expect(passport.holder != nil)
    elsewhere.object(scene.ada).passport = try elsewhere.insert(Passport.self) { $0.number = "2" }
    try elsewhere.save()
    // The save and the fetch advance Ada to her newest state. The passport keeps the state that it had before.
    scene.coast.name = "Shore"
    try scene.context.save()
    _ = try mine.fetch(Stop.self)
    mine.delete(passport)
    try mine.processPendingChanges()
    if way == "parent" { try mine.save() }
    elsewhere.object(scene.ada).passport = elsewhere.object(scene.passport)
    try elsewhere.save()
    scene.context.refreshAllObjects()

    #expect(scene.ada.passport == nil)
    let fresh = try scene.saved()
    #expect(try fresh.fetch(Passport.self).map(\.number) == ["2"])
  }

  @Test(
    "A reference to a deleted object follows its delete rule when its owner's changes are discarded",
    arguments: Kind.allCases)
  func discardedAfterDeletion(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let context = scene.context
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    let isle = try context.insert(Trip.self) { $0.name = "Isle" }
    scene.ada.passport = scene.passport
    isle.owner = scene.ada
    try context.save()
    bob.passport = scene.passport
    scene.coast.owner = bob
    context.delete(scene.ada)
    try context.processPendingChanges()
    #expect(isle.isDeleted && !scene.passport.isDeleted)
    let other = try scene.fresh()
    other.object(scene.coast).owner = other.object(scene.ada)
    try other.save()
    context.refreshAllObjects()
    for object in [scene.coast, isle, scene.passport] {
      context.refresh(object, mergeChanges: false)
    }

    #expect(try context.fetch(Trip.self) == [] && context.fetch(Passport.self) == [])
    #expect(bob.passport == nil)
    let fresh = try scene.saved()
    #expect(try fresh.fetch(Person.self).map(\.name) == ["Bob"])
    #expect(try fresh.count(for: FetchRequest("Trip")) == 0)
  }

  @Test(
    "An object with a deletion that is discarded leads to no object that was deleted with it",
    arguments: Kind.allCases, [false, true])
  func deletionDiscarded(_ kind: Kind, _ isRefreshed: Bool) throws {
    let scene = try Scene(kind)
    scene.ada.passport = scene.passport
    try scene.context.save()
    scene.context.delete(scene.ada)
    try scene.context.processPendingChanges()
    if isRefreshed { scene.context.refreshAllObjects() }
    scene.context.refresh(scene.ada, mergeChanges: false)

    #expect(!scene.ada.isDeleted && scene.ada.passport == nil && scene.passport.isDeleted)
    let fresh = try scene.saved()
    #expect(try fresh.fetch(Person.self).map(\.passport) == [nil])
  }

  @Test(
    "A deletion changes an object again after its changes are dropped", arguments: Kind.allCases)
  func changedAgain(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.ada.passport = scene.passport
    try scene.context.save()
    scene.context.delete(scene.passport)
    try scene.context.processPendingChanges()
    scene.context.refresh(scene.ada, mergeChanges: false)

    #expect(scene.ada.passport == nil)
    let fresh = try scene.saved()
    #expect(try fresh.fetch(Person.self).map(\.passport) == [nil])
  }

  @Test(
    "An object that leads to a deleted object again denies the deletion, once",
    arguments: Kind.allCases)
  func deniedAgain(_ kind: Kind) throws {
    let graph = try Graph(kind, model: FoundTests.guarded, classes: [])
    let context = graph.context()
    let post = try context.insert("Post")
    let sentries = try (0..<2).map { _ in try context.insert("Guard") }
    for sentry in sentries { sentry.setObjects([post], forKey: "post") }
    try context.save()
    for sentry in sentries { sentry.setObjects([], forKey: "post") }
    context.delete(post)
    try context.processPendingChanges()
    #expect(try context.validationFailures().isEmpty)
    for sentry in sentries { context.refresh(sentry, mergeChanges: false) }

    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.rule) == [.deletionDenied])
    for sentry in sentries { sentry.setObjects([], forKey: "post") }
    try context.save()
    #expect(try context.count(for: FetchRequest("Post")) == 0)
  }

  /// A model of posts that can't be deleted as long as they have guards, and of guards with unique numbers.
  private static let guarded: Model = try! Model(entities: [
    Entity(
      "Post",
      properties: [
        .relationship(
          Relationship("guards", to: "Guard", inverse: "post", count: .toMany, deleteRule: .deny))
      ]),
    Entity(
      "Guard",
      properties: [
        .attribute(Attribute("number", .int64)), .attribute(Attribute("text", .string)),
        .relationship(Relationship("post", to: "Post", inverse: "guards")),
      ], uniquenessConstraints: [["number"]]),
  ])

  @Test(
    "A denied deletion stays denied when a child saves a change of another object",
    arguments: Kind.allCases)
  func deniedStill(_ kind: Kind) throws {
    let graph = try Graph(kind, model: FoundTests.guarded, classes: [])
    let parent = graph.context()
    let (post, sentry) = (try parent.insert("Post"), try parent.insert("Guard"))
    try parent.save()
    sentry.setObjects([post], forKey: "post")
    try parent.processPendingChanges()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    child.object(sentry)["text"] = .string("awake")
    parent.delete(post)
    try child.save()

    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.failures.map(\.rule) == [.deletionDenied])
    parent.rollback()
    #expect(!post.isDeleted)
  }

  @Test(
    "A deletion that a child and its parent make belongs to the parent, and so does its denial",
    arguments: Kind.allCases)
  func deniedAbove(_ kind: Kind) throws {
    let graph = try Graph(kind, model: FoundTests.guarded, classes: [])
    let parent = graph.context()
    let (post, sentry) = (try parent.insert("Post"), try parent.insert("Guard"))
    sentry.setObjects([post], forKey: "post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    child.delete(child.object(post))
    parent.delete(post)
    try parent.processPendingChanges()
    child.refreshAllObjects()
    child.object(sentry)["text"] = .string("awake")
    try child.save()

    #expect(sentry["text"] == .string("awake"))
    let error = #expect(throws: ContextError.self) { try parent.save() }
    #expect(error?.failures.map(\.rule) == [.deletionDenied])
  }

  @Test(
    "A duplicate that denies a deletion no longer denies it after its merge",
    arguments: Kind.allCases)
  func deniedByDuplicate(_ kind: Kind) throws {
    let graph = try Graph(kind, model: FoundTests.guarded, classes: [])
    let context = graph.context()
    context.mergePolicy = .objectWins
    let (post, sentry) = (try context.insert("Post"), try context.insert("Guard"))
    sentry["number"] = .integer(7)
    try context.save()
    let again = try context.insert("Guard")
    again["number"] = .integer(7)
    again["text"] = .string("again")
    again.setObjects([post], forKey: "post")
    context.delete(post)
    try context.save()

    let fresh = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try fresh.count(for: FetchRequest("Post")) == 0)
    let found = try fresh.fetch(FetchRequest("Guard"))
    #expect(found.map { $0["text"] } == [.string("again")] && found[0]["post"] == .null)
  }
}
