// SAFETY: Every row is checked against the row count before it is read. The column was verified at loading or was
// built correctly, and `owner` keeps its memory alive.

public import Foundation
public import ObjectModel

/// One column of a block: the values of one property, read in place.
///
///     let ages = try block.column(layout.columns[age].number)!
///     for row in 0..<ages.rowCount where !ages.isNull(row) { sum += ages.integer(at: row) }
///
/// Any row's value is read in constant time, and a value is decoded only when it is read. A column keeps its memory
/// alive and may be used from any thread. The reading methods trap when the row is out of range or the column has
/// another kind of value.
@safe
public struct Column: @unchecked Sendable {
  // Sendable: the memory behind the pointers is immutable and `owner` keeps it alive.
  package let raw: RawColumn
  package let owner: BlockMemory?

  /// Creates a column of the given values in the given memory.
  @unsafe init(_ raw: RawColumn, owner: BlockMemory?) {
    unsafe self.raw = raw
    self.owner = owner
  }

  /// The kind of the column's values.
  public var kind: ColumnKind { unsafe raw.kind }

  public var rowCount: Int { unsafe Int(raw.rowCount) }

  /// Whether any row may lack a value.
  public var hasNulls: Bool { unsafe raw.isNothing || raw.presence != nil }

  @inline(__always)
  private func check(_ row: Int) {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
  }
}

// Every read below is in bounds: the row is checked, and the column's structure was verified at loading or was
// built correctly.
extension Column {
  /// Returns whether the given row has no value.
  public func isNull(_ row: Int) -> Bool {
    check(row)
    return unsafe raw.isNull(row)
  }

  /// Returns whether the change that this column belongs to gives the row's value. Always true for columns of whole
  /// rows.
  public func isGiven(_ row: Int) -> Bool {
    check(row)
    return unsafe raw.isGiven(row)
  }

  /// Returns the whole number of the given row; 0 for a row without a value. A boolean is 0 or 1, and a reference
  /// is the packed key.
  public func integer(at row: Int) -> Int64 {
    check(row)
    precondition(kind.family == .integers, "The column does not contain integers.")
    if unsafe raw.isNull(row) { return 0 }
    return unsafe raw.integer(row)
  }

  /// Returns the boolean of the given row; false for a row without a value.
  public func boolean(at row: Int) -> Bool {
    check(row)
    precondition(kind == .boolean, "The column does not contain Boolean values.")
    if unsafe raw.isNull(row) { return false }
    // Returns the bit itself without a branch: the processor would mispredict half of the branches.
    if unsafe raw.encoding == .bits { return unsafe RawColumn.bit(raw.data.unsafelyUnwrapped, row) }
    return unsafe raw.base != 0
  }

  /// Returns the key of the object that the given row refers to; `nil` for a row without a value.
  public func reference(at row: Int) -> ObjectKey? {
    let packed = UInt64(bitPattern: integer(at: row))
    return packed == 0 || isNull(row) ? nil : ObjectKey(rawValue: packed)
  }

  /// Returns the floating-point number, or the seconds of the date, of the given row; 0 for a row without a value.
  public func double(at row: Int) -> Double {
    check(row)
    precondition(kind.family == .reals, "The column does not contain floating-point numbers.")
    if unsafe raw.isNull(row) { return 0 }
    return unsafe raw.double(row)
  }

  /// Returns the 32-bit floating-point number of the given row; 0 for a row without a value.
  public func float(at row: Int) -> Float {
    check(row)
    precondition(kind == .float, "The column does not contain 32-bit floating-point numbers.")
    if unsafe raw.isNull(row) { return 0 }
    return unsafe raw.float(row)
  }

  /// Returns the date of the given row; the reference date for a row without a value.
  public func date(at row: Int) -> Date { Date(timeIntervalSinceReferenceDate: double(at: row)) }

  /// Returns the text of the given row; empty for a row without a value.
  public func string(at row: Int) -> String {
    check(row)
    precondition(kind.isText, "The column does not contain text.")
    if unsafe raw.isNull(row) { return "" }
    return unsafe raw.text(row)
  }

  /// Returns the bytes of the given row: text, bytes or a UUID; empty for a row without a value.
  @_lifetime(borrow self)
  public func bytes(at row: Int) -> RawSpan {
    check(row)
    precondition(
      kind.family == .bytes && kind != .decimal, "The column does not contain byte strings.")
    let buffer =
      unsafe raw.isNull(row) ? UnsafeRawBufferPointer(start: nil, count: 0) : raw.bytes(row)
    return unsafe _overrideLifetime(buffer.bytes, borrowing: self)
  }

  /// Returns the decimal number of the given row; 0 for a row without a value.
  public func decimal(at row: Int) -> Decimal {
    check(row)
    precondition(kind == .decimal, "The column does not contain decimal numbers.")
    return unsafe raw.isNull(row) ? 0 : raw.decimal(row)
  }

  /// Returns the UUID of the given row; all zero for a row without a value.
  public func uuid(at row: Int) -> UUID {
    check(row)
    precondition(kind == .uuid, "The column does not contain UUIDs.")
    return unsafe raw.isNull(row) ? UUID(uuid: RawColumn.zeroUUID) : raw.uuid(row)
  }

  /// Returns the value of the given row, for a column of any kind.
  public func value(at row: Int) -> Value {
    check(row)
    return unsafe raw.value(row)
  }
}

extension RawColumn {
  static let zeroUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  /// Returns the decimal number of row `i`.
  package func decimal(_ i: Int) -> Decimal {
    if unsafe encoding == .scaled {
      let integer = unsafe RawColumn.decode(data, width: width, base: base, step: step, i)
      return unsafe DecimalParts(integer, exponent: -Int8(scale)).decimal
    }
    let bytes = unsafe bytes(i)
    if unsafe bytes.isEmpty { return .nan }
    return unsafe DecimalParts(canonicalBytes: bytes)?.decimal ?? .nan
  }

  /// Returns the UUID of row `i`.
  package func uuid(_ i: Int) -> UUID {
    // SAFETY: A row of a UUID column has 16 bytes.
    unsafe UUID(uuid: bytes(i).loadUnaligned(as: uuid_t.self))
  }

  /// Returns the value of row `i`, for a column of any kind.
  package func value(_ i: Int) -> Value {
    if unsafe isNull(i) { return .null }
    switch unsafe kind.content {
    case .boolean: return unsafe .boolean(integer(i) != 0)
    case .integer: return unsafe .integer(integer(i))
    case .float: return unsafe .float(float(i))
    case .double: return unsafe .double(double(i))
    case .date: return unsafe .date(Date(timeIntervalSinceReferenceDate: double(i)))
    case .decimal: return unsafe .decimal(decimal(i))
    case .string: return unsafe .string(text(i))
    case .uri: return unsafe .uri(text(i))
    case .binary: return unsafe .binary(Data(bytes(i)))
    case .uuid: return unsafe .uuid(uuid(i))
    case .object:
      let packed = unsafe UInt64(bitPattern: integer(i))
      return packed == 0 ? .null : .object(ObjectKey(rawValue: packed))
    }
  }
}
