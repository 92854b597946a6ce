// SAFETY: A statement is finalized once, when it goes away, which is no later than its connection, or SQLite keeps that itself. What SQLite lends of a
// row is read before the statement moves on.

import CSQLite3

/// A prepared statement, and the row that it is at.
///
///     let statement = try file.prepare("SELECT Z_PK, ZNAME FROM ZTRIP")
///     while try statement.step() {
///       let key = statement.integer(0)
///     }
///
/// Belongs to whoever holds its connection; columns and parameters that are not there trap.
@safe
public final class SQLiteStatement {
  let handle: OpaquePointer
  // Not kept: the connection keeps its statements, and whoever uses one keeps the connection.
  private unowned let connection: SQLiteConnection
  /// The statement's text.
  public let text: String
  /// How many columns a row has.
  public let columnCount: Int
  /// How many parameters the text has.
  public let parameterCount: Int

  init(_ handle: OpaquePointer, _ connection: SQLiteConnection, _ text: String) {
    unsafe self.handle = handle
    self.connection = connection
    self.text = text
    columnCount = unsafe Int(sqlite3_column_count(handle))
    parameterCount = unsafe Int(sqlite3_bind_parameter_count(handle))
  }

  deinit { unsafe sqlite3_finalize(handle) }
}

// Moving.
extension SQLiteStatement {
  /// Goes to the next row, and says whether there is one.
  ///
  /// - Throws: ``SQLiteError``; the statement is back at its beginning then.
  public func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = connection.error(code, text)
      unsafe sqlite3_reset(handle)
      throw error
    }
  }

  /// Goes through with a statement that gives no rows, and is ready to be run again.
  public func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Goes back to the beginning. Parameters stay bound.
  public func reset() { unsafe sqlite3_reset(handle) }
}

// Parameters, counted from 0.
extension SQLiteStatement {
  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw connection.error(code, text) }
  }

  /// Binds nothing.
  public func bindNull(_ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_null(handle, Int32(index + 1)))
  }

  /// Binds a whole number.
  public func bind(_ value: Int64, _ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_int64(handle, Int32(index + 1), value))
  }

  /// Binds a floating-point number. SQLite keeps "not a number" as nothing.
  public func bind(_ value: Double, _ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_double(handle, Int32(index + 1), value))
  }

  /// Binds a text. SQLite copies it.
  public func bind(_ value: String, _ index: Int) throws(SQLiteError) {
    var value = value
    let code = value.withUTF8 { unsafe bindText(UnsafeRawBufferPointer($0), index) }
    try check(code)
  }

  /// Binds a text whose bytes are UTF-8. SQLite copies them.
  public func bindText(_ value: RawSpan, _ index: Int) throws(SQLiteError) {
    try check(unsafe value.withUnsafeBytes { unsafe bindText($0, index) })
  }

  @unsafe private func bindText(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int32 {
    // No bytes are a text too, and no address would be nothing.
    unsafe sqlite3_bind_text64(
      handle, Int32(index + 1), bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? empty,
      UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
  }

  /// Binds bytes. SQLite copies them.
  public func bindBlob(_ value: RawSpan, _ index: Int) throws(SQLiteError) {
    try check(
      unsafe value.withUnsafeBytes {
        unsafe sqlite3_bind_blob64(
          handle, Int32(index + 1), $0.baseAddress ?? UnsafeRawPointer(empty), UInt64($0.count),
          transient)
      })
  }

  /// Binds a value of any kind.
  public func bind(_ value: SQLiteValue, _ index: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(index)
    case .integer(let value): try bind(value, index)
    case .real(let value): try bind(value, index)
    case .text(let value): try bind(value, index)
    case .blob(let value): unsafe try bindBlob(value.span.bytes, index)
    }
  }

  /// Binds values from the first parameter on.
  public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, index) }
  }
}

/// Tells SQLite to copy.
private let transient = unsafe unsafeBitCast(
  -1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?.self)

/// The address of no bytes.
// Sendable: nobody writes there.
nonisolated(unsafe) private let empty = unsafe UnsafePointer(
  UnsafeMutablePointer<CChar>.allocate(capacity: 1).withZero())

extension UnsafeMutablePointer<CChar> {
  @unsafe fileprivate func withZero() -> Self {
    unsafe initialize(to: 0)
    return unsafe self
  }
}

// The row's cells, counted from 0.
extension SQLiteStatement {
  /// What kind of value a cell has.
  @inline(__always)
  public func kind(_ column: Int) -> SQLiteKind {
    switch unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// A cell as a whole number, as SQLite converts it.
  @inline(__always)
  public func integer(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// A cell as a floating-point number, as SQLite converts it.
  @inline(__always)
  public func real(_ column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// Calls `body` with the bytes of a text or of bytes, in place.
  @inline(__always)
  public func withBytes<R, E>(_ column: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    let column = Int32(truncatingIfNeeded: column)
    // Asked in this order: the length is that of what the address was given for.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return try unsafe body(
      RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
  }

  /// How many bytes a text or bytes have.
  public func byteCount(_ column: Int) -> Int {
    unsafe Int(sqlite3_column_bytes(handle, Int32(truncatingIfNeeded: column)))
  }

  /// The bytes of a text or of bytes.
  public func bytes(_ column: Int) -> [UInt8] {
    withBytes(column) { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
  }

  /// The text of a cell; what is no UTF-8 in it shows as such. `nil` for a cell that has no text.
  public func text(_ column: Int) -> String? {
    guard kind(column) == .text else { return nil }
    return String(decoding: bytes(column), as: UTF8.self)
  }

  /// The cell's value.
  public func value(_ column: Int) -> SQLiteValue {
    switch kind(column) {
    case .null: .null
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(text(column) ?? "")
    case .blob: .blob(bytes(column))
    }
  }
}
