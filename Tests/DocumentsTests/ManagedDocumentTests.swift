import BinaryStore
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

@Suite("Managed documents")
@MainActor
struct ManagedDocumentTests {
  let disk = SimulatedDisk()

  private func world(_ mix: Mix = .binary) -> DocumentWorld { DocumentWorld(mix, on: disk) }

  private func options(
    _ mix: Mix = .binary, autosave: AutosaveTiming? = nil
  ) -> DocumentOptions {
    mix.options(autosave: autosave)
  }

  private func create(
    _ mix: Mix = .binary, autosave: AutosaveTiming? = nil,
    _ change: (inout DocumentOptions) -> Void = { _ in }
  ) async throws -> ManagedDocument {
    var options = options(mix, autosave: autosave)
    change(&options)
    let document = try await ManagedDocument.create(
      DocumentWorld.path, model: DocumentWorld.model, in: world(mix).places, options)
    document.mainContext.undoStack = UndoStack()
    return document
  }

  @discardableResult
  private func insert(_ name: String, _ entity: String = "Trip", in document: ManagedDocument)
    throws
    -> ManagedObject
  {
    let object = try document.mainContext.insert(entity)
    object["name"] = .string(name)
    try document.mainContext.processPendingChanges()
    return object
  }

  private func trips(_ document: ManagedDocument) throws -> [String] {
    try document.mainContext.fetch(FetchRequest("Trip")).compactMap {
      if case .string(let name) = $0["name"] { name } else { nil }
    }.sorted()
  }

  /// Waits until the condition holds, for at most 12,000 tries.
  private func until(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<12_000 where try await !condition() {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test(
    "A saved document has its objects, and can be changed further after opening",
    arguments: Mix.allCases)
  func saving(_ mix: Mix) async throws {
    let document = try await create(mix)
    let trip = try insert("Lisbon", in: document)
    try insert("Ada", "Person", in: document)
    #expect(document.hasUnsavedChanges)
    try await document.save()
    #expect(!document.hasUnsavedChanges)
    #expect(try world(mix).names() == [["Lisbon"], ["Ada"], []])
    trip["name"] = .string("Porto")
    try document.mainContext.processPendingChanges()
    #expect(document.hasUnsavedChanges)
    try await document.save()
    try await document.save()
    #expect(document.writeCount == 2, "A save without changes writes nothing.")
    #expect(try world(mix).names() == [["Porto"], ["Ada"], []])
    try await document.close()
    #expect(document.currentState.name == .closed)
    await #expect(throws: DocumentError.self) { try await document.save() }
  }

  @Test("An undone edit leaves no unsaved changes, and neither does a rollback")
  func undoneEdit() async throws {
    let document = try await create()
    let undo = try #require(document.mainContext.undoStack)
    let trip = try insert("Lisbon", in: document)
    #expect(document.hasUnsavedChanges)
    try undo.undo()
    #expect(!document.hasUnsavedChanges)
    try undo.redo()
    #expect(document.hasUnsavedChanges)
    try await document.save()
    #expect(!document.hasUnsavedChanges && document.writeCount == 1)

    trip["name"] = .string("Porto")
    try document.mainContext.processPendingChanges()
    #expect(document.hasUnsavedChanges)
    try undo.undo()
    #expect(!document.hasUnsavedChanges)
    document.mainContext.delete(trip)
    try document.mainContext.processPendingChanges()
    #expect(document.hasUnsavedChanges)
    document.mainContext.rollback()
    #expect(!document.hasUnsavedChanges)
    try await document.save()
    #expect(document.writeCount == 1)

    // A save of a worker into the root context is an unsaved change until the root context rolls it back.
    let root = document.rootContext
    try await document.write { context in
      try context.insert("Trip")["name"] = .string("Faro")
    }
    try await root.perform { try root.processPendingChanges() }
    #expect(document.hasUnsavedChanges)
    try await root.perform { root.rollback() }
    #expect(!document.hasUnsavedChanges)

    // A refresh makes no unsaved change.
    document.mainContext.refreshAllObjects()
    try await root.perform { root.refreshAllObjects() }
    #expect(!document.hasUnsavedChanges)
    trip["name"] = .string("Porto")
    try document.mainContext.processPendingChanges()
    document.mainContext.refreshAllObjects()
    #expect(document.hasUnsavedChanges)
    try await document.save()
    #expect(!document.hasUnsavedChanges && document.writeCount == 2)
    #expect(try world().names()[0] == ["Porto"])
  }

  @Test("Undo reaches back across saves, and makes the document changed again")
  func undo() async throws {
    let document = try await create()
    let undo = try #require(document.mainContext.undoStack)
    let trip = try insert("Lisbon", in: document)
    try await document.save()
    trip["name"] = .string("Porto")
    try document.mainContext.processPendingChanges()
    try await document.save()
    #expect(!document.hasUnsavedChanges)
    try undo.undo()
    #expect(trip["name"] == .string("Lisbon"))
    #expect(document.hasUnsavedChanges)
    try await document.save()
    #expect(try world().names()[0] == ["Lisbon"])
    try undo.undo()
    #expect(try trips(document) == [])
    try await document.save()
    #expect(try world().names()[0] == [])
    try undo.redo()
    try undo.redo()
    try await document.save()
    #expect(try world().names()[0] == ["Porto"])
    try await document.close()
  }

  @Test("Autosave waits for a pause in the changes, but never beyond the longest wait")
  func autosave() async throws {
    let document = try await create(
      autosave: AutosaveTiming(delay: .milliseconds(30), longestWait: .milliseconds(60)))
    try insert("Lisbon", in: document)
    try await until { !document.hasUnsavedChanges && document.currentState.name == .normal }
    #expect(try world().names()[0] == ["Lisbon"])
    #expect(document.writeCount == 1)
    for number in 0..<50 {
      try insert("Trip \(number)", in: document)
      try await Task.sleep(for: .milliseconds(4))
    }
    try await until { !document.hasUnsavedChanges }
    #expect(try world().names()[0].count == 51)
    #expect(document.writeCount > 1, "Whoever goes on changing is saved all the same.")
    try insert("Last", in: document)
    try await document.close()
    #expect(try world().names()[0].contains("Last"))
  }

  @Test("Ten quick saves need at most two writes")
  func coalesced() async throws {
    let document = try await create()
    let before = document.writeCount
    var saves: [Task<Void, any Error>] = []
    for number in 0..<10 {
      try insert("Trip \(number)", in: document)
      saves.append(Task { try await document.save() })
    }
    for save in saves { try await save.value }
    #expect((1...2).contains(document.writeCount - before))
    #expect(try world().names()[0].count == 10)
    try await document.close()
  }

  @Test(
    "Invalid changes never reach the document, and the next session can recover them",
    arguments: Mix.allCases)
  func recovery(_ mix: Mix) async throws {
    let document = try await create(mix)
    try insert("Lisbon", in: document)
    try await document.save()
    let broken = try document.mainContext.insert("Trip")
    try insert("Ada", "Person", in: document)
    let error = await #expect(throws: ContextError.self) { try await document.save() }
    #expect(error?.code == .validation && error?.failures.count == 1)
    #expect(document.currentState.name == .saveFailed)
    #expect(document.hasUnsavedChanges)
    #expect(try world(mix).names() == [["Lisbon"], [], []])
    #expect(try document.recoveryDate() == nil, "It is this session's own.")
    try await document.close(saving: false)
    _ = broken

    let opened = try await ManagedDocument.open(
      DocumentWorld.path, in: world(mix).places, options(mix))
    #expect(try opened.recoveryDate() != nil)
    #expect(try trips(opened) == ["Lisbon"])
    // Saving before the recovery does not discard the recovery.
    try insert("Between", in: opened)
    try await opened.save()
    try await opened.recover()
    #expect(try trips(opened) == ["Between", "Lisbon"])
    let people = try opened.mainContext.fetch(FetchRequest("Person"))
    #expect(people.count == 1)
    #expect(opened.hasUnsavedChanges)
    await #expect(throws: ContextError.self) { try await opened.save() }
    for trip in try opened.mainContext.fetch(FetchRequest("Trip")) where trip["name"] == .null {
      trip["name"] = .string("Mended")
    }
    try await opened.save()
    #expect(opened.currentState.name == .normal)
    #expect(try world(mix).names() == [["Between", "Lisbon", "Mended"], ["Ada"], []])
    try await opened.close()
    let again = try await ManagedDocument.open(
      DocumentWorld.path, in: world(mix).places, options(mix))
    #expect(try again.recoveryDate() == nil)
    try await again.close()
  }

  @Test("A conflict of unique values is kept for recovery, and a merge policy resolves it")
  func sharedValues() async throws {
    let model = try Model(entities: [
      Entity(
        "Trip", properties: [.attribute(Attribute("name", .string))],
        uniquenessConstraints: [["name"]])
    ])
    let document = try await ManagedDocument.create(
      DocumentWorld.path, model: model, in: world().places, options())
    let stored = try insert("Lisbon", in: document)
    try await document.save()
    let twin = try insert("Lisbon", in: document)
    let error = await #expect(throws: ContextError.self) { try await document.save() }
    #expect(error?.code == .conflict)
    #expect(error?.constraintConflicts.map(\.storedObject) == [stored.objectID])
    #expect(error?.constraintConflicts.map(\.conflictingObjects) == [[twin.objectID]])
    #expect(document.currentState.name == .inConflict && document.hasUnsavedChanges)
    try await document.close(saving: false)
    let opened = try await ManagedDocument.open(
      DocumentWorld.path, in: world().places, options())
    #expect(try opened.recoveryDate() != nil)
    try await opened.recover()
    #expect(try trips(opened) == ["Lisbon", "Lisbon"])
    try await opened.resolveConflicts(.objectWins)
    #expect(opened.currentState.name == .normal && !opened.hasUnsavedChanges)
    try await opened.close()
    let again = try await ManagedDocument.open(
      DocumentWorld.path, in: world().places, options())
    #expect(try trips(again) == ["Lisbon"])
    try await again.close()
  }

  @Test("A failed save loses nothing, reports the error, and succeeds later")
  func failure() async throws {
    let document = try await create()
    var states: [DocumentState.Name] = []
    let changes = document.stateChanges
    try insert("Lisbon", in: document)
    disk.plan(.failing(.noSpace, on: .write, lasting: .forGood))
    await #expect(throws: (any Error).self) { try await document.save() }
    #expect(document.currentState.name == .saveFailed)
    #expect(document.hasUnsavedChanges)
    disk.planNoFailures()
    try await document.save()
    #expect(!document.hasUnsavedChanges)
    #expect(try world().names()[0] == ["Lisbon"])
    try await document.close()
    for await state in changes { states.append(state.name) }
    #expect(states == [.normal, .saving, .saveFailed, .saving, .normal, .closed])
  }

  @Test("A failed autosave is retried automatically")
  func retry() async throws {
    let document = try await create(
      autosave: AutosaveTiming(delay: .milliseconds(10), longestWait: .milliseconds(20)))
    try insert("Lisbon", in: document)
    disk.plan(.failing(.noSpace, on: .write, lasting: .forGood))
    try await until { document.currentState.name == .saveFailed }
    disk.planNoFailures()
    try await until { document.currentState.name == .normal }
    #expect(try world().names()[0] == ["Lisbon"])
    try await document.close()
  }

  @Test("Reverting discards unsaved changes and keeps the object instances")
  func revert() async throws {
    let document = try await create()
    let trip = try insert("Lisbon", in: document)
    try await document.save()
    trip["name"] = .string("Porto")
    try insert("Faro", in: document)
    try document.addAttachment(named: "a") { try $0([1]) }
    try await document.revert()
    #expect(trip["name"] == .string("Lisbon"))
    #expect(try trips(document) == ["Lisbon"])
    #expect(!document.hasUnsavedChanges)
    #expect(document.mainContext.undoStack?.canUndo == false)
    let number = document.manifest.number
    trip["name"] = .string("Sintra")
    try await document.save()
    try await document.revert(to: number)
    try await until { trip["name"] == .string("Lisbon") }
    #expect(trip["name"] == .string("Lisbon"))
    #expect(document.versions.count == 4)
    try await document.close()
  }

  @Test("The main context sees the changes of workers, and saves them")
  func workers() async throws {
    let document = try await create()
    let trip = try insert("Lisbon", in: document)
    try await document.save()
    let id = trip.objectID
    try await document.write { context in
      try context.existingObject(with: id)["name"] = .string("Porto")
      try context.insert("Trip")["name"] = .string("Faro")
    }
    try await until { trip["name"] == .string("Porto") }
    #expect(try trips(document) == ["Faro", "Porto"])
    #expect(document.hasUnsavedChanges)
    try await document.save()
    #expect(try world().names()[0] == ["Faro", "Porto"])
    try await document.close()
  }

  @Test("Pushed changes are visible at once, also while the writing context saves")
  func handedOver() async throws {
    let document = try await create()
    for round in 0..<30 {
      try insert("Trip \(round)", in: document)
      let save = Task { try await document.save() }
      for other in 0..<3 { try insert("Other \(round) \(other)", in: document) }
      #expect(try trips(document).count == (round + 1) * 4)
      if round % 3 == 0 {
        let some = try document.mainContext.fetch(FetchRequest("Trip")).prefix(2)
        for trip in some { trip["name"] = .string("Again \(round)") }
      }
      try await save.value
      #expect(try trips(document).count == (round + 1) * 4)
    }
    let names = try trips(document)
    try await document.close()
    #expect(try world().names()[0] == names)
  }

  @Test("The document notices another process's save, and merges it if nothing conflicts")
  func others() async throws {
    let other = DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
    let document = try await create { $0.access = .shared }
    let (trip, same) = (try insert("Lisbon", in: document), try insert("Porto", in: document))
    try await document.save()
    let theirs = try other.open(.shared)
    let context = try other.context(theirs)
    try context.existingObject(with: trip.objectID)["name"] = .string("Theirs")
    try context.insert("Trip")["name"] = .string("Faro")
    try context.save()
    try insert("Mine", in: document)
    #expect(try await document.refresh())
    try await until { trip["name"] == .string("Theirs") }
    #expect(try trips(document) == ["Faro", "Mine", "Porto", "Theirs"])
    try await document.save()
    #expect(try other.names() == [["Faro", "Mine", "Porto", "Theirs"], [], []])

    // Both processes change the same object: the save throws a conflict, and no change is lost.
    try theirs.refresh()
    let later = try other.context(theirs)
    try later.existingObject(with: same.objectID)["name"] = .string("There")
    try later.save()
    same["name"] = .string("Here")
    await #expect(throws: ContextError.self) { try await document.save() }
    #expect(document.currentState.name == .inConflict)
    try await document.resolveConflicts(.objectWins)
    #expect(document.currentState.name == .normal)
    #expect(try other.names()[0].contains("Here"))
    try await document.close()
  }

  @Test(
    "The document can be saved at another path or as another type, duplicated and moved",
    arguments: [Mix.binary, .xml, .threeStores])
  func places(_ mix: Mix) async throws {
    let document = try await create(mix)
    let trip = try insert("Lisbon", in: document)
    try await document.duplicate(to: "/Copy.quire")
    trip["name"] = .string("Porto")
    try await document.save(as: "/Other.quire")
    #expect(document.path == "/Other.quire")
    trip["name"] = .string("Faro")
    try await document.save()
    try await document.move(to: "/Moved.quire")
    trip["name"] = .string("Sintra")
    try await document.save()
    #expect(try document.mainContext.existingObject(with: trip.objectID) === trip)

    func names(_ path: String) throws -> [String] {
      let opened = try Document.open(path, in: world(mix).places)
      defer { try? opened.close() }
      return try world(mix).names(in: opened)[0]
    }
    #expect(try names("/Copy.quire") == ["Lisbon"])
    #expect(try names(DocumentWorld.path) == ["Porto"])
    #expect(try !disk.exists("/Other.quire"))
    let type: StoreType = mix == .xml ? .compressed : .xml
    try await document.save(as: "/Type.quire", type: type)
    #expect(document.document.stores.allSatisfy { $0.type == type })
    #expect(try trips(document) == ["Sintra"])
    try insert("Beja", in: document)
    try await document.close()
    #expect(try names("/Type.quire") == ["Beja", "Sintra"])
    #expect(try names("/Moved.quire") == ["Sintra"])
  }

  @Test(
    "Opening a document of another model version migrates it",
    arguments: Mix.allCases)
  func migration(_ mix: Mix) async throws {
    let document = try await create(mix)
    try insert("Lisbon", in: document)
    try await document.close()
    let before = document.manifest.number
    var description = DocumentWorld.model.description
    for index in description.entities.indices {
      description.entities[index].declaredProperties.append(
        .attribute(
          Attribute("note", .string, isOptional: mix == .binary, defaultValue: .string("none"))))
    }
    let model = try Model(description)
    var refusing = options(mix)
    refusing.migrator = nil
    await #expect(throws: DocumentError.self) {
      try await ManagedDocument.open(
        DocumentWorld.path, model: model, in: world(mix).places, refusing)
    }
    let opened = try await ManagedDocument.open(
      DocumentWorld.path, model: model, in: world(mix).places, options(mix))
    #expect(try trips(opened) == ["Lisbon"])
    let trip = try #require(try opened.mainContext.fetch(FetchRequest("Trip")).first)
    trip["note"] = .string("a note")
    try await opened.save()
    #expect(opened.manifest.models.count == 2)
    try await opened.close()
    #expect(try world(mix).names(version: before) == [["Lisbon"], [], []])
    let again = try world(mix).open()
    #expect(try again.model.versionHashes == model.versionHashes)
    try again.close()
  }

  @Test("Additional content of the program is saved in the same commit as the objects")
  func content() async throws {
    final class Kept: Sendable {
      let bytes = Mutex<[String: [UInt8]]>([:])
      let read = Mutex<[[String: [UInt8]]]>([])
    }
    let kept = Kept()
    func hooks(_ options: inout DocumentOptions) {
      options.hooks.additionalContent = { kept.bytes.withLock { $0 } }
      options.hooks.readAdditionalContent = { content in kept.read.withLock { $0.append(content) } }
    }
    let document = try await create { hooks(&$0) }
    kept.bytes.withLock { $0 = ["layout": [1, 2, 3], "zoom": [4]] }
    try insert("Lisbon", in: document)
    try await document.save()
    kept.bytes.withLock { $0 = ["layout": [9]] }
    try await document.save()
    try await document.close()
    #expect(document.writeCount == 2)
    var again = options()
    hooks(&again)
    let opened = try await ManagedDocument.open(DocumentWorld.path, in: world().places, again)
    #expect(kept.read.withLock { $0.last } == ["layout": [9]])
    #expect(opened.attachments == [])
    try await opened.close()
  }
}
