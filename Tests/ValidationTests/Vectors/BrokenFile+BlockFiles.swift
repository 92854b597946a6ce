import BinaryStore
import BlockFileFormat
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import Rows

extension BrokenFile {
  static let headers = [
    BrokenFile("FILE-001") { Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 100) },
    BrokenFile("FILE-002", SmallFile.empty) { $0.set("header.major_version", 2) },
    BrokenFile("BLCK-001", SmallFile.empty) { $0.set("header.checksum", 1) },
    BrokenFile("BLCK-002", SmallFile.empty) { $0.set("header.major_version", 0) },
    BrokenFile("BLCK-003", SmallFile.empty) { $0.set("header.flags", 2) },
    BrokenFile("BLCK-004", SmallFile.one) { $0.set("segment0.reserved", 1) },
    BrokenFile("BLCK-005", SmallFile.notes) { $0.set("header.slot_0_checksum", 1) },
    BrokenFile("BLCK-006", SmallFile.notes) {
      $0.set("header.slot_1", $0.number("header.slot_1") - 8)
    },
    BrokenFile("BLCK-007") { BlockFileMap.naming(trailerAt: nil, in: try SmallFile.notes()) },
    BrokenFile("BLCK-008") {
      var bytes = try SmallFile.naming(feature: "thumbnails", ofClass: 1)
      bytes.replaceSubrange(108..<112, with: [1, 0, 0, 0])
      return bytes
    },
    BrokenFile("BLCK-009") { try SmallFile.naming(feature: "thumbnails", ofClass: 1) },
  ]

  static let commits = [
    BrokenFile("BLCK-010") { Array(try SmallFile.empty()[..<80]) },
    BrokenFile("BLCK-011") { try SmallFile.one() + [1, 2, 3, 4, 5] },
    BrokenFile("BLCK-012", SmallFile.empty) { $0.set("trailer.record_checksum", 1) },
    BrokenFile("BLCK-025", SmallFile.notes) { $0.set("trailer.record_checksum", 1) },
    BrokenFile("BLCK-026") {
      let bytes = try SmallFile.notes()
      let record = BlockFileMap.record(before: bytes.count - 48, in: bytes)
      let before = Int(bytes.number(UInt64.self, at: record + 24))
      return BlockFileMap.naming(trailerAt: before, in: bytes)
    },
    BrokenFile("BLCK-027", SmallFile.notes) { $0.set("trailer.acknowledgement", 1) },
    BrokenFile("BLCK-013", SmallFile.notes) {
      $0.set("record.previous_trailer", $0.number("record.previous_trailer") - 8)
    },
    BrokenFile("BLCK-014", SmallFile.notes) { $0.set("before.trailer.record_checksum", 1) },
    BrokenFile("BLCK-015", SmallFile.notes) { $0.set("before.trailer.commit_checksum", 1) },
    BrokenFile("BLCK-016", SmallFile.large) { $0.set("trailer.flags", 0) },
    BrokenFile("BLCK-017", SmallFile.notes) {
      $0.set("trailer.flags", 1)
      $0.set("trailer.commit_checksum", 1)
    },
    BrokenFile("BLCK-018", SmallFile.notes) {
      $0.set("record.start", $0.number("record.start") + 4)
    },
    BrokenFile("BLCK-020", SmallFile.notes) { $0.set("before.record.number", 9) },
    BrokenFile("BLCK-021", SmallFile.empty) {
      $0.poke(
        $0.number("record.metadata.offset") + $0.number("record.metadata.byte_count"), [1])
    },
    BrokenFile("BLCK-022") {
      let disk = SimulatedDisk()
      try disk.open("/s", for: .create).append(try SmallFile.one() + Array(repeating: 1, count: 21))
      let store = try BinaryStore.open("/s", on: disk)
      // The file is a copy, and would draw a random lane for a new note.
      try store.save { try $0.change("Note", 1, "stars", .integer(7)) }
      try store.close()
      return SampleStore.withoutChance(try disk.read("/s", byteLimit: 1 << 20))
    },
  ]

  static let records = [
    BrokenFile("BLCK-023", SmallFile.empty) { $0.set("record.schema_number", 7) },
    BrokenFile("BLCK-024", SmallFile.one) { $0.set("record.schema_number", 2) },
    BrokenFile("BLCK-030", SmallFile.one) { $0.set("record.magic", 0) },
    BrokenFile("BLCK-031", SmallFile.one) { $0.set("record.segment_count", 2) },
    BrokenFile("BLCK-032", SmallFile.one) {
      $0.set("record.metadata.offset", $0.number("record.metadata.offset") + 4)
    },
    BrokenFile("BLCK-033", SmallFile.empty) { $0.set("record.metadata.checksum", 1) },
    BrokenFile("BLCK-034", SmallFile.one) { $0.set("record.live_byte_count", 5) },
    BrokenFile("BLCK-035", SmallFile.one) { $0.set("key0.next_key", 0) },
    BrokenFile("BLCK-036", SmallFile.one) { $0.set("key0.next_key", 2) },
    BrokenFile("BLCK-037") {
      try recommitted(SmallFile.one()) { record in
        record.model = SectionReference(
          offset: record.metadata.offset + 8, byteCount: record.metadata.byteCount - 8,
          checksum: 0)
        record.schemaNumber = record.number
        record.liveByteCount = record.liveCount
      }
    },
  ]

  static let segments = [
    BrokenFile("BLCK-040") {
      let bytes = try SmallFile.pages()
      return try recommitted(bytes) { record in
        guard case .pages(let pages) = record.segments[0].contents else { return }
        let page = Array(bytes[Int(pages[0].section.offset)...])
        var reader = ByteReader(page, at: 0)
        let entries = (0..<17).map { _ in try! BlockEntry(unchecked: &reader) }
        record.segments[0].contents = .entries(entries)
        record.segments[0].byteCount -= UInt64(pages[0].section.byteCount)
        record.liveByteCount = record.liveCount
      }
    },
    BrokenFile("BLCK-041", SmallFile.pages) { $0.set("segment0.page0.entry_count", 16) },
    BrokenFile("BLCK-042", SmallFile.pages) { $0.set("segment0.page0.first_key", 2) },
    BrokenFile("BLCK-043") {
      try recommitted(SmallFile.notes()) { record in
        guard case .entries(let entries) = record.segments[1].contents else { return }
        record.segments[1].contents = .entries(entries.reversed())
      }
    },
    BrokenFile("BLCK-044", SmallFile.one) { $0.set("segment0.row_count", 4) },
    BrokenFile("BLCK-045", SmallFile.one) {
      $0.set("segment0.byte_count", $0.number("segment0.byte_count") + 8)
      $0.set("record.live_byte_count", $0.number("record.live_byte_count") + 8)
    },
    BrokenFile("BLCK-046") {
      try recommitted(SmallFile.notes()) { record in
        record.segments.removeFirst()
        record.liveByteCount = record.liveCount
      }
    },
    BrokenFile("BLCK-047") {
      let bytes = try storeBytes(
        [SmallFile.note, entity("Other")], { $0.insert("Other", 1) },
        { $0.insert("Note", 1, ["stars": .integer(1)]) },
        { try $0.change("Note", 1, "stars", .integer(2)) })
      return try recommitted(bytes) { record in
        let parts = record.segments.suffix(2)
        let entries = parts.flatMap { part -> [BlockEntry] in
          guard case .entries(let entries) = part.contents else { return [] }
          return entries
        }
        record.segments.removeLast(2)
        record.segments.append(
          SegmentRecord(
            rowCount: parts.reduce(0) { $0 + $1.rowCount },
            byteCount: parts.reduce(0) { $0 + $1.byteCount }, highestIndex: 0,
            contents: .entries(entries)))
        record.liveByteCount = record.liveCount
      }
    },
    BrokenFile("BLCK-050", SmallFile.one) {
      $0.set("segment0.entry0.offset", $0.number("segment0.entry0.offset") + 4)
    },
    BrokenFile("BLCK-051", SmallFile.notes) { $0.set("segment1.entry1.run", 3) },
    BrokenFile("BLCK-052", SmallFile.one) { $0.set("segment0.entry0.codec", 7) },
    BrokenFile("BLCK-053", SmallFile.one) {
      $0.set(
        "segment0.entry0.block_byte_count", $0.number("segment0.entry0.block_byte_count") + 8)
    },
    BrokenFile("BLCK-054", SmallFile.one) { $0.set("segment0.entry0.row_count", 0) },
    BrokenFile("BLCK-055", SmallFile.one) { $0.set("segment0.entry0.version", 9) },
    BrokenFile("BLCK-056", SmallFile.compressed) {
      $0.poke($0.number("segment0.entry0.offset") + 100, [1, 2, 3, 4, 5, 6, 7, 8])
    },
    BrokenFile("BLCK-057", SmallFile.one) { $0.set("segment0.block0.entity_number", 2) },
    BrokenFile("BLCK-058", SmallFile.outside) {
      for name in [
        "segment0.entry0.outside_byte_count", "segment0.byte_count", "record.live_byte_count",
      ] { $0.set(name, $0.number(name) + 8) }
    },
  ]

  static let outside = [
    BrokenFile("BLCK-088", SmallFile.outside) {
      $0.poke(reference($0, 0) + 28, [2])
    },
    BrokenFile("BLCK-089", SmallFile.outside) {
      // The outside bitmap follows the presence bitmap.
      let body = $0.body("segment0.block0.column1")
      $0.poke(body + 8, [$0.bytes[body + 8] | 4])
    },
    BrokenFile("BLCK-090", SmallFile.outside) {
      $0.poke(reference($0, 0), [$0.bytes[reference($0, 0)] | 4])
    },
    BrokenFile("BLCK-091", SmallFile.outside) {
      $0.poke(reference($0, 0) + 24, [1, 2, 3, 4])
    },
    BrokenFile("BLCK-092", SmallFile.outside) {
      $0.poke(reference($0, 1) + 8, [7])
    },
    BrokenFile("BLCK-093", SmallFile.outside) {
      // The references of two values state 40 MiB each.
      for index in 0...1 { $0.poke(reference($0, index) + 8, [0, 0, 0x80, 2]) }
    },
  ]

  /// Returns the offset of a reference to an outside value, in the last bytes of the column.
  private static func reference(_ editor: FileEditor, _ index: Int) -> Int {
    editor.body("segment0.block0.column1")
      + editor.number("segment0.block0.column1.body_byte_count") - 64 + 32 * index
  }
}
