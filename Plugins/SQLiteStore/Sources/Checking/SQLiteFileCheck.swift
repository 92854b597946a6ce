import DurableFiles
import ObjectModel
import Rows
import SQLiteFiles
import StoreInterface

/// The check of a store in an SQLite database (spec §10): SQLite's own check, the metadata and the model, the tables,
/// and their cells.
///
/// The check reads the database without locks and leaves no trace, unless another connection has the database open.
/// It runs no code in the database.
final class SQLiteFileCheck {
  let path: String
  let disk: any Disk
  let givenModel: Model?
  private let progress: (Double) -> Void
  var result = StoreCheck()
  var findings: Findings { result.findings }

  init(
    _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
  ) {
    self.path = path
    self.disk = disk
    givenModel = model
    self.progress = progress
  }

  /// Checks the whole database.
  func run() throws -> StoreCheck {
    result.byteCount = try Int(disk.status(of: path).byteCount)
    result.liveByteCount = result.byteCount
    do {
      let connection = try open()
      try check(connection)
      if connection.isChanged {
        result.unchecked.append("Another process changed the database while it was checked.")
      }
    } catch let error as SQLiteError where error.code == .notADatabase {
      result.outcome = .unknownFormat
      findings.forget()
      findings.add(
        .unknownFormat, Place(),
        "The file begins like an SQLite database, but SQLite does not recognize it.")
    } catch let error as SQLiteError {
      findings.add(.sqliteWhole, Place(), "\(error.description).")
      result.passedOver.append("The rest was not checked, because SQLite can't read further.")
    }
    return result
  }

  private func open() throws -> SQLiteConnection {
    guard try DatabasePlace(path, disk).isInUse else {
      return try SQLiteConnection(undisturbed: path, on: disk)
    }
    let connection = try SQLiteConnection(path, for: .reading)
    try connection.execute("BEGIN")
    return connection
  }

  private func check(_ connection: SQLiteConnection) throws {
    let tables = try DatabaseTables(connection)
    let names = Set(tables.columns.keys).union(tables.others)
    guard !names.isDisjoint(with: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
      result.outcome = .unknownFormat
      findings.add(
        .unknownFormat, Place(),
        "The file is an SQLite database, but not a store of objects: the table Z_METADATA is missing."
      )
      return
    }
    try checkWhole(connection, tables)
    progress(0.3)
    guard checkCommonTables(tables) else {
      result.passedOver.append(
        "The rest was not checked, because tables that describe the store are missing.")
      return
    }
    checkReadOnly(tables)
    let description = try describe(connection, tables)
    if result.outcome == .newerFormat { return }
    result.uuid = description.metadata?.uuid
    result.model = description.model
    guard let model = description.model, let schema = description.schema else { return }
    guard let map = try map(model, schema, connection, tables) else {
      result.passedOver.append(
        "The objects were not checked, since the tables do not fit the model.")
      return
    }
    let newest = description.isOwn ? try newestCommit(connection) : nil
    let rows = RowCheck(self, connection, map, newestCommit: newest)
    try rows.run(progress: { self.progress(0.3 + 0.7 * $0) })
    let links = LinkCheck(self, connection, map, newestCommit: newest)
    try links.run()
    if description.isOwn {
      try checkLinkCounts(connection, map, links.highest)
      try checkBefore(connection, schema)
    }
    if ChangeLogTables(tables) != nil {
      try ChangeLogCheck(
        check: self, connection: connection, map: map, model: model, schema: schema
      ).run()
    }
    result.hasReadableObjects = !rows.isUnreadable && !links.isUnreadable
    if !result.hasReadableObjects {
      result.passedOver.append("The objects were not checked, since some rows can't be read.")
    }
  }

  private func checkCommonTables(_ tables: DatabaseTables) -> Bool {
    var areThere = true
    for (table, columns) in SQLiteFileCheck.commonTables {
      if tables.others.contains(table) {
        findings.add(.sqliteOthers, Place(table), "A view or a virtual table has this name.")
        areThere = false
        continue
      }
      guard tables.columns[table] != nil else {
        findings.add(.sqliteCommonTables, Place(table), "The table does not exist.")
        areThere = false
        continue
      }
      for column in columns where !tables.has(table, column) {
        findings.add(.sqliteCommonTables, Place(table), "The table has no column \(column).")
        areThere = false
      }
    }
    return areThere
  }

  private static let commonTables = [
    ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]),
    ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
  ]

  private func checkReadOnly(_ tables: DatabaseTables) {
    for trigger in tables.triggers {
      findings.add(
        .sqliteReadOnly, Place(trigger.table), "The table has the trigger \(trigger.name).")
    }
    let name = ChangeLogTables.transactions
    if tables.columns[name] != nil, ChangeLogTables(tables)?.internsTexts != true {
      findings.add(
        .sqliteReadOnly, Place(name), "The table keeps a history of changes in an unknown form.")
    }
  }
}
