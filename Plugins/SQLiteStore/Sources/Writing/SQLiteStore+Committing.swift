// SAFETY: Only the holder of the writer's turn uses the state that the turn guards, as `alone` does.

import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
public import StoreInterface

extension SQLiteStore {
  /// Makes changes durable in one transaction: all of them or none.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try withExclusiveAccess { writing, database, head in
      let connection = database.connection
      try request.checkModel(setBy: head.contents.modelCommit, path: filePath)
      try request.check(against: head, path: filePath)
      if request.isEmpty { return head }
      let number = head.commit + 1
      var contents = head.contents
      if request.model != nil {
        contents = try changeModel(request, contents, connection, number)
        try addMissingReverseRows(contents, &writing, connection)
      }
      let before = try before(request, head, database)
      try write(request.changes, contents, &writing, connection, number)
      if let metadata = head.contents.metadata(after: request) {
        try StoreWriting(connection: connection).write(metadata, uuid: uuid(head))
      }
      if contents.isOwn { try note(number, request, before, database) }
      return left(by: number, try commit(connection))
    }
  }

  /// Calls `body` while no process can commit, after checking that the given commit is the newest and that the file
  /// alone contains all of it.
  ///
  /// - Throws: `StoreError`, with the code `StoreError.Code.locked` also if readers of older contents keep a part
  ///   of the newest commit in the log.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try withExclusiveAccess { _, _, head in
      try checkNewest(number, is: head.commit)
      // Another connection can move the log's contents into the file while this one keeps other writers out.
      let other = try SQLiteConnection(filePath, for: .writing, patience: options.patience)
      guard try settle(other, head.commit) else {
        throw StoreError(
          .locked,
          "The file is not complete: a reader of older contents keeps a part of the database in its log.",
          path: filePath)
      }
      return try body()
    }
  }

  private func uuid(_ head: SQLiteSnapshot) throws -> UUID {
    guard let uuid = head.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: filePath)
    }
    return uuid
  }

  // MARK: - Steps

  /// Calls `body` in a write transaction, as the only writer of all processes, with the newest snapshot. Changes that
  /// `body` does not commit are rolled back.
  func withExclusiveAccess<R>(
    _ body: (inout Writing, SQLiteDatabase, SQLiteSnapshot) throws -> R
  ) throws -> R {
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: filePath)
    }
    writingTurn.lock()
    defer { writingTurn.unlock() }
    return try asStore(filePath) {
      if unsafe !writingState.isChecked { try checkIsAsked(newest()) }
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
      if unsafe !writingState.isChecked {
        try checkIsWritable(head, connection)
        unsafe writingState.isChecked = true
      }
      let values = ExternalFiles(path: filePath, disk: disk)
      return unsafe try body(
        &writingState, SQLiteDatabase(connection: connection, values: values), head)
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

  /// Throws if a write would leave the database wrong for the system that made it (spec §10.6).
  private func checkIsWritable(_ head: SQLiteSnapshot, _ connection: SQLiteConnection) throws {
    try checkIsAsked(head)
    guard !head.contents.isOwn else { return }
    let tables = try DatabaseTables(connection)
    if let trigger = tables.triggers.first {
      throw StoreError(
        .readOnly,
        "The database can't be written: the trigger \(trigger.name) on \(trigger.table) needs functions that only Core Data has.",
        path: filePath)
    }
    if tables.columns["ATRANSACTION"] != nil {
      throw StoreError(
        .readOnly,
        "The database can't be written: its history of changes (ATRANSACTION) would miss the new changes.",
        path: filePath)
    }
  }

  /// Writes changes. Removals come first, to free keys and cells for the rows that follow.
  private func write(
    _ changes: Layer, _ contents: StoreContents, _ writing: inout Writing,
    _ connection: SQLiteConnection, _ number: Int64
  ) throws {
    let map = contents.map
    let version = contents.isOwn ? number : nil
    var objects: [(RowWriter, Layer.EntityChanges)] = []
    var links: [(LinkWriter, Layer.EntityChanges)] = []
    for entity in changes.entities {
      if let place = map.entities[entity.entityNumber] {
        objects.append(
          (
            RowWriter(
              connection: connection, entity: place, map: map, version: version, path: filePath),
            entity
          ))
      } else if let place = map.links[entity.entityNumber] {
        links.append(
          (
            LinkWriter(connection: connection, link: place, version: version, path: filePath),
            entity
          ))
      } else {
        throw StoreError(
          .badChange, "No entity has the number \(entity.entityNumber).", path: filePath)
      }
    }
    for (writer, entity) in links { try writer.remove(entity.removed) }
    var kept: [KeptLinkCells] = []
    for (writer, entity) in objects {
      try writer.remove(entity.removed)
      kept.append(
        try KeptLinkCells(replacedBy: entity.put, of: writer.entity, map, connection))
      try writer.makeRoom(for: entity.put)
    }
    for (writer, entity) in objects { try writer.update(entity.changed) }
    for (writer, entity) in objects {
      try withoutIndexes(of: writer.entity, contents, whileInserting: entity.put, connection) {
        try writer.insert(entity.put)
      }
      try raise(entity, writer.entity.rootNumber, connection)
    }
    for cells in kept { try cells.restore(connection) }
    for (writer, entity) in links {
      try writer.update(entity.changed)
      try writer.insert(entity.put)
      if contents.isOwn { try raiseLinks(entity, connection) }
      var written: [Int64] = []
      for run in [entity.changed, entity.put] { try run.forEachKey { written.append($0) } }
      try addReverseRows(
        of: written, writer.link, isOwn: contents.isOwn, &writing, connection)
    }
  }

  /// The number of new rows from which rebuilding a table's indexes is faster than updating them.
  private static let manyRows = 20_000

  /// Calls `body`, which inserts rows. If these are most of the table, drops its indexes and rebuilds them
  /// afterwards: one sort is faster than a search for each row.
  private func withoutIndexes(
    of entity: TableMap.EntityMap, _ contents: StoreContents, whileInserting run: BlockRun,
    _ connection: SQLiteConnection, _ body: () throws -> Void
  ) throws {
    let count = run.rowCount
    guard contents.isOwn, count >= SQLiteStore.manyRows,
      try connection.integer(
        "SELECT count(*) FROM (SELECT 1 FROM \(quoted(entity.table)) LIMIT \(count))") ?? 0
        < count / 2
    else { return try body() }
    let there = try DatabaseTables(connection).indexes
    let indexes = TableMaking(model: contents.model, map: contents.map).indexes
      .filter { $0.table == entity.table && there.contains($0.name) }
    for index in indexes { try connection.execute("DROP INDEX \(quoted(index.name))") }
    try body()
    for index in indexes { try connection.execute(index.text) }
  }

  /// Raises the highest assigned key, so that keys which a writer chose without leasing them are not assigned again.
  private func raise(
    _ entity: Layer.EntityChanges, _ root: Int64, _ connection: SQLiteConnection
  ) throws {
    guard let highest = entity.put.blocks.last?.maximumKey else { return }
    let statement = try connection.prepare(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = max(COALESCE(Z_MAX, 0), ?) WHERE Z_ENT = ?")
    try statement.bind([.integer(Int64(highest)), .integer(root)])
    try statement.run()
  }

  private func raiseLinks(_ entity: Layer.EntityChanges, _ connection: SQLiteConnection) throws {
    guard let highest = entity.put.blocks.last?.maximumKey else { return }
    let statement = try connection.prepare(
      "INSERT INTO QUIRE_LINK (NUMBER, LAST) VALUES (?, ?) ON CONFLICT (NUMBER) DO UPDATE SET LAST = max(LAST, excluded.LAST)"
    )
    try statement.bind([.integer(Int64(entity.entityNumber)), .integer(Int64(highest))])
    try statement.run()
  }
}
