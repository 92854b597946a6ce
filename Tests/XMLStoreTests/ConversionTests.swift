import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import SeededRandom
import StoreConformance
import StoreInterface
import Testing
import XMLStore

/// The contents of a store are copied through every type of store and back.
@Suite("Copies between store types")
struct ConversionTests {
  private let disk = SimulatedDisk()

  private func copy(
    _ snapshot: any StoreSnapshot, to path: String, _ backend: any StoreBackend
  ) throws -> any StoreSnapshot {
    let store = try backend.create(
      at: path, model: snapshot.model, on: disk, StoreCreation())
    var steps: [StoreCopy.Progress] = []
    let report = try StoreCopy(from: snapshot, to: store).run { steps.append($0) }
    #expect(try report.objectCount == StoreConformance.described(snapshot).count)
    #expect(report.lostReferenceCount == 0)
    #expect(steps.last.map { $0.done == $0.total } ?? true)
    try store.close()
    return try backend.open(path, on: disk, StoreOpening(readOnly: true)).snapshot()
  }

  @Test(
    "A copy from binary to XML to compressed and back keeps all objects and metadata",
    arguments: [1, 2] as [UInt64])
  func round(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let store = try BinaryStoreBackend().create(
      at: "/first", model: StoreConformance.model, on: disk, StoreCreation())
    for count in [120, 40] { try StoreConformance.populate(store, count: count, &generator) }
    let base = try store.snapshot()
    var metadata = try base.metadata
    metadata.values["owner"] = .dictionary(["name": .string("Ada\u{0}"), "n": .real(-0.5)])
    let first = try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
    let before = try StoreConformance.described(first)
    #expect(before.count > 100)

    let xml = try copy(first, to: "/second", XMLStoreBackend(.readable))
    let small = try copy(xml, to: "/third", BinaryStoreBackend(isCompressed: true))
    let other = try copy(small, to: "/fourth", XMLStoreBackend(.coreData))
    let last = try copy(other, to: "/fifth", BinaryStoreBackend())

    for snapshot in [xml, small, other, last] {
      #expect(try StoreConformance.described(snapshot) == before)
      #expect(try snapshot.metadata.values["owner"] == metadata.values["owner"])
      #expect(try snapshot.metadata.versionHashes == StoreConformance.model.versionHashes)
      #expect(try snapshot.model == StoreConformance.model)
    }
  }

  @Test("A copy commits a few blocks at a time, and stops when the caller asks it to")
  func blocks() throws {
    let model = try Model(entities: [
      Entity("Note", properties: [.attribute(Attribute("number", .int64))])
    ])
    let count = 150_000
    let store = try BinaryStoreBackend().create(
      at: "/many", model: model, on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for number in 1...UInt64(count) {
      let key = ObjectKey(entity: 1, number: number * 2)
      builder.insert(key)
      builder.set(.integer(Int64(number)), column: 0, of: key)
    }
    let source = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    let target = try BinaryStoreBackend().create(
      at: "/copy", model: model, on: disk, StoreCreation())

    try StoreCopy(from: source, to: target).run()

    let copy = try target.snapshot()
    #expect(copy.commit >= 3)
    let keys = try copy.view.keys(ofEntity: 1)
    #expect(keys.count == count && keys.last! - keys.first! == UInt64(count - 1))
    let column = copy.schema.layouts[0].columns[0]
    for index in [0, 4095, 4096, 70_000, count - 1] {
      #expect(
        try copy.view.value(of: ObjectKey(entity: 1, number: keys[index]), column: column)
          == .integer(Int64(index + 1)))
    }
    let stopped = try BinaryStoreBackend().create(
      at: "/stopped", model: model, on: disk, StoreCreation())
    #expect(throws: CancellationError.self) {
      try StoreCopy(from: source, to: stopped).run { progress in
        if progress.done > 10_000 { throw CancellationError() }
      }
    }
  }

  @Test("References to missing objects are left out and counted")
  func lost() throws {
    let store = try BinaryStoreBackend().create(
      at: "/lost", model: Library.model, on: disk, StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let book = ObjectKey(entity: base.schema["Book"]!.entityNumber, number: 1)
    builder.insert(book)
    builder.set(
      .object(ObjectKey(entity: base.schema["Author"]!.entityNumber, number: 9)), "author",
      of: book, base.schema)
    let source = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    let target = try XMLStoreBackend().create(
      at: "/lost.xml", model: Library.model, on: disk, StoreCreation())

    let report = try StoreCopy(from: source, to: target).run()

    #expect(report == StoreCopy.Report(objectCount: 1, lostReferenceCount: 1))
    let other = try XMLStoreBackend().create(
      at: "/other.xml", model: StoreConformance.model, on: disk, StoreCreation())
    let error = #expect(throws: StoreError.self) { try StoreCopy(from: source, to: other).run() }
    #expect(error?.code == .incompatibleModel)
  }
}
