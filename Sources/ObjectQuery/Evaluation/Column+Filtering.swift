// SAFETY: Flags have a byte for every row of the column; the column was verified when it was loaded.

import Foundation
import ObjectModel
import Rows

// The loops over the rows of one column. Each loop checks the encoding once, and then reads the bytes as they lie in
// the block. So the compiler can process many rows at a time.
extension Column {
  /// Clears the flags of the rows whose value fails a test.
  ///
  /// - Throws: ``QueryError`` if a regular expression takes too many steps.
  func filter(_ test: ColumnTest, _ flags: RowFlags) throws {
    precondition(flags.count == rowCount, "Each row needs one flag.")
    let raw = unsafe raw
    if case .isNull(let wanted) = test { return unsafe raw.keep(nulls: wanted, flags) }
    if unsafe raw.isNothing { return unsafe flags.update(repeating: 0) }
    switch test {
    case .isNull: break
    case .integers(let range, let inverted):
      unsafe raw.keep(integers: range, inverted: inverted, flags)
    case .integerSet(let numbers): unsafe raw.keep(amongIntegers: numbers, flags)
    case .reals(let range, let inverted): unsafe raw.keep(reals: range, inverted: inverted, flags)
    case .text(let pattern): try unsafe raw.keep(matching: pattern, flags)
    case .textSet(let texts):
      unsafe raw.keep(flags) { unsafe TextSet.contains(texts, $0) }
    case .bytes(let bytes, let inverted):
      unsafe bytes.withUnsafeBytes { wanted in
        unsafe raw.keep(flags) { unsafe sameBytes($0, wanted) != inverted }
      }
    }
    unsafe raw.keep(nulls: false, flags)
  }

  /// Clears the flags of the rows whose value does not have the given relation to the value in another column.
  func filter(_ relation: ColumnRelation, _ other: Column, _ flags: RowFlags) {
    precondition(
      flags.count == rowCount && other.rowCount == rowCount,
      "Both columns and the flags need equal numbers of rows.")
    let left = unsafe raw
    let right = unsafe other.raw
    let less: UInt8 = relation.contains(.less) ? 1 : 0
    let same: UInt8 = relation.contains(.same) ? 1 : 0
    let greater: UInt8 = relation.contains(.greater) ? 1 : 0
    for row in flags.indices where unsafe flags[row] != 0 {
      if unsafe left.isNull(row) || right.isNull(row) {
        unsafe flags[row] = 0
        continue
      }
      switch unsafe left.kind {
      case .string, .uri:
        let order = unsafe orderOfBytes(left.bytes(row), right.bytes(row))
        unsafe flags[row] = order == .less ? less : order == .same ? same : greater
      case .float, .double, .date:
        let (one, two) = unsafe (left.double(row), right.double(row))
        // "Not a number" has no order. Of all comparisons with it, only `!=` is true.
        let isOdd = one.isNaN || two.isNaN
        unsafe flags[row] =
          isOdd ? less & greater & (1 - same) : one < two ? less : one == two ? same : greater
      default:
        let (one, two) = unsafe (left.integer(row), right.integer(row))
        unsafe flags[row] = one < two ? less : one == two ? same : greater
      }
    }
  }
}

extension RawColumn {
  /// Clears the flags of the rows that have a value, or, if `wanted` is false, of the rows without a value.
  fileprivate func keep(nulls wanted: Bool, _ flags: RowFlags) {
    if unsafe isNothing {
      if !wanted { unsafe flags.update(repeating: 0) }
      return
    }
    guard let presence = unsafe presence else {
      if wanted { unsafe flags.update(repeating: 0) }
      return
    }
    for row in flags.indices {
      let isThere: UInt8 = unsafe RawColumn.bit(presence, row) ? 1 : 0
      unsafe flags[row] &= wanted ? 1 - isThere : isThere
    }
  }

  /// Clears the flags of the rows whose bytes fail a condition.
  @inline(__always)
  fileprivate func keep(
    _ flags: RowFlags, where holds: (UnsafeRawBufferPointer) throws -> Bool
  ) rethrows {
    if unsafe encoding == .dictionary {
      // The condition is evaluated once for each distinct value.
      let count = unsafe Int(dictionaryCount)
      try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { table in
        for code in 0..<count {
          let flag: UInt8 = try unsafe holds(heapBytes(code)) ? 1 : 0
          unsafe (table.baseAddress! + code).initialize(to: flag)
        }
        for row in flags.indices {
          let code = unsafe Int(RawColumn.decode(data, width: width, base: base, step: 0, row))
          unsafe flags[row] &= table[code]
        }
      }
      return
    }
    for row in flags.indices where unsafe flags[row] != 0 && !isNull(row) {
      if try unsafe !holds(bytes(row)) { unsafe flags[row] = 0 }
    }
  }

  // MARK: - Numbers

  fileprivate func keep(
    integers range: ClosedRange<Int64>, inverted: Bool, _ flags: RowFlags
  ) {
    let flip: UInt8 = inverted ? 1 : 0
    if unsafe encoding == .bits {
      let table: (UInt8, UInt8) = (
        (range.contains(0) ? 1 : 0) ^ flip, (range.contains(1) ? 1 : 0) ^ flip
      )
      for row in flags.indices {
        unsafe flags[row] &= RawColumn.bit(data.unsafelyUnwrapped, row) ? table.1 : table.0
      }
      return
    }
    guard unsafe step == 0, unsafe width < 8 else {
      for row in flags.indices {
        let value = unsafe RawColumn.decode(data, width: width, base: base, step: step, row)
        let isIn: UInt8 = value >= range.lowerBound && value <= range.upperBound ? 1 : 0
        unsafe flags[row] &= isIn ^ flip
      }
      return
    }
    // The stored numbers lie between 0 and the greatest number of their width.
    let base = unsafe Int128(base)
    let greatest = unsafe (Int128(1) << (8 * Int128(width))) - 1
    let low = max(Int128(range.lowerBound) - base, 0)
    let high = min(Int128(range.upperBound) - base, greatest)
    guard low <= high else {
      if !inverted { unsafe flags.update(repeating: 0) }
      return
    }
    switch unsafe width {
    case 0: if inverted { unsafe flags.update(repeating: 0) }
    case 1: unsafe keep(UInt8(low)...UInt8(high), flip, flags)
    case 2: unsafe keep(UInt16(low)...UInt16(high), flip, flags)
    default: unsafe keep(UInt32(low)...UInt32(high), flip, flags)
    }
  }

  @inline(__always)
  private func keep<U: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ range: ClosedRange<U>, _ flip: UInt8, _ flags: RowFlags
  ) {
    let low = range.lowerBound
    let span = range.upperBound - low
    let stored = unsafe data.unsafelyUnwrapped
    let flags = unsafe flags.baseAddress.unsafelyUnwrapped
    for row in 0..<(unsafe Int(rowCount)) {
      let value = unsafe stored.loadUnaligned(
        fromByteOffset: row &* MemoryLayout<U>.size, as: U.self)
      let isIn: UInt8 = value &- low <= span ? 1 : 0
      unsafe flags[row] &= isIn ^ flip
    }
  }

  fileprivate func keep(amongIntegers numbers: [Int64], _ flags: RowFlags) {
    guard let least = numbers.first, let greatest = numbers.last else {
      return unsafe flags.update(repeating: 0)
    }
    unsafe keep(integers: least...greatest, inverted: false, flags)
    for row in flags.indices where unsafe flags[row] != 0 {
      if unsafe !numbers.containsSorted(integer(row)) { unsafe flags[row] = 0 }
    }
  }

  fileprivate func keep(reals range: ClosedRange<Double>, inverted: Bool, _ flags: RowFlags) {
    if unsafe encoding == .scaled, unsafe kind != .float {
      if let wholes = unsafe scaledRange(range) {
        return unsafe keep(wholes: wholes, inverted: inverted, flags)
      }
      if !inverted { unsafe flags.update(repeating: 0) }
      return
    }
    let flip: UInt8 = inverted ? 1 : 0
    let (low, high) = (range.lowerBound, range.upperBound)
    for row in flags.indices {
      let value = unsafe double(row)
      let isIn: UInt8 = value >= low && value <= high ? 1 : 0
      unsafe flags[row] &= isIn ^ flip
    }
  }

  /// Tests the stored whole numbers, regardless of the values they represent: dictionary codes or scaled numbers.
  private func keep(wholes range: ClosedRange<Int64>, inverted: Bool, _ flags: RowFlags) {
    unsafe keep(integers: range, inverted: inverted, flags)
  }

  /// Returns the range of the stored whole numbers whose quotient by the divisor is within bounds; `nil` if the range
  /// is empty.
  private func scaledRange(_ range: ClosedRange<Double>) -> ClosedRange<Int64>? {
    // Division preserves the order, so each bound has one place where the comparison changes. The product is near
    // that place, and rounding moves it by a few steps at most.
    let divisor = unsafe divisor
    var low = Int64(clamping: range.lowerBound * divisor)
    while low > .min, Double(low - 1) / divisor >= range.lowerBound { low -= 1 }
    while low < .max, Double(low) / divisor < range.lowerBound { low += 1 }
    var high = Int64(clamping: range.upperBound * divisor)
    while high < .max, Double(high + 1) / divisor <= range.upperBound { high += 1 }
    while high > .min, Double(high) / divisor > range.upperBound { high -= 1 }
    return low <= high ? low...high : nil
  }

  // MARK: - Texts

  fileprivate func keep(matching pattern: TextPattern, _ flags: RowFlags) throws {
    if unsafe encoding == .dictionary, pattern.comparesBytes,
      let codes = unsafe codes(matching: pattern)
    {
      guard let range = codes.range else {
        if !codes.inverted { unsafe flags.update(repeating: 0) }
        return
      }
      return unsafe keep(wholes: range, inverted: codes.inverted, flags)
    }
    if unsafe encoding == .bytes, pattern.operation == .contains, !pattern.bytes.isEmpty,
      !pattern.options.contains(.localeSensitive), unsafe keep(containing: pattern, flags)
    {
      return
    }
    try unsafe keep(flags) { try unsafe pattern.holds($0) }
  }

  /// Returns the range of the codes of a sorted dictionary whose texts match a comparison. The codes are consecutive;
  /// the result is `nil` for an operator that does not depend on the order.
  private func codes(
    matching pattern: TextPattern
  ) -> (range: ClosedRange<Int64>?, inverted: Bool)? {
    let count = unsafe Int64(dictionaryCount)
    func closed(_ low: Int64, _ high: Int64) -> ClosedRange<Int64>? {
      low < high ? low...(high - 1) : nil
    }
    return unsafe pattern.bytes.withUnsafeBytes { text in
      let low = unsafe firstCode { unsafe orderOfBytes($0, text) != .less }
      switch pattern.operation {
      case .equal, .notEqual:
        let high = unsafe firstCode { unsafe orderOfBytes($0, text) == .greater }
        return (closed(low, high), pattern.operation == .notEqual)
      case .lessThan: return (closed(0, low), false)
      case .greaterThanOrEqual: return (closed(low, count), false)
      case .lessThanOrEqual:
        let high = unsafe firstCode { unsafe orderOfBytes($0, text) == .greater }
        return (closed(0, high), false)
      case .greaterThan:
        let high = unsafe firstCode { unsafe orderOfBytes($0, text) == .greater }
        return (closed(high, count), false)
      case .beginsWith:
        let high = unsafe firstCode { entry in
          let start = unsafe UnsafeRawBufferPointer(rebasing: entry.prefix(text.count))
          return unsafe orderOfBytes(start, text) == .greater
        }
        return (closed(low, high), false)
      default: return nil
      }
    }
  }

  /// Returns the first code whose text meets a condition. Every text after it must meet the condition too.
  private func firstCode(where holds: (UnsafeRawBufferPointer) -> Bool) -> Int64 {
    var low = 0
    var high = unsafe Int(dictionaryCount)
    while low < high {
      let middle = (low &+ high) >> 1
      if unsafe holds(heapBytes(middle)) { high = middle } else { low = middle &+ 1 }
    }
    return Int64(low)
  }

  /// Searches the texts of all rows at once, as they lie one after another. Returns false if folding the texts needs
  /// more than a change of case.
  private func keep(containing pattern: TextPattern, _ flags: RowFlags) -> Bool {
    let count = unsafe Int(rowCount)
    let end = unsafe Int(
      RawColumn.decode(offsets, width: offsetWidth, base: offsetBase, step: offsetStep, count))
    guard end > 0, let heap = unsafe heap else {
      unsafe flags.update(repeating: 0)
      return true
    }
    let texts = unsafe UnsafeRawBufferPointer(start: heap, count: end)
    guard pattern.isFolding else {
      unsafe keep(containing: pattern.bytes, in: texts, flags)
      return true
    }
    guard unsafe texts.isASCII else { return false }
    guard pattern.options.contains(.caseInsensitive) else {
      unsafe keep(containing: pattern.bytes, in: texts, flags)
      return true
    }
    unsafe withUnsafeTemporaryAllocation(byteCount: end, alignment: 8) { lower in
      unsafe lowercaseASCII(texts, into: lower)
      unsafe keep(containing: pattern.bytes, in: UnsafeRawBufferPointer(lower), flags)
    }
    return true
  }

  private func keep(
    containing pattern: [UInt8], in texts: UnsafeRawBufferPointer, _ flags: RowFlags
  ) {
    unsafe pattern.withUnsafeBytes { pattern in
      func offset(_ row: Int) -> Int {
        unsafe Int(
          RawColumn.decode(offsets, width: offsetWidth, base: offsetBase, step: offsetStep, row))
      }
      var next = unsafe firstPlace(of: pattern, in: texts)
      // The rows are searched in order: `next` is the first match at or after the row's start.
      for row in flags.indices {
        guard let place = next else {
          unsafe flags[row] = 0
          continue
        }
        let end = offset(row &+ 1)
        if place &+ pattern.count <= end {
          next = unsafe firstPlace(of: pattern, in: texts, from: end)
        } else {
          unsafe flags[row] = 0
          // A match that reaches into the next row is in neither row.
          if place < end { next = unsafe firstPlace(of: pattern, in: texts, from: end) }
        }
      }
    }
  }
}

/// A lookup in texts that are sorted by their bytes.
private enum TextSet {
  static func contains(_ texts: [[UInt8]], _ text: UnsafeRawBufferPointer) -> Bool {
    var low = 0
    var high = texts.count
    while low < high {
      let middle = (low &+ high) >> 1
      switch unsafe texts[middle].withUnsafeBytes({ unsafe orderOfBytes($0, text) }) {
      case .less: low = middle &+ 1
      case .greater: high = middle
      case .same: return true
      }
    }
    return false
  }
}

extension [Int64] {
  /// Returns whether ascending numbers contain the given number.
  fileprivate func containsSorted(_ number: Int64) -> Bool {
    let position = firstPosition { $0 >= number }
    return position < count && self[position] == number
  }
}

extension Int64 {
  /// Creates the number without its fraction, or the nearest number that fits.
  fileprivate init(clamping real: Double) {
    self = real >= 0x1p63 ? .max : real <= -0x1p63 ? .min : Int64(real)
  }
}
