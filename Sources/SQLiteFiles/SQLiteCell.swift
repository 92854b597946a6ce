// SAFETY: Bytes are SQLite's until it moves on to the next row, and cells are filled anew then; nothing is read of a cell but while its row is
// there.

import CSQLite3

/// A cell of a row, for whoever reads all of many rows: see ``SQLiteConnection/forEachRow(_:from:where:_:_:)``.
@safe
public struct SQLiteCell {
  /// What kind of value it has.
  public private(set) var kind = SQLiteKind.null
  /// The number, or its bits.
  private var bits: UInt64 = 0
  private var start: UnsafeRawPointer?
  /// How many bytes a text or bytes have.
  public private(set) var byteCount = 0

  /// A cell without a value.
  init() {}

  /// The whole number of a cell of kind ``SQLiteKind/integer``.
  public var integer: Int64 { Int64(bitPattern: bits) }

  /// The number of a cell of kind ``SQLiteKind/integer`` or ``SQLiteKind/real``.
  public var real: Double { kind == .integer ? Double(integer) : Double(bitPattern: bits) }

  /// Calls `body` with the bytes of a text or of bytes, in place.
  public func withBytes<R, E>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: byteCount)))
  }

  /// The bytes of a text or of bytes.
  public var bytes: [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: start, count: byteCount))
  }

  /// The value; what is no UTF-8 in a text shows as such.
  public var value: SQLiteValue {
    switch kind {
    case .null: .null
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(String(decoding: bytes, as: UTF8.self))
    case .blob: .blob(bytes)
    }
  }

  /// Takes what SQLite has for it.
  @unsafe mutating func take(_ value: OpaquePointer?) {
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
    // Asked in this order: the length is that of what the address was given for.
    unsafe start = sqlite3_value_blob(value)
    byteCount = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(value))
  }
}
