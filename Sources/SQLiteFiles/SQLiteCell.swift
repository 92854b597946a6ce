// SAFETY: Bytes are SQLite's until the statement moves on, and cells are filled anew then; nothing is read of a cell but while its row is
// there.

import CSQLite3

/// A cell of the row that a statement is at, for whoever reads all of many rows: see ``SQLiteStatement/step(into:)``.
@safe
public struct SQLiteCell {
  /// What kind of value it has.
  public fileprivate(set) var kind = SQLiteKind.null
  /// The number, or its bits.
  fileprivate var bits: UInt64 = 0
  fileprivate var start: UnsafeRawPointer?
  /// How many bytes a text or bytes have.
  public fileprivate(set) var byteCount = 0

  /// A cell without a value.
  public init() {}

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
}

extension SQLiteStatement {
  /// Goes to the next row and fills in its cells, of which there are as many as columns; says whether there is one.
  ///
  /// What the cells hold is there until the statement moves on.
  ///
  /// - Throws: ``SQLiteError``; the statement is back at its beginning then.
  public func step(into cells: inout [SQLiteCell]) throws(SQLiteError) -> Bool {
    guard try step() else { return false }
    if cells.count != columnCount { cells = Array(repeating: SQLiteCell(), count: columnCount) }
    for column in 0..<columnCount {
      let number = Int32(truncatingIfNeeded: column)
      switch unsafe sqlite3_column_type(handle, number) {
      case SQLITE_INTEGER:
        cells[column].kind = .integer
        cells[column].bits = UInt64(bitPattern: unsafe sqlite3_column_int64(handle, number))
      case SQLITE_FLOAT:
        cells[column].kind = .real
        cells[column].bits = unsafe sqlite3_column_double(handle, number).bitPattern
      case SQLITE_TEXT:
        cells[column].kind = .text
        unsafe fill(&cells[column], number)
      case SQLITE_BLOB:
        cells[column].kind = .blob
        unsafe fill(&cells[column], number)
      default: cells[column].kind = .null
      }
    }
    return true
  }

  @unsafe private func fill(_ cell: inout SQLiteCell, _ number: Int32) {
    // Asked in this order: the length is that of what the address was given for.
    unsafe cell.start = sqlite3_column_blob(handle, number)
    cell.byteCount = unsafe cell.start == nil ? 0 : Int(sqlite3_column_bytes(handle, number))
  }
}
