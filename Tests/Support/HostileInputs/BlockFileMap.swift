import Checksums

/// The places of the checksums in a block file, and the bytes that each checksum covers. A walk from the last trailer
/// backwards finds them, and trusts every field that it reads (spec §4).
///
/// Tests and fuzzers change bytes and then repair the checksums, so that the reader reaches the changed bytes.
public struct BlockFileMap: Sendable {
  /// The kinds of parts that have a checksum, in the order of repair: a part may contain the checksums of parts of
  /// earlier kinds.
  public enum Kind: Int, Sendable, CaseIterable {
    /// 4096 bytes of a column.
    case columnPage
    /// A column, or the table of its pages.
    case column
    /// A block's header and directory.
    case directory
    /// Metadata, model, schema, or a page of block entries.
    case section
    case record
    /// A commit from its beginning to its trailer.
    case commit
    case trailer
    case header
  }

  /// A part that has a checksum.
  public struct Part: Sendable, Hashable {
    /// The kind of the part.
    public var kind: Kind
    /// The range of the part's bytes.
    public var range: Range<Int>
    /// The offset of the part's checksum.
    public var checksumPlace: Int
  }

  /// The parts, in the order of repair.
  public private(set) var parts: [Part] = []
  private var seen: Set<Part> = []
  private let bytes: [UInt8]

  /// The limit of parts, which no test file reaches. It ends the walk through hostile bytes.
  private static let mostParts = 4096

  /// Creates the map of a file.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    add(.header, 0, 76, at: 76)
    var trailer = (bytes.count - 48) & ~7
    while trailer >= 80, parts.count < BlockFileMap.mostParts {
      let byteCount = number(trailer + 24, 4)
      let record = max(0, trailer - byteCount) & ~7
      add(.record, record, record + byteCount, at: trailer + 28)
      if number(trailer + 4, 4) & 1 == 0 {
        add(.commit, number(record + 32, 8), trailer, at: trailer + 32)
      }
      add(.trailer, trailer, trailer + 36, at: trailer + 36)
      walk(record: record)
      let previous = number(record + 24, 8)
      guard previous < trailer else { break }
      trailer = previous
    }
    parts.sort { $0.kind.rawValue < $1.kind.rawValue }
  }

  private mutating func add(_ kind: Kind, _ start: Int, _ end: Int, at place: Int) {
    guard start <= end, end <= bytes.count, place + 4 <= bytes.count else { return }
    let part = Part(kind: kind, range: start..<end, checksumPlace: place)
    if parts.count < BlockFileMap.mostParts, seen.insert(part).inserted { parts.append(part) }
  }

  /// Returns a little-endian number; 0 if the number is too large or lies beyond the end.
  private func number(_ offset: Int, _ byteCount: Int) -> Int {
    guard offset >= 0, offset <= bytes.count - byteCount else { return 0 }
    var number: UInt64 = 0
    for index in 0..<byteCount { number |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return number < 1 << 32 ? Int(number) : 0
  }

  private mutating func walk(record: Int) {
    for field in [48, 64, 80] { addSection(at: record + field) }
    var place = record + 112 + number(record + 104, 4) * 16
    for _ in 0..<min(number(record + 108, 4), 256) {
      let (entryCount, pageCount) = (number(place + 24, 4), number(place + 28, 4))
      place += 32
      for _ in 0..<min(entryCount, 256) {
        walk(entry: place)
        place += 56
      }
      for _ in 0..<min(pageCount, 256) {
        addSection(at: place)
        let page = number(place, 8)
        for index in 0..<min(number(place + 26, 2), 256) { walk(entry: page + index * 56) }
        place += 32
      }
    }
  }

  private mutating func addSection(at reference: Int) {
    let offset = number(reference, 8)
    add(.section, offset, offset + number(reference + 8, 4), at: reference + 12)
  }

  private mutating func walk(entry: Int) {
    guard number(entry + 43, 1) == 0 else { return }
    let block = number(entry, 8)
    let end = number(block + 4, 4)
    guard block >= 80, number(block, 4) == 0x4B4C_4251 else { return }
    add(.directory, block, block + end, at: block + 12)
    var place = block + 48
    for _ in 0..<min(number(block + 18, 2), 256) {
      walk(column: place, of: block)
      let (encoding, flags) = (number(place + 3, 1), number(place + 6, 1))
      place += 24
      guard flags & 2 == 0 else { continue }
      switch encoding {
      case 1, 2: place += flags & 4 == 0 ? 8 : 16
      case 5, 6: place += 16
      default: break
      }
    }
  }

  private mutating func walk(column: Int, of block: Int) {
    let (chunk, count) = (block + number(column + 8, 4), number(column + 12, 4))
    guard count > 0 else { return }
    guard count > 4_096 else {
      return add(.column, chunk, chunk + count, at: column + 16)
    }
    let pageCount = (count + 4_095) / 4_096
    let body = chunk + (pageCount * 4 + 7) & ~7
    add(.column, chunk, body, at: column + 16)
    for page in 0..<min(pageCount, 256) {
      let start = body + page * 4_096
      add(.columnPage, start, min(start + 4_096, body + count), at: chunk + page * 4)
    }
  }
}

extension BlockFileMap {
  /// Returns the bytes after a repair of each checksum that the walk finds.
  public static func mended(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for part in BlockFileMap(bytes).parts {
      if part.kind == .directory { bytes.set(UInt32(0), at: part.checksumPlace) }
      var checked = Array(bytes[part.range])
      if part.kind == .header {
        mendSlots(of: &bytes)
        for index in changing where index < checked.count { checked[index] = 0 }
      }
      bytes.set(checked.crc, at: part.checksumPlace)
      if part.kind == .trailer { mendAcknowledgement(at: part.range.upperBound + 4, in: &bytes) }
    }
    return bytes
  }

  /// Repairs the checksum of the acknowledgement at an offset, if there is one.
  private static func mendAcknowledgement(at place: Int, in bytes: inout [UInt8]) {
    let magic = Array("QACK".utf8)
    guard bytes[place..<place + 4].elementsEqual(magic) else { return }
    let trailer = place - 40
    bytes.set(Array(bytes[32..<40] + bytes[trailer + 16..<trailer + 24] + magic).crc, at: place + 4)
  }

  /// The bytes of the header that contain the slots.
  public static let slots = 40..<72
  /// The bytes that the checksum of the header leaves out: the slots and the place.
  private static let changing = 40..<76

  /// Repairs the checksums of the slots that are not empty.
  private static func mendSlots(of bytes: inout [UInt8]) {
    for start in [slots.lowerBound, slots.lowerBound + 16]
    where bytes[start..<start + 16].contains(where: { $0 != 0 }) {
      bytes.set(Array(bytes[32..<40] + bytes[start..<start + 12]).crc, at: start + 12)
    }
  }

  /// Returns the bytes with slots that name the commit with the trailer at `offset` and the end of that commit; with empty
  /// slots if the offset is `nil`. No commit behind it is acknowledged.
  public static func naming(trailerAt offset: Int?, in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for index in slots { bytes[index] = 0 }
    for place in stride(from: max(80, (offset ?? 0) + 8), to: bytes.count - 47, by: 8)
    where bytes.number(UInt64.self, at: place + 16) == UInt64(place) {
      bytes.set(UInt64(0), at: place + 40)
    }
    if let offset {
      for (place, number) in [(0, offset), (6, offset + 48)] {
        bytes.set(UInt32(truncatingIfNeeded: number), at: slots.lowerBound + place)
        bytes.set(UInt16(truncatingIfNeeded: number >> 32), at: slots.lowerBound + place + 4)
      }
      mendSlots(of: &bytes)
    }
    return bytes
  }

  /// Returns the offset of the record of the commit with the trailer at an offset.
  public static func record(before trailer: Int, in bytes: [UInt8]) -> Int {
    (trailer - Int(bytes.number(UInt32.self, at: trailer + 24))) & ~7
  }

  /// Returns a file that has 32 bytes of features, with the given feature alone (spec §4.2.5).
  public static func naming(
    feature name: String, ofClass number: UInt8, in bytes: [UInt8]
  ) -> [UInt8] {
    var area = [number, UInt8(name.utf8.count)] + Array(name.utf8)
    area += [UInt8](repeating: 0, count: 32 - area.count)
    area.set(Array(area[..<28]).crc, at: 28)
    return bytes[..<80] + area + bytes[112...]
  }

  /// Returns the file with one more commit behind it. The new record is a changed copy of the last record.
  ///
  /// - Parameters:
  ///   - sections: The sections of the commit besides its record.
  ///   - isSettled: The flag in the trailer; `nil` for the correct flag.
  ///   - change: Changes the record. Its argument contains the places of the sections.
  public static func appending(
    to bytes: [UInt8], sections: [[UInt8]] = [], isSettled: Bool? = nil,
    record change: (inout [UInt8], [Int]) -> Void
  ) -> [UInt8] {
    let old = bytes.count - 48
    let oldRecord = record(before: old, in: bytes)
    var record = Array(
      bytes[oldRecord..<oldRecord + Int(bytes.number(UInt32.self, at: old + 24))])
    var all = bytes
    var places: [Int] = []
    for section in sections {
      places.append(all.count)
      all += section + [UInt8](repeating: 0, count: -section.count & 7)
    }
    record.set(UInt64(old), at: 24)
    record.set(UInt64(bytes.count), at: 32)
    change(&record, places)
    all += record + [UInt8](repeating: 0, count: -record.count & 7)
    let settled = isSettled ?? (all.count - bytes.count > 262_144)
    var trailer = Array(bytes[old...])
    trailer.set(UInt32(settled ? 1 : 0), at: 4)
    trailer.set(UInt64(all.count), at: 16)
    trailer.set(UInt32(record.count), at: 24)
    trailer.set(record.crc, at: 28)
    trailer.set(settled ? UInt32(0) : Array(all[bytes.count...]).crc, at: 32)
    trailer.set(Array(trailer[..<36]).crc, at: 36)
    trailer.set(UInt64(0), at: 40)
    return all + trailer
  }

  /// Returns the file with one more commit, in which `section` replaces a section of the last commit.
  ///
  /// - Parameter field: The offset in the record of the section's place: 48 for the metadata, 64 for the model, 80 for
  ///   the schema.
  public static func replacing(
    sectionAt field: Int, with section: [UInt8], in bytes: [UInt8]
  ) -> [UInt8] {
    appending(to: bytes, sections: [section]) { record, places in
      record.set(UInt64(places[0]), at: field)
      record.set(UInt32(section.count), at: field + 8)
      record.set(section.crc, at: field + 12)
    }
  }

  /// Returns the bytes of a section of the last commit, with the same `field` as above.
  public static func section(at field: Int, of bytes: [UInt8]) -> [UInt8] {
    let record = record(before: bytes.count - 48, in: bytes)
    let offset = Int(bytes.number(UInt64.self, at: record + field))
    return Array(bytes[offset..<offset + Int(bytes.number(UInt32.self, at: record + field + 8))])
  }
}

extension [UInt8] {
  /// Returns the little-endian number at an offset.
  public func number<T: FixedWidthInteger>(_: T.Type, at offset: Int) -> T {
    (0..<T.bitWidth / 8).reduce(0) { $0 | T(truncatingIfNeeded: self[offset + $1]) << T(8 * $1) }
  }

  /// Writes a little-endian number at an offset.
  public mutating func set<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    for index in 0..<T.bitWidth / 8 {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> T(8 * index))
    }
  }

  /// The checksum of all bytes.
  public var crc: UInt32 { CRC32C.checksum(of: span.bytes) }
}
