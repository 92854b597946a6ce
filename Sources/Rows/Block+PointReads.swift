// SAFETY: Every piece is read from the source and checked against its checksum before it is looked
// into, and offsets are checked against the body before they are followed.

import Checksums
import Foundation
import ObjectModel

/// One value, read by itself.
enum PointValue {
  /// The change leaves the value to the row beneath.
  case absent
  case value(Value)
}

/// What a column has in place of one value.
private enum PointPlace {
  case absent
  case value(Value)
  case outside(OutsideReference)
}

extension Block {
  /// The value of one row of a column of several pages, from those it lies in alone (spec §3.3.5), or of one with values outside of the block, of which no other is read.
  ///
  /// - Returns: `nil` when the column is loaded already, is small, was written as another kind, or when
  ///   so many values were read one by one that it should be loaded.
  func pointValue(_ column: LayoutColumn, row: Int) throws -> PointValue? {
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

  /// The bytes at the given offsets, for whoever checks them.
  func sourceBytes(_ range: Range<Int>) throws -> BlockSlice { try source.bytes(range) }
}

/// Reads single values out of one column's pages.
private struct PointReader {
  private let entry: ColumnEntry
  private let block: Block
  private let table: BlockSlice
  private let tableByteCount: Int
  private var pages: [Int: BlockSlice] = [:]

  init(_ entry: ColumnEntry, block: Block) throws {
    self.entry = entry
    self.block = block
    tableByteCount = BlockFormat.pageTableByteCount(bodyByteCount: Int(entry.bodyByteCount))
    let start = Int(entry.chunkOffset)
    table = try block.sourceBytes(start..<start + tableByteCount)
    try unsafe PointReader.check(table.buffer, against: entry.checksum, entry)
  }

  private static func check(
    _ bytes: UnsafeRawBufferPointer, against stored: UInt32, _ entry: ColumnEntry
  ) throws {
    let computed = unsafe CRC32C.checksum(of: bytes)
    guard computed == stored else {
      throw BlockError.checksumMismatch(column: entry.number, stored: stored, computed: computed)
    }
  }

  private mutating func page(_ index: Int) throws -> BlockSlice {
    if let known = pages[index] { return known }
    let body = Int(entry.chunkOffset) + tableByteCount
    let start = index * BlockFormat.pageByteCount
    let end = min(start + BlockFormat.pageByteCount, Int(entry.bodyByteCount))
    let page = try block.sourceBytes(body + start..<body + end)
    let stored = unsafe UInt32(
      littleEndian: table.buffer.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    try unsafe PointReader.check(page.buffer, against: stored, entry)
    pages[index] = page
    return page
  }

  /// The bytes of the body at the given offsets.
  private mutating func bytes(_ range: Range<Int>) throws -> [UInt8] {
    guard range.upperBound <= Int(entry.bodyByteCount) else {
      throw BlockError.badColumn(
        entry.number,
        "Its bytes end at \(entry.bodyByteCount), and a part goes to \(range.upperBound).")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let index = offset / BlockFormat.pageByteCount
      let page = try page(index)
      let start = offset - index * BlockFormat.pageByteCount
      let end = min(range.upperBound - index * BlockFormat.pageByteCount, page.range.count)
      unsafe bytes.append(contentsOf: page.buffer[start..<end])
      offset += end - start
    }
    return bytes
  }

  mutating func place(_ row: Int) throws -> PointPlace {
    let bitmapByteCount = (block.rowCount + 7) / 8
    var place = 0
    func isSet(_ bytes: [UInt8]) -> Bool { bytes[0] >> UInt8(row & 7) & 1 != 0 }
    if entry.flags.contains(.given) {
      guard isSet(try bytes(row >> 3..<row >> 3 + 1)) else { return .absent }
      place = BlockFormat.align(bitmapByteCount)
    }
    if entry.flags.contains(.presence) {
      guard isSet(try bytes(place + row >> 3..<place + row >> 3 + 1)) else { return .value(.null) }
      place = BlockFormat.align(place + bitmapByteCount)
    }
    var isOutside = false
    if entry.flags.contains(.outside) {
      isOutside = isSet(try bytes(place + row >> 3..<place + row >> 3 + 1))
      place = BlockFormat.align(place + bitmapByteCount)
    }
    if !entry.hasOffsets { return .value(try fixedValue(row, at: place)) }
    var index = row
    var count = block.rowCount
    if entry.encoding == .dictionary {
      let code = try unsigned(row, width: entry.width, at: place)
      guard code < UInt64(entry.dictionaryCount) else {
        throw BlockError.badColumn(
          entry.number, "The code \(code) is not below \(entry.dictionaryCount).")
      }
      place = BlockFormat.align(place + block.rowCount * Int(entry.width))
      (index, count) = (Int(code), Int(entry.dictionaryCount))
    }
    let value = try heapBytes(index, of: count, at: place)
    if isOutside { return .outside(try OutsideReference(value, column: entry.number)) }
    return .value(try byteValue(value))
  }

  /// The number of a row among those at a place.
  private mutating func unsigned(_ row: Int, width: UInt8, at place: Int) throws -> UInt64 {
    let width = Int(width)
    let bytes = try bytes(place + row * width..<place + (row + 1) * width)
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A value whose row says all of it.
  private mutating func fixedValue(_ row: Int, at place: Int) throws -> Value {
    func word() throws -> Int64 {
      let number = try unsigned(row, width: entry.width, at: place)
      return entry.base &+ entry.step &* Int64(row) &+ Int64(bitPattern: number)
    }
    switch entry.encoding {
    case .bits:
      return .boolean(
        try bytes(place + row >> 3..<place + row >> 3 + 1)[0] >> UInt8(row & 7) & 1 != 0)
    case .fixed:
      let bytes = try bytes(place + row * 16..<place + (row + 1) * 16)
      // SAFETY: These are sixteen bytes, and any sixteen are a UUID.
      return .uuid(
        unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
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

  /// The bytes of one of so many entries of a heap, whose offsets are at a place.
  private mutating func heapBytes(_ index: Int, of count: Int, at place: Int) throws -> [UInt8] {
    let heap = BlockFormat.align(place + (count + 1) * Int(entry.offsetWidth))
    func offset(_ i: Int, _ number: UInt64) -> Int64 {
      entry.offsetBase &+ entry.offsetStep &* Int64(i) &+ Int64(bitPattern: number)
    }
    let start = offset(index, try unsigned(index, width: entry.offsetWidth, at: place))
    let end = offset(index + 1, try unsigned(index + 1, width: entry.offsetWidth, at: place))
    guard start >= 0, start <= end, end <= Int64(Int(entry.bodyByteCount) - heap) else {
      throw BlockError.badColumn(
        entry.number, "The offsets of entry \(index) go from \(start) to \(end).")
    }
    return try bytes(heap + Int(start)..<heap + Int(end))
  }

  private func byteValue(_ value: [UInt8]) throws -> Value {
    switch entry.kind {
    case .binary: return .binary(Data(value))
    case .decimal:
      if value.isEmpty { return .decimal(.nan) }
      guard let parts = unsafe value.withUnsafeBytes({ unsafe DecimalParts(canonicalBytes: $0) })
      else { throw BlockError.badValue(entry.number, "A decimal is not in its canonical form.") }
      return .decimal(parts.decimal)
    default:
      guard let text = String(validating: value, as: UTF8.self) else {
        throw BlockError.badText(entry.number)
      }
      return entry.kind == .uri ? .uri(text) : .string(text)
    }
  }
}
