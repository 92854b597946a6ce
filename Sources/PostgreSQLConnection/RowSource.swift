/// A source of rows that a server sent: a connection, or answers that a test made up.
package protocol RowSource {
  /// Runs statements without parameters, and returns the rows of the last statement as texts.
  func texts(_ text: String) throws(PostgreSQLError) -> [[String?]]

  /// Runs a statement, and calls `body` for each row.
  ///
  /// - Parameter columnCount: The fewest columns that `body` needs.
  @discardableResult
  func forEachRow(
    _ text: String, _ parameters: [PostgreSQLParameter], columnCount: Int,
    _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> Int

  /// Calls `body` for each row of a selection, in the binary form of `COPY`.
  func copyRows(
    of selection: String, columnCount: Int, _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws
}

extension RowSource {
  /// Runs a statement, and calls `body` for each row, which has one column or more.
  @discardableResult
  package func forEachRow(
    _ text: String, _ parameters: [PostgreSQLParameter] = [],
    _ body: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> Int {
    try forEachRow(text, parameters, columnCount: 1, body)
  }

  /// Returns the first cell of a statement's last row as an integer; `nil` if there is no row.
  package func integer(
    _ text: String, _ parameters: [PostgreSQLParameter] = []
  ) throws -> Int64? {
    var found: Int64?
    try forEachRow(text, parameters) { found = $0[0].integer }
    return found
  }
}

extension PostgreSQLConnection: RowSource {}
