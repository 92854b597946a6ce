// SAFETY: A statement is finalized once, in `deinit`. The connection outlives its statements, or SQLite keeps the
// handle alive itself. Memory that SQLite lends for a row is read before the next step.

import CSQLite3

/// A prepared statement, and its current row.
///
///     let statement = try file.prepare("SELECT Z_PK, ZNAME FROM ZTRIP")
///     while try statement.step() {
///       let key = statement.integer(0)
///     }
///
/// Only the thread that uses the connection may use its statements. A column that does not exist is NULL, and a
/// parameter that does not exist is an error.
@safe
public final class SQLiteStatement {
  let handle: OpaquePointer
  // Unowned: the connection retains its statements, and each user of a statement retains the connection.
  private unowned let connection: SQLiteConnection
  public let text: String
  /// The number of columns of a row.
  public let columnCount: Int
  /// The number of parameters in the text.
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

// Steps.
extension SQLiteStatement {
  /// Steps to the next row, and returns whether there is one.
  ///
  /// - Throws: ``SQLiteError``; the statement is reset then.
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

  /// Runs a statement that returns no rows to its end, and resets it.
  public func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Resets the statement to its beginning. Parameters stay bound.
  public func reset() { unsafe sqlite3_reset(handle) }
}

// Parameters, counted from 0.
extension SQLiteStatement {
  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw connection.error(code, text) }
  }

  /// Binds NULL.
  public func bindNull(_ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_null(handle, Int32(index + 1)))
  }

  /// Binds an integer.
  public func bind(_ value: Int64, _ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_int64(handle, Int32(index + 1), value))
  }

  /// Binds a floating-point number. SQLite stores "not a number" as NULL.
  public func bind(_ value: Double, _ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_double(handle, Int32(index + 1), value))
  }

  /// Binds a text. SQLite copies the text.
  public func bind(_ value: String, _ index: Int) throws(SQLiteError) {
    var value = value
    let code = value.withUTF8 { unsafe bindText(UnsafeRawBufferPointer($0), index) }
    try check(code)
  }

  /// Binds a text given as UTF-8 bytes. SQLite copies the bytes.
  public func bindText(_ value: RawSpan, _ index: Int) throws(SQLiteError) {
    try check(unsafe value.withUnsafeBytes { unsafe bindText($0, index) })
  }

  @unsafe private func bindText(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int32 {
    // An empty text must be bound with an address too: SQLite reads a null address as NULL.
    unsafe sqlite3_bind_text64(
      handle, Int32(index + 1), bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? empty,
      UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
  }

  /// Binds a blob. SQLite copies the bytes.
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

  /// Binds values to the parameters, beginning with the first.
  public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, index) }
  }
}

/// A destructor value that tells SQLite to copy the bytes.
private let transient = unsafe unsafeBitCast(
  -1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?.self)

/// An address for zero bytes.
// Sendable: nothing writes there.
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
  /// Returns the kind of a cell's value.
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

  /// Returns a cell as an integer, converted by SQLite's rules.
  @inline(__always)
  public func integer(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// Returns a cell as a floating-point number, converted by SQLite's rules.
  @inline(__always)
  public func real(_ column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// Calls `body` with the bytes of a text or a blob, without copying them.
  @inline(__always)
  public func withBytes<R, E>(_ column: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    let column = Int32(truncatingIfNeeded: column)
    // The address must be read before the length: SQLite may convert the value, and the length must be that of the
    // converted value.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return try unsafe body(
      RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
  }

  /// Returns the number of bytes of a text or a blob.
  public func byteCount(_ column: Int) -> Int {
    unsafe Int(sqlite3_column_bytes(handle, Int32(truncatingIfNeeded: column)))
  }

  /// Returns the bytes of a text or a blob.
  public func bytes(_ column: Int) -> [UInt8] {
    withBytes(column) { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
  }

  /// Returns the text of a cell, with replacement characters for bytes that are not UTF-8; `nil` for a cell of
  /// another kind.
  public func text(_ column: Int) -> String? {
    guard kind(column) == .text else { return nil }
    return String(decoding: bytes(column), as: UTF8.self)
  }

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
