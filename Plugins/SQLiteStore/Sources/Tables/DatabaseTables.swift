import SQLTranslation
package import SQLiteFiles

/// The tables of a database and their columns, as the database's own schema lists them. They are read first, before
/// anything else in the file is trusted.
///
/// Views, virtual tables and generated columns are left out, whatever their names: reading them would run code of the
/// file.
package struct DatabaseTables: Sendable {
  /// The columns of each table, by the table's name.
  package let columns: [String: [Column]]
  /// The triggers: their names, the tables that they watch, and their text.
  package let triggers: [(name: String, table: String, text: String)]
  /// The names of views and virtual tables, which look like tables and are not.
  package let others: Set<String>
  package let indexes: Set<String>

  /// A column of a table.
  package struct Column: Sendable, Hashable {
    package let name: String
    /// The type that the table declares for the column.
    package let type: String
    /// Whether the column is the table's primary key, or a part of it.
    package let isKey: Bool
  }

  /// The most tables, triggers and views that are read.
  private static let mostTables = 20_000

  /// Reads the tables of a database.
  ///
  /// - Throws: ``SQLiteError``.
  package init(_ connection: SQLiteConnection) throws(SQLiteError) {
    var columns: [String: [Column]] = [:]
    var triggers: [(name: String, table: String, text: String)] = []
    var others: Set<String> = []
    var indexes: Set<String> = []
    var names: [String] = []
    let all = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_master", isKept: false)
    while try all.step() {
      guard let kind = all.text(0), let name = all.text(1) else { continue }
      let text = all.text(3) ?? ""
      switch kind {
      case "table":
        // SQLite itself writes ordinary tables this way. Any other spelling may be a virtual table.
        if text.uppercased().hasPrefix("CREATE TABLE ") {
          names.append(name)
        } else {
          others.insert(name)
        }
      case "trigger": triggers.append((name, all.text(2) ?? "", text))
      case "index": indexes.insert(name)
      default: others.insert(name)
      }
      guard names.count + triggers.count + others.count <= DatabaseTables.mostTables else {
        throw SQLiteError(.damaged, "The database has too many tables.")
      }
    }
    for name in names {
      let info = try connection.prepare("PRAGMA table_xinfo(\(quoted(name)))", isKept: false)
      var found: [Column] = []
      while try info.step() {
        // Column 6 shows whether the column is hidden or generated.
        guard info.integer(6) == 0, let column = info.text(1) else { continue }
        found.append(
          Column(name: column, type: info.text(2) ?? "", isKey: info.integer(5) != 0))
      }
      columns[name] = found
    }
    self.columns = columns
    self.triggers = triggers
    self.others = others
    self.indexes = indexes
  }

  /// Returns whether a column alone is the table's `INTEGER PRIMARY KEY`, by which SQLite finds a row directly.
  package func isKey(_ column: String, of table: String) -> Bool {
    let keys = columns[table]?.filter(\.isKey) ?? []
    return keys.count == 1 && keys[0].name == column && keys[0].type.uppercased() == "INTEGER"
  }

  /// Returns whether a table with the given columns exists.
  package func has(_ table: String, _ names: String...) -> Bool { has(table, names) }

  /// Returns whether a table exists and has all of the given columns.
  package func has(_ table: String, _ names: [String]) -> Bool {
    guard let columns = columns[table] else { return false }
    return names.allSatisfy { name in columns.contains { $0.name == name } }
  }
}
