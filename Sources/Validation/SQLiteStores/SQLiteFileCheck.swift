import DurableFiles
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import SQLiteStoreFormat
import StoreInterface

/// The check of a store in an SQLite database (spec §10): SQLite's own check, the metadata and the model, the tables,
/// their cells, and last the objects.
///
/// The check reads the database without locks and leaves no trace, unless another connection has the database open.
/// It runs no code in the database.
final class SQLiteFileCheck {
  let path: String
  let disk: any Disk
  let givenModel: Model?
  private let byteCount: Int
  let progress: (Double) -> Void
  let findings = Findings()
  var format = Report.Format.sqlite
  var checked = Report.Checked()
  var passedOver: [String] = []
  var unchecked: [String] = []
  private(set) var facts = StoreFacts()

  init(
    _ path: String, on disk: any Disk, byteCount: Int, model: Model?,
    progress: @escaping (Double) -> Void
  ) {
    self.path = path
    self.disk = disk
    self.byteCount = byteCount
    givenModel = model
    self.progress = progress
  }

  /// Whether a file that begins with the given bytes is an SQLite database.
  static func mayBegin(with bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("SQLite format 3\0".utf8))
  }

  /// Checks the whole database.
  func run() throws {
    checked.byteCount = byteCount
    checked.liveByteCount = byteCount
    do {
      let connection = try open()
      try check(connection)
      if connection.isChanged {
        unchecked.append("Another process changed the database while it was checked.")
      }
    } catch let error as SQLiteError where error.code == .notADatabase {
      format = .unknown
      findings.forget()
      findings.add(
        .unknownFormat, Place(),
        "The file begins as an SQLite database, and SQLite takes it for none.")
    } catch let error as SQLiteError {
      findings.add(.sqliteWhole, Place(), "\(error.description).")
      passedOver.append("The rest was not checked, since SQLite refuses to read on.")
    }
  }

  private func open() throws -> SQLiteConnection {
    guard disk is RealDisk, SQLiteConnection.isInUse(path) else {
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
      format = .unknown
      findings.add(
        .unknownFormat, Place(),
        "The file is an SQLite database, and no store of objects: it has no table Z_METADATA.")
      return
    }
    try checkWhole(connection, tables)
    progress(0.2)
    guard checkCommonTables(tables) else {
      passedOver.append("The rest was not checked, since tables that say what it is are missing.")
      return
    }
    checkReadOnly(tables)
    let description = try describe(connection, tables)
    if format == .newer { return }
    facts = StoreFacts(
      uuid: description.metadata?.uuid, type: .sqlite, model: description.model)
    guard let model = description.model, let schema = description.schema else { return }
    guard let map = try map(model, schema, connection, tables) else {
      passedOver.append("The objects were not checked, since the tables do not fit the model.")
      return
    }
    let newest = description.isOwn ? try newestCommit(connection) : nil
    let rows = RowCheck(self, connection, map, newestCommit: newest)
    try rows.run(progress: { self.progress(0.2 + 0.4 * $0) })
    let links = LinkCheck(self, connection, map, newestCommit: newest)
    try links.run()
    if description.isOwn {
      try checkLinkCounts(connection, map, links.highest)
      try checkBefore(connection, schema)
    }
    try checkObjects(model, schema, isUnreadable: rows.isUnreadable || links.isUnreadable)
  }

  private func checkCommonTables(_ tables: DatabaseTables) -> Bool {
    var areThere = true
    for (table, columns) in SQLiteFileCheck.commonTables {
      if tables.others.contains(table) {
        findings.add(.sqliteOthers, Place(table), "It is a view or a virtual table.")
        areThere = false
        continue
      }
      guard tables.columns[table] != nil else {
        findings.add(.sqliteCommonTables, Place(table), "There is no such table.")
        areThere = false
        continue
      }
      for column in columns where !tables.has(table, column) {
        findings.add(.sqliteCommonTables, Place(table), "It has no column \(column).")
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
        .sqliteReadOnly, Place(trigger.table), "The trigger \(trigger.name) watches the table.")
    }
    if tables.columns["ATRANSACTION"] != nil {
      findings.add(
        .sqliteReadOnly, Place("ATRANSACTION"), "The table keeps a history of changes.")
    }
  }

  /// Checks the objects against the model. The rows are read as the store reads them.
  private func checkObjects(_ model: Model, _ schema: Schema, isUnreadable: Bool) throws {
    guard !isUnreadable else {
      passedOver.append("The objects were not checked, since some rows can't be read.")
      return
    }
    do {
      let store = try SQLiteStoreBackend().open(
        path, on: disk, StoreOpening(readOnly: true, model: isModelGiven ? givenModel : nil))
      let graph = GraphCheck(try store.snapshot().tables, model, schema, findings) {
        [progress] done in progress(0.6 + 0.4 * done)
      }
      try graph.run()
      checked.objectCount = graph.objectCount
      unchecked += graph.unchecked
      try store.close()
    } catch let error as DiskError {
      throw error
    } catch {
      unchecked.append("The objects can't be read to the end: \(error)")
    }
  }

  /// Whether the model is the given one, because the store has none.
  var isModelGiven = false
}
