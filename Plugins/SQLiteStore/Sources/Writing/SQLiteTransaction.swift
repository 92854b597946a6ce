import Foundation
package import ObjectModel
package import RelationalStore
package import Rows
import SQLTranslation
import SQLiteFiles
package import StoreInterface

/// A transaction in which an SQLite store writes one commit.
package struct SQLiteTransaction: WritingTransaction {
  let store: SQLiteStore
  package let database: SQLiteDatabase
  let head: SQLiteSnapshot
  /// The history of Core Data, into which a commit must be written; `nil` if the database does not keep it.
  let log: ChangeLogTables?

  private var connection: SQLiteConnection { database.connection }
  private var path: String { store.filePath }
  package var contents: StoreContents { head.contents }
  package var newest: Int64 { head.commit }
  /// Whether the rows before the commit are needed: for the history of Quire, or for that of Core Data.
  package var keepsHistory: Bool {
    contents.isOwn ? store.options.historyShare > 0 : log != nil
  }

  package func conflicts(with request: CommitRequest) throws -> [StoreConflict] {
    try request.conflicts(with: head)
  }

  package func changeModel(
    to model: Model, by request: CommitRequest, as number: Int64
  ) throws -> StoreContents {
    let after = try store.changeModel(to: model, request, contents, connection, number)
    try store.addMissingReverseRows(after, connection)
    return after
  }

  package func write(
    _ metadata: StoreMetadata, as number: Int64, in contents: inout StoreContents
  ) throws {
    guard let uuid = contents.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: path)
    }
    try connection.write(metadata, uuid: uuid)
    contents.metadata = metadata
    contents.list = StoreContents.list(metadata)
  }

  package func record(
    _ request: CommitRequest, as number: Int64, _ before: RowsBefore?, _ contents: StoreContents
  ) throws {
    guard contents.isOwn else {
      if let log, let before {
        try ChangeLogWriter(connection: connection, tables: log, contents: contents)
          .write(request, after: before)
      }
      return
    }
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let size = try connection.integer("PRAGMA page_size") ?? 0
    let room = max(
      Int64(store.options.leastHistoryByteCount),
      Int64(Double(pages * size) * store.options.historyShare))
    let kept = try database.keepRows(before, of: number, upTo: room)
    try database.addCommit(
      number, author: request.author, contextName: request.contextName, kept: kept)
    try database.forgetOldest(keeping: room)
  }

  package func commit(_ number: Int64) throws { try store.commit(connection) }

  // MARK: - Rows

  /// Writes changes. Removals come first, to free keys and cells for the rows that follow.
  package func write(_ changes: Layer, as number: Int64, _ contents: StoreContents) throws {
    let map = contents.map
    let version = contents.isOwn ? number : nil
    var objects: [(RowWriter, Layer.EntityChanges)] = []
    var links: [(LinkWriter, Layer.EntityChanges)] = []
    for entity in changes.entities {
      if let place = map.entities[entity.entityNumber] {
        let writer = RowWriter(
          connection: connection, entity: place, map: map, version: version, path: path)
        objects.append((writer, entity))
      } else if let place = map.links[entity.entityNumber] {
        let writer = LinkWriter(connection: connection, link: place, version: version, path: path)
        links.append((writer, entity))
      } else {
        throw StoreError(
          .badChange, "No entity has the number \(entity.entityNumber).", path: path)
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
      try withoutIndexes(of: writer.entity, contents, whileInserting: entity.put) {
        try writer.insert(entity.put)
      }
      // A writer may choose keys without leasing them, and they must not be assigned again.
      guard let highest = entity.put.blocks.last?.maximumKey else { continue }
      try connection.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = max(COALESCE(Z_MAX, 0), ?) WHERE Z_ENT = ?",
        [.integer(Int64(highest)), .integer(writer.entity.rootNumber)])
    }
    for cells in kept { try cells.restore(connection) }
    for (writer, entity) in links {
      try writer.update(entity.changed)
      try writer.insert(entity.put)
      if contents.isOwn, let highest = entity.put.blocks.last?.maximumKey {
        try connection.run(
          "INSERT INTO QUIRE_LINK (NUMBER, LAST) VALUES (?, ?) ON CONFLICT (NUMBER) DO UPDATE SET LAST = max(LAST, excluded.LAST)",
          [.integer(Int64(entity.entityNumber)), .integer(Int64(highest))])
      }
      var written: [Int64] = []
      for run in [entity.changed, entity.put] { try run.forEachKey { written.append($0) } }
      try store.addReverseRows(of: written, writer.link, isOwn: contents.isOwn, connection)
    }
  }

  /// The number of new rows from which rebuilding a table's indexes is faster than updating them.
  private static let manyRows = 20_000

  /// Calls `body`, which inserts rows. If these are most of the table, drops its indexes and rebuilds them
  /// afterwards: one sort is faster than a search for each row.
  private func withoutIndexes(
    of entity: TableMap.EntityMap, _ contents: StoreContents, whileInserting run: BlockRun,
    _ body: () throws -> Void
  ) throws {
    let count = run.rowCount
    guard contents.isOwn, count >= SQLiteTransaction.manyRows,
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
}
