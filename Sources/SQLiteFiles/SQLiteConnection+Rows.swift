// SAFETY: The row taker lives as long as its connection, and has a `body` only while `forEachRow` runs. SQLite's
// values are read during the call that passes them; SQLite passes their count, and `cells` has room for that count.

import CSQLite3

/// The receiver of the rows of `forEachRow`. Each connection has one, and reads one table at a time.
@unsafe
struct RowTaker {
  /// Space for the cells of the current row.
  fileprivate var cells = unsafe UnsafeMutableBufferPointer<SQLiteCell>(start: nil, count: 0)
  fileprivate var body: ((Span<SQLiteCell>) throws -> Void)?
  /// The error that `body` threw. It ends the reading of rows.
  fileprivate var error: (any Error)?

  /// The name of the SQL function that receives the rows. Only the connection's own statements may call it, never a
  /// schema.
  fileprivate static let name = "quire_take"

  /// Registers the function with SQLite.
  static func register(_ taker: UnsafeMutablePointer<RowTaker>, _ handle: OpaquePointer) -> Int32 {
    unsafe sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, taker, nil,
      { context, count, values in
        // The user data is the pointer passed above.
        let taker = unsafe sqlite3_user_data(context)!.assumingMemoryBound(to: RowTaker.self)
        if unsafe !taker.pointee.take(values!, count: Int(count)) {
          unsafe sqlite3_result_error(context, "", 0)
        }
      }, { context in unsafe sqlite3_result_null(context) }, nil)
  }

  /// - Returns: Whether `body` accepts more rows.
  private mutating func take(_ values: UnsafeMutablePointer<OpaquePointer?>, count: Int) -> Bool {
    guard let body = unsafe body, unsafe count == cells.count else { return false }
    for index in 0..<count { unsafe cells[index].take(values[index]) }
    do {
      unsafe try body(Span(_unsafeElements: cells))
      return true
    } catch {
      unsafe self.error = error
      unsafe self.body = nil
      return false
    }
  }
}

extension SQLiteConnection {
  /// Calls `body` with the cells of each row of a table, in the order of the rows' keys.
  ///
  /// SQLite calls `body` while its statement runs, which is quicker than stepping to each row and reading each cell.
  /// The contents of the cells are valid only during the call. `body` must not use the connection.
  ///
  /// - Parameters:
  ///   - cells: The SQL expressions that compute the cells.
  ///   - table: The table, and an alias for it.
  ///   - condition: The condition of the rows to read; `nil` for all rows.
  ///   - values: The values of the condition's parameters.
  /// - Throws: The error of `body`, after which `body` is not called again; ``SQLiteError``.
  public func forEachRow(
    _ cells: [String], from table: String, where condition: String?, _ values: [SQLiteValue] = [],
    _ body: (Span<SQLiteCell>) throws -> Void
  ) throws {
    let rest = "FROM \(table) NOT INDEXED\(condition.map { " WHERE \($0)" } ?? "")"
    let list = cells.joined(separator: ", ")
    guard cells.count <= mostArguments else {
      let statement = try prepare("SELECT \(list) \(rest)")
      defer { statement.reset() }
      try statement.bind(values)
      return try statement.forEachRow(body)
    }
    let statement = try prepare(unsafe "SELECT \(RowTaker.name)(\(list)) \(rest)")
    defer { statement.reset() }
    try statement.bind(values)
    try withoutActuallyEscaping(body) { body in
      unsafe try withUnsafeTemporaryAllocation(of: SQLiteCell.self, capacity: cells.count) { room in
        unsafe room.initialize(repeating: SQLiteCell())
        unsafe taker.pointee = RowTaker(cells: room, body: body)
        defer { unsafe taker.pointee = RowTaker() }
        do { while try statement.step() {} } catch {
          throw unsafe taker.pointee.error ?? error
        }
      }
    }
  }

  private var mostArguments: Int {
    unsafe Int(sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, -1))
  }
}

extension SQLiteStatement {
  /// Calls `body` with the cells of each row, for statements with more cells than an SQL function may have arguments.
  fileprivate func forEachRow(_ body: (Span<SQLiteCell>) throws -> Void) throws {
    var cells = Array(repeating: SQLiteCell(), count: columnCount)
    while try step() {
      var room = cells.mutableSpan
      for index in 0..<columnCount {
        unsafe room[index].take(sqlite3_column_value(handle, Int32(index)))
      }
      try body(cells.span)
    }
  }
}
