// SAFETY: Rows are checked before they are read, and byte strings are compared within their lengths.

import Foundation
import ObjectModel

/// The order of values in an index (spec §4.5.6). Numbers and dates are ordered by size, not-a-number last. Texts,
/// URIs and UUIDs are ordered byte by byte, and references by key. A row without a value comes first.
extension RawColumn {
  /// Returns a number with the same order as the value of row `i`, or as the beginning of the value.
  func orderingWord(_ i: Int) -> UInt64 {
    switch unsafe kind.family {
    case .integers: return unsafe UInt64(ordering: integer(i))
    case .reals: return unsafe UInt64(ordering: double(i))
    case .bytes:
      if unsafe kind == .decimal {
        return unsafe UInt64(ordering: NSDecimalNumber(decimal: decimal(i)).doubleValue)
      }
      return unsafe UInt64(ordering: bytes(i))
    }
  }

  /// Compares row `i` with row `j` of a column of the same kind.
  func comparison(_ i: Int, _ other: RawColumn, _ j: Int) -> Comparison {
    switch unsafe (isNull(i), other.isNull(j)) {
    case (true, true): return .equal
    case (true, false): return .less
    case (false, true): return .greater
    case (false, false): break
    }
    guard unsafe kind.family == .bytes else {
      return unsafe Comparison(orderingWord(i), other.orderingWord(j))
    }
    if unsafe kind == .decimal { return unsafe Comparison(of: decimal(i), other.decimal(j)) }
    return unsafe Comparison(of: bytes(i), other.bytes(j))
  }
}

extension UInt64 {
  /// Creates a number with the same order as the given integer.
  init(ordering value: Int64) { self = UInt64(bitPattern: value) ^ 1 << 63 }

  /// Creates a number with the same order as the given floating-point number, not-a-number last.
  init(ordering value: Double) {
    if value.isNaN {
      self = .max
    } else {
      // Both zeros are equal.
      let bits = value == 0 ? 0 : value.bitPattern
      self = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
  }

  /// Creates a number with the same order as the first eight bytes.
  init(ordering bytes: UnsafeRawBufferPointer) {
    self = 0
    for index in 0..<8 {
      self = unsafe self << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
    }
  }
}

extension Int64 {
  /// Creates the integer whose number in the same order, `UInt64(ordering:)`, is the given number.
  init(ordered word: UInt64) { self = Int64(bitPattern: word ^ 1 << 63) }
}

extension Comparison {
  /// Compares bytes; the first different byte decides.
  init(of left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) {
    let count = min(left.count, right.count)
    // SAFETY: Both buffers have at least `count` bytes.
    if count > 0, case let order = unsafe memcmp(left.baseAddress!, right.baseAddress!, count),
      order != 0
    {
      self = order < 0 ? .less : .greater
    } else {
      self.init(left.count, right.count)
    }
  }

  init(of left: Decimal, _ right: Decimal) {
    switch (left.isNaN, right.isNaN) {
    case (true, true): self = .equal
    case (true, false): self = .greater
    case (false, true): self = .less
    case (false, false): self.init(left, right)
    }
  }
}

extension Value {
  /// Returns a number that orders the value among the values of a column; `nil` for a value that is not a number.
  func orderingWord(as kind: ColumnKind) -> UInt64? {
    switch self {
    case .boolean(let value): UInt64(ordering: Int64(value ? 1 : 0))
    case .integer(let value):
      kind.family == .reals ? UInt64(ordering: Double(value)) : UInt64(ordering: value)
    case .object(let key): UInt64(ordering: Int64(bitPattern: key.rawValue))
    case .float(let value): UInt64(ordering: Double(value))
    case .double(let value): UInt64(ordering: value)
    case .date(let value): UInt64(ordering: value.timeIntervalSinceReferenceDate)
    case .null, .decimal, .string, .uri, .uuid, .binary: nil
    }
  }
}

extension Column {
  /// Returns a number with the same order as the value of a row; `nil` for a row without a value.
  func orderingWord(at row: Int) -> UInt64? {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    return unsafe raw.isNull(row) ? nil : raw.orderingWord(row)
  }

  /// Compares the value of a row with another value of the column's kind.
  ///
  /// - Parameter isPrefix: Whether a text that begins with the value is equal to the value.
  func comparison(at row: Int, with value: Value, isPrefix: Bool) -> Comparison {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    if unsafe raw.isNull(row) { return value.isNull ? .equal : .less }
    func ofBytes(_ text: String) -> Comparison {
      var text = text
      return text.withUTF8 { other in
        // SAFETY: The row was checked above.
        var own = unsafe raw.bytes(row)
        if isPrefix, own.count > other.count {
          unsafe own = UnsafeRawBufferPointer(rebasing: own[0..<other.count])
        }
        return unsafe Comparison(of: own, UnsafeRawBufferPointer(other))
      }
    }
    if let word = value.orderingWord(as: kind) {
      return unsafe Comparison(raw.orderingWord(row), word)
    }
    if kind == .decimal, case .decimal(let value) = value {
      return unsafe Comparison(of: raw.decimal(row), value)
    }
    // A column of numbers has no bytes to compare, and neither have decimals that are encoded as integers.
    guard kind.family == .bytes, unsafe raw.encoding != .scaled else { return .greater }
    switch value {
    case .null, .boolean, .integer, .object, .float, .double, .date, .decimal: return .greater
    case .string(let text), .uri(let text): return ofBytes(text)
    case .uuid(let value):
      return unsafe withUnsafeBytes(of: value.uuid) { unsafe Comparison(of: raw.bytes(row), $0) }
    case .binary(let data):
      return unsafe data.withUnsafeBytes { unsafe Comparison(of: raw.bytes(row), $0) }
    }
  }
}

extension Comparison {
  /// Compares two values of columns of one kind; a missing column has no value.
  package init(of left: Column?, _ i: Int, _ right: Column?, _ j: Int) {
    switch (left, right) {
    case (let left?, let right?):
      precondition(
        i >= 0 && i < left.rowCount && j >= 0 && j < right.rowCount, "The row is out of range.")
      self = unsafe left.raw.comparison(i, right.raw, j)
    case (nil, nil): self = .equal
    case (nil, _?): self = .less
    case (_?, nil): self = .greater
    }
  }
}
