import BinaryStore
import Checksums
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import TestEffort
import Testing

/// A small store of three commits, and its objects after each commit.
private struct Small {
  let bytes: [UInt8]
  let states: [StoreConformance.Objects]

  init(pages: Bool = false) throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    var states = [try StoreConformance.objects(store.snapshot())]
    for round in 1...3 as ClosedRange<UInt64> {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      let entity = base.schema["Thing"]!.entityNumber
      let key = ObjectKey(entity: entity, number: round)
      builder.insert(key)
      builder.set(.string("number \(round)"), "name", of: key, base.schema)
      if round > 1 {
        let old = ObjectKey(entity: entity, number: 1)
        let version = try base.view.row(of: old)!.version
        if round == 2 {
          builder.set(.double(1.5), "real", of: old, base.schema, basis: version)
        } else {
          builder.remove(old, basis: version)
        }
      }
      states.append(
        try StoreConformance.objects(
          store.commit(CommitRequest(builder.freeze(), basedOn: base))))
    }
    try store.close()
    bytes = try disk.read("/s", byteLimit: 1 << 20)
    self.states = states
  }

  /// Returns the objects that can be read from changed bytes, and the number of stray bytes at the end.
  static func read(
    _ bytes: [UInt8]
  ) throws -> (objects: StoreConformance.Objects, strayByteCount: Int) {
    let disk = SimulatedDisk()
    let file = try disk.open("/s", for: .create)
    try file.append(bytes)
    let store = try BinaryStore.open("/s", on: disk)
    return (try StoreConformance.objects(store.snapshot()), try store.describe().strayByteCount)
  }
}

@Suite("Damaged block files")
struct DamageTests {
  @Test("Every changed byte is an error or harmless")
  func flips() throws {
    let small = try Small()
    for index in stride(from: 0, to: small.bytes.count, by: Effort.distance(13)) {
      var bytes = small.bytes
      bytes[index] ^= 0x21
      do {
        let (objects, stray) = try Small.read(bytes)
        #expect(objects == small.states.last! && stray == 0, "byte \(index)")
      } catch {
        #expect(error is StoreError || error is BlockError, "byte \(index): \(error)")
      }
    }
  }

  @Test("A file that is cut at any place is refused")
  func truncations() throws {
    let small = try Small()
    for count in stride(from: 0, to: small.bytes.count, by: 5) {
      let error = #expect(throws: StoreError.self, "\(count) bytes") {
        try Small.read(Array(small.bytes[..<count]))
      }
      let isRefused = error.map { [.damaged, .notAStore].contains($0.code) } ?? false
      #expect(isRefused, "\(count) bytes: \(String(describing: error))")
    }
  }

  @Test("A file that is not a store is refused, and the error says what the file is")
  func refusing() throws {
    func code(_ bytes: [UInt8]) -> StoreError.Code? {
      #expect(throws: StoreError.self) { try Small.read(bytes) }?.code
    }
    let small = try Small()
    #expect(code([]) == .notAStore)
    #expect(code(Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 100)) == .notAStore)
    #expect(code(Array(small.bytes[..<64])) == .damaged)
    var newer = small.bytes
    newer[8] = 2
    #expect(code(newer) == .newerFormat)
    let disk = SimulatedDisk()
    let error = #expect(throws: StoreError.self) { try BinaryStore.open("/none", on: disk) }
    #expect(error?.code == .notFound)
    _ = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    let exists = #expect(throws: StoreError.self) {
      try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    }
    #expect(exists?.code == .exists)
  }

  @Test("A value that looks like the end of a commit is not taken for a commit")
  func forgery() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    let base = try store.snapshot()
    let image = Data(try disk.read("/s", byteLimit: 1 << 20).suffix(48))
    let firstTrailer = try disk.status(of: "/s").byteCount - 48
    let key = ObjectKey(entity: base.schema["Thing"]!.entityNumber, number: 1)
    let builder = LayerBuilder(base.schema)
    builder.insert(key)
    builder.set(.binary(image), "bytes", of: key, base.schema)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    // The last commit is cut off within its trailer, so the file ends with the value and a record.
    var bytes = try disk.read("/s", byteLimit: 1 << 20)
    // The slot of the last commit did not reach the disk.
    bytes = BlockFileMap.naming(trailerAt: firstTrailer, in: bytes)
    let (objects, stray) = try Small.read(Array(bytes.dropLast(16)))
    #expect(objects.isEmpty)
    #expect(stray > 0)
  }

  @Test(
    "The search for the newest commit stops after a limited number of broken commits",
    arguments: [20, 100])
  func brokenCommits(count: Int) throws {
    let small = try Small()
    var bytes = small.bytes
    let last = Array(bytes.suffix(48))
    for _ in 0..<count {
      // A valid trailer whose record differs from the trailer's checksum.
      var trailer = last
      let offset = bytes.count
      for i in 0..<8 { trailer[16 + i] = UInt8(truncatingIfNeeded: offset >> (8 * i)) }
      trailer[28] ^= 1
      let sum = CRC32C.checksum(of: trailer.span.bytes.extracting(0..<36))
      for i in 0..<4 { trailer[36 + i] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(i))) }
      for i in 40..<48 { trailer[i] = 0 }
      bytes += trailer
    }
    if count < 64 {
      let (objects, stray) = try Small.read(bytes)
      #expect(objects == small.states.last!)
      // The last trailer ends with zeros instead of an acknowledgement.
      #expect(stray == count * 48 - 8)
    } else {
      let error = #expect(throws: StoreError.self) { try Small.read(bytes) }
      #expect(error?.code == .damaged)
    }
  }

  @Test("Two stores write a file and a third reads it, and each sees the saves of the others")
  func sharing() throws {
    let disk = SimulatedDisk()
    let one = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    let other = try BinaryStore.open("/s", on: disk)
    let reader = try BinaryStore.open("/s", on: disk, readOnly: true)
    let key = ObjectKey(entity: try one.snapshot().schema["Thing"]!.entityNumber, number: 1)
    let base = try one.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.insert(key)
    try one.commit(CommitRequest(builder.freeze(), basedOn: base))
    #expect(try StoreConformance.objects(other.snapshot()) == [key: [:]])
    #expect(try StoreConformance.objects(reader.snapshot()) == [key: [:]])
    // Each store saves above the other store's save.
    for (store, name) in [(other, "b"), (one, "c"), (other, "d")] {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      builder.set(
        .string(name), "name", of: key, base.schema, basis: try base.view.row(of: key)!.version)
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    #expect(try StoreConformance.objects(one.snapshot()) == [key: ["name": .string("d")]])
    let error = #expect(throws: StoreError.self) {
      try reader.commit(CommitRequest(Layer(), basedOn: base))
    }
    #expect(error?.code == .readOnly)
    let lease = try one.leaseKeys(ofEntity: 1, count: 3)
    #expect(try !other.leaseKeys(ofEntity: 1, count: 3).overlaps(lease))
  }

  @Test(
    "A save to a file that was removed, or replaced by another store, is an error",
    arguments: [false, true])
  func removed(isReplaced: Bool) throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    let base = try store.snapshot()
    try disk.remove("/s")
    if isReplaced {
      _ = try BinaryStore.create(at: "/s", model: StoreConformance.model, on: disk)
    }
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: 1, number: 1))
    let error = #expect(throws: StoreError.self) {
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    #expect(error?.code == .notFound)
    #expect(try StoreConformance.objects(store.snapshot()).isEmpty)
  }

  @Test("A file of many dead bytes is rewritten while readers use it, and stays small")
  func vacuum() throws {
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.leastDeadByteCount = 50_000
    let store = try BinaryStore.create(
      at: "/s", model: StoreConformance.model, on: disk, options: options)
    let other = try BinaryStore.open("/s", on: disk)
    let key = ObjectKey(entity: try store.snapshot().schema["Thing"]!.entityNumber, number: 1)
    var held: [(any StoreSnapshot, StoreConformance.Objects)] = []
    for round in 0..<60 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      if round == 0 { builder.insert(key) }
      let bytes = Value.binary(Data(repeating: UInt8(round), count: 9000))
      builder.set(
        bytes, "bytes", of: key, base.schema,
        basis: round == 0 ? 0 : try base.view.row(of: key)!.version)
      let after = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      held.append((after, [key: ["bytes": bytes]]))
    }
    let byteCount = try disk.open("/s", for: .read).byteCount()
    #expect(byteCount < 200_000, "\(byteCount) bytes")
    let commits = try store.commits().map(\.number)
    #expect(commits.first == held.last?.0.commit && commits.count < 30, "\(commits)")
    for (snapshot, objects) in held {
      #expect(try StoreConformance.objects(snapshot) == objects)
    }
    #expect(try StoreConformance.objects(other.snapshot()) == held.last!.1)
  }
}
