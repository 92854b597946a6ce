import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing
import Validation

@Suite("Saves that need no new manifest")
struct LogTests {
  /// The documents whose only store is the log.
  static let mixes: [Mix] = [.binary, .compressed]

  private func syncs(_ disk: SimulatedDisk, since number: Int) -> [String] {
    disk.operations[number...].filter { $0.operation == .sync }
      .map { $0.path.lastName }
  }

  private func manifest(_ world: DocumentWorld) throws -> String {
    try world.text(of: "manifest.json")
  }

  // MARK: - Cost

  @Test("A save of one store costs one sync, and leaves the manifest as it is", arguments: mixes)
  func oneSync(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let renaming = try Renaming(world)
    let before = try manifest(world)
    for name in ["Porto", "Faro"] {
      let start = disk.operationCount
      try renaming.rename(name)
      #expect(syncs(disk, since: start) == ["main.store"])
      #expect(try manifest(world) == before)
    }
    #expect(renaming.document.versions.map(\.number) == [1, 2, 3, 4])
    try renaming.document.close()
    let opened = try world.open()
    #expect(opened.versions == renaming.document.versions)
    #expect(try trips(opened) == ["Faro"])
  }

  @Test("The first save names the log")
  func firstSave() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    #expect(document.manifest.log == nil)
    try world.add("Lisbon", to: document)
    #expect(document.manifest.log == "main")
    #expect(try manifest(world).contains("\"log\": \"main\""))
  }

  @Test("A log of many versions is taken into the manifest, and all versions open")
  func folding() throws {
    let world = DocumentWorld(.binary)
    let renaming = try Renaming(world)
    var manifests: Set<String> = []
    for number in 3...80 {
      try renaming.rename("Trip \(number)")
      manifests.insert(try manifest(world))
    }
    #expect((2...4).contains(manifests.count))
    try renaming.document.close()
    let opened = try world.open(.readOnly)
    #expect(opened.versions == renaming.document.versions)
    for number in [3, 34, 35, 36, 79, 80] as [Int64] {
      let then = try opened.open(version: number)
      #expect(try trips(then) == ["Trip \(number)"])
    }
    let report = try Validator().validate(DocumentWorld.path, on: world.disk)
    #expect(report.findings.isEmpty, "\(report.text)")
    #expect(report.checked.versionCount == 80)
  }

  @Test("Author, message and date of a version are in its commit")
  func texts() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    let before = try manifest(world)
    let store = document.stores[0]
    let snapshot = try store.snapshot()
    var metadata = try snapshot.metadata
    metadata.values["mine"] = .string("kept")
    var request = CommitRequest(.init(), basedOn: snapshot, metadata: metadata)
    request.author = "Ada"
    request.message = "Naïve\nwork"
    try store.commit(request)
    #expect(try manifest(world) == before)
    try document.close()
    let opened = try world.open()
    #expect(opened.versions == document.versions)
    #expect(opened.versions.last?.author == "Ada")
    #expect(opened.versions.last?.message == "Naïve\nwork")
    #expect(try opened.stores[0].snapshot().metadata.values["mine"] == .string("kept"))
    // The next version has neither.
    try world.add("Porto", to: opened)
    try opened.close()
    let last = try #require(try world.open(.readOnly).versions.last)
    #expect(last.number == 4 && last.author == nil && last.message == nil)
  }

  @Test("In a document of several stores, the store that is saved alone becomes the log")
  func severalStores() throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(.threeStores, on: disk)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    #expect(document.manifest.log == "people", "the first store that can")
    let context = try world.context(document)
    let notes = try context.fetch(FetchRequest("Note"))
    var logs: [String?] = []
    for name in ["a", "b", "c"] {
      notes[0]["name"] = .string(name)
      let start = disk.operationCount
      try context.save()
      logs.append(document.manifest.log)
      #expect((syncs(disk, since: start) == ["notes.store"]) == (name != "a"))
    }
    #expect(logs == ["notes", "notes", "notes"])
    // A save of all stores replaces the manifest.
    try world.add("Porto", to: document)
    try document.close()
    let opened = try world.open()
    #expect(opened.versions == document.versions)
    #expect(try world.names(in: opened)[2] == ["Porto", "c"])
    #expect(try world.names(version: 5)[2] == ["c"])
    #expect(try world.names(version: 4)[2] == ["b"])
  }

  @Test("A save with an attachment replaces the manifest")
  func attachments() throws {
    let world = DocumentWorld(.binary)
    let renaming = try Renaming(world)
    try renaming.document.addAttachment(named: "a.txt") { try $0(Array("abc".utf8)) }
    try renaming.rename("Porto")
    try renaming.rename("Faro")
    try renaming.document.close()
    let opened = try world.open(.readOnly)
    #expect(opened.versions.map(\.number) == [1, 2, 3, 4])
    #expect(opened.attachments.map(\.name) == ["a.txt"])
    #expect(try opened.open(version: 2).attachments.isEmpty)
  }

  @Test("If one store refuses its request, the commit of the log is not made")
  func overtaken() throws {
    let world = DocumentWorld(.threeStores)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    let log = try #require(document["people"])
    let other = try #require(document["notes"])
    func requests(_ required: Int64) throws -> [(store: any Store, request: CommitRequest)] {
      let snapshot = try log.snapshot()
      var metadata = try snapshot.metadata
      metadata.values["mine"] = .string("\(required)")
      let change = CommitRequest(.init(), basedOn: snapshot, metadata: metadata)
      var check = CommitRequest(.init(), basedOn: try other.snapshot())
      check.requiredCommit = required
      return [(log, change), (other, check)]
    }
    let error = #expect(throws: StoreError.self) { try document.commit(requests(1)) }
    #expect(error?.code == .overtaken)
    #expect(try world.open(.readOnly).versions.map(\.number) == [1, 2])

    let before = try manifest(world)
    let snapshots = try document.commit(requests(2))
    #expect(try manifest(world) == before)
    #expect(snapshots.map(\.commit) == [document.manifest.number, 2])
    #expect(try world.open(.readOnly).versions == document.versions)
  }

  // MARK: - What else changes a document

  @Test("Names, undo, reverting, thinning, vacuum and moving include the log", arguments: mixes)
  func operations(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let renaming = try Renaming(world)
    func check(_ what: String, _ name: String, _ versions: [Int64]) throws {
      let report = try Validator().validate(world.path, on: world.disk)
      #expect(report.findings.isEmpty, "\(what): \(report.text)")
      let opened = try Document.open(world.path, in: world.places, access: .readOnly)
      #expect(opened.versions == renaming.document.versions, "\(what)")
      #expect(opened.versions.map(\.number) == versions, "\(what)")
      #expect(try trips(opened) == [name], "\(what)")
    }
    try renaming.rename("Porto")
    try renaming.rename("Faro")
    try check("logged", "Faro", [1, 2, 3, 4])
    try renaming.document.vacuum()
    try check("vacuumed", "Faro", [1, 2, 3, 4])
    try renaming.document.nameVersion(3, "Second")
    try check("named", "Faro", [1, 2, 3, 4])
    try renaming.rename("Sintra")
    try check("after a name", "Sintra", [1, 2, 3, 4, 5])
    #expect(try renaming.document.undo() == 4)
    try check("undone", "Faro", [1, 2, 3, 4, 5, 6])
    try renaming.document.revert(to: 3)
    try check("reverted", "Porto", [1, 2, 3, 4, 5, 6, 7])
    try world.add("Évora", to: renaming.document)
    #expect(try renaming.document.thin(.newestOnly) == 6)
    let versions = renaming.document.versions.map(\.number)
    #expect(versions == [3, 8])
    #expect(try world.names(version: 3)[0] == ["Porto"])
    try renaming.document.copy(to: "/Copy.quire")
    let copy = try Document.open("/Copy.quire", in: world.places)
    #expect(copy.versions == renaming.document.versions && copy.manifest.log == nil)
    #expect(try trips(copy) == ["Porto", "Évora"])
    try renaming.document.move(to: "/Moved.quire")
    let moved = try Document.open("/Moved.quire", in: world.places, access: .readOnly)
    #expect(moved.versions == renaming.document.versions)
  }

  @Test("A kept recovery, which is the last commit of the file, is not a version")
  func recovery() throws {
    let world = DocumentWorld(.binary)
    let renaming = try Renaming(world)
    try renaming.rename("Porto")
    let store = renaming.document.stores[0]
    let snapshot = try store.snapshot()
    var metadata = try snapshot.metadata
    metadata.values["mine"] = .string("invalid")
    try renaming.document.keepForRecovery([
      (store, CommitRequest(.init(), basedOn: snapshot, metadata: metadata))
    ])
    try renaming.document.close()
    let opened = try world.open()
    #expect(opened.versions.map(\.number) == [1, 2, 3])
    #expect(try opened.stores[0].snapshot().metadata.values["mine"] == nil)
    #expect(try opened.recovery() != nil)
    try opened.discardRecovery()
    try world.add("Faro", to: opened)
    #expect(opened.versions.map(\.number) == [1, 2, 3, 5])
    try opened.close()
    #expect(try world.open(.readOnly).versions.map(\.number) == [1, 2, 3, 5])
  }

  // MARK: - Other processes

  @Test("Readers and writers of other processes see each version of the log")
  func otherProcesses() throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(.binary, on: disk)
    try world.add("Lisbon", to: try world.create())
    let other = DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
    let one = try world.open(.shared)
    let two = try other.open(.shared)
    let reader = try other.open(.readOnly)
    let before = try manifest(world)
    for (index, name) in ["Porto", "Faro", "Sintra", "Évora"].enumerated() {
      let (writer, writing) = index % 2 == 0 ? (one, world) : (two, other)
      try writing.add(name, to: writer)
      #expect(try reader.refresh())
      #expect(try !reader.refresh())
      #expect(reader.versions == writer.versions)
      #expect(try trips(reader).contains(name))
    }
    #expect(try manifest(world) == before)
    #expect(try !two.refresh() && one.refresh())
    #expect(one.versions.map(\.number) == [1, 2, 3, 4, 5, 6])
  }

  @Test("A version of another process counts, although a save was refused just before it")
  func refusedBefore() throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(.binary, on: disk)
    let other = DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
    try world.create().close()
    let one = try world.open(.shared)
    let two = try other.open(.shared)
    let (mine, theirs) = (try world.context(one), try other.context(two))
    try theirs.insert("Trip")["name"] = .string("refused")
    let requests = try theirs.unsavedRequests()
    // The next version is a millisecond younger than this one, whoever makes it.
    let soon = ManifestDate.rounded(Date() + 0.9)
    try mine.insert("Trip")["name"] = .string("first")
    try DocumentHeads.taking(TakenVersions(saved: soon)) { try mine.save() }
    try mine.insert("Trip")["name"] = .string("second")

    #expect(throws: StoreError.self) { try two.commit(requests) }
    try mine.save()
    try other.add("third", to: two)

    #expect(try trips(two) == ["first", "second", "third"])
    #expect(one.versions.last?.saved == ManifestDate.rounded(soon + 0.001))
  }

  @Test("A log is not read on top of a manifest that it does not follow")
  func otherManifest() throws {
    let world = DocumentWorld(.binary)
    let renaming = try Renaming(world)
    let old = try manifest(world)
    // Neither of these changes the store, so the file alone does not show that the manifest is another.
    try renaming.document.save { $0.title = "Other" }
    try renaming.rename("Porto")
    try renaming.document.close()
    try world.write(old, to: "manifest.json")
    let error = #expect(throws: DocumentError.self) { try world.open() }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    let report = try Validator().validate(DocumentWorld.path, on: world.disk)
    #expect(report.counts.keys.map(\.id) == ["CONT-022"], "\(report.text)")
  }
}

extension DocumentWorld {
  fileprivate var path: String { DocumentWorld.path }
}

extension String {
  fileprivate var lastName: String { String(split(separator: "/").last ?? "") }
}

/// A document with a log, whose first trip is renamed again and again.
final class Renaming {
  let world: DocumentWorld
  let document: Document
  private let trip: ManagedObject
  let context: ManagedObjectContext

  init(_ world: DocumentWorld) throws {
    self.world = world
    document = try world.create()
    context = try world.context(document)
    trip = try context.insert("Trip")
    try rename("Lisbon")
  }

  func rename(_ name: String) throws {
    trip["name"] = .string(name)
    try context.save()
  }
}

/// Returns the names of the trips in a document.
func trips(_ document: Document) throws -> [String] {
  try DocumentWorld(.binary).names(in: document)[0]
}
