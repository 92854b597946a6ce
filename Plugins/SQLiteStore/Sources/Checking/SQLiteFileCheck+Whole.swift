import SQLTranslation
import SQLiteFiles
import StoreInterface

extension SQLiteFileCheck {
  /// The greatest number of lines that are read of SQLite's report.
  private static let mostLines = 20

  /// Runs SQLite's own check of the database: its pages, tables and indexes (spec §10.2.1).
  ///
  /// SQLite's check would evaluate expressions of the schema. If there are any, tables are checked one by one, and
  /// tables with expressions are skipped.
  func checkWhole(_ connection: SQLiteConnection, _ tables: DatabaseTables) throws(SQLiteError) {
    try connection.execute("PRAGMA ignore_check_constraints=ON")
    let computing = try computingTables(connection, tables)
    if computing.isEmpty, tables.others.isEmpty {
      try report(connection, "PRAGMA integrity_check(\(SQLiteFileCheck.mostLines))")
      return
    }
    for table in tables.columns.keys.sorted() where !computing.contains(table) {
      try report(connection, "PRAGMA integrity_check(\(quoted(table)))")
    }
    let names = (computing.union(tables.others)).sorted()
    result.passedOver.append(
      "SQLite did not check the pages of \(names.prefix(8).joined(separator: ", ")), because they are not tables or have computed parts."
    )
  }

  private func report(_ connection: SQLiteConnection, _ text: String) throws(SQLiteError) {
    let statement = try connection.prepare(text, isKept: false)
    var lines = 0
    while try statement.step(), lines < SQLiteFileCheck.mostLines {
      guard let line = statement.text(0), line != "ok" else { continue }
      lines += 1
      let words = line.replacing("*** in database main ***\n", with: "").replacing("\n", with: " ")
      findings.add(.sqliteWhole, Place(), "SQLite reports: \(words.prefix(200)).")
    }
  }

  /// Returns the tables with computed columns, or with indexes over expressions or over some rows only.
  private func computingTables(
    _ connection: SQLiteConnection, _ tables: DatabaseTables
  ) throws(SQLiteError) -> Set<String> {
    var found: Set<String> = []
    for table in tables.columns.keys {
      let columns = try connection.prepare(
        "PRAGMA table_xinfo(\(quoted(table)))", isKept: false)
      while try columns.step() {
        // Column 6 is 2 or 3 for a computed column.
        if columns.integer(6) > 1 { found.insert(table) }
      }
      let indexes = try connection.prepare("PRAGMA index_list(\(quoted(table)))", isKept: false)
      while try indexes.step() {
        guard let index = indexes.text(1) else { continue }
        // Column 4 shows whether the index has a condition.
        if indexes.integer(4) != 0 { found.insert(table) }
        let parts = try connection.prepare("PRAGMA index_xinfo(\(quoted(index)))", isKept: false)
        while try parts.step() {
          // The number −2 stands for an expression.
          if parts.integer(1) == -2 { found.insert(table) }
        }
      }
    }
    return found
  }
}
