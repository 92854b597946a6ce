import SQLiteFiles

/// The tables in which Core Data keeps the history of a database, in the form that a database has (spec §10.10.1).
struct ChangeLogTables: Sendable {
  /// Whether a transaction refers to its texts in the table `ATRANSACTIONSTRING`, which contains each text once. Databases of
  /// macOS 10.13 do not have this table.
  let internsTexts: Bool
  /// The columns for the last values of deleted objects.
  let tombstones: [String]

  static let transactions = "ATRANSACTION"
  static let changes = "ACHANGE"
  static let texts = "ATRANSACTIONSTRING"

  /// The numbers of the three tables in `Z_PRIMARYKEY`, with their names there.
  static let changeNumber: (Int64, String) = (16001, "CHANGE")
  static let transactionNumber: (Int64, String) = (16002, "TRANSACTION")
  static let textNumber: (Int64, String) = (16003, "TRANSACTIONSTRING")

  /// The numbers of the kinds of changes.
  enum Kind {
    static let insert: Int64 = 0
    static let update: Int64 = 1
    static let delete: Int64 = 2
  }

  /// The columns of a transaction that contain a text, by their names without `TS`.
  static let textColumns = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]

  /// Finds the tables; `nil` if the database keeps no history.
  ///
  /// If a table lacks one of the columns, its form is unknown, and the result is `nil` too.
  init?(_ tables: DatabaseTables) {
    guard
      tables.has(
        ChangeLogTables.transactions,
        ["Z_PK", "Z_ENT", "Z_OPT", "ZTIMESTAMP"] + ChangeLogTables.textColumns),
      tables.has(
        ChangeLogTables.changes,
        [
          "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID",
          "ZCOLUMNS",
        ])
    else { return nil }
    internsTexts =
      tables.has(ChangeLogTables.texts, ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"])
      && tables.has(ChangeLogTables.transactions, ChangeLogTables.textColumns.map { $0 + "TS" })
    let columns = Set(tables.columns[ChangeLogTables.changes, default: []].map(\.name))
    var found: [String] = []
    while columns.contains("ZTOMBSTONE\(found.count)") { found.append("ZTOMBSTONE\(found.count)") }
    tombstones = found
  }
}
