public import SQLiteFiles

/// The tables that a database has, and their columns: what the file says of itself, before anything else of it is believed.
///
/// Views, virtual tables and generated columns are not among them, whatever they are called: nothing of the file's own
/// is run to read it.
public struct DatabaseTables: Sendable {
  /// The columns of each table, by its name.
  public let columns: [String: [Column]]
  /// The names of triggers, and of the tables that they watch.
  public let triggers: [(name: String, table: String, text: String)]
  /// What is called like a table and is none: views and virtual tables.
  public let others: Set<String>
  /// Names of indexes.
  public let indexes: Set<String>

  /// A column.
  public struct Column: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// What the table declares as its type.
    public let type: String
    /// Whether it is the table's key, or a part of it.
    public let isKey: Bool
  }

  /// The most tables that are looked at.
  private static let mostTables = 20_000

  /// Looks at the tables of a database.
  ///
  /// - Throws: ``SQLiteError``.
  public init(_ connection: SQLiteConnection) throws(SQLiteError) {
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
        // As SQLite itself writes it. Whatever is spelled otherwise may be a virtual table.
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
        // Column 6 says whether the column is computed.
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

  /// Whether a column is its table's `INTEGER PRIMARY KEY`, alone, by which a row is found at once.
  public func isKey(_ column: String, of table: String) -> Bool {
    let keys = columns[table]?.filter(\.isKey) ?? []
    return keys.count == 1 && keys[0].name == column && keys[0].type.uppercased() == "INTEGER"
  }

  /// Whether there is a table with such columns.
  public func has(_ table: String, _ names: String...) -> Bool {
    guard let columns = columns[table] else { return false }
    return names.allSatisfy { name in columns.contains { $0.name == name } }
  }
}

/// A name as SQL has it, whatever is in it.
public func quoted(_ name: String) -> String {
  "\"" + name.replacing("\"", with: "\"\"") + "\""
}
