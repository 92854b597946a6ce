import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import Testing

/// Files at and beyond the limits of spec §4.8.
@Suite("Limits of block files")
struct LimitTests {
  private static let plain = try! SampleStore.plain.bytes()
  /// The offset of the first segment in a record with three next keys.
  private static let segments = 112 + 3 * 16

  private static func open(_ bytes: [UInt8]) throws -> BinaryStore {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    return try BinaryStore.open("/s", on: disk)
  }

  private static func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch let error as StoreError { return error.code } catch { return nil }
    return nil
  }

  /// Returns the code of the error from opening the file, or `nil` if the file opens.
  private static func code(opening bytes: [UInt8]) -> StoreError.Code? {
    code { _ = try open(bytes) }
  }

  private static func changed(_ change: @escaping (inout [UInt8]) -> Void) -> [UInt8] {
    BlockFileMap.appending(to: plain) { record, _ in change(&record) }
  }

  @Test("The sample's record has the layout that these tests assume")
  func layout() throws {
    let record = BlockFileMap.record(before: Self.plain.count - 48, in: Self.plain)
    #expect(Self.plain.number(UInt32.self, at: record + 104) == 3)
    #expect(Self.plain.number(UInt32.self, at: record + 108) == 2)
    #expect(Self.code(opening: Self.changed { _ in }) == nil)
  }

  @Test("A commit number beyond the limit is damage, and no save follows the last number")
  func commitNumbers() throws {
    let last = try Self.open(Self.changed { $0.set(Int64(1) << 62, at: 8) })
    let base = try last.snapshot()
    var metadata = try base.metadata
    metadata.values["a"] = .integer(1)

    #expect(base.commit == 1 << 62)
    #expect(
      Self.code {
        _ = try last.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
      } == .badChange)
    #expect(Self.code(opening: Self.changed { $0.set((Int64(1) << 62) + 1, at: 8) }) == .damaged)
    #expect(Self.code(opening: Self.changed { $0.set(Int64.max, at: 8) }) == .damaged)
    #expect(Self.code(opening: Self.changed { $0.set(Int64(0), at: 8) }) == .damaged)
  }

  @Test("A key beyond the limit is damage, and no key is leased beyond the last")
  func keys() throws {
    let disk = SimulatedDisk()
    let last = try BinaryStore.create(at: "/s", model: SampleStore.notes, on: disk)
    try SampleStore.commit(last) { $0.put("Note", ObjectKey.highestNumber) }

    #expect(Self.code { _ = try last.leaseKeys(ofEntity: 1, count: 1) } == .badChange)
    // A copy counts in another lane.
    let copy = try Self.open(Self.changed { $0.set(UInt64(1) << 48, at: 112) })
    #expect(try copy.leaseKeys(ofEntity: 1, count: 1).lowerBound > 1 << 47)
    #expect(Self.code(opening: Self.changed { $0.set((UInt64(1) << 48) + 1, at: 112) }) == .damaged)
  }

  @Test("A commit with a record above the size limit is ignored")
  func recordBytes() throws {
    func bytes(_ count: Int) -> [UInt8] {
      BlockFileMap.appending(to: Self.plain, isSettled: true) { record, _ in
        record += [UInt8](repeating: 0, count: count - record.count)
      }
    }

    // A record at the limit is read, and the bytes after the last segment are too many.
    let error = #expect(throws: StoreError.self) { try Self.open(bytes(1 << 24)) }
    #expect(error?.message.contains("surplus bytes") == true)
    // A record beyond the limit makes the trailer invalid, so the previous commit is the last.
    let store = try Self.open(bytes((1 << 24) + 1))
    #expect(try store.describe().strayByteCount > 1 << 24)
  }

  @Test("A section above the size limit is damage")
  func sectionBytes() throws {
    func metadata(_ count: Int) -> [UInt8] {
      var data = count - 200
      while true {
        let list = BinaryPropertyList.write(
          .dictionary(["a": .data(Data(repeating: 7, count: data))]))
        if list.count >= count { return list }
        data += count - list.count
      }
    }
    let most = metadata(1 << 26)
    #expect(most.count == 1 << 26)

    let store = try Self.open(BlockFileMap.replacing(sectionAt: 48, with: most, in: Self.plain))
    #expect(try store.snapshot().metadata.values["a"]?.data?.count ?? 0 > 67_000_000)
    let more = BlockFileMap.replacing(
      sectionAt: 48, with: most + [0, 0, 0, 0, 0, 0, 0, 0], in: Self.plain)
    #expect(Self.code(opening: more) == .damaged)
  }

  @Test("An unsettled commit above the size limit is damage")
  func unsettledBytes() throws {
    func bytes(_ count: Int) -> [UInt8] {
      let record = Int(Self.plain.number(UInt32.self, at: Self.plain.count - 24))
      return BlockFileMap.appending(
        to: Self.plain, sections: [[UInt8](repeating: 1, count: count - (record + 7) & ~7)],
        isSettled: false
      ) { _, _ in }
    }

    #expect(Self.code(opening: bytes(262_144)) == nil)
    #expect(Self.code(opening: bytes(262_152)) == .damaged)
  }

  @Test(
    "A store that was made opens again, however large its model is",
    arguments: [1, 1_000, 1_800, 1_900, 2_000, 2_100, 2_500, 20_000], [false, true])
  func modelsOfAnySize(_ count: Int, isCompressed: Bool) throws {
    let model = try Model(entities: [
      Entity(
        "Wide", properties: (0..<count).map { .attribute(Attribute("text\($0)", .string)) })
    ])
    let disk = SimulatedDisk()

    let made = try BinaryStore.create(
      at: "/s", model: model, isCompressed: isCompressed, on: disk)
    try made.close()

    let store = try BinaryStore.open("/s", on: disk)
    let base = try store.snapshot()
    #expect(try base.model == model)
    let builder = LayerBuilder(base.schema)
    let key = ObjectKey(entity: 1, number: 1)
    builder.insert(key)
    builder.set(.string("last"), column: count - 1, of: key)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    #expect(try BinaryStore.open("/s", on: disk).snapshot().view.keys(ofEntity: 1) == [1])
  }

  @Test("Metadata and a model that no reader accepts are refused by the writer")
  func unreadableParts() throws {
    func nested(_ depth: Int) -> PropertyList {
      (0..<depth).reduce(.integer(1)) { list, _ in .array([list]) }
    }
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(
      at: "/s", model: Model(entities: [Entity("Note")]), on: disk)
    func save(_ list: PropertyList) -> StoreError.Code? {
      Self.code {
        let base = try store.snapshot()
        var metadata = try base.metadata
        metadata.values["a"] = list
        try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
      }
    }

    #expect(save(nested(255)) == nil)
    #expect(save(nested(256)) == .badChange)
    #expect(try BinaryStore.open("/s", on: disk).snapshot().metadata.values["a"] == nested(255))
    let text = String(repeating: "x", count: 1 << 24)
    for value in [text, text + "x"] {
      let note = Entity(
        "Note",
        properties: [.attribute(Attribute("text", .string, defaultValue: .string(value)))])
      let found = Self.code {
        let made = try BinaryStore.create(
          at: "/m", model: Model(entities: [note]), on: disk, overwriting: true)
        #expect(try BinaryStore.open("/m", on: disk).snapshot().model == made.snapshot().model)
      }
      // A reader limits the length of one text, so the writer refuses what it could not read again.
      #expect(found == nil || found == .badChange)
    }
  }

  @Test("A page with too many entries is damaged")
  func pageEntries() throws {
    func bytes(_ count: Int) -> [UInt8] {
      let record = BlockFileMap.record(before: Self.plain.count - 48, in: Self.plain)
      let entry = Array(Self.plain[record + Self.segments + 32..<record + Self.segments + 88])
      var page: [UInt8] = []
      for number in 1...count {
        var next = entry
        next.set(UInt64(number), at: 16)
        next.set(UInt64(number), at: 24)
        page += next
      }
      return BlockFileMap.appending(to: Self.plain, sections: [page]) { record, places in
        record = Array(record[..<Self.segments])
        record.set(UInt32(1), at: 108)
        var segment = [UInt8](repeating: 0, count: 64)
        segment.set(UInt64(count), at: 0)
        segment.set(UInt32(1), at: 28)
        segment.set(UInt64(places[0]), at: 32)
        segment.set(UInt32(page.count), at: 40)
        segment.set(page.crc, at: 44)
        segment.set(UInt64(1), at: 48)
        segment.set(entry.number(UInt16.self, at: 40), at: 56)
        segment.set(UInt16(truncatingIfNeeded: count), at: 58)
        record += segment
      }
    }

    #expect(throws: Never.self) { _ = try Self.open(bytes(64)) }
    #expect(Self.code(opening: bytes(65)) == .damaged)
  }

  @Test("A block that expands beyond the limit is damaged")
  func expansion() throws {
    let stored = [UInt8](repeating: 0, count: 1_048_576)
    func bytes(_ blockByteCount: Int, storedByteCount: Int) -> [UInt8] {
      BlockFileMap.appending(to: Self.plain, sections: [stored]) { record, places in
        let entry = Self.segments + 32
        record.set(UInt64(places[0]), at: entry)
        record.set(UInt32(storedByteCount), at: entry + 8)
        record[entry + 43] = 1
        record.set(UInt32(blockByteCount), at: entry + 44)
      }
    }
    func reading(_ bytes: [UInt8]) -> StoreError.Code? {
      Self.code { _ = try Self.open(bytes).snapshot().view.keys(ofEntity: 1) }
    }

    // A file with an allowed size opens. Reading the block shows that the size is wrong.
    let most = 1032 * 100 + 64
    #expect(Self.code(opening: bytes(most, storedByteCount: 100)) == nil)
    #expect(reading(bytes(most, storedByteCount: 100)) == .damaged)
    #expect(Self.code(opening: bytes(most + 1, storedByteCount: 100)) == .damaged)
    // A block has at most 2^30 bytes, whatever its stored size.
    #expect(Self.code(opening: bytes(1 << 30, storedByteCount: stored.count)) == nil)
    #expect(Self.code(opening: bytes((1 << 30) + 1, storedByteCount: stored.count)) == .damaged)
  }

  @Test("Overlapping blocks can't make the store read more bytes than the file has")
  func overlappingBlocks() throws {
    func bytes(_ count: Int) -> [UInt8] {
      Self.changed { record in
        let first = Array(record[Self.segments..<Self.segments + 32])
        let entries = Int(first.number(UInt32.self, at: 24))
        let segment = Array(record[Self.segments..<Self.segments + 32 + entries * 56])
        record = record[..<Self.segments] + Array(repeatElement(segment, count: count).joined())
        record.set(UInt32(count), at: 108)
      }
    }
    func reading(_ count: Int) -> StoreError.Code? {
      Self.code { _ = try Self.open(bytes(count)).snapshot().view.keys(ofEntity: 1) }
    }

    #expect(reading(1) == nil)
    #expect(reading(200) == .damaged)
  }

  @Test("Metadata beyond the limits of depth and of values are damaged")
  func metadata() throws {
    func code(_ list: [UInt8]) -> StoreError.Code? {
      Self.code {
        _ = try Self.open(
          BlockFileMap.replacing(sectionAt: 48, with: list, in: Self.plain)
        ).snapshot().metadata
      }
    }
    func nested(_ depth: Int) -> [UInt8] {
      var list = PropertyList.integer(1)
      for _ in 0..<depth { list = .array([list]) }
      return BinaryPropertyList.write(.dictionary(["a": list]))
    }

    #expect(code(nested(255)) == nil)
    #expect(code(nested(256)) == .damaged)
    #expect(code(Self.bomb(levels: 5)) == nil)
    #expect(code(Self.bomb(levels: 7)) == .damaged)
  }

  /// Returns a list of few bytes in which each level refers to the next level ten times.
  private static func bomb(levels: Int) -> [UInt8] {
    var objects: [[UInt8]] = [[0xD1, 1, 2], [0x51, 0x61]]
    for level in 0..<levels {
      objects.append([0xAA] + [UInt8](repeating: UInt8(level + 3), count: 10))
    }
    objects.append([0x10, 1])
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [objects.count, 0, table] {
      bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(number)]
    }
    return bytes
  }

  @Test("A model text beyond the limit of depth is refused")
  func model() throws {
    func message(_ depth: Int) throws -> String {
      let text =
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
      let store = try Self.open(
        BlockFileMap.replacing(sectionAt: 64, with: Array(text.utf8), in: Self.plain))
      let error = #expect(throws: StoreError.self) { try store.snapshot().model }
      #expect(error?.code == .damaged)
      return error?.message ?? ""
    }

    // At the limit the text is read, although it is not a model. Beyond the limit it is not read to its end.
    #expect(try !message(64).contains("64"))
    #expect(try message(65).contains("64"))
  }
}
