import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Life-cycle hooks of objects")
struct HookTests {
  static let model: Model = try! Model(entities: [
    Entity(
      "Diarist",
      properties: [
        .attribute(Attribute("book", .string)), .attribute(Attribute("text", .string)),
        .attribute(Attribute("count", .int32, isOptional: false, defaultValue: .integer(0))),
        .relationship(Relationship("parent", to: "Diarist", inverse: "children")),
        .relationship(
          Relationship(
            "children", to: "Diarist", inverse: "parent", count: .toMany, deleteRule: .cascade)),
      ])
  ])

  /// A context with objects that write their events into a diary of the context.
  private struct Scene {
    let graph: Graph
    let context: ManagedObjectContext
    let name: String

    init(_ kind: Kind, _ test: String = #function) throws {
      graph = try Graph(kind, model: HookTests.model, classes: [Diarist.self])
      name = "\(test) \(kind)"
      context = graph.context()
      context.name = name
    }

    func insert(_ parent: Diarist? = nil) throws -> Diarist {
      try context.insert(Diarist.self) { $0.parent = parent }
    }

    /// The events since the last read of this property.
    var events: [String] { Diary.shared.take(name) }

    func react(_ object: Diarist, _ reaction: @escaping (String, Diarist) -> Void) {
      Diarist.lock.withLock { Diarist.reactions[object.objectID] = reaction }
    }

    /// Removes the reactions of the scene's objects.
    func forgetReactions() {
      let stores = graph.coordinator.stores.map(\.tag)
      let gone = Diarist.lock.withLock {
        let gone = Diarist.reactions.filter { stores.contains($0.key.store) }
        for id in gone.keys { Diarist.reactions[id] = nil }
        return gone
      }
      // The reactions are released outside of the lock, because objects that are released with them may write events.
      withExtendedLifetime(gone) {}
    }
  }

  @Test(
    "A change that an object makes in its hook for undo is redone after that undo",
    arguments: Kind.allCases, [false, true])
  func changedByUndo(_ kind: Kind, fetching: Bool) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let one = try scene.insert()
    one.text = "first"
    try scene.context.save()
    let undo = UndoStack()
    scene.context.undoStack = undo
    one.text = "second"
    try scene.context.processPendingChanges()
    scene.react(one) { event, object in
      guard event == "undoUpdate" else { return }
      object.text = "told"
      if fetching { _ = try? scene.context.fetch(Diarist.self) }
    }
    try undo.undo()
    #expect(one.text == "told")
    scene.forgetReactions()
    try undo.redo()
    #expect(one.text == "second")
    try undo.undo()
    #expect(one.text == "told" && undo.undoCount == 0)
  }

  @Test(
    "Inserting, changing, deleting and saving call each object's hooks once, in this order",
    arguments: Kind.allCases)
  func saving(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let one = try scene.insert()
    #expect(scene.events == ["insert"])
    try scene.context.save()
    #expect(scene.events == ["willSave", "validateForInsert", "didSave"])
    try scene.context.save()
    #expect(scene.events == [])
    one.text = "x"
    #expect(scene.events == [])
    try scene.context.save()
    #expect(scene.events == ["willSave", "validateForUpdate", "didSave"])
    scene.context.delete(one)
    scene.context.delete(one)
    #expect(scene.events == ["prepareForDeletion"])
    try scene.context.save()
    #expect(scene.events == ["willSave", "validateForDelete", "didSave"])

    let two = try scene.insert()
    scene.context.delete(two)
    #expect(scene.events == ["insert", "prepareForDeletion"])
    try scene.context.save()
    #expect(!scene.events.contains { $0.hasPrefix("validate") })
  }

  @Test(
    "awakeFromFetch runs when an object's values are first read, and again after it was a fault",
    arguments: Kind.allCases)
  func fetching(_ kind: Kind) throws {
    let scene = try Scene(kind)
    _ = try scene.insert()
    try scene.context.save()
    let other = try scene.graph.again()
    other.name = scene.name
    _ = scene.events

    let found = try #require(try other.fetch(Diarist.self).first)
    #expect(found.isFault && scene.events == [])
    _ = found.count
    _ = found.text
    #expect(scene.events == ["fetch"] && !found.isFault)
    other.refresh(found, mergeChanges: false)
    #expect(scene.events == ["willTurnIntoFault", "didTurnIntoFault"] && found.isFault)
    other.refresh(found, mergeChanges: false)
    #expect(scene.events == [])
    found.text = "changed"
    #expect(scene.events == ["fetch"])
    other.refreshAllObjects()
    #expect(scene.events == ["refresh"] && found.text == "changed")
    try other.save()
    _ = scene.events
    other.refreshAllObjects()
    #expect(scene.events == ["willTurnIntoFault", "didTurnIntoFault"] && found.isFault)
    #expect(found.text == "changed" && scene.events == ["fetch"])
    let same = other.object(with: found.objectID)
    #expect(same === found && scene.events == [])
    other.refresh(found, mergeChanges: false)
    _ = scene.events
    var request = FetchRequest("Diarist")
    request.returnsObjectsAsFaults = false
    #expect(try other.fetch(request) == [found])
    #expect(!found.isFault && scene.events == ["fetch"])
  }

  @Test("A merge policy that chooses among values notifies the object", arguments: Kind.allCases)
  func merging(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let mine = try scene.insert()
    try scene.context.save()
    let other = scene.graph.context()
    let theirs = other.object(mine)
    theirs.text = "theirs"
    theirs.count = 5
    try other.save()
    scene.context.mergePolicy = .objectWins
    mine.text = "mine"
    _ = scene.events
    try scene.context.save()
    #expect(scene.events.count { $0 == "mergePolicy" } == 1)
    #expect(mine.text == "mine" && mine.count == 5)
  }

  @Test("Rollback, undo and redo tell the object why it changed", arguments: Kind.allCases)
  func snapshots(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let context = scene.context
    let one = try scene.insert()
    try context.save()
    context.undoStack = UndoStack()
    _ = scene.events

    one.text = "x"
    context.rollback()
    #expect(scene.events == ["rollback"])
    one.text = "y"
    try context.processPendingChanges()
    try context.undoStack?.undo()
    #expect(scene.events == ["undoUpdate"] && one.text == nil)
    try context.undoStack?.redo()
    #expect(scene.events == ["undoUpdate"] && one.text == "y")
    context.delete(one)
    try context.processPendingChanges()
    _ = scene.events
    try context.undoStack?.undo()
    #expect(scene.events == ["undoDeletion"] && !one.isDeleted)
    let two = try scene.insert()
    try context.processPendingChanges()
    _ = scene.events
    try context.undoStack?.undo()
    #expect(scene.events == ["undoInsertion"] && two.isDeleted)
  }

  @Test(
    "The notification before a save comes before hooks and validation", arguments: Kind.allCases)
  func notification(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let name = try #require(scene.context.name)
    let token = NotificationCenter.default.addObserver(
      forName: .managedObjectContextWillSave, object: scene.context, queue: nil
    ) { _ in Diary.shared.write("notification", of: name) }
    defer { NotificationCenter.default.removeObserver(token) }
    let one = try scene.insert()
    _ = scene.events

    try scene.context.save()
    #expect(scene.events == ["notification", "willSave", "validateForInsert", "didSave"])
    one.count = 1
    try scene.context.save()
    #expect(scene.events == ["notification", "willSave", "validateForUpdate", "didSave"])
  }

  @Test(
    "willSave may change its object and other objects, and the save includes the changes",
    arguments: Kind.allCases)
  func changingInWillSave(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let context = scene.context
    let (one, two) = (try scene.insert(), try scene.insert())
    try context.save()
    let id = two.objectID
    scene.react(one) { what, object in
      guard what == "willSave", object.count < 3 else { return }
      object.count += 1
      guard let other = object.managedObjectContext?.object(with: id) as? Diarist else { return }
      other.text = "by one"
      if object.count == 2 {
        _ = try? object.managedObjectContext?.insert(Diarist.self) { $0.parent = other }
      }
    }
    _ = scene.events
    one.text = "go"
    try context.save()

    #expect(!context.hasChanges)
    let events = scene.events
    #expect(events.count { $0 == "didSave" } == 3 && events.count { $0 == "insert" } == 1)
    let found = try scene.graph.again()
    let names: [[Int32]] = try found.fetch(Diarist.self).map {
      [$0.count, $0.parent == nil ? 0 : 1]
    }
    #expect(
      names.sorted { $0[0] < $1[0] || $0[0] == $1[0] && $0[1] < $1[1] } == [
        [0, 0], [0, 1], [3, 0],
      ])
    #expect((try found.existingObject(with: id) as? Diarist)?.text == "by one")
  }

  @Test(
    "A willSave that always changes its object is an error, and nothing is saved",
    arguments: Kind.allCases)
  func endless(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let one = try scene.insert()
    scene.react(one) { what, object in
      if what == "willSave" { object.count += 1 }
    }
    let error = #expect(throws: ContextError.self) { try scene.context.save() }
    #expect(error?.code == .validation && error?.message.contains("willSave") ?? false)
    #expect(throws: ContextError.self) { try scene.context.validationFailures() }
    #expect(try scene.graph.again().count(for: FetchRequest("Diarist")) == 0)
    scene.react(one) { _, _ in }
    try scene.context.save()
  }

  @Test("Changes that didSave makes belong to the next save", arguments: Kind.allCases)
  func changingInDidSave(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let one = try scene.insert()
    scene.react(one) { what, object in
      if what == "didSave", object.text == nil { object.text = "after" }
    }
    try scene.context.save()
    #expect(scene.context.hasChanges && one.isUpdated && one.text == "after")
    #expect(
      try scene.graph.again().fetch(Diarist.self, where: QueryPredicate("text != nil")).isEmpty)
    try scene.context.save()
    #expect(!scene.context.hasChanges)
    #expect(
      try scene.graph.again().fetch(Diarist.self, where: QueryPredicate("text == 'after'")).count
        == 1)
  }

  @Test(
    "prepareForDeletion runs before a deletion or cascade, and may change or delete objects",
    arguments: Kind.allCases)
  func deleting(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let context = scene.context
    let root = try scene.insert()
    let child = try scene.insert(root)
    let grandchild = try scene.insert(child)
    let heir = try scene.insert()
    try context.save()
    let heirID = heir.objectID
    scene.react(root) { what, object in
      guard what == "prepareForDeletion" else { return }
      #expect(!object.isDeleted)
      object.managedObjectContext?.delete(object)
      (object.managedObjectContext?.object(with: heirID) as? Diarist)?.text = "inherited"
    }
    _ = scene.events
    context.delete(root)
    try context.processPendingChanges()

    #expect(scene.events == Array(repeating: "prepareForDeletion", count: 3))
    #expect(child.isDeleted && grandchild.isDeleted && heir.text == "inherited")
    try context.save()
    #expect(try scene.graph.again().fetch(Diarist.self).map { $0.text } == ["inherited"])
  }

  @Test(
    "An object that takes its child out of a cascade in prepareForDeletion keeps the child",
    arguments: Kind.allCases)
  func rescuing(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let root = try scene.insert()
    let child = try scene.insert(root)
    try scene.context.save()
    scene.react(root) { what, _ in if what == "prepareForDeletion" { child.parent = nil } }
    scene.context.delete(root)
    try scene.context.save()
    #expect(!child.isDeleted)
    #expect(try scene.graph.again().count(for: FetchRequest("Diarist")) == 1)
  }

  @Test("A child's save calls hooks of the child's objects only", arguments: Kind.allCases)
  func nested(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let one = try scene.insert()
    try scene.context.save()
    let child = ManagedObjectContext(parent: scene.context, concurrency: .confined)
    child.name = scene.name
    _ = scene.events
    let young = try #require(try child.existingObject(with: one.objectID) as? Diarist)
    young.text = "young"
    try child.save()
    let events = scene.events
    #expect(
      events.filter { $0.hasSuffix("in child") } == [
        "fetch in child", "willSave in child", "validateForUpdate in child", "didSave in child",
      ])
    #expect(!events.contains("willSave") && !events.contains("didSave"))
    #expect(one.text == "young")
    try scene.context.save()
    #expect(scene.events == ["willSave", "validateForUpdate", "didSave"])
  }

  @Test("A save that fails has called willSave, and never didSave", arguments: Kind.allCases)
  func failing(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let one = try scene.insert()
    one["count"] = .null
    _ = scene.events
    #expect(throws: ContextError.self) { try scene.context.save() }
    #expect(scene.events == ["willSave", "validateForInsert"])
    one.count = 1
    try scene.context.save()
    #expect(scene.events == ["willSave", "validateForInsert", "didSave"])
  }

  @Test("awakeFromFetch may change its object, read or written first", arguments: Kind.allCases)
  func changingInAwakeFromFetch(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let (one, two) = (try scene.insert(), try scene.insert())
    try scene.context.save()
    for object in [one, two] {
      scene.react(object) { what, object in if what == "fetch" { object.count += 1 } }
    }
    let other = try scene.graph.again()
    other.name = scene.name
    let found: [Diarist] = [one, two].map { other.object($0) }

    found[0].text = "x"
    found[1].parent = found[0]
    try other.save()

    #expect(found.map { $0.count } == [1, 1] && found[0].text == "x")
    #expect(found[1].parent == found[0])
    let names = try scene.graph.again().fetch(Diarist.self).map { $0.count }
    #expect(names == [1, 1])
  }

  @Test("awakeFromFetch may delete its object during a deletion, a change, a reference or a read")
  func deletingInAwakeFromFetch() throws {
    let scene = try Scene(.memory)
    defer { scene.forgetReactions() }
    let objects = try (0..<4).map { _ in try scene.insert() }
    try scene.context.save()
    for object in objects {
      scene.react(object) { what, object in
        if what == "fetch" { object.managedObjectContext?.delete(object) }
      }
    }
    let other = scene.graph.context()
    other.name = scene.name
    let found: [Diarist] = objects.map { other.object($0) }

    other.delete(found[0])
    found[1].text = "x"
    found[2].parent = found[3]
    _ = found[3].text
    try other.save()

    #expect(found.allSatisfy { $0.managedObjectContext == nil && !$0.isDeleted })
    #expect(try scene.graph.again().count(for: FetchRequest("Diarist")) == 0)
  }

  @Test("Changes that didSave makes in another object can be discarded", arguments: Kind.allCases)
  func changingAnotherInDidSave(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let objects = try (0..<3).map { _ in try scene.insert() }
    try scene.context.save()
    scene.react(objects[0]) { what, _ in
      guard what == "didSave", objects[1].text == nil else { return }
      objects[1].text = "after"
      scene.context.delete(objects[2])
    }
    for object in objects { object.count = 1 }

    try scene.context.save()

    #expect(objects[1].isUpdated && scene.context.updatedObjects == [objects[1]])
    #expect(scene.context.deletedObjects == [objects[2]])
    scene.context.rollback()
    #expect(objects[1].text == nil && !objects[2].isDeleted)
    #expect(objects[2].count == 1)
  }

  @Test("A change made in the hook for rollback or refresh is unsaved", arguments: Kind.allCases)
  func changingAnotherWhenLedBack(_ kind: Kind) throws {
    let scene = try Scene(kind)
    defer { scene.forgetReactions() }
    let context = scene.context
    let (one, two) = (try scene.insert(), try scene.insert())
    try context.save()
    for (event, lead) in [
      ("rollback", { context.rollback() }),
      ("willTurnIntoFault", { context.refreshAllObjects() }),
      ("willTurnIntoFault", { context.refresh(one, mergeChanges: false) }),
    ] {
      _ = (one.text, two.text)
      if event == "rollback" {
        one.count = 7
        two.count = 7
      }
      for (this, other) in [(one, two), (two, one)] {
        scene.react(this) { what, _ in
          if what == event, !context.hasChanges { other.text = event }
        }
      }
      lead()
      for object in [one, two] { scene.react(object) { _, _ in } }

      let changed = [one, two].filter { $0.text == event }
      #expect(changed.count == 1 && context.updatedObjects == Set(changed), "\(event)")
      context.rollback()
      #expect([one, two].allSatisfy { $0.text == nil && $0.count == 0 })
      #expect(!context.hasChanges)
    }
  }
}
