// SAFETY: The bytes belong to SQLite until it steps to the next row, when the cells are filled again. A cell is read
// only during the call for its row. A cell without bytes, or with an empty text or blob, has no address and the length 0.

import CSQLite3

/// A cell of a row, passed to callers that read many rows whole: see
/// ``SQLiteConnection/forEachRow(_:from:where:_:_:)``.
@safe
public struct SQLiteCell {
  /// The kind of the cell's value.
  public private(set) var kind = SQLiteKind.null
  /// The integer, or the bits of the floating-point number.
  private var bits: UInt64 = 0
  private var start: UnsafeRawPointer?
  /// The number of bytes of a text or a blob.
  public private(set) var byteCount = 0

  /// Creates a cell without a value.
  init() {}

  /// The integer of a cell of kind ``SQLiteKind/integer``.
  public var integer: Int64 { Int64(bitPattern: bits) }

  /// The number of a cell of kind ``SQLiteKind/integer`` or ``SQLiteKind/real``.
  public var real: Double { kind == .integer ? Double(integer) : Double(bitPattern: bits) }

  /// Calls `body` with the bytes of a text or a blob, without copying them.
  public func withBytes<R, E>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: byteCount)))
  }

  /// The bytes of a text or a blob.
  public var bytes: [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: start, count: byteCount))
  }

  /// The value. In a text, replacement characters stand for bytes that are not UTF-8.
  public var value: SQLiteValue {
    switch kind {
    case .null: .null
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(String(decoding: bytes, as: UTF8.self))
    case .blob: .blob(bytes)
    }
  }

  /// Fills the cell from a value of SQLite.
  @unsafe mutating func take(_ value: OpaquePointer?) {
    unsafe (start, byteCount) = (nil, 0)
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      kind = .integer
      bits = UInt64(bitPattern: unsafe sqlite3_value_int64(value))
    case SQLITE_FLOAT:
      kind = .real
      bits = unsafe sqlite3_value_double(value).bitPattern
    case SQLITE_TEXT: unsafe take(value, .text)
    case SQLITE_BLOB: unsafe take(value, .blob)
    default: kind = .null
    }
  }

  @unsafe private mutating func take(_ value: OpaquePointer?, _ kind: SQLiteKind) {
    self.kind = kind
    // The address must be read before the length: SQLite may convert the value, and the length must be that of the
    // converted value.
    unsafe start = sqlite3_value_blob(value)
    byteCount = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(value))
  }
}
