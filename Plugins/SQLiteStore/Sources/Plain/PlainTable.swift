import SQLTranslation
import SQLiteFiles

/// A table of a database that another program made, as the database's schema describes it.
struct PlainTable {
  struct Column {
    let name: String
    /// The declared type, in capitals; empty if it is omitted.
    let type: String
    let isRequired: Bool
    /// The text of the default value, if any.
    let defaultText: String?
    /// The place in the primary key, from 1; 0 outside of the key.
    let keyPlace: Int
  }

  struct ForeignKey {
    var columns: [String] = []
    let table: String
    /// The columns that are referred to, one for each of ``columns``; empty for the primary key.
    var targets: [String] = []
    let deletesAlong: Bool
  }

  struct Index {
    let name: String
    let isUnique: Bool
    let columns: [(name: String, isAscending: Bool)]
  }

  let name: String
  let columns: [Column]
  let foreignKeys: [ForeignKey]
  let indexes: [Index]
  /// Whether SQLite numbers the rows.
  let hasRowNumbers: Bool
  /// The statement that made the table.
  let text: String
  /// The names of columns that are computed, and so left out.
  let computedColumns: [String]

  /// The columns of the primary key, in its order.
  var key: [String] {
    columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
  }

  /// The column that contains the numbers of the rows; `nil` if the numbers are in no column.
  var numberColumn: String? {
    guard hasRowNumbers, key.count == 1, let column = self[key[0]], column.type == "INTEGER" else {
      return nil
    }
    return column.name
  }

  /// The name by which SQLite calls the numbers of the rows.
  var numberName: String {
    if let numberColumn { return numberColumn }
    return ["rowid", "_rowid_", "oid"].first { self[$0] == nil } ?? "rowid"
  }

  subscript(name: String) -> Column? {
    columns.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The sets of columns with unique values: the key and the unique indexes.
  var uniqueColumns: [[String]] {
    (key.isEmpty ? [] : [key])
      + indexes.filter { $0.isUnique }.map { $0.columns.map(\.name) }.filter { $0 != key }
  }
}

extension PlainTable {
  /// Reads the tables of a database, and the names of its views and virtual tables.
  ///
  /// - Throws: ``SQLiteError``.
  static func all(
    _ connection: SQLiteConnection
  ) throws -> (tables: [PlainTable], others: [(name: String, kind: String)]) {
    var found: [(name: String, kind: String, hasRowNumbers: Bool)] = []
    let list = try connection.prepare(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' ORDER BY name",
      isKept: false)
    while try list.step() {
      guard let name = list.text(0), let kind = list.text(1), !name.hasPrefix("sqlite_") else {
        continue
      }
      guard found.count < mostTables else {
        throw SQLiteError(.damaged, "The database has too many tables.")
      }
      found.append((name, kind, list.integer(2) == 0))
    }
    return (
      try found.filter { $0.kind == "table" }.map {
        try PlainTable($0.name, hasRowNumbers: $0.hasRowNumbers, connection)
      },
      // A virtual table keeps its contents in shadow tables, which only SQLite should read.
      found.filter { $0.kind == "view" || $0.kind == "virtual" }.map { ($0.name, $0.kind) }
    )
  }

  private static let mostTables = 10_000

  private init(_ name: String, hasRowNumbers: Bool, _ connection: SQLiteConnection) throws {
    self.name = name
    self.hasRowNumbers = hasRowNumbers
    let own = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", isKept: false)
    try own.bind(name, 0)
    text = try own.step() ? own.text(0) ?? "" : ""
    var columns: [Column] = []
    var computed: [String] = []
    let info = try connection.prepare("PRAGMA table_xinfo(\(quoted(name)))", isKept: false)
    while try info.step() {
      guard let column = info.text(1) else { continue }
      guard info.integer(6) == 0 else {
        computed.append(column)
        continue
      }
      columns.append(
        Column(
          name: column, type: (info.text(2) ?? "").uppercased(), isRequired: info.integer(3) != 0,
          defaultText: info.text(4), keyPlace: Int(info.integer(5))))
    }
    self.columns = columns
    computedColumns = computed
    foreignKeys = try PlainTable.foreignKeys(of: name, connection)
    indexes = try PlainTable.indexes(of: name, connection)
  }

  private static func foreignKeys(
    of table: String, _ connection: SQLiteConnection
  ) throws -> [ForeignKey] {
    var keys: [Int64: ForeignKey] = [:]
    let list = try connection.prepare("PRAGMA foreign_key_list(\(quoted(table)))", isKept: false)
    while try list.step() {
      guard let target = list.text(2), let column = list.text(3) else { continue }
      var key =
        keys[list.integer(0)]
        ?? ForeignKey(table: target, deletesAlong: list.text(6)?.uppercased() == "CASCADE")
      key.columns.append(column)
      if let other = list.text(4) { key.targets.append(other) }
      keys[list.integer(0)] = key
    }
    // SQLite lists the last declaration first.
    return keys.sorted { $0.key > $1.key }.map(\.value)
  }

  /// Returns the indexes on columns, without those on expressions or on a part of the rows.
  private static func indexes(of table: String, _ connection: SQLiteConnection) throws -> [Index] {
    var found: [(name: String, isUnique: Bool)] = []
    let list = try connection.prepare("PRAGMA index_list(\(quoted(table)))", isKept: false)
    while try list.step() {
      guard let name = list.text(1), list.integer(4) == 0 else { continue }
      found.append((name, list.integer(2) != 0))
    }
    return try found.reversed().compactMap { name, isUnique in
      var columns: [(name: String, isAscending: Bool)] = []
      let info = try connection.prepare("PRAGMA index_xinfo(\(quoted(name)))", isKept: false)
      while try info.step() {
        // Column 5 shows whether the column is one of the index's own.
        guard info.integer(5) != 0 else { continue }
        guard let column = info.text(2) else { return nil }
        columns.append((column, info.integer(3) == 0))
      }
      return columns.isEmpty ? nil : Index(name: name, isUnique: isUnique, columns: columns)
    }
  }
}
