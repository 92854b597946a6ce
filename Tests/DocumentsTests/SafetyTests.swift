import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestEffort
import Testing

@Suite("Documents after power cuts and disk failures")
struct SafetyTests {
  private static let stateCount = Effort.count(1200)

  @Test(
    "After a cut at any moment the document is whole, as one save left it",
    arguments: Mix.allCases)
  func cuts(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let document = try world.create()
    disk.settle()
    var moments: [(names: [[String]], attachments: [String])] = [([[], [], []], [])]
    var ends: [Int] = []
    for (index, name) in ["Lisbon", "Porto", "Faro"].enumerated() {
      try document.addAttachment(named: name) { try $0(Array(name.utf8)) }
      try world.add(name, to: document)
      moments.append(
        (try world.names(in: document), document.attachments.map(\.name)))
      ends.append(disk.operationCount)
      if index == 1 { try document.thin(.newestOnly) }
    }
    var seen: Set<Int> = []
    for state in disk.crashStates(limit: Self.stateCount / Mix.allCases.count, seed: 1) {
      let found = DocumentWorld(mix, on: state.disk)
      let opened = try found.open()
      let names = try found.names(in: opened)
      let moment = moments.firstIndex { $0.names == names }
      #expect(moment != nil, "\(state): \(names)")
      guard let moment else { continue }
      seen.insert(moment)
      #expect(opened.attachments.map(\.name) == moments[moment].attachments, "\(state)")
      for one in opened.attachments {
        let bytes = try opened.openAttachment(named: one.name).read(byteCount: 100, at: 0)
        #expect(bytes == Array(one.name.utf8), "\(state)")
      }
      // The document can be used further.
      try found.add("Sintra", to: opened)
      try opened.close()
      #expect(try found.names() == names.map { ($0 + ["Sintra"]).sorted() }, "\(state)")
    }
    #expect(seen == [0, 1, 2, 3])
  }

  @Test(
    "A failed disk operation leaves the document as it was, and the next save succeeds",
    arguments: Mix.allCases)
  func refusals(_ mix: Mix) throws {
    var isReached = true
    var number = 0
    // Each round fails a later operation, until the failure comes after the last operation of the save.
    while isReached, number < 400 {
      let disk = SimulatedDisk()
      let world = DocumentWorld(mix, on: disk)
      let document = try world.create()
      try world.add("Lisbon", to: document)
      let context = try world.context(document)
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .link, .open, .remove], after: number))
      do {
        for entity in ["Trip", "Person", "Note"] {
          try context.insert(entity)["name"] = .string("Porto")
        }
        try context.save()
        disk.planNoFailures()
        #expect(try world.names(in: document) == .each("Lisbon", "Porto"), "\(number)")
      } catch {
        disk.planNoFailures()
        #expect(try world.names(in: document) == .each("Lisbon"), "\(number): \(error)")
        #expect(try world.names() == .each("Lisbon"), "\(number): \(error)")
        // The changes of the failed save are still in the context, and can be saved.
        if context.insertedObjects.count == 3 {
          try context.save()
          #expect(try world.names() == .each("Lisbon", "Porto"), "\(number)")
        }
      }
      isReached = disk.operations.contains { $0.failure == .noSpace }
      try document.close()
      let names = try world.names()
      #expect(names == .each("Lisbon") || names == .each("Lisbon", "Porto"), "\(number)")
      number += Effort.distance(1)
    }
    #expect(!isReached && number > 4)
  }

  @Test("After a cut during creation there is the whole document or none", arguments: Mix.allCases)
  func making(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    disk.settle()
    try world.create().close()
    var seen: Set<Bool> = []
    for state in disk.crashStates(limit: Effort.count(200), seed: 1) {
      let isThere = try state.disk.exists(DocumentWorld.path)
      seen.insert(isThere)
      guard isThere else { continue }
      let found = DocumentWorld(mix, on: state.disk)
      try found.add("Lisbon", to: try found.open())
      #expect(try found.names() == .each("Lisbon"))
    }
    #expect(seen == [true, false])
  }

  /// The way in which a document is migrated: its rows stay as they are, or are rewritten.
  enum Change: String, CaseIterable, Sendable {
    case inPlace, rewriting

    var model: Model {
      get throws {
        var description = DocumentWorld.model.description
        for index in description.entities.indices {
          description.entities[index].declaredProperties.append(
            .attribute(
              Attribute(
                "note", .string, isOptional: self == .inPlace, defaultValue: .string("none"))))
          guard self == .rewriting else { continue }
          description.entities[index].declaredProperties.append(
            .attribute(Attribute("folded", .string, derivation: .init("canonical:(name)"))))
        }
        return try Model(description)
      }
    }
  }

  @Test(
    "A cut during a migration leaves the whole document in the old or the new model version",
    arguments: Mix.allCases, Change.allCases)
  func migrationCuts(_ mix: Mix, _ change: Change) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    try document.close()
    disk.settle()
    let model = try change.model
    #expect(try Document.migrate(DocumentWorld.path, to: model, in: world.places))
    var seen: Set<Bool> = []
    for state in disk.crashStates(limit: Effort.count(100), seed: 1) {
      let found = DocumentWorld(mix, on: state.disk)
      let opened = try found.open()
      let isNew = try opened.model.versionHashes == model.versionHashes
      seen.insert(isNew)
      #expect(try found.names(in: opened) == .each("Lisbon"), "\(state)")
      try opened.close()
      #expect(
        try Document.migrate(DocumentWorld.path, to: model, in: found.places) != isNew, "\(state)")
      #expect(try found.names() == .each("Lisbon"), "\(state)")
    }
    #expect(seen == [true, false])
  }

  @Test(
    "A failed disk operation during a migration leaves the document as it was",
    arguments: Mix.allCases, Change.allCases)
  func migrationRefusals(_ mix: Mix, _ change: Change) throws {
    let model = try change.model
    var number = 0
    var isDone = false
    while !isDone, number < 300 {
      let disk = SimulatedDisk()
      let world = DocumentWorld(mix, on: disk)
      let document = try world.create()
      try world.add("Lisbon", to: document)
      try document.close()
      let files = try world.files()
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .link], after: number, lasting: .forGood))
      do {
        try Document.migrate(DocumentWorld.path, to: model, in: world.places)
        isDone = true
      } catch {
        disk.planNoFailures()
        #expect(try world.names() == .each("Lisbon"), "\(number): \(error)")
        // Once the new document is in place, only its durability is in doubt, and the error says so.
        let isNew = try world.open().model.versionHashes == model.versionHashes
        #expect(!isNew || "\(error)".contains("may not survive"), "\(number): \(error)")
        #expect(
          try Document.migrate(DocumentWorld.path, to: model, in: world.places) != isNew,
          "\(number)")
        #expect(try world.names() == .each("Lisbon"), "\(number): \(error)")
      }
      disk.planNoFailures()
      #expect(try world.files().count >= files.count)
      number += Effort.distance(1)
    }
    #expect(isDone && number > 3)
  }

  @Test(
    "After an autosave fails at any disk operation, the next autosave saves the changes",
    arguments: Mix.allCases)
  @MainActor
  func autosaveRefusals(_ mix: Mix) async throws {
    for number in 0..<24 {
      let disk = SimulatedDisk()
      let world = DocumentWorld(mix, on: disk)
      var options = DocumentOptions()
      options.autosave = AutosaveTiming(
        delay: .milliseconds(1), longestWait: .milliseconds(3))
      options.externalChangeInterval = nil
      options.hooks.stores = { _ in mix.stores }
      let document = try await ManagedDocument.create(
        DocumentWorld.path, model: DocumentWorld.model, in: world.places, options)
      for entity in ["Trip", "Person", "Note"] {
        try document.mainContext.insert(entity)["name"] = .string("Lisbon")
      }
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .open, .remove], after: number,
          lasting: .times(2)))
      try document.mainContext.processPendingChanges()
      for _ in 0..<12_000 where document.hasUnsavedChanges {
        try await Task.sleep(for: .milliseconds(2))
      }
      disk.planNoFailures()
      #expect(!document.hasUnsavedChanges, "after \(number)")
      #expect(try world.names() == .each("Lisbon"), "after \(number)")
      try await document.close()
      #expect(try world.names() == .each("Lisbon"), "after \(number)")
    }
  }
}
