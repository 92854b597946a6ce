import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteStore
import StoreConformance
import StoreInterface
import Testing

@Suite("The file of a database, and the files beside it")
struct FileTests {
  private func saved(_ path: String, _ count: UInt64 = 3) throws -> any Store {
    let store = try SQLiteStoreBackend().create(
      at: path, model: StoreConformance.model, on: RealDisk(), StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let entity = base.schema["Thing"]!.entityNumber
    for number in 1...count {
      let key = ObjectKey(entity: entity, number: number)
      builder.insert(key)
      builder.set(.string("thing \(number)"), "name", of: key, base.schema)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    return store
  }

  @Test("A closed store is complete in its file, and no other file is beside it")
  func closed() throws {
    let folder = try TemporaryFolder()
    try saved(folder.file("a.sqlite")).close()
    #expect(folder.names == ["a.sqlite"])
  }

  @Test("Snapshots stay readable after the store is closed, and the file is complete nevertheless")
  func closedBeneathSnapshots() throws {
    let folder = try TemporaryFolder()
    let store = try saved(folder.file("a.sqlite"))
    let first = try store.snapshot()
    let key = ObjectKey(entity: first.schema["Thing"]!.entityNumber, number: 2)
    let builder = LayerBuilder(first.schema)
    builder.remove(key, basis: try first.view.row(of: key)!.version)
    let second = try store.commit(CommitRequest(builder.freeze(), basedOn: first))
    try store.close()
    // Copy the file without the log.
    try FileManager.default.copyItem(
      atPath: folder.file("a.sqlite"), toPath: folder.file("b.sqlite"))
    #expect(try first.view.keys(ofEntity: key.entity) == [1, 2, 3])
    #expect(try second.view.keys(ofEntity: key.entity) == [1, 3])
    let copy = try SQLiteStoreBackend().open(
      folder.file("b.sqlite"), on: RealDisk(), StoreOpening(readOnly: true))
    #expect(try copy.snapshot().view.keys(ofEntity: key.entity) == [1, 3])
  }

  @Test(
    "Reading changes no byte and leaves no file, even if a log lies beside the file",
    arguments: [false, true])
  func reading(hasIndex: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try saved(folder.file("a.sqlite"))
    // The files that a crash leaves: the database, its log, and perhaps the index of the log.
    for suffix in ["", "-wal"] + (hasIndex ? ["-shm"] : []) {
      try FileManager.default.copyItem(
        atPath: folder.file("a.sqlite" + suffix), toPath: folder.file("b.sqlite" + suffix))
    }
    try store.close()
    func bytes() throws -> [String: Data] {
      Dictionary(
        uniqueKeysWithValues: try folder.names.map {
          ($0, try Data(contentsOf: URL(filePath: folder.file($0))))
        })
    }
    let before = try bytes()
    #expect(before.count == (hasIndex ? 4 : 3))
    let read = try SQLiteStoreBackend().open(
      folder.file("b.sqlite"), on: RealDisk(), StoreOpening(readOnly: true))
    let snapshot = try read.snapshot()
    #expect(try snapshot.view.keys(ofEntity: snapshot.schema["Thing"]!.entityNumber).count == 3)
    #expect(
      try SQLiteStoreBackend().metadata(at: folder.file("b.sqlite"), on: RealDisk()).uuid != nil)
    try read.close()
    #expect(try bytes() == before)
  }

  @Test("A store without any save is described, written and read in every mode of opening")
  func empty() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    let store = try SQLiteStoreBackend().create(
      at: path, model: StoreConformance.model, on: RealDisk(), StoreCreation())
    #expect(try store.describe().liveByteCount > 0)
    #expect(try store.snapshot().commit == 0)
    try store.close()
    let reader = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening(readOnly: true))
    #expect(try reader.describe().liveByteCount > 0)
    #expect(try StoreConformance.objects(reader.snapshot()).isEmpty)
    // The reader finds the saved file that has replaced the empty file.
    try saved(folder.file("b.sqlite")).close()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: folder.file("b.sqlite"), toPath: path)
    let next = try reader.snapshot()
    #expect(try next.view.keys(ofEntity: next.schema["Thing"]!.entityNumber).count == 3)
  }

  @Test("Snapshots stay the same while another store object writes the same file")
  func besideWriter() throws {
    let folder = try TemporaryFolder()
    let store = try saved(folder.file("a.sqlite"))
    let reader = try SQLiteStoreBackend().open(
      folder.file("a.sqlite"), on: RealDisk(), StoreOpening(readOnly: true))
    let before = try reader.snapshot()
    let entity = before.schema["Thing"]!.entityNumber
    let head = try store.snapshot()
    let builder = LayerBuilder(head.schema)
    builder.insert(ObjectKey(entity: entity, number: 9))
    try store.commit(CommitRequest(builder.freeze(), basedOn: head))
    #expect(try reader.snapshot().view.keys(ofEntity: entity) == [1, 2, 3, 9])
    #expect(try before.view.keys(ofEntity: entity) == [1, 2, 3])
    #expect(throws: StoreError.self) {
      try reader.commit(CommitRequest(builder.freeze(), basedOn: before))
    }
    try reader.close()
    try store.close()
  }

  @Test("A store on a simulated disk can be read, but not written")
  func otherDisk() throws {
    let folder = try TemporaryFolder()
    try saved(folder.file("a.sqlite")).close()
    let disk = SimulatedDisk()
    try disk.open("/a.sqlite", for: .create).append(
      [UInt8](Data(contentsOf: URL(filePath: folder.file("a.sqlite")))))
    let store = try SQLiteStoreBackend().open(
      "/a.sqlite", on: disk, StoreOpening(readOnly: true))
    let snapshot = try store.snapshot()
    #expect(try snapshot.view.keys(ofEntity: snapshot.schema["Thing"]!.entityNumber).count == 3)
    #expect(throws: StoreError.self) {
      try SQLiteStoreBackend().open("/a.sqlite", on: disk, StoreOpening())
    }
    #expect(throws: StoreError.self) {
      try SQLiteStoreBackend().create(
        at: "/b.sqlite", model: StoreConformance.model, on: disk, StoreCreation())
    }
  }
}
