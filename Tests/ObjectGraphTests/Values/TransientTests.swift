import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

@Suite("Transient and computed properties")
struct TransientTests {
  @Test(
    "They begin with their default, last as long as the object, and are saved by nobody",
    arguments: Kind.allCases)
  func lifetime(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self) { $0[Good.title] = "Lamp" }
    #expect(good[Good.nickname] == "none" && good[Good.visits] == 0)
    #expect(good.value(forKey: "nickname") as? String == "none")
    good[Good.nickname] = "Lampy"
    good["visits"] = .integer(7)
    #expect(good.changedValues().keys.sorted() == ["address.place.latitude", "title"])
    try context.save()
    #expect(good[Good.nickname] == "Lampy" && good[Good.visits] == 7 && !good.hasChanges)

    good[Good.nickname] = "Other"
    #expect(!context.hasChanges && !good.hasPersistentChangedValues)
    let other = try graph.again()
    let found = try #require(try other.fetch(Good.self).first)
    #expect(
      found[Good.nickname] == "none" && found[Good.visits] == 0 && found.label == "Lamp, nowhere")
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    young[Good.nickname] = "Young"
    #expect(good[Good.nickname] == "Other")
  }

  @Test("They are given up with other changes, and undone", arguments: Kind.allCases)
  func goingBack(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    context.undoManager = UndoStack()
    let good = try context.insert(Good.self)
    try context.save()
    context.undoManager?.removeAll()

    good[Good.nickname] = "A"
    try context.processPendingChanges()
    good[Good.nickname] = "B"
    try context.processPendingChanges()
    try context.undoManager?.undo()
    #expect(good[Good.nickname] == "A")
    try context.undoManager?.undo()
    #expect(good[Good.nickname] == "none")
    try context.undoManager?.redo()
    #expect(good[Good.nickname] == "A")
    good[Good.title] = "Changed"
    context.rollback()
    #expect(good[Good.nickname] == "none" && good[Good.title] == "?")
    good[Good.nickname] = nil
    #expect(good[Good.nickname] == nil)
    context.refresh(good, mergeChanges: false)
    #expect(good[Good.nickname] == "none")
  }

  @Test(
    "They last as the program has set them, and come back with an object whose deletion is undone",
    arguments: Kind.allCases)
  func letGo(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let kept = try context.insert(Good.self)
    for _ in 0..<100 { try context.insert(Good.self) }
    try context.save()
    kept[Good.nickname] = "Kept"
    let other = try context.fetch(Good.self, where: QueryPredicate("SELF != %@", kept))[0].objectID
    (context.object(with: other) as? Good)?[Good.nickname] = "Other"
    context.workspace.sweep()
    #expect((context.object(with: other) as? Good)?[Good.nickname] == "Other")
    #expect(context.workspace.transientValues.count == 2 && kept[Good.nickname] == "Kept")
    context.delete(context.object(with: other))
    try context.save()
    #expect(context.workspace.transientValues.count == 1)

    let undo = UndoStack()
    context.undoManager = undo
    let id = kept.objectID
    context.delete(kept)
    try context.save()
    #expect(context.workspace.transientValues.isEmpty)
    try undo.undo()
    let back = try #require(try context.existingObject(with: id) as? Good)
    #expect(back[Good.nickname] == "Kept")
    try context.save()
    try undo.redo()
    try context.save()
    #expect(context.workspace.transientValues.isEmpty)
    try undo.undo()
    #expect((try context.existingObject(with: id) as? Good)?[Good.nickname] == "Kept")
  }

  @Test(
    "A child that has saved a value does not set it again over what its parent sets then",
    arguments: Kind.allCases, [false, true])
  func setOnce(_ kind: Kind, _ isHandedOver: Bool) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self)
    try context.save()
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    child.undoManager = UndoStack()
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    func save() throws {
      if isHandedOver { try child.handOver() } else { try child.save() }
    }
    young[Good.nickname] = "Young"
    young["visits"] = .integer(3)
    young[Good.title] = "Lamp"
    try save()
    good[Good.nickname] = "Old"
    young[Good.title] = "Lantern"
    try save()
    #expect(good[Good.nickname] == "Old" && good[Good.visits] == 3 && good[Good.title] == "Lantern")

    // Taken back, a value is set like any other.
    try child.undoManager?.undo()
    try child.undoManager?.undo()
    try save()
    #expect(good[Good.nickname] == "none" && good[Good.visits] == 0 && good[Good.title] == "?")
  }

  @Test("Queries say that they are nowhere to be found", arguments: Kind.allCases)
  func queries(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    for text in ["nickname == 'none'", "visits > 0"] {
      let error = #expect(throws: QueryError.self) {
        try context.fetch(Good.self, where: QueryPredicate(text))
      }
      #expect(error?.message.contains("transient") ?? false)
    }
    #expect(throws: QueryError.self) {
      try context.fetch(Good.self, sortedBy: [SortKey("nickname")])
    }
  }

  @Test("An object's class may check them", arguments: Kind.allCases)
  func validated(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self) { $0[Good.nickname] = "forbidden" }
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.key) == ["nickname"])
    #expect(error?.failures.first?.cause as? Unwanted == Unwanted(what: "nickname"))
    good[Good.nickname] = "allowed"
    try context.save()
  }

  @Test(
    "A child's values leave the parent's others alone, and are undone", arguments: Kind.allCases)
  func besideOthers(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self)
    try context.save()
    let undo = UndoStack()
    context.undoManager = undo
    good["visits"] = .integer(7)
    try context.processPendingChanges()
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    for (name, isHandedOver) in [("Young", false), ("Younger", true)] {
      young[Good.nickname] = name
      young[Good.title] = name
      if isHandedOver { try child.handOver() } else { try child.save() }
      #expect(good[Good.nickname] == name && good[Good.visits] == 7 && good[Good.title] == name)
    }

    try undo.undo()
    #expect(good[Good.nickname] == "Young" && good[Good.title] == "Young")
    try undo.undo()
    #expect(good[Good.nickname] == "none" && good[Good.visits] == 7 && good[Good.title] == "?")
    try undo.redo()
    #expect(good[Good.nickname] == "Young" && good[Good.visits] == 7)
    #expect(undo.undoCount == 2)
  }
}
