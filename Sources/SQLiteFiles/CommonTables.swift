// SAFETY: The authorizer reads only its arguments.

import CSQLite3

/// Tables that a connection's queries see under names that the database does not have.
///
/// Each is a common table expression, which a query computes as it reads, so the database stays as it is.
public struct CommonTables: Sendable {
  /// The statements that the expressions need first. They make temporary tables.
  public var preparation: [String] = []
  /// The quoted name and the expression of each table.
  public var tables: [(name: String, expression: String)] = []

  public init() {}

  /// Returns a query with the expressions of the tables that it names.
  func prefixing(_ text: String) -> String {
    guard text.hasPrefix("SELECT") else { return text }
    let used = tables.filter { text.contains($0.name) }
    guard !used.isEmpty else { return text }
    return "WITH \(used.map(\.expression).joined(separator: ", ")) \(text)"
  }
}

extension SQLiteConnection {
  /// Lets the connection's queries see tables that are expressions.
  ///
  /// - Throws: ``SQLiteError`` if the expressions can't be prepared.
  public func use(_ tables: CommonTables) throws(SQLiteError) {
    forgetStatements()
    unsafe sqlite3_set_authorizer(handle, authorizeExpressions, nil)
    for statement in tables.preparation { try execute(statement) }
    commonTables = tables
  }
}

/// Denies actions that no statement of Quire performs. A part of a query that reads through an expression has the
/// expression's name as its origin, so an origin is not a reason to deny the part. SQLite itself is configured to run no
/// trigger and no view of the file.
private let authorizeExpressions:
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
    UnsafePointer<CChar>?, UnsafePointer<CChar>?
  ) -> Int32 = { _, action, _, _, _, origin in
    let reads = [SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION].contains(action)
    if unsafe origin != nil, !reads { return SQLITE_DENY }
    return SQLiteConnection.isDenied(action) ? SQLITE_DENY : SQLITE_OK
  }
