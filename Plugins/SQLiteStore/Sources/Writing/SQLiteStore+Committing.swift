// SAFETY: Only the holder of the writer's turn uses the state that the turn guards, as `alone` does.

import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

extension SQLiteStore {
  /// Calls `body` while no process can commit, after checking that the given commit is the newest and that the file
  /// alone contains all of it.
  ///
  /// - Throws: `StoreError`, with the code `StoreError.Code.locked` also if readers of older contents keep a part
  ///   of the newest commit in the log.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try transaction { transaction in
      try checkNewest(number, is: transaction.newest)
      // Another connection can move the log's contents into the file while this one keeps other writers out.
      let other = try SQLiteConnection(filePath, for: .writing, patience: options.patience)
      guard try settle(other, number) else {
        throw StoreError(
          .locked,
          "The file is not complete: a reader of older contents keeps a part of the database in its log.",
          path: filePath)
      }
      let result = try body()
      return { result }
    }
  }

  /// Calls `body` in a write transaction, as the only writer of all processes. Changes that `body` does not commit are
  /// rolled back.
  package func transaction<R>(
    _ body: (SQLiteTransaction) throws -> () throws -> R
  ) throws -> R {
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: filePath)
    }
    writingTurn.lock()
    defer { writingTurn.unlock() }
    return try asStore(filePath) {
      if unsafe writingState.checked == nil { try checkIsAsked(newest()) }
      let connection: SQLiteConnection
      if let known = unsafe writingState.connection {
        connection = known.connection
      } else {
        connection = try SQLiteConnection(filePath, for: .writing, patience: options.patience)
        try SQLiteStore.prepare(connection)
        unsafe writingState.connection = Watch(connection: connection)
      }
      try connection.execute("BEGIN IMMEDIATE")
      defer {
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      }
      let place = try DatabasePlace(filePath, disk)
      guard place.isReal else {
        throw StoreError(
          .notFound, "The database was removed, or another file replaced it.", path: filePath)
      }
      let head = try newest()
      let log = try checkedLog(head, connection)
      return try body(
        SQLiteTransaction(store: self, database: database(connection), head: head, log: log))()
    }
  }

  /// Throws if the database belongs to another system, unless the caller has asked to write such a database (spec
  /// §10.6).
  private func checkIsAsked(_ head: SQLiteSnapshot) throws {
    guard !head.contents.isOwn, !writesForeign else { return }
    throw StoreError(
      .readOnly,
      "Another system, such as Core Data, created the database. Quire writes to it only on request (--write).",
      path: filePath)
  }

  /// Checks whether a write would leave the database wrong for the system that made it (spec §10.6). The check is repeated
  /// when another program has changed the tables.
  ///
  /// - Returns: The history of Core Data, into which each commit must be written, or `nil`.
  private func checkedLog(
    _ head: SQLiteSnapshot, _ connection: SQLiteConnection
  ) throws -> ChangeLogTables? {
    let schema = try connection.integer("PRAGMA schema_version") ?? 0
    if let checked = unsafe writingState.checked, checked.schema == schema { return checked.log }
    try checkIsAsked(head)
    var log: ChangeLogTables?
    if !head.contents.isOwn {
      let tables = try DatabaseTables(connection)
      log = ChangeLogTables(tables)
      let foreign = ForeignTables(tables: tables, model: head.model, log: log)
      for reason in foreign.reasonsAgainstWriting {
        throw StoreError(
          .readOnly, "The database can't be written: \(reason).", path: filePath)
      }
    }
    unsafe writingState.checked = (schema, log)
    return log
  }
}
