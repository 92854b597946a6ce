// SAFETY: Each piece of bytes is compared with its checksum before it is used, and offsets are checked against the
// body before they are followed.

import Checksums
import Foundation
import ObjectModel

/// The result of reading one value alone.
enum PointValue {
  /// The change leaves the value to the row below.
  case absent
  case value(Value)
}

/// The content of one row of a column: no value given, a value, or a reference.
private enum PointPlace {
  case absent
  case value(Value)
  case outside(OutsideReference)
}

extension Block {
  /// Returns the value of one row without reading the whole column. In a column of several pages only the value's
  /// pages are read (spec §3.3.5). In a column with outside values no other outside value is read.
  ///
  /// - Returns: `nil` when the column is loaded, is small, was written as another kind, or has had so many single
  ///   reads that it should be loaded.
  func pointValue(_ column: LayoutColumn, row: Int) throws -> PointValue? {
    try explaining { try readPoint(column, row: row) }
  }

  private func readPoint(_ column: LayoutColumn, row: Int) throws -> PointValue? {
    guard let position = position(of: column.number),
      hasOutsideValues || !isLoaded(position)
    else { return nil }
    let entry = entries[position]
    guard entry.kind == column.kind, !entry.flags.contains(.nothing) else { return nil }
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    if !isLoaded(position), Int(entry.bodyByteCount) > BlockFormat.pageByteCount, mayReadPoint() {
      var reader = try PointReader(entry, block: self)
      switch try reader.place(row) {
      case .absent: return .absent
      case .value(let value): return .value(value)
      case .outside(let reference):
        try source.check([reference])
        return .value(try value(at: reference))
      }
    }
    guard entry.flags.contains(.outside) else { return nil }
    let raw = unsafe try storedColumn(at: position).raw
    if unsafe !raw.isGiven(row) { return .absent }
    if let reference = unsafe raw.outsideReference(row) {
      return .value(try value(at: reference))
    }
    return .value(unsafe raw.value(row))
  }

  /// Returns the bytes at the given offsets, as many as requested. The caller checks their content.
  fileprivate func sourceBytes(_ range: Range<Int>) throws -> BlockSlice {
    try source.exactBytes(range)
  }
}

/// Reads single values out of one column's pages.
private struct PointReader {
  private let entry: ColumnEntry
  private let block: Block
  /// The table of checksums, followed by the body if the chunk is short.
  private let first: BlockSlice
  private let tableByteCount: Int
  /// The pages that were checked, one bit each. Used for a body that was read together with the table.
  private var checkedPages: UInt64 = 0
  private var pages: [(index: Int, bytes: BlockSlice)] = []

  /// The longest chunk that is read at once. One read costs more than the bytes of such a chunk. Only the needed
  /// pages are checked.
  private static let smallByteCount = 32_768

  init(_ entry: ColumnEntry, block: Block) throws {
    self.entry = entry
    self.block = block
    tableByteCount = BlockFormat.pageTableByteCount(bodyByteCount: Int(entry.bodyByteCount))
    let start = Int(entry.chunkOffset)
    let byteCount =
      entry.chunkByteCount <= PointReader.smallByteCount ? entry.chunkByteCount : tableByteCount
    first = try block.sourceBytes(start..<start + byteCount)
    let table = unsafe UnsafeRawBufferPointer(rebasing: first.buffer[..<tableByteCount])
    try unsafe PointReader.check(table, against: entry.checksum, entry)
  }

  private static func check(
    _ bytes: UnsafeRawBufferPointer, against stored: UInt32, _ entry: ColumnEntry
  ) throws {
    let computed = unsafe CRC32C.checksum(of: bytes)
    guard computed == stored else {
      throw BlockError.checksumMismatch(column: entry.number, stored: stored, computed: computed)
    }
  }

  /// Returns the range of a page within the body.
  private func range(ofPage index: Int) -> Range<Int> {
    let start = index * BlockFormat.pageByteCount
    return start..<min(start + BlockFormat.pageByteCount, Int(entry.bodyByteCount))
  }

  private func check(_ page: UnsafeRawBufferPointer, _ index: Int) throws {
    let stored = unsafe UInt32(
      littleEndian: first.buffer.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    try unsafe PointReader.check(page, against: stored, entry)
  }

  private mutating func page(_ index: Int) throws -> BlockSlice {
    if let known = pages.first(where: { $0.index == index }) { return known.bytes }
    let range = range(ofPage: index)
    let body = Int(entry.chunkOffset) + tableByteCount
    let page = try block.sourceBytes(body + range.lowerBound..<body + range.upperBound)
    try unsafe check(page.buffer, index)
    pages.append((index, page))
    return page
  }

  /// Calls `body` with the bytes at the given offsets of the column's body.
  @inline(__always)
  private mutating func withBytes<R>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    guard range.upperBound <= Int(entry.bodyByteCount) else {
      throw BlockError.badColumn(
        entry.number,
        "The column's bytes end at \(entry.bodyByteCount), but a part ends at \(range.upperBound).")
    }
    if range.isEmpty { return try unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let firstPage = range.lowerBound / BlockFormat.pageByteCount
    let lastPage = (range.upperBound - 1) / BlockFormat.pageByteCount
    if first.range.count > tableByteCount {
      let all = unsafe UnsafeRawBufferPointer(rebasing: first.buffer[tableByteCount...])
      for index in firstPage...lastPage where checkedPages >> UInt64(index) & 1 == 0 {
        try unsafe check(UnsafeRawBufferPointer(rebasing: all[self.range(ofPage: index)]), index)
        checkedPages |= 1 << UInt64(index)
      }
      return try unsafe body(UnsafeRawBufferPointer(rebasing: all[range]))
    }
    if firstPage == lastPage {
      let page = try page(firstPage)
      let start = range.lowerBound - firstPage * BlockFormat.pageByteCount
      return try unsafe body(
        UnsafeRawBufferPointer(rebasing: page.buffer[start..<start + range.count]))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for index in firstPage...lastPage {
      let page = try page(index)
      let start = index * BlockFormat.pageByteCount
      let part = range.clamped(to: start..<start + page.range.count)
      unsafe bytes.append(
        contentsOf: page.buffer[part.lowerBound - start..<part.upperBound - start])
    }
    return try unsafe bytes.withUnsafeBytes(body)
  }

  /// Returns a row's bit of the bitmap at `place`.
  private mutating func isSet(_ row: Int, at place: Int) throws -> Bool {
    let byte = place + row >> 3
    return try unsafe withBytes(byte..<byte + 1) { unsafe $0[0] } >> UInt8(row & 7) & 1 != 0
  }

  mutating func place(_ row: Int) throws -> PointPlace {
    let bitmapByteCount = (block.rowCount + 7) / 8
    var place = 0
    if entry.flags.contains(.given) {
      guard try isSet(row, at: 0) else { return .absent }
      place = BlockFormat.align(bitmapByteCount)
    }
    if entry.flags.contains(.presence) {
      guard try isSet(row, at: place) else { return .value(.null) }
      place = BlockFormat.align(place + bitmapByteCount)
    }
    var isOutside = false
    if entry.flags.contains(.outside) {
      isOutside = try isSet(row, at: place)
      place = BlockFormat.align(place + bitmapByteCount)
    }
    if !entry.hasOffsets { return .value(try fixedValue(row, at: place)) }
    var index = row
    var count = block.rowCount
    if entry.encoding == .dictionary {
      let code = try unsigned(row, width: entry.width, at: place)
      guard code < UInt64(entry.dictionaryCount) else {
        throw BlockError.badColumn(
          entry.number,
          "The code \(code) is not below the number of entries, \(entry.dictionaryCount).")
      }
      place = BlockFormat.align(place + block.rowCount * Int(entry.width))
      (index, count) = (Int(code), Int(entry.dictionaryCount))
    }
    let range = try heapRange(index, of: count, at: place)
    let (entry, isReference) = (entry, isOutside)
    return try unsafe withBytes(range) { bytes in
      if isReference {
        return .outside(unsafe try OutsideReference(bytes, column: entry.number))
      }
      return .value(unsafe try PointReader.byteValue(bytes, entry))
    }
  }

  /// Returns the number of a row in the numbers at `place`.
  private mutating func unsigned(_ row: Int, width: UInt8, at place: Int) throws -> UInt64 {
    let width = Int(width)
    return try unsafe withBytes(place + row * width..<place + (row + 1) * width) { bytes in
      var number: UInt64 = 0
      for index in 0..<bytes.count { number |= unsafe UInt64(bytes[index]) << UInt64(8 * index) }
      return number
    }
  }

  /// Returns a value that lies in the row itself, without a heap.
  private mutating func fixedValue(_ row: Int, at place: Int) throws -> Value {
    func word() throws -> Int64 {
      let number = try unsigned(row, width: entry.width, at: place)
      return entry.base &+ entry.step &* Int64(row) &+ Int64(bitPattern: number)
    }
    switch entry.encoding {
    case .bits: return .boolean(try isSet(row, at: place))
    case .fixed:
      // SAFETY: The range has sixteen bytes, and any sixteen bytes are a UUID.
      return try unsafe withBytes(place + row * 16..<place + (row + 1) * 16) { bytes in
        .uuid(unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
      }
    case .real:
      let bits = try unsigned(row, width: entry.width, at: place)
      return entry.kind == .float
        ? .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        : realValue(Double(bitPattern: bits))
    case .scaled:
      let number = try word()
      if entry.kind == .decimal {
        return .decimal(DecimalParts(number, exponent: -Int8(entry.scale)).decimal)
      }
      return realValue(Double(number) / Scale.divisor(entry.scale))
    default:
      let number = try word()
      guard entry.kind.integerRange.contains(number) else {
        throw BlockError.badValue(entry.number, "The number \(number) does not fit the column.")
      }
      switch entry.kind {
      case .boolean: return .boolean(number != 0)
      case .reference:
        return number == 0 ? .null : .object(ObjectKey(rawValue: UInt64(bitPattern: number)))
      default: return .integer(number)
      }
    }
  }

  private func realValue(_ number: Double) -> Value {
    switch entry.kind {
    case .float: .float(Float(number))
    case .date: .date(Date(timeIntervalSinceReferenceDate: number))
    default: .double(number)
    }
  }

  /// Returns the byte range of one entry of a heap with `count` entries, whose offsets begin at `place`.
  private mutating func heapRange(
    _ index: Int, of count: Int, at place: Int
  ) throws -> Range<Int> {
    let heap = BlockFormat.align(place + (count + 1) * Int(entry.offsetWidth))
    func offset(_ i: Int, _ number: UInt64) -> Int64 {
      entry.offsetBase &+ entry.offsetStep &* Int64(i) &+ Int64(bitPattern: number)
    }
    let start = offset(index, try unsigned(index, width: entry.offsetWidth, at: place))
    let end = offset(index + 1, try unsigned(index + 1, width: entry.offsetWidth, at: place))
    guard start >= 0, start <= end, end <= Int64(Int(entry.bodyByteCount) - heap) else {
      throw BlockError.badColumn(
        entry.number, "The offsets of entry \(index) are \(start) and \(end), which is not valid.")
    }
    return heap + Int(start)..<heap + Int(end)
  }

  private static func byteValue(
    _ value: UnsafeRawBufferPointer, _ entry: ColumnEntry
  ) throws -> Value {
    switch entry.kind {
    case .binary: return .binary(unsafe Data(value))
    case .decimal:
      if unsafe value.isEmpty { return .decimal(.nan) }
      guard let parts = unsafe DecimalParts(canonicalBytes: value) else {
        throw BlockError.badValue(entry.number, "A decimal is not in its canonical form.")
      }
      return .decimal(parts.decimal)
    default:
      guard let text = unsafe String(validating: value, as: UTF8.self) else {
        throw BlockError.badText(entry.number)
      }
      return entry.kind == .uri ? .uri(text) : .string(text)
    }
  }
}
