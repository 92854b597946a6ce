import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

/// Objects that a context has marked: its save fails if another save has changed them.
@Suite("Marked objects")
struct MarkTests {
  /// Two contexts, each with the same two people.
  private struct Two {
    let graph: Graph
    let one: ManagedObjectContext
    let other: ManagedObjectContext
    /// Ada and Grace, as the first context has them, and as the other one does.
    let mine: [Person]
    let theirs: [Person]

    init(_ kind: Kind, isOtherProcess: Bool = false) throws {
      graph = try Graph(kind)
      let maker = graph.context()
      for name in ["Ada", "Grace"] { try maker.insert(Person.self) { $0.name = name } }
      try maker.save()
      one = graph.context()
      other =
        isOtherProcess
        ? ManagedObjectContext(try graph.reopened(), concurrency: .confined) : graph.context()
      let all = Person.all.sorted(by: \.name)
      (mine, theirs) = (try one.fetch(all), try other.fetch(all))
    }

    func ages() throws -> [Int32] {
      try graph.context().fetch(Person.all.sorted(by: \.name)).map(\.age)
    }
  }

  /// Expects that a save fails because of one marked object, and returns its conflict.
  @discardableResult
  private func expectConflict(
    _ context: ManagedObjectContext, about object: ManagedObject,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> MergeConflict {
    let error = try #require(throws: ContextError.self, sourceLocation: location) {
      try context.save()
    }
    #expect(error.code == .conflict && error.conflicts.count == 1, sourceLocation: location)
    let conflict = try #require(error.conflicts.first, sourceLocation: location)
    #expect(
      conflict.isMarked && conflict.object == object.objectID, sourceLocation: location)
    return conflict
  }

  @Test(
    "Two saves that read what the other changes: with marks one of them fails",
    arguments: Kind.allCases)
  func skew(_ kind: Kind) throws {
    for isMarked in [false, true] {
      let two = try Two(kind)
      if isMarked {
        two.one.detectConflicts(for: two.mine[0])
        two.other.detectConflicts(for: two.theirs[1])
      }
      two.mine[1].age = 1
      two.theirs[0].age = 1
      try two.other.save()
      if isMarked {
        try expectConflict(two.one, about: two.mine[0])
      } else {
        try two.one.save()
      }
      #expect(try two.ages() == (isMarked ? [1, 0] : [1, 1]))
    }
  }

  @Test(
    "A marked object that another process has changed or deleted fails the save under every policy",
    arguments: Kind.allCases, [false, true])
  func policies(_ kind: Kind, isDeletion: Bool) throws {
    for policy in [
      MergePolicy.error, .storeWins, .objectWins, .overwrite, .rollback,
      .custom { _ in .keepStored },
    ] {
      let two = try Two(kind, isOtherProcess: true)
      two.one.mergePolicy = policy
      two.one.detectConflicts(for: two.mine[0])
      two.mine[1].age = 7
      if isDeletion { two.other.delete(two.theirs[0]) } else { two.theirs[0].age = 40 }
      try two.other.save()
      for _ in 0..<2 {
        let conflict = try expectConflict(two.one, about: two.mine[0])
        #expect(conflict.base?["age"] == .integer(0) && conflict.mine != nil)
        #expect(conflict.isDeletedThere == isDeletion)
        #expect(isDeletion || conflict.theirs?["age"] == .integer(40))
        #expect(conflict.description.contains("was marked in this context"))
        #expect(two.mine[1].age == 7 && two.one.hasChanges)
      }
      two.one.rollback()
      two.mine[1].age = 8
      try two.one.save()
      #expect(try two.ages() == (isDeletion ? [8] : [40, 8]))
    }
  }

  @Test(
    "A mark counts also for an object that the context itself changes", arguments: Kind.allCases)
  func changedHere(_ kind: Kind) throws {
    let two = try Two(kind)
    two.one.mergePolicy = .objectWins
    two.one.detectConflicts(for: two.mine[0])
    two.mine[0].age = 7
    two.theirs[0].name = "Ada Lovelace"
    try two.other.save()
    try expectConflict(two.one, about: two.mine[0])
    two.one.mergePolicy = .error
    try expectConflict(two.one, about: two.mine[0])
  }

  @Test("A save without changes checks the marks, and removes them", arguments: Kind.allCases)
  func nothingElse(_ kind: Kind) throws {
    let two = try Two(kind)
    two.one.detectConflicts(for: two.mine[0])
    try two.one.save()
    two.theirs[0].age = 1
    try two.other.save()
    // The mark was for one save.
    try two.one.save()
    let again = try two.one.fetch(Person.where { $0.name == "Ada" })[0]
    two.one.detectConflicts(for: again)
    two.theirs[0].age = 2
    try two.other.save()
    try expectConflict(two.one, about: again)
  }

  @Test(
    "A mark is about the row that the object showed when it was marked first",
    arguments: Kind.allCases)
  func firstMark(_ kind: Kind) throws {
    let two = try Two(kind)
    two.one.detectConflicts(for: two.mine[0])
    two.theirs[0].age = 1
    try two.other.save()
    // The fetch advances the context.
    #expect(try two.one.fetch(Person.where { $0.age == 1 }) == [two.mine[0]])
    two.one.detectConflicts(for: two.mine[0])
    try expectConflict(two.one, about: two.mine[0])
    // A save that restores the old value is a save all the same.
    two.theirs[0].age = 0
    try two.other.save()
    try expectConflict(two.one, about: two.mine[0])
  }

  @Test(
    "A refresh bases the mark on the newest row, or removes it with the changes",
    arguments: Kind.allCases)
  func refreshed(_ kind: Kind) throws {
    for step in 0..<3 {
      let two = try Two(kind)
      two.one.detectConflicts(for: two.mine[0])
      two.theirs[0].age = 1
      try two.other.save()
      switch step {
      case 0: two.one.refresh(two.mine[0], mergeChanges: true)
      case 1: two.one.refreshAllObjects()
      default: two.one.refresh(two.mine[0], mergeChanges: false)
      }
      two.mine[1].age = 9
      if step < 2 {
        two.theirs[0].age = 2
        try two.other.save()
        try expectConflict(two.one, about: two.mine[0])
        two.one.refreshAllObjects()
      }
      try two.one.save()
      #expect(try two.ages()[1] == 9)
    }
  }

  @Test("A merge of another save does not hide it from a mark", arguments: Kind.allCases)
  func merged(_ kind: Kind) throws {
    let two = try Two(kind)
    two.one.automaticallyMergesChangesFromParent = true
    two.one.detectConflicts(for: two.mine[0])
    two.theirs[0].age = 1
    try two.other.save()
    try two.one.processPendingChanges()
    #expect(two.mine[0].age == 1)
    try expectConflict(two.one, about: two.mine[0])
  }

  @Test(
    "A save that comes between the comparison and the commit is found", arguments: Kind.allCases)
  func overtaken(_ kind: Kind) throws {
    let two = try Two(kind, isOtherProcess: true)
    two.one.detectConflicts(for: two.mine[0])
    two.mine[1].age = 9
    _ = try overtaking(
      two.one, times: 1,
      by: {
        two.theirs[0].age = 1
        try two.other.save()
      }, during: { try expectConflict(two.one, about: two.mine[0]) })
    #expect(try two.ages() == [1, 0])
  }

  @Test("A pinned context marks the rows of its moment", arguments: Kind.allCases)
  func pinned(_ kind: Kind) throws {
    let two = try Two(kind)
    let moment = try QueryGeneration(two.graph.coordinator)
    two.theirs[0].age = 1
    try two.other.save()
    try two.one.setQueryGeneration(moment)
    #expect(two.mine[0].age == 0)
    two.one.detectConflicts(for: two.mine[0])
    try expectConflict(two.one, about: two.mine[0])
    try two.one.setQueryGeneration(nil)
    #expect(two.mine[0].age == 1)
    try two.one.save()
  }

  // MARK: Children

  @Test(
    "A mark of a child is checked by the save of its parent", arguments: Kind.allCases,
    [false, true])
  func child(_ kind: Kind, hasChanges: Bool) throws {
    let two = try Two(kind)
    let child = ManagedObjectContext(parent: two.one, concurrency: .confined)
    child.detectConflicts(for: child.object(two.mine[0]))
    if hasChanges { child.object(two.mine[1]).age = 5 }
    try child.save()
    two.theirs[0].age = 1
    try two.other.save()
    try expectConflict(two.one, about: two.mine[0])
    two.one.refreshAllObjects()
    try two.one.save()
    #expect(try two.ages() == [1, hasChanges ? 5 : 0])
  }

  @Test(
    "A child fails to save if its parent shows another object than the marked one",
    arguments: Kind.allCases)
  func sibling(_ kind: Kind) throws {
    let two = try Two(kind)
    let child = ManagedObjectContext(parent: two.one, concurrency: .confined)
    let sibling = ManagedObjectContext(parent: two.one, concurrency: .confined)
    child.detectConflicts(for: child.object(two.mine[0]))
    child.object(two.mine[1]).age = 5
    sibling.object(two.mine[0]).age = 6
    try sibling.save()
    try expectConflict(child, about: two.mine[0])
    #expect(child.hasChanges && two.mine[1].age == 0)
    // A push that does not wait fails the save of the parent instead.
    try child.handOver()
    #expect(!child.hasChanges)
    try two.one.processPendingChanges()
    try expectConflict(two.one, about: two.mine[0])
    two.one.rollback()
    try two.one.save()
  }

  @Test(
    "The parent's own save of an object that a child has marked is not a conflict",
    arguments: Kind.allCases)
  func savedByParent(_ kind: Kind) throws {
    let two = try Two(kind)
    two.mine[0].age = 3
    let new = try two.one.insert(Person.self) { $0.name = "Mary" }
    try two.one.processPendingChanges()
    let child = ManagedObjectContext(parent: two.one, concurrency: .confined)
    for object in [two.mine[0], new] { child.detectConflicts(for: child.object(object)) }
    #expect(child.object(two.mine[0]).age == 3)
    try two.one.save()
    child.object(two.mine[1]).age = 5
    try child.save()
    try two.one.save()
    #expect(try two.ages() == [3, 5, 0])
    // The parent may also save the marked object after the child.
    two.mine[0].age = 4
    try two.one.processPendingChanges()
    let later = try child.existingObject(with: two.mine[0].objectID)
    child.refresh(later, mergeChanges: true)
    child.detectConflicts(for: later)
    try child.save()
    try two.one.save()
    #expect(try two.ages() == [4, 5, 0])
  }

  // MARK: Several stores

  @Test("A mark in one store counts for changes in another", arguments: Kind.allCases)
  func stores(_ kind: Kind) throws {
    let ground = Ground(kind)
    let coordinator = PersistentStoreCoordinator(
      model: MultiStoreTests.model, places: ground.places)
    let notes = try coordinator.addStore(
      at: ground.path("/notes"), type: kind.type, configuration: "notes")
    try coordinator.addStore(at: ground.path("/both"), type: kind.type, configuration: "both")
    let (one, other) = (
      ManagedObjectContext(coordinator, concurrency: .confined),
      ManagedObjectContext(coordinator, concurrency: .confined)
    )
    let note = try one.insert("Note", into: notes)
    let label = try one.insert("Label")
    #expect(note.objectID.store != label.objectID.store)
    try one.save()
    let (theirNote, theirLabel) = (other.object(note), other.object(label))

    // Each save reads in one store and writes into the other.
    one.detectConflicts(for: note)
    other.detectConflicts(for: theirLabel)
    label["text"] = .string("one")
    theirNote["text"] = .string("other")
    _ = try overtaking(
      one, times: 1, by: { try other.save() },
      during: { try expectConflict(one, about: note) })

    #expect(try one.conflict(of: note)?.theirs?["text"] == .string("other"))
    one.refreshAllObjects()
    try one.save()
    other.refreshAllObjects()
    #expect(theirLabel["text"] == .string("one"))
    // Without changes, marks of both stores are compared.
    one.detectConflicts(for: note)
    one.detectConflicts(for: label)
    try one.save()
    one.detectConflicts(for: note)
    one.detectConflicts(for: label)
    theirLabel["text"] = .string("again")
    try other.save()
    try expectConflict(one, about: label)
  }
}
