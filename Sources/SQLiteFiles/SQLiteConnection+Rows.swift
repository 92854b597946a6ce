// SAFETY: Who takes rows is there as long as the connection, and has somebody to give them to only while `forEachRow` runs. SQLite's values are
// read in the call that brings them, and there are as many as it says; the cells have room for as many.

import CSQLite3

/// Who takes rows from SQLite, and where they go: one for each connection, which reads one table at a time.
@unsafe
struct RowTaker {
  /// Room for the cells of one row after the other.
  fileprivate var cells = unsafe UnsafeMutableBufferPointer<SQLiteCell>(start: nil, count: 0)
  fileprivate var body: ((Span<SQLiteCell>) throws -> Void)?
  /// Why no more are wanted.
  fileprivate var error: (any Error)?

  /// What the rows are given to in SQL. Only statements of ours may name it, and no schema.
  fileprivate static let name = "quire_take"

  /// Lets SQLite know of it.
  static func register(_ taker: UnsafeMutablePointer<RowTaker>, _ handle: OpaquePointer) -> Int32 {
    unsafe sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, taker, nil,
      { context, count, values in
        // As it was registered.
        let taker = unsafe sqlite3_user_data(context)!.assumingMemoryBound(to: RowTaker.self)
        if unsafe !taker.pointee.take(values!, count: Int(count)) {
          unsafe sqlite3_result_error(context, "", 0)
        }
      }, { context in unsafe sqlite3_result_null(context) }, nil)
  }

  /// - Returns: Whether it wants more.
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
  /// Calls `body` with the cells of one row of a table after the other, in the order of their keys, from within SQLite: quicker than to
  /// stop at each row and to ask for each cell.
  ///
  /// What the cells hold is there for the call that has them. `body` must not use the connection.
  ///
  /// - Parameters:
  ///   - cells: The expressions whose values the cells are.
  ///   - table: The table, and a name for it.
  ///   - condition: Which rows are wanted; `nil` for all.
  ///   - values: The values of its parameters.
  /// - Throws: What `body` throws, after which it is not called again; ``SQLiteError``.
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
  /// Calls `body` with the cells of each row, for statements with more of them than a function may have.
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
