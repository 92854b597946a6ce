import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@testable import ObjectGraph

@Suite("Transient and computed properties")
struct TransientTests {
  @Test(
    "A transient value begins with its default, lasts as long as its object, and is never stored",
    arguments: Kind.allCases)
  func lifetime(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self) { $0.title = "Lamp" }
    #expect(good.nickname == "none" && good.visits == 0)
    #expect(good.value(forKey: "nickname") as? String == "none")
    good.nickname = "Lampy"
    good["visits"] = .integer(7)
    #expect(good.changedValues().keys.sorted() == ["address.place.latitude", "title"])
    try context.save()
    #expect(good.nickname == "Lampy" && good.visits == 7 && !good.hasChanges)

    good.nickname = "Other"
    #expect(!context.hasChanges && !good.hasPersistentChangedValues)
    let other = try graph.again()
    let found = try #require(try other.fetch(Good.self).first)
    #expect(
      found.nickname == "none" && found.visits == 0 && found.label == "Lamp, nowhere")
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    young.nickname = "Young"
    #expect(good.nickname == "Other")
  }

  @Test("Transient values are discarded with all changes, and undone", arguments: Kind.allCases)
  func goingBack(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    context.undoStack = UndoStack()
    let good = try context.insert(Good.self)
    try context.save()
    context.undoStack?.removeAll()

    good.nickname = "A"
    try context.processPendingChanges()
    good.nickname = "B"
    try context.processPendingChanges()
    try context.undoStack?.undo()
    #expect(good.nickname == "A")
    try context.undoStack?.undo()
    #expect(good.nickname == "none")
    try context.undoStack?.redo()
    #expect(good.nickname == "A")
    good.title = "Changed"
    context.rollback()
    #expect(good.nickname == "none" && good.title == "?")
    good.nickname = nil
    #expect(good.nickname == nil)
    context.refresh(good, mergeChanges: false)
    #expect(good.nickname == "none")
  }

  @Test(
    "Transient values set by the program last, and return when undo restores their object",
    arguments: Kind.allCases)
  func letGo(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let kept = try context.insert(Good.self)
    for _ in 0..<100 { try context.insert(Good.self) }
    try context.save()
    kept.nickname = "Kept"
    let other = try context.fetch(Good.self, where: QueryPredicate("SELF != %@", kept))[0].objectID
    (context.object(with: other) as? Good)?.nickname = "Other"
    context.workspace.sweep()
    #expect((context.object(with: other) as? Good)?.nickname == "Other")
    #expect(context.workspace.transients.count == 2 && kept.nickname == "Kept")
    context.delete(context.object(with: other))
    try context.save()
    #expect(context.workspace.transients.count == 1)

    let undo = UndoStack()
    context.undoStack = undo
    let id = kept.objectID
    context.delete(kept)
    try context.save()
    #expect(context.workspace.transients.count == 0)
    try undo.undo()
    let back = try #require(try context.existingObject(with: id) as? Good)
    #expect(back.nickname == "Kept")
    try context.save()
    try undo.redo()
    try context.save()
    #expect(context.workspace.transients.count == 0)
    try undo.undo()
    #expect((try context.existingObject(with: id) as? Good)?.nickname == "Kept")
  }

  @Test(
    "A child that has saved a transient value does not overwrite its parent's later value",
    arguments: Kind.allCases, [false, true])
  func setOnce(_ kind: Kind, _ isHandedOver: Bool) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self)
    try context.save()
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    child.undoStack = UndoStack()
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    func save() throws {
      if isHandedOver { try child.handOver() } else { try child.save() }
    }
    young.nickname = "Young"
    young["visits"] = .integer(3)
    young.title = "Lamp"
    try save()
    good.nickname = "Old"
    young.title = "Lantern"
    try save()
    #expect(good.nickname == "Old" && good.visits == 3 && good.title == "Lantern")

    // An undo of the value is pushed like any change.
    try child.undoStack?.undo()
    try child.undoStack?.undo()
    try save()
    #expect(good.nickname == "none" && good.visits == 0 && good.title == "?")
  }

  @Test("A query of a transient property throws an error that says so", arguments: Kind.allCases)
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

  @Test("An object's class may validate its transient values", arguments: Kind.allCases)
  func validated(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self) { $0.nickname = "forbidden" }
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.failures.map(\.key) == ["nickname"])
    #expect(error?.failures.first?.cause as? Unwanted == Unwanted(what: "nickname"))
    good.nickname = "allowed"
    try context.save()
  }

  @Test(
    "A child's value leaves the parent's further values unchanged, and is undone",
    arguments: Kind.allCases)
  func besideOthers(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self)
    try context.save()
    let undo = UndoStack()
    context.undoStack = undo
    good["visits"] = .integer(7)
    try context.processPendingChanges()
    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    for (name, isHandedOver) in [("Young", false), ("Younger", true)] {
      young.nickname = name
      young.title = name
      if isHandedOver { try child.handOver() } else { try child.save() }
      #expect(good.nickname == name && good.visits == 7 && good.title == name)
    }

    try undo.undo()
    #expect(good.nickname == "Young" && good.title == "Young")
    try undo.undo()
    #expect(good.nickname == "none" && good.visits == 7 && good.title == "?")
    try undo.redo()
    #expect(good.nickname == "Young" && good.visits == 7)
    #expect(undo.undoCount == 2)
  }
}
