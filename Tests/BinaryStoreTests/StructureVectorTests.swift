import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import SpecVectors
import StoreInterface
import Testing

/// The vectors of `spec/vectors/4-block-file.md`: files with wrong structures and valid checksums.
///
/// `RECORD_VECTORS=1` writes the page anew, after the vectors of chapter 4 itself.
@Suite("Block files that break one clause each")
struct StructureVectorTests {
  static let page = "vectors/4-block-file.md"
  static let chapter = "4-block-file.md"

  @Test(
    "The store reads each file as the specification says",
    arguments: try SpecVector.all("block-file", on: page))
  func reading(_ vector: SpecVector) throws {
    #expect(try Self.lines(#require(vector.bytes("bytes"))) == vector[all: "object"])
  }

  @Test(
    "The store refuses or ignores each change as the specification says",
    arguments: try SpecVector.all("changed-block-file", on: page))
  func changed(_ vector: SpecVector) throws {
    let bytes = try Self.changed(vector)
    if let code = vector["code"] {
      #expect(Self.code { try Self.lines(bytes) } == code)
    } else {
      #expect(try Self.lines(bytes) == vector[all: "object"])
    }
  }

  @Test("The reference reader reads every readable file, and finds the same objects")
  func reference() throws {
    let files = try SpecVector.all("block-file", on: Self.page).map {
      ($0, try #require($0.bytes("bytes")))
    }
    let harmless = try SpecVector.all("changed-block-file", on: Self.page).filter {
      $0["code"] == nil
    }.map { ($0, try Self.changed($0)) }
    for (vector, bytes) in files + harmless {
      let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      defer { try? FileManager.default.removeItem(atPath: path) }
      try Data(bytes).write(to: URL(filePath: path))
      #expect(try ReferenceTests.reference(path) == vector[all: "object"], "\(vector)")
    }
  }

  @Test("There are at least thirty changes, each with its own title")
  func count() throws {
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil {
      try StructureVectors.record()
    }
    let vectors = try SpecVector.all("changed-block-file", on: Self.page)
    #expect(vectors.count >= 30)
    #expect(Set(vectors.map(\.title)).count == vectors.count)
    #expect(try SpecVector.all("block-file", on: Self.page).count == 2)
  }

  /// Returns the bytes of the file that the vector changes, with the changes applied.
  private static func changed(_ vector: SpecVector) throws -> [UInt8] {
    var bytes = try base(#require(vector["of"]))
    for patch in vector[all: "patch"] {
      let parts = patch.split(separator: " ")
      let start = try #require(Int(parts[0]))
      for (index, byte) in parts.dropFirst().enumerated() {
        bytes[start + index] = try #require(UInt8(byte, radix: 16))
      }
    }
    return bytes
  }

  /// Returns the file with the given title, from either page.
  static func base(_ title: String) throws -> [UInt8] {
    let all =
      try SpecVector.all("block-file", on: chapter) + SpecVector.all("block-file", on: page)
    return try #require(all.first { $0.title == title }?.bytes("bytes"))
  }

  /// Returns everything in a file, its objects as lines.
  static func lines(_ bytes: [UInt8]) throws -> [String] {
    let disk = SimulatedDisk()
    try disk.open("/v", for: .create).append(bytes)
    let store = try BinaryStore.open("/v", on: disk)
    let snapshot = try store.snapshot()
    _ = try SnapshotContents(snapshot)
    return try ReferenceTests.text(snapshot)
  }

  /// Returns the code of the error that `body` throws.
  static func code(_ body: () throws -> [String]) -> String? {
    do { _ = try body() } catch let error as StoreError { return error.code.rawValue } catch {
      return error is BlockError ? StoreError.Code.damaged.rawValue : "\(error)"
    }
    return nil
  }
}

/// Writes the page of vectors.
private enum StructureVectors {
  static let notes = "three notes, of which one is changed and one removed"
  static let pages = "twenty objects of an entity each, listed in a page"
  static let indexed = "three notes and the entries of an index"

  static func record() throws {
    var text = """
      # Vectors of chapter 4

      Block files that are wrong behind sound checksums: each breaks the clause that its title names, and every
      checksum is mended. The kinds are described in [4.9](../4-block-file.md). Whoever reads such a file reads all of it:
      objects, scans, indexes, metadata and model.


      """
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../spec/\(StructureVectorTests.page)").standardizedFileURL
    let files = [
      (notes, try StructureVectorTests.base(notes)), (pages, try SampleStore.paged.bytes()),
      (indexed, try indexedFile()),
    ]
    for (title, bytes) in files.dropFirst() {
      text += "```vector block-file: \(title)\n"
      for line in try StructureVectorTests.lines(bytes) { text += "object = \(line)\n" }
      text += "bytes = \(hex(bytes))\n```\n\n"
    }
    for (title, bytes) in files {
      for one in changes(title, bytes) {
        var changed = bytes
        one.change(&changed)
        changed = BlockFileMap.mended(changed)
        if let unmended = one.unmended { changed[unmended] ^= 1 }
        text += "```vector changed-block-file: \(one.title)\nof = \(title)\n"
        for patch in patches(bytes, changed) { text += "patch = \(patch)\n" }
        if let code = StructureVectorTests.code({ try StructureVectorTests.lines(changed) }) {
          text += "code = \(code)\n"
        } else {
          for line in try StructureVectorTests.lines(changed) { text += "object = \(line)\n" }
        }
        text += "```\n\n"
      }
    }
    try String(text.dropLast()).write(to: page, atomically: true, encoding: .utf8)
  }

  struct Change {
    var title: String
    /// The offset of a byte that is changed after the checksums were repaired.
    var unmended: Int?
    var change: (inout [UInt8]) -> Void
  }

  private static func changes(_ title: String, _ bytes: [UInt8]) -> [Change] {
    let trailer = bytes.count - 48
    let record = BlockFileMap.record(before: trailer, in: bytes)
    let segment = record + 112 + 16 * Int(bytes.number(UInt32.self, at: record + 104))
    switch title {
    case notes: return changesOfNotes(bytes, trailer, record, segment)
    case pages: return changesOfPages(bytes, segment)
    default: return changesOfIndexes(bytes, segment)
    }
  }

  private static func changesOfNotes(
    _ bytes: [UInt8], _ trailer: Int, _ record: Int, _ segment: Int
  ) -> [Change] {
    let end = UInt64(bytes.count)
    let schema = Int(bytes.number(UInt64.self, at: record + 80))
    let block = Int(bytes.number(UInt64.self, at: segment + 32))
    let second = segment + 88 + 32
    func set<T: FixedWidthInteger & Sendable>(
      _ title: String, _ value: T, at offset: Int
    ) -> Change {
      Change(title: title) { $0.set(value, at: offset) }
    }
    return [
      set("a trailer with a flag that is not known (4.3.1)", UInt32(2), at: trailer + 4),
      set("a trailer somewhere else than it says (4.3.1)", UInt64(trailer + 8), at: trailer + 16),
      set("a trailer of a record that is too long (4.3.1)", UInt32(1 << 24) + 1, at: trailer + 24),
      Change(title: "bytes of the last commit that were lost (4.3.2)", unmended: record - 1) { _ in
      },
      set("a record with another magic (4.4.1)", UInt32(7), at: record),
      set("a commit with the number 0 (4.4.1)", Int64(0), at: record + 8),
      set("a commit with a number that none can follow (4.8)", Int64.max, at: record + 8),
      set("a commit before that is behind this one (4.4.1)", end, at: record + 24),
      set("a commit that begins behind its record (4.4.1)", UInt64(record + 8), at: record + 32),
      set(
        "a commit that begins between multiples of 8 (4.1.1)", UInt64(record - 4), at: record + 32),
      set("a count of live bytes that is wrong (4.4.1)", UInt64(1), at: record + 40),
      set("metadata behind the record (4.4.2)", UInt64(record + 8), at: record + 48),
      set("a model between multiples of 8 (4.1.1)", UInt64(65), at: record + 64),
      set("a schema in the header (4.4.2)", UInt64(8), at: record + 80),
      Change(title: "a schema that does not match its checksum (4.4.2)", unmended: schema + 20) {
        _ in
      },
      set("a model set by a commit to come (4.4.1)", Int64(4), at: record + 96),
      set("more keys than there are bytes (4.8)", UInt32.max, at: record + 104),
      set("more segments than there are bytes (4.8)", UInt32.max, at: record + 108),
      set("an author of more bytes than there are (4.4.1)", UInt16(1), at: record + 4),
      set("bytes behind the last segment (4.4.1)", UInt32(1), at: record + 108),
      set("a segment without blocks and pages (4.5.1)", UInt32(0), at: segment + 24),
      set("a segment with blocks and pages (4.5.1)", UInt32(1), at: segment + 28),
      set("a block that lies behind the record (4.4.2)", UInt64(record), at: segment + 32),
      set("a block of other bytes than its entry says (4.5.2)", UInt32(199), at: segment + 40),
      set("a block of other rows than its entry says (4.5.2)", UInt32(2), at: segment + 44),
      set("a block of other keys than its entry says (4.5.2)", UInt64(2), at: segment + 48),
      set("a block of another run than its entry says (4.5.2)", UInt8(1), at: segment + 74),
      set("a run that is not known (4.5.2)", UInt8(3), at: segment + 74),
      set("a codec that is not known (4.5.2)", UInt8(9), at: segment + 75),
      set("a block that is plain and expands (4.5.2)", UInt32(208), at: segment + 76),
      Change(title: "a block that can't expand so far (4.5.2)") {
        $0[segment + 75] = 1
        $0.set(UInt32(1032 * 200 + 65), at: segment + 76)
      },
      Change(title: "a block that is not compressed as it says (4.5.2)") { $0[segment + 75] = 1 },
      Change(title: "entries out of order (4.5.2)") { changed in
        let (one, other) = (changed[second..<second + 56], changed[second + 56..<second + 112])
        changed.replaceSubrange(second..<second + 112, with: Array(other) + Array(one))
      },
      Change(title: "a key in two runs (3.5.1)") { changed in
        // The removed note is now note 1, which is also in the run of changes.
        let removed = Int(changed.number(UInt64.self, at: second + 56))
        for place in [removed + 24, removed + 32, second + 56 + 16, second + 56 + 24] {
          changed.set(UInt64(1), at: place)
        }
        let keys = removed + Int(changed.number(UInt32.self, at: removed + 4)) - 8
        changed.set(UInt64(1), at: keys)
      },
      set("a block with another magic (3.3.1)", UInt8(0x58), at: block),
      set("a schema with another magic (4.6.3)", UInt32(0), at: schema),
      set("an entity above the highest number (4.6.3)", UInt16(0), at: schema + 4),
      set("a column of a kind that is not known (4.6.3)", UInt8(14), at: schema + 26),
      set("a column with flags that are not known (4.6.3)", UInt8(4), at: schema + 27),
      set("two columns with one number (4.6.3)", UInt16(2), at: schema + 24),
      set("a column with a number that is reserved (4.6.3)", UInt16(0xFFFF), at: schema + 24),
      set("a name that is not UTF-8 (4.6.3)", UInt8(0xFF), at: schema + 30),
      set("a list of more elements than there are bytes (4.6.3)", UInt16(9), at: schema + 12),
      Change(title: "metadata that are not a property list (4.6.1)") {
        $0[Int($0.number(UInt64.self, at: record + 48))] = 0
      },
      Change(title: "a model that is no XML (4.6.2)") {
        $0[Int($0.number(UInt64.self, at: record + 64))] = 0x5B
      },
    ]
  }

  private static func changesOfPages(_ bytes: [UInt8], _ segment: Int) -> [Change] {
    let page = Int(bytes.number(UInt64.self, at: segment + 32))
    return [
      Change(title: "a page that does not match its checksum (4.4.2)", unmended: page + 8) { _ in },
      Change(title: "a page that begins with another entry (4.5.3)") {
        $0.set(UInt64(2), at: segment + 48)
      },
      Change(title: "a page of more entries than it has bytes (4.5.3)") {
        $0.set(UInt16(21), at: segment + 58)
      },
      Change(title: "a page without entries (4.5.3)") {
        $0.set(UInt16(0), at: segment + 58)
        $0.set(UInt32(0), at: segment + 40)
      },
      Change(title: "entries of a page out of order (4.5.2)") {
        $0.set(UInt16(9), at: page + 56 + 40)
        $0.set(UInt16(1), at: page + 112 + 40)
      },
    ]
  }

  private static func changesOfIndexes(_ bytes: [UInt8], _ segment: Int) -> [Change] {
    // The segment has two entries: the entry of the notes, and after it the entry of the index.
    let block = Int(bytes.number(UInt64.self, at: segment + 32 + 56))
    func column(_ number: UInt16) -> Int {
      var place = block + 48
      while bytes.number(UInt16.self, at: place) != number {
        place += 24 + (bytes[place + 6] & 4 == 0 ? 8 : 16)
      }
      return place
    }
    let (stars, objects) = (column(1), column(0xFFFC))
    return [
      Change(title: "an entry of an index of the object 0 (4.5.6)") { changed in
        changed.set(changed.number(Int64.self, at: objects + 24) - 1, at: objects + 24)
      },
      Change(title: "an entry of an index of an object beyond all keys (4.5.6)") {
        $0.set(Int64(1) << 48, at: objects + 24)
      },
      Change(title: "entries of an index without objects (4.5.6)") {
        $0.set(UInt16(2), at: stars)
        $0.set(UInt16(3), at: objects)
      },
      Change(title: "entries of an index of another column (4.5.6)") {
        $0.set(UInt16(2), at: stars)
      },
      Change(title: "a segment that has no entries, whatever it keeps (4.5.6)") {
        $0.set(UInt16(0), at: segment + 16)
      },
    ]
  }

  /// Returns a file with a small segment that has index entries.
  private static func indexedFile() throws -> [UInt8] {
    var note = Entity("Note", properties: [.attribute(Attribute("stars", .int16))])
    note.fetchIndexes = [FetchIndex("byStars", elements: [.init("stars")])]
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(
      at: "/v", model: Model(entities: [note]),
      uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!, on: disk)
    try SampleStore.commit(store) { changes in
      for (number, stars) in [(1, 5), (2, -1), (3, 3)] as [(UInt64, Int64)] {
        changes.put("Note", number, ["stars": .integer(stars)])
      }
    }
    let snapshot = try store.snapshot()
    let index = snapshot.schema.indexes[0]
    let changes = try snapshot.tables[0].changes(ofEntity: index.entityNumber)
    let run = try IndexRun(
      index, of: changes, layout: #require(snapshot.schema["Note"]), above: View())
    let slice = try run.blocks[0].bytes()
    let block = slice.memory.bytes.extracting(slice.range).withUnsafeBytes { Array($0) }
    let bytes = try disk.read("/v", byteLimit: 1 << 20)
    let appended = BlockFileMap.appending(to: bytes, sections: [block]) { record, places in
      let segment = 112 + 16 * Int(record.number(UInt32.self, at: 104))
      var entry = Array(record[segment + 32..<segment + 88])
      entry.set(UInt64(places[0]), at: 0)
      entry.set(UInt32(block.count), at: 8)
      entry.set(UInt64(1), at: 16)
      entry.set(UInt64(3), at: 24)
      entry.set(index.number, at: 40)
      entry.set(UInt32(block.count), at: 44)
      record.set(record.number(UInt64.self, at: segment + 8) + UInt64(block.count), at: segment + 8)
      // The block's entry makes the record longer (spec §4.4.5).
      record.set(record.number(UInt64.self, at: 40) + UInt64(block.count + entry.count), at: 40)
      record.set(index.number, at: segment + 16)
      record.set(UInt32(2), at: segment + 24)
      record += entry
    }
    return BlockFileMap.naming(trailerAt: appended.count - 48, in: appended)
  }

  // MARK: - Text

  /// Returns the runs of bytes that differ, each with its offset.
  private static func patches(_ old: [UInt8], _ new: [UInt8]) -> [String] {
    var patches: [String] = []
    var place = 0
    while place < old.count {
      guard old[place] != new[place] else {
        place += 1
        continue
      }
      var end = place + 1
      while end < old.count, old[end...].prefix(4) != new[end...].prefix(4) { end += 1 }
      patches.append("\(place) \(hex(Array(new[place..<end])))")
      place = end
    }
    return patches
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 32).map { start in
      bytes[start..<min(start + 32, bytes.count)].map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }.joined(separator: " ")
    }.joined(separator: "\n        ")
  }
}
