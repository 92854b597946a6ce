// SAFETY: Only the holder of the writer's turn uses the size of the tables, and a transaction belongs to it.

import Foundation
package import ObjectModel
package import PostgreSQLConnection
package import RelationalStore
package import Rows
import SQLTranslation
package import StoreInterface

/// A transaction in which a PostgreSQL store writes one commit.
package struct PostgreSQLTransaction: WritingTransaction {
  let store: PostgreSQLStore
  package let database: PostgreSQLDatabase<PostgreSQLConnection>
  let head: StoreHead
  package let contents: StoreContents
  /// A mark by which the commit is found again if the connection is lost while the transaction ends.
  let token: UUID

  var connection: PostgreSQLConnection { database.connection }
  package var newest: Int64 { head.newest }
  package var keepsHistory: Bool { store.isPartOfDocument || store.options.historyShare > 0 }

  package func conflicts(with request: CommitRequest) throws -> [StoreConflict] {
    guard newest != request.base else { return [] }
    return try request.changes.entities.flatMap { changes in
      if let entity = contents.map.entities[changes.entityNumber], changes.put.isEmpty,
        changes.changed.rowCount + changes.removed.rowCount <= PostgreSQLStore.mostRowsRead
      {
        return try conflicts(with: changes, entity)
      }
      return try writer(changes.entityNumber, contents, 0)?.conflicts(with: changes) ?? []
    }
  }

  /// Returns the conflicts of changes of a few rows, which were read when the transaction began.
  private func conflicts(
    with changes: Layer.EntityChanges, _ entity: TableMap.EntityMap
  ) throws -> [StoreConflict] {
    let keys = try changes.touchedKeys().old.sorted()
    let run = BlockRun(
      try database.rows(.keys(keys), of: entity, in: contents.map, basis: newest + 1))
    return try (changes.changed.blocks + changes.removed.blocks).flatMap { block in
      let numbers = try block.keys
      let bases = try block.column(LayoutColumn.Number.basis)
      return try (0..<block.rowCount).compactMap { row -> StoreConflict? in
        let number = UInt64(bitPattern: numbers.integer(at: row))
        let basis = bases?.integer(at: row) ?? 0
        let current = try run.location(of: number)?.version
        guard current ?? 0 != basis else { return nil }
        return StoreConflict(
          key: ObjectKey(entity: changes.entityNumber, number: number), basis: basis,
          current: current)
      }
    }
  }

  package func changeModel(
    to model: Model, by request: CommitRequest, as number: Int64
  ) throws -> StoreContents {
    try store.changeModel(to: model, request, contents, connection, number)
  }

  package func write(
    _ metadata: StoreMetadata, as number: Int64, in contents: inout StoreContents
  ) throws {
    var metadata = metadata
    metadata.document = self.contents.metadata.document ?? metadata.document
    contents.metadata = metadata
    contents.list = StoreContents.list(metadata)
    contents.metadataCommit = number
    try connection.run(
      "WITH old AS (DELETE FROM quire_metadata) INSERT INTO quire_metadata (commit, list) VALUES ($1, $2)",
      [PostgreSQLParameter(number), PostgreSQLParameter(.bytes, bytes: contents.list)])
  }

  package func commit(_ number: Int64) throws { try store.end(connection, number, token) }

  // MARK: - Rows

  private func writer(
    _ number: UInt16, _ contents: StoreContents, _ version: Int64
  ) -> TableWriter? {
    contents.map.entities[number].map { TableWriter($0, version: version, connection) }
      ?? contents.map.links[number].map { TableWriter($0, version: version, connection) }
  }

  /// Writes changes. Removals come first, to free keys for the rows that follow.
  package func write(_ changes: Layer, as number: Int64, _ contents: StoreContents) throws {
    let writers = try changes.entities.map { entity in
      guard let writer = writer(entity.entityNumber, contents, number) else {
        throw StoreError(
          .badChange, "No entity has the number \(entity.entityNumber).", path: database.path)
      }
      return (writer, entity)
    }
    for (writer, entity) in writers {
      try writer.remove(entity.removed)
      try writer.makeRoom(for: entity.put)
    }
    for (writer, entity) in writers {
      try writer.update(entity.changed)
      try writer.insert(entity.put)
      try raise(entity, contents)
    }
  }

  /// Raises the highest assigned key, so that keys which a writer chose without leasing them are not assigned again.
  private func raise(
    _ entity: Layer.EntityChanges, _ contents: StoreContents
  ) throws {
    guard let highest = entity.put.blocks.last?.maximumKey else { return }
    try connection.run(
      "UPDATE quire_key SET last = $2 WHERE number = $1 AND last < $2",
      [
        PostgreSQLParameter(contents.keyNumber(of: entity.entityNumber) ?? 0),
        PostgreSQLParameter(Int64(highest)),
      ])
  }

  // MARK: - The record of a commit

  /// The most commits that the table of commits lists.
  private static let mostCommits: Int64 = 10_000

  /// Records a commit and its history, as far as there is room for the history, and announces the commit.
  ///
  /// A document decides itself which commits it keeps, and announces its saves.
  package func record(
    _ request: CommitRequest, as number: Int64, _ before: RowsBefore?, _ contents: StoreContents
  ) throws {
    let isTime = unsafe store.tableSize?.isOld(at: number) ?? true
    let room = try historyRoom(number, counting: isTime)
    let kept = try database.keepRows(before, of: number, upTo: room)
    // One statement, to save round trips while other writers wait.
    try connection.run(
      """
      WITH made AS (INSERT INTO quire_commit (number, time, token, author, context_name, message, kept) \
      VALUES ($1, $2, $3, $4, $5, $6, $7)), \
      counted AS (UPDATE quire_store SET newest = $1, kept = CASE WHEN $7 IS NULL THEN 0 ELSE kept + $7 END, \
      model_commit = $8, metadata_commit = $9) SELECT \(store.announcesItself ? "pg_notify($10, $11)" : "$10, $11")
      """,
      [
        PostgreSQLParameter(number), PostgreSQLParameter(Date().timeIntervalSinceReferenceDate),
        PostgreSQLParameter(.uuid, bytes: token.bytes), PostgreSQLParameter(stored: request.author),
        PostgreSQLParameter(stored: request.contextName),
        PostgreSQLParameter(stored: request.message),
        kept.map { PostgreSQLParameter($0) } ?? PostgreSQLParameter(nullOf: .int64),
        PostgreSQLParameter(contents.modelCommit), PostgreSQLParameter(contents.metadataCommit),
        PostgreSQLParameter(store.channel), PostgreSQLParameter("\(number)"),
      ])
    if store.isPartOfDocument { return }
    if head.kept + (kept ?? 0) > room {
      // The next commits find room too, so that not each of them has to look for the oldest.
      try BeforeTable.forgetOldest(keeping: room - room / 8, connection)
    }
    if number > PostgreSQLTransaction.mostCommits, isTime {
      try BeforeTable.forget(through: number - PostgreSQLTransaction.mostCommits, connection)
      try connection.forEachRow(
        "DELETE FROM quire_commit WHERE number <= $1",
        [PostgreSQLParameter(number - PostgreSQLTransaction.mostCommits)])
    }
  }

  /// Returns the number of bytes that the history may use.
  private func historyRoom(_ number: Int64, counting: Bool) throws -> Int64 {
    if store.isPartOfDocument { return .max }
    if counting {
      unsafe store.tableSize = TableSize(
        byteCount: try PostgreSQLStore.byteCount(connection), commit: number)
    }
    return store.historyRoom(unsafe store.tableSize?.byteCount ?? 0)
  }
}

extension StoreContents {
  /// Returns the number under which `quire_key` counts the keys of an entity or of links.
  func keyNumber(of number: UInt16) -> Int64? {
    map.entities[number]?.rootNumber ?? (map.links[number] == nil ? nil : Int64(number))
  }
}
