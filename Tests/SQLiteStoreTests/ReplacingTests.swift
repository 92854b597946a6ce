import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteStore
import StoreConformance
import StoreInterface
import Testing

/// The log beside a database's file belongs to that file only.
@Suite("Removing and replacing databases")
struct ReplacingTests {
  private let folder: TemporaryFolder
  private let places = StorePlaces(StoreBackends([SQLiteStoreBackend()]), on: RealDisk())

  init() throws { folder = try TemporaryFolder() }

  private func saved(_ name: String, _ count: UInt64) throws -> any Store {
    let store = try SQLiteStoreBackend().create(
      at: folder.file(name), model: StoreConformance.model, on: RealDisk(), StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...count {
      builder.insert(ObjectKey(entity: base.schema["Thing"]!.entityNumber, number: number))
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    return store
  }

  /// Creates a database as a killed process leaves it: the last save is in the log, and not in the file.
  private func abandoned(_ name: String, _ count: UInt64) throws -> String {
    let store = try saved("made", count)
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.copyItem(
        atPath: folder.file("made" + suffix), toPath: folder.file(name + suffix))
    }
    try store.close()
    try FileManager.default.removeItem(atPath: folder.file("made"))
    return folder.file(name)
  }

  private func count(_ path: String) throws -> Int {
    let store = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening())
    let snapshot = try store.snapshot()
    let count = try snapshot.view.keys(ofEntity: snapshot.schema["Thing"]!.entityNumber).count
    try store.close()
    return count
  }

  @Test("A copy replaces a database with every saved change, and the original stays")
  func replace() throws {
    let (a, b) = (try abandoned("a", 3), try abandoned("b", 5))
    try places.replace(a, with: b)
    #expect(folder.names == ["a", "b"])
    #expect(try count(a) == 5)
    #expect(try count(b) == 5)

    // A database does not replace itself, under any of its names.
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: a)
    for path in [a, folder.file("link")] {
      let error = #expect(throws: StoreError.self) { try places.replace(a, with: path) }
      #expect(error?.code == .badChange)
    }
    #expect(try count(a) == 5)
  }

  @Test("A log without a file is not taken for the log of the next file", arguments: [false, true])
  func lostLog(isCreated: Bool) throws {
    let (a, b) = (try abandoned("a", 3), try abandoned("b", 5))
    try FileManager.default.removeItem(atPath: a)
    if isCreated {
      let error = #expect(throws: StoreError.self) {
        try SQLiteStoreBackend().create(
          at: a, model: StoreConformance.model, on: RealDisk(), StoreCreation())
      }
      #expect(error?.code == .exists && error?.path == a + "-wal")
      try SQLiteStoreBackend().create(
        at: a, model: StoreConformance.model, on: RealDisk(), StoreCreation(overwriting: true)
      ).close()
    } else {
      try places.replace(a, with: b)
    }
    #expect(try count(a) == (isCreated ? 0 : 5))
  }

  @Test("A database that is open neither is replaced nor replaces another")
  func inUse() throws {
    let store = try saved("a", 3)
    let b = try abandoned("b", 5)
    let a = folder.file("a")
    for (one, other) in [(a, b), (b, a)] {
      let error = #expect(throws: StoreError.self) { try places.replace(one, with: other) }
      #expect(error?.code == .locked)
    }
    try store.close()
    #expect(try count(a) == 3)
    #expect(try count(b) == 5)
  }

  @Test("Destroying a database removes its log")
  func destroy() throws {
    try places.destroy(abandoned("a", 3))
    #expect(folder.names == [])
    try places.destroy(folder.file("a"))
    // A file that is not a database has no log, even if another file has the name of one.
    for name in ["text", "text-wal"] {
      try Data("text".utf8).write(to: URL(filePath: folder.file(name)))
    }
    try places.destroy(folder.file("text"))
    #expect(folder.names == ["text-wal"])
  }

  @Test("A file that replaces a locked database inherits nothing of its log")
  func put() throws {
    let a = try abandoned("a", 3)
    try saved("new", 5).close()
    let old = try SQLiteStoreBackend().open(a, on: RealDisk(), StoreOpening())
    let snapshot = try old.snapshot()
    try old.holding(commit: snapshot.commit) {
      try places.put(folder.file("new"), inPlaceOf: a, keeping: folder.file("backup"))
      #expect(
        try snapshot.view.keys(ofEntity: snapshot.schema["Thing"]!.entityNumber).count == 3)
    }
    try old.close()
    #expect(try count(a) == 5)
    #expect(try count(folder.file("backup")) == 3)
    #expect(folder.names.filter { $0.hasPrefix("a") } == ["a"])
  }
}
