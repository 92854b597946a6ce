import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Writes a commit into the history that Core Data keeps in a database, as Core Data would have written it, so that the
/// application finds the changes behind its last token (spec §10.10.6).
struct ChangeLogWriter {
  let connection: SQLiteConnection
  let tables: ChangeLogTables
  let contents: StoreContents

  private var path: String { connection.path }

  /// Writes the transaction of a commit. A commit that does not change objects is left out.
  func write(_ request: CommitRequest, after before: RowsBefore) throws {
    let changes = try CommitChanges(request.changes, after: before, contents)
    let rows = try raiseVersions(changes.sorted)
    guard !rows.isEmpty else { return }
    let transaction = try writeTransaction(request)
    let first = try reserve(rows.count, ChangeLogTables.changeNumber, in: ChangeLogTables.changes)
    var entities: [UInt16: LoggedEntity] = [:]
    let columns = [
      "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ]
    let all = columns + tables.tombstones
    let statement = try connection.prepare(
      "INSERT INTO ACHANGE (\(all.joined(separator: ", "))) VALUES (\(all.map { _ in "?" }.joined(separator: ", ")))"
    )
    for (offset, row) in rows.enumerated() {
      let entity = try entities[row.key.entity] ?? entity(of: row.key)
      entities[row.key.entity] = entity
      let number = contents.map.entities[row.key.entity]!.number
      try statement.bind(
        [
          .integer(first + Int64(offset)), .integer(ChangeLogTables.changeNumber.0),
          .integer(row.change.kind.number), .integer(number), .integer(Int64(row.key.number)),
          .integer(transaction), try mask(of: row.change, entity),
        ] + tombstones(of: row.change, entity))
      try statement.run()
    }
  }

  private func entity(of key: ObjectKey) throws -> LoggedEntity {
    guard let layout = contents.schema[key.entity], contents.map.entities[key.entity] != nil,
      let entity = LoggedEntity(layout, in: contents.model)
    else {
      throw StoreError(.badChange, "No entity has the number \(key.entity).", path: path)
    }
    return entity
  }

  /// Raises the versions of objects of which only a to-many relationship changes. The commit does not write the rows of these
  /// objects, but Core Data raises their versions.
  ///
  /// - Returns: The changes, without those of objects that do not exist.
  private func raiseVersions(
    _ changes: [(key: ObjectKey, change: CommitChanges.Change)]
  ) throws -> [(key: ObjectKey, change: CommitChanges.Change)] {
    try changes.filter { one in
      guard !one.change.isWritten else { return true }
      guard let entity = contents.map.entities[one.key.entity] else { return false }
      try connection.run(
        "UPDATE \(quoted(entity.table)) SET Z_OPT = COALESCE(Z_OPT, 0) + 1 WHERE Z_PK = ? AND Z_ENT = ?",
        [.integer(Int64(one.key.number)), .integer(entity.number)])
      return try connection.integer("SELECT changes()") == 1
    }
  }

  /// Returns the cell with the changed properties of an update.
  private func mask(
    of change: CommitChanges.Change, _ entity: LoggedEntity
  ) throws(StoreError) -> SQLiteValue {
    guard change.kind == .update else { return .null }
    if let fault = entity.slots.fault {
      throw StoreError(
        .readOnly,
        """
        The change can't be saved: the history of the database (ACHANGE) must name the changed properties, but how Core \
        Data numbers them is not known, because \(fault). Objects of this entity can be inserted and deleted.
        """, path: path)
    }
    return .blob(entity.slots.mask(change.columns))
  }

  /// Returns the cells with the preserved values of a deleted object.
  private func tombstones(
    of change: CommitChanges.Change, _ entity: LoggedEntity
  ) throws -> [SQLiteValue] {
    try tables.tombstones.indices.map { index in
      guard change.kind == .delete, entity.preserved.indices.contains(index),
        let value = try change.row?.givenValue(entity.preserved[index])
      else { return .null }
      return SQLiteValue(value, isExternal: false)
    }
  }

  // MARK: - Transactions

  /// Writes the row of a transaction.
  ///
  /// - Returns: Its number.
  private func writeTransaction(_ request: CommitRequest) throws -> Int64 {
    let process = ProcessInfo.processInfo.processName
    let texts = [
      request.author, Bundle.main.bundleIdentifier ?? process, request.contextName, process,
    ]
    let keys = try texts.map { text in try text.map { SQLiteValue.integer(try key(of: $0)) } }
    let number = try reserve(
      1, ChangeLogTables.transactionNumber, in: ChangeLogTables.transactions)
    let last = try connection.prepare(
      "SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1")
    defer { last.reset() }
    let latest = try last.step() ? last.real(0) : 0
    let columns =
      ["Z_PK", "Z_ENT", "ZTIMESTAMP"] + ChangeLogTables.textColumns.map { "\($0)TS" }
    try connection.run(
      "INSERT INTO ATRANSACTION (\(columns.joined(separator: ", "))) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(number), .integer(ChangeLogTables.transactionNumber.0),
        .real(max(Date().timeIntervalSinceReferenceDate, latest)),
      ] + keys.map { $0 ?? .null })
    return number
  }

  /// Returns the key of a text in `ATRANSACTIONSTRING`, and adds the text if it is not there.
  private func key(of text: String) throws -> Int64 {
    if let known = try connection.integer(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(text)])
    {
      return known
    }
    let key = try reserve(1, ChangeLogTables.textNumber, in: ChangeLogTables.texts)
    try connection.run(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
      [.integer(key), .integer(ChangeLogTables.textNumber.0), .text(text)])
    return key
  }

  /// Reserves keys of a table in `Z_PRIMARYKEY`, where the tables of the history appear with their first row.
  ///
  /// - Returns: The first key.
  private func reserve(
    _ count: Int, _ number: (number: Int64, name: String), in table: String
  ) throws -> Int64 {
    let last = try connection.lastKey(of: number.number, in: table)
    try connection.run(
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?) ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = excluded.Z_MAX",
      [.integer(number.number), .text(number.name), .integer(last + Int64(count))])
    return last + 1
  }
}

extension LoggedChange.Kind {
  /// The number of the kind in the history of Core Data.
  fileprivate var number: Int64 {
    switch self {
    case .insert: ChangeLogTables.Kind.insert
    case .update: ChangeLogTables.Kind.update
    case .delete: ChangeLogTables.Kind.delete
    }
  }
}
