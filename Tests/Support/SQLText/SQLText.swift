import CSQLite3

/// Converts SQL text to databases and back, for tests that need tables that no program of this package makes.
public enum SQLText {
  /// The error that SQLite reports for a text.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Returns the bytes of the database that results from running the texts in order.
  ///
  ///     let bytes = try SQLText.database(base, "DELETE FROM ZBOOK")
  public static func database(_ texts: String...) throws -> [UInt8] {
    let database = try Opened(":memory:")
    for text in texts { try database.run(text) }
    return try database.bytes()
  }

  /// Returns the statements that make a database's tables and indexes and fill the tables, in the order of their names.
  public static func text(ofDatabaseAt path: String) throws -> String {
    let database = try Opened(path)
    var text = ""
    let schema = "FROM sqlite_schema WHERE sql IS NOT NULL"
    for row in try database.rows("SELECT sql \(schema) AND type = 'table' ORDER BY name") {
      text += row[0] + ";\n"
    }
    for row in try database.rows("SELECT name \(schema) AND type = 'table' ORDER BY name") {
      let columns = try database.rows("SELECT name FROM pragma_table_info('\(row[0])')").map {
        "\"\($0[0])\""
      }
      let cells = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
      for cells in try database.rows("SELECT \(cells) FROM \"\(row[0])\" ORDER BY rowid") {
        text += "INSERT INTO \(row[0]) (\(columns.joined(separator: ", "))) VALUES (\(cells[0]));\n"
      }
    }
    for row in try database.rows("SELECT sql \(schema) AND type <> 'table' ORDER BY name") {
      text += row[0] + ";\n"
    }
    return text
  }
}

/// An open database.
private final class Opened {
  private let handle: OpaquePointer?

  init(_ path: String) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open(path, &opened)
    handle = opened
    if code != SQLITE_OK { throw failure }
    _ = quire_sqlite3_configure(opened, SQLITE_DBCONFIG_DEFENSIVE, 0)
  }

  deinit { sqlite3_close(handle) }

  func run(_ text: String) throws {
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  func rows(_ text: String) throws -> [[String]] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else { throw failure }
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        })
    }
    return rows
  }

  func bytes() throws -> [UInt8] {
    var count: sqlite3_int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &count, 0) else { throw failure }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  private var failure: SQLText.Failure {
    SQLText.Failure(description: String(cString: sqlite3_errmsg(handle)))
  }
}
