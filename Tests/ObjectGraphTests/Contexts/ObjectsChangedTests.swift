import Foundation
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@testable import ObjectGraph

@Suite("Notifications of the objects that a context shows differently")
struct ObjectsChangedTests {
  /// The objects-changed notifications of one context, one line for each.
  final class Listener {
    private final class Notes: Sendable {
      let lines = Mutex<[String]>([])
      let changes = Mutex<[ContextChange]>([])
    }
    private let notes = Notes()
    private var token: (any NSObjectProtocol)?

    init(_ context: ManagedObjectContext, names: [ObjectID: String] = [:]) {
      token = NotificationCenter.default.addObserver(
        forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
      ) { [notes] notification in
        guard let change = notification.userInfo?[ContextChange.userInfoKey] as? ContextChange
        else { return }
        func text(_ word: String, _ ids: [ObjectID]) -> String? {
          let names = Set(ids).map { names[$0] ?? "new" }.sorted()
          return names.isEmpty ? nil : "\(word): \(names.joined(separator: " "))"
        }
        let parts = [
          text("inserted", change.inserted), text("updated", change.updated),
          text("deleted", change.deleted), text("refreshed", change.refreshed),
          text("invalidated", change.invalidated), change.invalidatesAll ? "all" : nil,
        ]
        notes.lines.withLock { $0.append(parts.compactMap(\.self).joined(separator: ", ")) }
        notes.changes.withLock { $0.append(change) }
      }
    }

    deinit { token.map { NotificationCenter.default.removeObserver($0) } }

    /// The notifications since the last call.
    func take() -> [String] {
      notes.lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  /// Two contexts above one store with Ada, Bo and Cy. Both contexts have read the three people.
  private struct Scene {
    let here: ManagedObjectContext
    let there: ManagedObjectContext
    let people: [Person]
    let theirs: [Person]
    let listener: Listener

    init(_ kind: Kind) throws {
      let graph = try Graph(kind)
      let (here, there) = (graph.context(), graph.context())
      let people = try ["Ada", "Bo", "Cy"].map { name in
        try here.insert(Person.self) { $0.name = name }
      }
      try here.save()
      let theirs = people.map { there.object($0) }
      for person in theirs { _ = person.name }
      listener = Listener(
        here,
        names: Dictionary(uniqueKeysWithValues: people.map { ($0.objectID, $0.name) }))
      (self.here, self.there, self.people, self.theirs) = (here, there, people, theirs)
    }

    /// Inserts Di, renames Ada and deletes Bo in the second context, and saves that context.
    func workElsewhere() throws -> ContextChange {
      try there.insert(Person.self) { $0.name = "Di" }
      theirs[0].name = "Ada Lovelace"
      there.delete(theirs[1])
      let layers = try there.workspace.saveReturningLayers()
      return ContextChange(
        kind: .saved, contextName: nil, layers: layers, linkTables: there.coordinator.linkTables)
    }
  }

  @Test("A merge on request notifies of the objects that it changes", arguments: Kind.allCases)
  func merge(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let change = try scene.workElsewhere()
    #expect(scene.listener.take() == [])
    try scene.here.mergeChanges(from: change)
    #expect(scene.listener.take() == ["inserted: new, deleted: Bo, refreshed: Ada"])
    #expect(scene.people[0].name == "Ada Lovelace" && scene.people[1].isDeleted)
    #expect(!scene.here.hasChanges)
  }

  @Test("An automatic merge notifies of the objects that it changes", arguments: Kind.allCases)
  func automaticMerge(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.here.automaticallyMergesChangesFromParent = true
    _ = try scene.workElsewhere()
    try scene.here.processPendingChanges()
    let notes = scene.listener.take()
    #expect(notes == ["inserted: new, deleted: Bo, refreshed: Ada"])
  }

  @Test("A merge notifies of changed objects despite unsaved changes", arguments: Kind.allCases)
  func mergeOfChanged(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.people[0].age = 36
    scene.people[1].age = 40
    scene.here.delete(scene.people[2])
    try scene.here.processPendingChanges()
    #expect(scene.listener.take() == ["updated: Ada Bo, deleted: Cy"])
    let change = try scene.workElsewhere()
    try scene.here.mergeChanges(from: change)
    let notes = scene.listener.take()
    // Ada's change is made again above the new row.
    #expect(notes.count == 1 && notes[0].contains("deleted: Bo"), "\(notes)")
    #expect(notes[0].contains("refreshed: Ada"), "\(notes)")
    #expect(scene.people[0].name == "Ada Lovelace" && scene.people[0].age == 36)
  }

  @Test(
    "A child's merge of its parent's save, and a parent's acceptance of a child's save, notify",
    arguments: Kind.allCases)
  func family(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let child = ManagedObjectContext(parent: scene.here, concurrency: .confined)
    child.automaticallyMergesChangesFromParent = true
    let ada = child.object(scene.people[0])
    _ = ada.name
    let names = Dictionary(uniqueKeysWithValues: scene.people.map { ($0.objectID, $0.name) })
    let listener = Listener(child, names: names)
    scene.people[0].name = "Ada Lovelace"
    try scene.here.insert(Person.self) { $0.name = "Di" }
    try scene.here.save()
    try child.processPendingChanges()
    #expect(listener.take() == ["inserted: new, refreshed: Ada"])
    _ = scene.listener.take()

    ada.name = "Ada King"
    child.delete(child.object(scene.people[1]))
    try child.save()
    #expect(scene.listener.take() == ["updated: Ada, deleted: Bo"])
  }

  @Test("A batch notifies of the objects that it changes", arguments: Kind.allCases)
  func batch(_ kind: Kind) throws {
    let scene = try Scene(kind)
    var update = BatchUpdateRequest("Person", where: try QueryPredicate("name == 'Ada'"))
    update.valuesToUpdate = ["age": try QueryExpression("age + 1")]
    try scene.here.execute(update)
    #expect(scene.listener.take() == ["refreshed: Ada"])
    try scene.here.execute(
      BatchDeleteRequest("Person", where: try QueryPredicate("name == 'Bo'")))
    #expect(scene.listener.take() == ["deleted: Bo"])
    try scene.here.execute(BatchInsertRequest("Person", objects: [["name": .string("Di")]]))
    #expect(scene.listener.take() == ["inserted: new"])
  }

  @Test("A refresh of one object, or of all, notifies of the objects", arguments: Kind.allCases)
  func refresh(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.here.refresh(scene.people[0], mergeChanges: false)
    #expect(scene.listener.take() == ["refreshed: Ada"])
    scene.here.refresh(scene.people[0], mergeChanges: true)
    #expect(scene.listener.take() == ["refreshed: Ada"])
    scene.here.refreshAllObjects()
    #expect(scene.listener.take() == ["refreshed: Ada Bo Cy"])
    _ = try scene.workElsewhere()
    // A context shows one moment, so the rest of the objects show the new values too.
    scene.here.refresh(scene.people[1], mergeChanges: true)
    #expect(scene.listener.take() == ["deleted: Bo, refreshed: Ada"])
    scene.here.refresh(try scene.here.insert(Person.self) { $0.name = "Ed" }, mergeChanges: true)
    #expect(scene.listener.take() == [])
  }

  @Test("A rollback notifies of its objects, with and without a parent", arguments: Kind.allCases)
  func rollback(_ kind: Kind) throws {
    let scene = try Scene(kind)
    try scene.here.insert(Person.self) { $0.name = "Di" }
    scene.people[0].name = "Ada Lovelace"
    scene.here.delete(scene.people[1])
    try scene.here.processPendingChanges()
    #expect(scene.listener.take() == ["inserted: new, updated: Ada, deleted: Bo"])
    scene.here.rollback()
    #expect(scene.listener.take() == ["inserted: Bo, deleted: new, refreshed: Ada"])
    scene.here.rollback()
    #expect(scene.listener.take() == [])
  }

  @Test("Undo and redo notify of the objects that they change", arguments: Kind.allCases)
  func undo(_ kind: Kind) throws {
    let scene = try Scene(kind)
    let undo = UndoStack()
    scene.here.undoStack = undo
    try scene.here.insert(Person.self) { $0.name = "Di" }
    scene.people[0].name = "Ada Lovelace"
    scene.here.delete(scene.people[1])
    try scene.here.processPendingChanges()
    #expect(scene.listener.take() == ["inserted: new, updated: Ada, deleted: Bo"])
    try undo.undo()
    #expect(scene.listener.take() == ["inserted: Bo, updated: Ada, deleted: new"])
    try undo.redo()
    #expect(scene.listener.take() == ["inserted: new, updated: Ada, deleted: Bo"])
  }

  @Test("A reset notifies once that all objects are invalid", arguments: Kind.allCases)
  func reset(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.people[0].name = "Ada Lovelace"
    scene.here.reset()
    #expect(scene.listener.take() == ["invalidated: Ada Bo Cy, all"])
    #expect(scene.people.allSatisfy { $0.managedObjectContext == nil && !$0.isDeleted })
  }

  @Test("A save notifies of objects that get the store's values", arguments: Kind.allCases)
  func policy(_ kind: Kind) throws {
    let scene = try Scene(kind)
    scene.people[0].name = "Ada King"
    scene.people[1].age = 40
    try scene.here.processPendingChanges()
    _ = scene.listener.take()
    _ = try scene.workElsewhere()
    scene.here.mergePolicy = .rollback
    try scene.here.save()
    #expect(scene.listener.take().joined(separator: ", ") == "deleted: Bo, refreshed: Ada")
    #expect(scene.people[0].name == "Ada Lovelace" && scene.people[1].isDeleted)
  }

  @Test("A pinned context merges no save and posts nothing", arguments: [Kind.memory, .binary])
  func pinned(_ kind: Kind) throws {
    let scene = try Scene(kind)
    try scene.here.setQueryGeneration(QueryGeneration(scene.here.coordinator))
    _ = scene.listener.take()
    try scene.here.mergeChanges(from: try scene.workElsewhere())
    #expect(scene.listener.take() == [])
    try scene.here.setQueryGeneration(nil)
    #expect(scene.listener.take() == ["deleted: Bo, refreshed: Ada Cy"])
    #expect(scene.people[0].name == "Ada Lovelace")
  }

  @Test("The stream of changes has the same content as the notifications")
  func stream() async throws {
    let graph = try Graph(.memory)
    let (here, there) = (
      ManagedObjectContext(graph.coordinator), ManagedObjectContext(graph.coordinator)
    )
    let ada = try await here.perform {
      let ada = try here.insert(Person.self) { $0.name = "Ada" }
      try here.save()
      return ada.objectID
    }
    here.automaticallyMergesChangesFromParent = true
    var changes = here.changes.makeAsyncIterator()
    let held = try await here.perform { UncheckedObject(try here.existingObject(with: ada)) }
    try await there.perform {
      (try there.existingObject(with: ada) as? Person)?.name = "Ada Lovelace"
      try there.save()
    }
    let change = await changes.next()
    #expect(change?.refreshed == [ada] && change?.layers.isEmpty == true)
    try await here.perform { #expect((held.object as? Person)?.name == "Ada Lovelace") }
  }

  private struct UncheckedObject: @unchecked Sendable {
    // Sendable: only turns of the object's context use the object.
    let object: ManagedObject
    init(_ object: ManagedObject) { self.object = object }
  }
}
