// SAFETY: The bytes belong to libpq until the next row is read. A cell is read only during the call for its row. Each
// access is checked against the number of bytes.

/// A cell of a row in binary form.
@safe
public struct PostgreSQLCell {
  private var start: UnsafeRawPointer?
  /// The number of bytes; -1 for NULL.
  public private(set) var byteCount = -1
  /// The number of the type of the cell in a statement's result; 0 in copied rows, which have no types.
  public private(set) var type: UInt32 = 0

  init() {}

  @unsafe init(_ start: UnsafeRawPointer?, _ byteCount: Int, type: UInt32 = 0) {
    unsafe (self.start, self.byteCount, self.type) = (start, byteCount, type)
  }

  /// Whether the cell is NULL.
  public var isNull: Bool { byteCount < 0 }

  /// The integer of a `smallint`, `integer`, `bigint` or `boolean`; `nil` if the cell has another number of bytes.
  @inline(__always)
  public var integer: Int64? {
    switch byteCount {
    case 8: unsafe Int64(bigEndian: start.unsafelyUnwrapped.loadUnaligned(as: Int64.self))
    case 4: unsafe Int64(Int32(bigEndian: start.unsafelyUnwrapped.loadUnaligned(as: Int32.self)))
    case 2: unsafe Int64(Int16(bigEndian: start.unsafelyUnwrapped.loadUnaligned(as: Int16.self)))
    case 1: unsafe Int64(start.unsafelyUnwrapped.load(as: UInt8.self))
    default: nil
    }
  }

  /// The number of a `double precision` or `real`; `nil` if the cell has another number of bytes.
  @inline(__always)
  public var real: Double? {
    switch byteCount {
    case 8:
      unsafe Double(
        bitPattern: UInt64(bigEndian: start.unsafelyUnwrapped.loadUnaligned(as: UInt64.self)))
    case 4: float.map { Double($0) }
    default: nil
    }
  }

  /// The number of a `real`; `nil` if the cell has another number of bytes.
  public var float: Float? {
    guard byteCount == 4 else { return nil }
    return unsafe Float(
      bitPattern: UInt32(bigEndian: start.unsafelyUnwrapped.loadUnaligned(as: UInt32.self)))
  }

  /// The number of a `numeric`, or `nil` in it for "not a number"; `nil` if the number does not fit.
  public var numeric: PostgreSQLNumeric?? { withBytes { PostgreSQLNumeric.read($0) } }

  /// Calls `body` with the bytes, without copying them.
  @inline(__always)
  public func withBytes<R, E>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try unsafe body(
      RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: max(byteCount, 0))))
  }

  public var bytes: [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: start, count: max(byteCount, 0)))
  }

  /// The text. Replacement characters stand for bytes that are not UTF-8.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension RawSpan {
  /// Returns an integer in network order. Traps unless it lies within the bytes.
  func orderedInteger<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> T {
    unsafe withUnsafeBytes { bytes in
      precondition(offset >= 0 && offset + MemoryLayout<T>.size <= bytes.count)
      return unsafe T(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
  }
}
