import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface
import Synchronization

/// A transaction that writes into a copy, and puts the copy in the place of the database when it commits.
struct MemoryTransaction: WritingTransaction {
  let database: MemoryDatabase
  private let tables: MemoryTables
  let keepsHistory = true

  init(_ tables: MemoryTables) {
    self.tables = tables
    database = MemoryDatabase(copying: tables.newest.withLock { $0 })
  }

  var contents: StoreContents { database.contents }
  var newest: Int64 { database.newest }

  func conflicts(with request: CommitRequest) throws -> [StoreConflict] {
    try request.conflicts(with: DatabaseSnapshot(database, tables))
  }

  func changeModel(
    to model: Model, by request: CommitRequest, as number: Int64
  ) throws -> StoreContents {
    var after = contents
    after.schema = try request.schema(evolving: after.schema, of: after.model, path: database.path)
    after.map = TableMap(inMemory: model, after.schema)
    (after.model, after.modelCommit) = (model, number)
    return after
  }

  func write(_ changes: Layer, as number: Int64, _ contents: StoreContents) throws {
    database.rows = try Layer.merged(
      [database.rows, changes.stamped(number)], schema: contents.schema, keepingVersions: true,
      atBottom: true)
    tables.keys.withLock { keys in
      for entity in changes.entities {
        guard let highest = entity.put.blocks.last?.maximumKey else { continue }
        keys[entity.entityNumber] = max(keys[entity.entityNumber] ?? 0, highest)
      }
    }
  }

  func write(
    _ metadata: StoreMetadata, as number: Int64, in contents: inout StoreContents
  ) throws {
    (contents.metadata, contents.list) = (metadata, StoreContents.list(metadata))
  }

  func record(
    _ request: CommitRequest, as number: Int64, _ before: RowsBefore?, _ contents: StoreContents
  ) throws {
    (database.contents, database.newest) = (contents, number)
    let summary = CommitSummary(
      number: number, time: Date(), author: request.author, contextName: request.contextName,
      message: request.message)
    database.commits.append((summary, nil))
    if let kept = try database.keepRows(before, of: number, upTo: .max) {
      try database.setHistory(of: number, byteCount: kept)
    }
  }

  func commit(_ number: Int64) throws {
    tables.newest.withLock { $0 = database }
  }
}
