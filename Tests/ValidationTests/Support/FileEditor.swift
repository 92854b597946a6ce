import BlockFileFormat
import Checksums
import Foundation
import Rows

/// A sound block file with fields that are changed by name. The checksums are then repaired, except for checksums that were
/// changed themselves:
///
///     var editor = try FileEditor(bytes)
///     editor.set("segment0.block0.column2.width", 3)
///     let broken = editor.sealed()
///
/// Names begin at the newest commit; `before.` goes to the commit before. The editor has its own list of the fields'
/// places, independent of the tested code.
struct FileEditor {
  private(set) var bytes: [UInt8]
  private var places: [String: Range<Int>] = [:]
  private var touched: [Range<Int>] = []
  private var seals: [Seal] = []

  /// The place of a checksum and the range that it covers. Both depend on the values of fields.
  private struct Seal {
    let place: Int
    let range: ([UInt8]) -> Range<Int>?
    var zeroed: Range<Int>?
    /// Bytes of the file that the checksum covers before the bytes of `range`.
    var before: Range<Int>?
  }

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    name("header", at: 0, FileEditor.header)
    try addCommit(endingAt: bytes.count, prefix: "")
    for slot in [40, 56] where bytes[slot..<slot + 16].contains(where: { $0 != 0 }) {
      seals.append(Seal(place: slot + 12, range: { _ in slot..<slot + 12 }, before: 32..<40))
    }
    seals.append(Seal(place: 76, range: { _ in 0..<76 }, zeroed: 40..<76))
  }

  // MARK: - Changing

  /// Returns the number in a field.
  func number(_ name: String) -> Int {
    guard let place = places[name] else { preconditionFailure("There is no field '\(name)'.") }
    return bytes.number(place.lowerBound, place.count)
  }

  /// Writes a number to a field.
  mutating func set(_ name: String, _ value: Int) {
    guard let place = places[name] else { preconditionFailure("There is no field '\(name)'.") }
    poke(
      place.lowerBound,
      (0..<place.count).map { UInt8(truncatingIfNeeded: value >> (8 * min($0, 7))) })
  }

  /// Writes bytes at an offset.
  mutating func poke(_ offset: Int, _ new: [UInt8]) {
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
    touched.append(offset..<offset + new.count)
  }

  /// Returns the offset of a column's body.
  func body(_ column: String) -> Int {
    let block = column.split(separator: ".").dropLast().joined(separator: ".")
    let count = number("\(column).body_byte_count")
    return places["\(block).magic"]!.lowerBound + number("\(column).chunk_offset")
      + (count > 4096 ? ((count + 4095) / 4096 * 4 + 7) & ~7 : 0)
  }

  /// Returns the file with its checksums repaired, except for checksums that were changed themselves.
  func sealed() -> [UInt8] {
    var bytes = bytes
    for seal in seals where !touched.contains(where: { $0.overlaps(seal.place..<seal.place + 4) }) {
      guard let range = seal.range(bytes) else { continue }
      var part = Array(bytes[range])
      if let zeroed = seal.zeroed {
        for index in zeroed { part[index - range.lowerBound] = 0 }
      }
      if let before = seal.before { part = bytes[before] + part }
      let sum = part.checksum
      for i in 0..<4 { bytes[seal.place + i] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(i))) }
    }
    return bytes
  }

  // MARK: - Places

  private typealias Fields = [(name: String, offset: Int, byteCount: Int)]

  private static let header: Fields = [
    ("magic", 0, 8), ("major_version", 8, 2), ("minor_version", 10, 2), ("flags", 12, 2),
    ("salt", 32, 8), ("slot_0", 40, 6), ("slot_0_byte_count", 46, 6), ("slot_0_checksum", 52, 4),
    ("slot_1", 56, 6), ("slot_1_byte_count", 62, 6), ("slot_1_checksum", 68, 4), ("place", 72, 4),
    ("checksum", 76, 4),
  ]
  private static let trailer: Fields = [
    ("magic", 0, 4), ("flags", 4, 4), ("salt", 8, 8), ("trailer_offset", 16, 8),
    ("record_byte_count", 24, 4), ("record_checksum", 28, 4), ("commit_checksum", 32, 4),
    ("checksum", 36, 4), ("acknowledgement", 40, 8),
  ]
  private static let record: Fields = [
    ("magic", 0, 4), ("reserved", 4, 4), ("number", 8, 8), ("time", 16, 8),
    ("previous_trailer", 24, 8), ("start", 32, 8), ("live_byte_count", 40, 8),
    ("schema_number", 96, 8), ("key_count", 104, 4), ("segment_count", 108, 4),
  ]
  private static let reference: Fields = [
    ("offset", 0, 8), ("byte_count", 8, 4), ("checksum", 12, 4),
  ]
  private static let key: Fields = [
    ("next_key", 0, 8), ("entity_number", 8, 2), ("reserved", 10, 4),
  ]
  private static let segment: Fields = [
    ("row_count", 0, 8), ("byte_count", 8, 8), ("highest_index", 16, 2), ("reserved", 18, 4),
    ("entry_count", 24, 4), ("page_count", 28, 4),
  ]
  private static let entry: Fields = [
    ("offset", 0, 8), ("byte_count", 8, 4), ("row_count", 12, 4), ("minimum_key", 16, 8),
    ("maximum_key", 24, 8), ("version", 32, 8), ("entity_number", 40, 2), ("run", 42, 1),
    ("codec", 43, 1), ("block_byte_count", 44, 4), ("outside_byte_count", 48, 8),
  ]
  private static let page: Fields = [
    ("offset", 0, 8), ("byte_count", 8, 4), ("checksum", 12, 4), ("first_key", 16, 8),
    ("first_entity", 24, 2), ("entry_count", 26, 2), ("first_run", 28, 1), ("reserved", 29, 2),
  ]
  private static let block: Fields = [
    ("magic", 0, 4), ("header_byte_count", 4, 4), ("block_byte_count", 8, 4), ("checksum", 12, 4),
    ("entity_number", 16, 2), ("column_count", 18, 2), ("row_count", 20, 4), ("minimum_key", 24, 8),
    ("maximum_key", 32, 8), ("flags", 40, 4), ("reserved", 44, 4),
  ]
  private static let column: Fields = [
    ("number", 0, 2), ("kind", 2, 1), ("encoding", 3, 1), ("width", 4, 1), ("offset_width", 5, 1),
    ("flags", 6, 1), ("scale", 7, 1), ("chunk_offset", 8, 4), ("body_byte_count", 12, 4),
    ("checksum", 16, 4), ("dictionary_count", 20, 4),
  ]

  private mutating func name(_ prefix: String, at offset: Int, _ fields: Fields) {
    for field in fields {
      places["\(prefix).\(field.name)"] =
        offset + field.offset..<offset + field.offset + field.byteCount
    }
  }

  private mutating func addCommit(endingAt end: Int, prefix: String) throws {
    let trailer = end - 48
    let record = (trailer - bytes.number(trailer + 24, 4)) & ~7
    name("\(prefix)trailer", at: trailer, FileEditor.trailer)
    name("\(prefix)record", at: record, FileEditor.record)
    for (index, name) in ["metadata", "model", "schema"].enumerated() {
      addReference("\(prefix)record.\(name)", at: record + 48 + 16 * index)
    }
    var place = record + 112
    for index in 0..<bytes.number(record + 104, 4) {
      name("\(prefix)key\(index)", at: place, FileEditor.key)
      place += 16
    }
    for index in 0..<bytes.number(record + 108, 4) {
      addSegment("\(prefix)segment\(index)", at: &place)
    }
    let before = bytes.number(record + 24, 8)
    if before > 0 {
      try addCommit(endingAt: before + 48, prefix: prefix.isEmpty ? "before." : "before\(prefix)")
    }
    seals.append(
      Seal(place: trailer + 28) { bytes in
        let byteCount = bytes.number(trailer + 24, 4)
        return bytes.range((trailer &- byteCount) & ~7, byteCount)
      })
    seals.append(
      Seal(place: trailer + 32) { bytes in
        let start = bytes.number(record + 32, 8)
        return bytes.number(trailer + 4, 4) == 0 ? bytes.range(start, trailer &- start) : nil
      })
    seals.append(Seal(place: trailer + 36, range: { _ in trailer..<trailer + 36 }))
  }

  private mutating func addReference(_ prefix: String, at place: Int) {
    name(prefix, at: place, FileEditor.reference)
    seals.append(
      Seal(place: place + 12) { bytes in
        bytes.range(bytes.number(place, 8), bytes.number(place + 8, 4))
      })
  }

  private mutating func addSegment(_ prefix: String, at place: inout Int) {
    name(prefix, at: place, FileEditor.segment)
    let (entryCount, pageCount) = (bytes.number(place + 24, 4), bytes.number(place + 28, 4))
    place += 32
    for index in 0..<entryCount {
      addEntry("\(prefix).", index, at: place)
      place += 56
    }
    for index in 0..<pageCount {
      let page = bytes.number(place, 8)
      for entry in 0..<bytes.number(place + 8, 4) / 56 {
        addEntry("\(prefix).page\(index).", entry, at: page + 56 * entry)
      }
      addReference("\(prefix).page\(index)", at: place)
      name("\(prefix).page\(index)", at: place, FileEditor.page)
      place += 32
    }
  }

  private mutating func addEntry(_ prefix: String, _ index: Int, at place: Int) {
    name("\(prefix)entry\(index)", at: place, FileEditor.entry)
    guard bytes[place + 43] == 0 else { return }
    let block = bytes.number(place, 8)
    let path = "\(prefix)block\(index)"
    name(path, at: block, FileEditor.block)
    var column = block + 48
    for _ in 0..<bytes.number(block + 18, 2) {
      addColumn(path, at: &column, in: block)
    }
    seals.append(
      Seal(
        place: block + 12,
        range: { bytes in
          let count = bytes.number(block + 4, 4)
          return count >= 48 ? bytes.range(block, count) : nil
        }, zeroed: block + 12..<block + 16))
  }

  private mutating func addColumn(_ block: String, at place: inout Int, in start: Int) {
    let path = "\(block).column\(bytes.number(place, 2))"
    name(path, at: place, FileEditor.column)
    let at = place
    seals.append(
      Seal(place: at + 16) { bytes in
        let (chunk, count) = (bytes.number(at + 8, 4), bytes.number(at + 12, 4))
        // A long body has a table of checksums, which these files do not change.
        return count == 0 || count > 4096 ? nil : bytes.range(start + chunk, count)
      })
    let encoding = bytes[place + 3]
    let flags = bytes[place + 6]
    place += 24
    guard flags & 2 == 0 else { return }
    var parameters: [String] = []
    if encoding == 1 || encoding == 2 { parameters = flags & 4 == 0 ? ["base"] : ["base", "step"] }
    if encoding == 5 || encoding == 6 { parameters = ["offset_base", "offset_step"] }
    for parameter in parameters {
      places["\(path).\(parameter)"] = place..<place + 8
      place += 8
    }
  }
}

extension [UInt8] {
  /// Returns the range of the given length from an offset; `nil` if it exceeds the bytes.
  func range(_ start: Int, _ byteCount: Int) -> Range<Int>? {
    start >= 0 && byteCount >= 0 && start <= count && byteCount <= count - start
      ? start..<start + byteCount : nil
  }

  /// Returns the little-endian number at an offset; 0 beyond the end.
  func number(_ offset: Int, _ byteCount: Int) -> Int {
    guard offset >= 0, offset + byteCount <= count else { return 0 }
    return (0..<byteCount).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
  }
}
