import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Testing

@Suite("Undo")
struct UndoTests {
  private static func context(_ kind: Kind) throws -> (
    Graph, ManagedObjectContext, UndoStack
  ) {
    let graph = try Graph(kind)
    let context = graph.context()
    let undo = UndoStack()
    context.undoStack = undo
    return (graph, context, undo)
  }

  @Test("Undo takes back a turn as one group, and redo repeats it", arguments: Kind.allCases)
  func turns(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    #expect(try !undo.canUndo && !undo.canRedo && !undo.undo() && !undo.redo())
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.processPendingChanges()
    ada.name = "Eve"
    ada.age = 3
    #expect(undo.canUndo && undo.undoCount == 1)

    #expect(try undo.undo())
    #expect(ada.name == "Ada" && ada.age == 0 && undo.canRedo)
    try undo.redo()
    #expect(ada.name == "Eve" && ada.age == 3 && !undo.canRedo)
    try undo.undo()
    try undo.undo()
    #expect(ada.isDeleted && !undo.canUndo && undo.redoCount == 2)
    #expect(!context.hasChanges && context.insertedObjects.isEmpty)
    #expect(try context.fetch(Person.self).isEmpty)
    try undo.redo()
    #expect(ada.isInserted && !ada.isDeleted && ada.name == "Ada")
    #expect(try context.fetch(Person.self) == [ada])
    ada.age = 4
    #expect(!undo.canRedo)
    try undo.redo()
    #expect(ada.age == 4)
    try context.save()
    #expect(undo.redoCount == 0)
  }

  @Test(
    "Undo of a deletion restores everything deleted with the object, before and after a save",
    arguments: Kind.allCases)
  func deletions(_ kind: Kind) throws {
    let (graph, context, undo) = try Self.context(kind)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    let bob = try context.insert(Person.self) { $0.name = "Bob" }
    let passport = try context.insert(Passport.self) {
      $0.number = "1"
      $0.holder = ada
    }
    let trip = try context.insert(Trip.self) {
      $0.name = "Porto"
      $0.owner = ada
    }
    let stops = try ["A", "B", "C"].map { place in
      try context.insert(Stop.self) { $0.place = place }
    }
    trip.stops = RelatedObjects([stops[2], stops[0], stops[1]])
    trip.members = [ada, bob]
    ada.friends = [bob]
    try context.save()
    let before = try ContextDump(context)

    context.delete(ada)
    try context.processPendingChanges()
    #expect(passport.isDeleted && trip.isDeleted && bob.friends.isEmpty)
    try undo.undo()
    #expect(try ContextDump(context) == before)
    #expect(!context.hasChanges && !ada.isDeleted && !trip.isDeleted && ada.passport === passport)
    #expect(trip.stops.map(\.place) == ["C", "A", "B"] && Array(ada.friends) == [bob])

    try undo.redo()
    #expect(ada.isDeleted && bob.friends.isEmpty)
    try context.save()
    try undo.undo()
    #expect(try ContextDump(context) == before && context.hasChanges)
    try context.save()
    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    #expect(try ContextDump(other) == before)
    let found = try #require(try other.fetch(Trip.self).first)
    #expect(found.stops.map(\.place) == ["C", "A", "B"] && found.members.count == 2)
  }

  @Test(
    "Groups have names, are nested, and are undone one within another", arguments: Kind.allCases)
  func groups(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try undo.group("Change") {
      ada.age = 1
      try context.processPendingChanges()
      try undo.group("Rename") { ada.name = "Eve" }
      try context.save()
      ada.age = 2
    }
    #expect(undo.undoCount == 2 && undo.undoActionName == "Change" && undo.groupingLevel == 0)
    try undo.undo()
    #expect(ada.name == "Ada" && ada.age == 0 && undo.redoActionName == "Change")
    try undo.redo()
    #expect(ada.name == "Eve" && ada.age == 2)
    undo.setActionName("All")
    #expect(undo.undoActionName == "All")

    try undo.beginGroup()
    ada.age = 3
    try undo.group { ada.name = "Zoe" }
    #expect(try undo.undoNestedGroup())
    #expect(ada.name == "Eve" && ada.age == 3)
    try undo.endGroup()
    try undo.undo()
    #expect(ada.age == 2 && ada.name == "Eve")

    #expect(throws: CancellationError.self) {
      try undo.group {
        ada.age = 9
        throw CancellationError()
      }
    }
    try undo.undo()
    #expect(ada.age == 2)
  }

  @Test(
    "A stack keeps a limited number of groups, none while disabled, and none after a rollback",
    arguments: Kind.allCases)
  func bounds(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    undo.levels = 3
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    for age in 1...5 {
      ada.age = Int32(age)
      try context.processPendingChanges()
    }
    #expect(undo.undoCount == 3)
    while try undo.undo() {}
    #expect(ada.age == 2 && context.hasChanges)
    undo.levels = 1
    try undo.redo()
    #expect(ada.age == 3)

    try undo.withoutUndo { ada.age = 7 }
    try undo.undo()
    #expect(ada.age == 2)
    #expect(undo.isEnabled)

    ada.age = 8
    undo.removeAll()
    #expect(!undo.canUndo || undo.undoCount == 0)
    try context.processPendingChanges()
    undo.removeAll()
    #expect(try !undo.undo() && ada.age == 8)
    ada.age = 9
    context.rollback()
    #expect(try !undo.undo() && ada.age == 0)
    ada.age = 1
    try undo.undo()
    #expect(!context.hasChanges && ada.age == 0)
  }

  @Test("Undo and redo call registered actions in order with the changes", arguments: [Kind.memory])
  func actions(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    final class Selection {
      var value = 0
      func set(_ new: Int, _ undo: UndoStack) {
        let old = value
        undo.registerUndo { [unowned undo] in self.set(old, undo) }
        value = new
      }
    }
    let selection = Selection()
    selection.set(1, undo)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.processPendingChanges()
    selection.set(2, undo)

    try undo.undo()
    #expect(selection.value == 1 && !ada.isDeleted)
    try undo.undo()
    #expect(selection.value == 0 && ada.isDeleted)
    try undo.redo()
    #expect(selection.value == 1 && !ada.isDeleted)
    try undo.redo()
    #expect(selection.value == 2)
  }

  @Test(
    "Derived values follow undone changes, and a save adds no undo group of its own",
    arguments: Kind.allCases)
  func derived(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    let trip = try context.insert(Trip.self) {
      $0.name = "Porto"
      $0.owner = ada
    }
    try context.save()
    #expect(ada.tripCount == 1 && undo.undoCount == 2)
    try undo.undo()
    try context.save()
    #expect(ada.tripCount == 0 && trip.managedObjectContext == nil && undo.redoCount == 1)
    try undo.redo()
    try context.save()
    #expect(ada.tripCount == 1)
  }

  @Test("A child's save is one undo group of its parent", arguments: Kind.allCases)
  func nested(_ kind: Kind) throws {
    let (_, parent, undo) = try Self.context(kind)
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    try parent.processPendingChanges()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let childUndo = UndoStack()
    child.undoStack = childUndo
    let mine = try #require(try child.fetch(Person.self).first)
    mine.name = "Eve"
    let trip = try child.insert(Trip.self) {
      $0.name = "Porto"
      $0.owner = mine
    }
    ada.age = 5
    try child.save()
    #expect(ada.name == "Eve" && ada.trips.count == 1 && ada.age == 5)

    try undo.undo()
    #expect(ada.name == "Ada" && ada.trips.isEmpty && ada.age == 5)
    try undo.redo()
    #expect(ada.name == "Eve" && ada.trips.count == 1)
    try childUndo.undo()
    #expect(mine.name == "Ada" && trip.isDeleted)
    try child.save()
    #expect(ada.name == "Ada" && ada.trips.isEmpty)
  }

  @Test("A context that undoes its own changes keeps the merged saves", arguments: Kind.allCases)
  func merged(_ kind: Kind) throws {
    let (graph, context, undo) = try Self.context(kind)
    let other = graph.context()
    context.automaticallyMergesChangesFromParent = true
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    ada.name = "Mine"
    try context.processPendingChanges()
    let there = try #require(try other.existingObject(with: ada.objectID) as? Person)
    there.age = 44
    try other.save()
    #expect(ada.age == 44 && ada.name == "Mine" && undo.undoCount == 2)

    try undo.undo()
    #expect(ada.age == 44 && ada.name == "Ada" && !context.hasChanges)
    try undo.redo()
    #expect(ada.age == 44 && ada.name == "Mine")
    try context.save()
  }

  @Test(
    "An undone deletion is not a change, so merged values show and are not overwritten",
    arguments: Kind.allCases, [true, false])
  func undoneDeletionAndOthers(_ kind: Kind, _ isMerging: Bool) throws {
    let (graph, context, undo) = try Self.context(kind)
    context.automaticallyMergesChangesFromParent = isMerging
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    try context.insert(Person.self) { $0.name = "Bob" }
    try context.processPendingChanges()
    context.delete(ada)
    try context.processPendingChanges()
    for round in 0..<2 {
      try undo.undo()
      #expect(!ada.isDeleted && ada.changedValues().isEmpty && ada.name == "Ada")
      #expect(ada.committedValues(forKeys: ["name"]) == ["name": .string("Ada")])
      if round == 0 {
        try undo.redo()
        #expect(ada.isDeleted)
      }
    }
    let other = graph.context()
    other.object(ada).age = 44
    try other.save()
    if isMerging { #expect(ada.age == 44) }

    try context.save()
    #expect(!context.hasChanges)
    let found = try graph.again()
    #expect(try found.fetch(Person.self, sortedBy: [SortKey("name")]).map(\.age) == [44, 0])
  }

  @Test(
    "Undo of a deletion restores the earlier changes of the object, and no further changes",
    arguments: Kind.allCases)
  func undoneDeletionOfChanged(_ kind: Kind) throws {
    let (graph, context, undo) = try Self.context(kind)
    let ada = try context.insert(Person.self) { $0.name = "Ada" }
    try context.save()
    ada.name = "Eve"
    try context.processPendingChanges()
    context.delete(ada)
    try context.processPendingChanges()
    try undo.undo()
    #expect(ada.changedValues() == ["name": .string("Eve")] && ada.isUpdated)
    let other = graph.context()
    other.object(ada).age = 44
    try other.save()

    context.mergePolicy = .objectWins
    try context.save()
    let found = try #require(try graph.again().fetch(Person.self).first)
    #expect(found.name == "Eve" && found.age == 44 && ada.age == 44)
    try undo.undo()
    #expect(ada.name == "Ada" && ada.age == 44)
    context.delete(ada)
    try undo.undo()
    ada.age = 45
    context.rollback()
    #expect(ada.name == "Eve" && ada.age == 44)
  }

  @Test(
    "A child that undoes a deletion keeps the changes that its parent has made meanwhile",
    arguments: Kind.allCases)
  func undoneDeletionInChild(_ kind: Kind) throws {
    let (_, parent, parentUndo) = try Self.context(kind)
    let ada = try parent.insert(Person.self) { $0.name = "Ada" }
    try parent.save()
    let child = ManagedObjectContext(parent: parent, concurrency: .confined)
    let undo = UndoStack()
    child.undoStack = undo
    let mine = child.object(ada)
    try child.insert(Person.self) { $0.name = "Bob" }
    try child.processPendingChanges()
    child.delete(mine)
    try child.processPendingChanges()
    try undo.undo()
    ada.age = 44
    try child.save()
    #expect(ada.age == 44 && mine.age == 44)

    // Here the deletion itself reaches the parent before the child undoes it.
    mine.name = "Eve"
    try child.save()
    child.delete(mine)
    try child.save()
    #expect(ada.isDeleted)
    try undo.undo()
    try child.save()
    #expect(!ada.isDeleted && ada.name == "Eve" && ada.age == 44)
    #expect(ada.changedValues().keys.sorted() == ["age", "name", "plainName"])
    try parentUndo.undo()
    #expect(ada.isDeleted)
  }

  @Test("After undo a new member still gets the last place", arguments: Kind.allCases)
  func orderedEnds(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    let trip = try context.insert(Trip.self) { $0.name = "T" }
    let stops = try ["A", "B", "C"].map { place in
      try context.insert(Stop.self) { $0.place = place }
    }
    trip.stops = RelatedObjects(stops)
    try context.save()
    trip.stops = [stops[1]]
    try undo.undo()
    try context.insert(Stop.self) {
      $0.place = "D"
      $0.trip = trip
    }
    #expect(trip.stops.map(\.place) == ["A", "B", "C", "D"])
  }

  @Test("Undo and redo restore many changed objects at once", arguments: Kind.allCases)
  func many(_ kind: Kind) throws {
    let (_, context, undo) = try Self.context(kind)
    for number in 0..<1200 {
      try context.insert(Person.self) {
        $0.name = "P\(number)"
        $0.age = Int32(number % 90)
      }
    }
    try context.save()
    let people = try context.fetch(Person.self)
    var dumps = [try ContextDump(context)]
    for person in people.prefix(700) { person.age += 1 }
    try context.processPendingChanges()
    dumps.append(try ContextDump(context))
    for person in people.dropFirst(300).prefix(600) { context.delete(person) }
    try context.save()
    dumps.append(try ContextDump(context))

    for _ in 0..<2 {
      try undo.undo()
      #expect(try ContextDump(context) == dumps[1])
      try undo.undo()
      #expect(try ContextDump(context) == dumps[0])
      try undo.redo()
      #expect(try ContextDump(context) == dumps[1])
      try undo.redo()
      #expect(try ContextDump(context) == dumps[2])
    }
    try context.save()
    #expect(try context.count(for: FetchRequest("Person")) == 600)
  }

  @Test("Undoing and redoing all groups leads through the same states", arguments: Kind.allCases)
  func random(_ kind: Kind) throws {
    for seed in UndoWork.seeds(kind) { try Self.walk(kind, seed) }
  }

  private static func walk(_ kind: Kind, _ seed: UInt64) throws {
    let (graph, context, undo) = try Self.context(kind)
    var work = UndoWork(seed: seed)
    var dumps = [try ContextDump(context)]
    func check(_ place: Int, _ what: String) throws {
      let dump = try ContextDump(context)
      #expect(
        dump == dumps[place],
        "seed \(seed), \(what) to \(place):\n\(dump.difference(from: dumps[place]))")
    }
    for _ in 0..<25 {
      // A turn may change nothing. Only a turn that changes something is an undo group.
      let before = undo.undoCount
      try work.turn(in: context)
      try context.processPendingChanges()
      let dump = try ContextDump(context)
      if undo.undoCount == before {
        #expect(dump == dumps.last, "seed \(seed)")
      } else {
        dumps.append(dump)
      }
      if Int.random(in: 0..<6, using: &work.random) == 0 { try context.save() }
      try check(dumps.count - 1, "saving")
    }
    #expect(undo.undoCount == dumps.count - 1, "seed \(seed)")
    for place in dumps.indices.dropLast().reversed() {
      try undo.undo()
      try check(place, "undoing")
    }
    for place in dumps.indices.dropFirst() {
      try undo.redo()
      try check(place, "redoing")
    }
    // The walk also goes back and forth between the states, with saves in between.
    var place = dumps.count - 1
    for _ in 0..<30 {
      if Bool.random(using: &work.random) {
        if try undo.undo() { place -= 1 }
      } else if try undo.redo() {
        place += 1
      }
      try check(place, "walking")
      if Int.random(in: 0..<8, using: &work.random) == 0 { try context.save() }
    }
    try context.save()
    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    let stored = try ContextDump(other).lines.map { $0.replacing(#/nickname=\S+ /#, with: "") }
    let shown = dumps[place].lines.map { $0.replacing(#/nickname=\S+ /#, with: "") }
    #expect(stored == shown, "seed \(seed)")
  }
}
