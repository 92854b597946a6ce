import BlockFileFormat
import ObjectModel
import Rows
import StoreInterface

/// The check of one column's bytes (spec §3.3.5, §3.4).
struct ColumnCheck {
  let block: BlockCheck
  let column: ColumnEntry
  let rowCount: Int

  init(_ block: BlockCheck, _ column: ColumnEntry, rowCount: Int) {
    self.block = block
    self.column = column
    self.rowCount = rowCount
  }

  /// Checks the whole column.
  ///
  /// - Parameter versions: The valid versions of rows.
  /// - Returns: The valid references to values outside of the block.
  func run(
    _ header: BlockCheck.Header, versions: ClosedRange<Int64>
  ) -> [OutsideReference] {
    guard var parts = body() else { return [] }
    var bitmaps = Bitmaps()
    var references: [OutsideReference] = []
    if column.flags.contains(.given) { bitmaps.given = parts.take((rowCount + 7) / 8) }
    if !column.flags.contains(.nothing) {
      if column.flags.contains(.presence) { bitmaps.presence = parts.take((rowCount + 7) / 8) }
      if column.flags.contains(.outside) { bitmaps.outside = parts.take((rowCount + 7) / 8) }
      switch column.encoding {
      case .integer, .scaled:
        let data = integers(parts.take(rowCount * Int(column.width)))
        if !parts.isShort { check(data, header, versions) }
      case .real, .fixed: _ = parts.take(rowCount * Int(column.width))
      case .bits: _ = parts.take((rowCount + 7) / 8)
      case .bytes:
        if let values = checkHeap(&parts, count: rowCount) {
          references = checkReferences(bitmaps, values)
        }
      case .dictionary:
        let codes = integers(parts.take(rowCount * Int(column.width)))
        if !parts.isShort { checkCodes(codes) }
        _ = checkHeap(&parts, count: Int(column.dictionaryCount))
      case .slots: break
      }
    }
    parts.skipToEnd()
    if parts.isShort || parts.rest > 0 {
      add(
        .bodyParts,
        parts.isShort
          ? "The column has \(column.bodyByteCount) bytes, fewer than its parts need."
          : "\(parts.rest) of the column's \(column.bodyByteCount) bytes do not belong to a part.")
    } else if parts.hasPadding {
      add(.bodyPadding, "Bytes between the column's parts are not zero.")
    }
    return references
  }

  /// The ranges of a column's bitmaps; empty for a bitmap that the column lacks.
  struct Bitmaps {
    var given = 0..<0
    var presence = 0..<0
    var outside = 0..<0
  }

  func add(_ rule: Rule, row: Int? = nil, _ message: @autoclosure () -> String) {
    block.findings.add(rule, block.at(column, row: row), message())
  }

  /// Returns the parts of the body after a comparison of the checksums; `nil` if a checksum does not match.
  private func body() -> BodyParts? {
    let bytes = block.bytes
    let count = Int(column.bodyByteCount)
    if count == 0 { return BodyParts(bytes, 0..<0) }
    let start = Int(column.chunkOffset)
    let tableByteCount = BlockFormat.pageTableByteCount(bodyByteCount: count)
    let body = start + tableByteCount..<start + tableByteCount + count
    let first = tableByteCount > 0 ? start..<body.lowerBound : body
    guard matches(first, column.checksum) else { return nil }
    for (page, place) in stride(
      from: body.lowerBound, to: tableByteCount > 0 ? body.upperBound : body.lowerBound,
      by: BlockFormat.pageByteCount
    ).enumerated() {
      let end = min(place + BlockFormat.pageByteCount, body.upperBound)
      guard matches(place..<end, bytes.number(UInt32.self, at: start + 4 * page)) else {
        return nil
      }
    }
    let pageCount = (count + BlockFormat.pageByteCount - 1) / BlockFormat.pageByteCount
    if tableByteCount > 0, pageCount % 2 != 0,
      bytes.number(UInt32.self, at: start + 4 * pageCount) != 0
    {
      add(.bodyPadding, "The bytes after the column's checksums are not zero.")
    }
    return BodyParts(bytes, body)
  }

  private func matches(_ range: Range<Int>, _ stored: UInt32) -> Bool {
    let computed = Array(block.bytes[range]).checksum
    if computed == stored { return true }
    add(
      .chunkChecksum,
      "The stored checksum \(hex(stored)) of the column's bytes, from \(range.lowerBound) to "
        + "\(range.upperBound) of the block, differs from the computed \(hex(computed)).")
    return false
  }

  private func integers(_ range: Range<Int>) -> CodedIntegers {
    CodedIntegers(
      bytes: block.bytes, start: range.lowerBound, width: Int(column.width),
      base: column.encoding == .dictionary ? 0 : column.base, step: column.step)
  }

  // MARK: - Integers

  private func check(
    _ data: CodedIntegers, _ header: BlockCheck.Header, _ versions: ClosedRange<Int64>
  ) {
    switch (column.number, column.kind) {
    case (LayoutColumn.Number.key, _): checkKeys(data, header)
    case (LayoutColumn.Number.version, _):
      for row in 0..<rowCount where !versions.contains(data[row]) {
        block.findings.add(
          .rowVersion, block.at(column, row: row),
          "The version is \(data[row]), but commit \(versions.upperBound) wrote the block."
        )
      }
    case (LayoutColumn.Number.object, _):
      for row in 0..<rowCount where !(1...Int64(ObjectKey.highestNumber)).contains(data[row]) {
        add(.indexColumns, row: row, "No object has the number \(data[row]).")
      }
    case (_, .int16): checkRange(data, Int64(Int16.min)...Int64(Int16.max))
    case (_, .int32): checkRange(data, Int64(Int32.min)...Int64(Int32.max))
    default: break
    }
  }

  private func checkRange(_ data: CodedIntegers, _ range: ClosedRange<Int64>) {
    if data.step == 0, !range.contains(data.base) {
      add(
        .integerRange, "The column's base \(data.base) does not fit kind \(column.kind.rawValue).")
      return
    }
    // A line lies within a range if both of its ends do.
    if let ends = data.ends(rowCount), range.contains(ends.first), range.contains(ends.last) {
      return
    }
    if data.step == 0 {
      // Without a step the base is the smallest value, so what is added to it must not leave the range and come back.
      let most = UInt64(range.upperBound - data.base)
      for row in 0..<rowCount where data.excess(row) > most {
        let sum =
          range.contains(data[row]) ? "\(data.base) + \(data.excess(row))" : "\(data[row])"
        add(.integerRange, row: row, "\(sum) does not fit kind \(column.kind.rawValue).")
      }
      return
    }
    for row in 0..<rowCount where !range.contains(data[row]) {
      add(.integerRange, row: row, "\(data[row]) does not fit kind \(column.kind.rawValue).")
    }
  }

  private func checkKeys(_ data: CodedIntegers, _ header: BlockCheck.Header) {
    if let ends = data.ends(rowCount), data.step > 0 || rowCount == 1,
      UInt64(bitPattern: ends.first) == header.minimumKey,
      UInt64(bitPattern: ends.last) == header.maximumKey
    {
      return
    }
    var last = UInt64(bitPattern: data[0])
    var row = 0
    while row + 1 < rowCount, case let key = UInt64(bitPattern: data[row + 1]), key > last {
      last = key
      row += 1
    }
    if row + 1 < rowCount {
      add(.ascendingKeys, row: row + 1, "The key \(data[row + 1]) comes after \(last).")
    } else if UInt64(bitPattern: data[0]) != header.minimumKey || last != header.maximumKey {
      add(
        .ascendingKeys,
        "The keys are from \(data[0]) to \(last), but the header gives \(header.minimumKey) to "
          + "\(header.maximumKey).")
    }
  }

  private func checkCodes(_ codes: CodedIntegers) {
    let count = Int64(column.dictionaryCount)
    // Codes of width 0 are all 0, and a dictionary has at least one entry (spec §3.4.7).
    if codes.width == 0 { return }
    for row in 0..<rowCount where !(0..<count).contains(codes[row]) {
      add(
        .dictionaryCodes, row: row,
        "The code \(codes[row]) is not below the number of entries, \(count).")
    }
  }
}

/// Integers as blocks encode them: `base + step × i + u[i]`, modulo 2^64 (spec §3.4.1).
struct CodedIntegers {
  let bytes: [UInt8]
  let start: Int
  let width: Int
  let base: Int64
  let step: Int64

  /// Returns the first and the last of `count` values on a line; `nil` if the values may leave the line or
  /// overflow 64 bits.
  func ends(_ count: Int) -> (first: Int64, last: Int64)? {
    guard width == 0 else { return nil }
    let (rise, overflow) = step.multipliedReportingOverflow(by: Int64(count - 1))
    let (last, leaves) = base.addingReportingOverflow(rise)
    return overflow || leaves ? nil : (base, last)
  }

  /// Returns u[i], the part of a value above its line.
  func excess(_ index: Int) -> UInt64 {
    UInt64(bitPattern: self[index] &- base &- step &* Int64(index))
  }

  subscript(index: Int) -> Int64 {
    let line = base &+ step &* Int64(index)
    switch width {
    case 0: return line
    case 1: return line &+ Int64(bytes[start + index])
    case 2: return line &+ Int64(bytes.number(UInt16.self, at: start + 2 * index))
    case 4: return line &+ Int64(bytes.number(UInt32.self, at: start + 4 * index))
    default: return line &+ bytes.number(Int64.self, at: start + 8 * index)
    }
  }
}

/// The parts of a body in their order, each at a multiple of 8 from the body's start.
struct BodyParts {
  private let bytes: [UInt8]
  private let body: Range<Int>
  private var offset = 0
  /// Whether the body ends before the end of a requested part.
  private(set) var isShort = false
  /// Whether bytes between parts are not zero.
  private(set) var hasPadding = false

  init(_ bytes: [UInt8], _ body: Range<Int>) {
    self.bytes = bytes
    self.body = body
  }

  /// The number of bytes that are left.
  var rest: Int { body.count - offset }

  /// Takes the next `byteCount` bytes. Returns an empty range if the body is too short or `byteCount` is 0.
  mutating func take(_ byteCount: Int) -> Range<Int> {
    guard byteCount > 0, !isShort else { return body.lowerBound..<body.lowerBound }
    let start = BlockFormat.align(offset)
    guard start <= body.count, byteCount <= body.count - start else {
      isShort = true
      return body.lowerBound..<body.lowerBound
    }
    skip(to: start)
    offset = start + byteCount
    return body.lowerBound + start..<body.lowerBound + offset
  }

  /// Takes the rest of the body.
  mutating func takeRest() -> Range<Int> {
    let start = min(BlockFormat.align(offset), body.count)
    skip(to: start)
    offset = body.count
    return body.lowerBound + start..<body.upperBound
  }

  /// Skips the padding before an empty last part, if there is any.
  mutating func skipToEnd() {
    guard !isShort, BlockFormat.align(offset) == body.count else { return }
    skip(to: body.count)
    offset = body.count
  }

  private mutating func skip(to start: Int) {
    for place in offset..<start where bytes[body.lowerBound + place] != 0 { hasPadding = true }
  }
}
