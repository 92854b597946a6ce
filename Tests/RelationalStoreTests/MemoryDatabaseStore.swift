import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface
import Synchronization

/// A store over a database in memory.
final class MemoryDatabaseStore: DatabaseStore {
  let type: StoreType = .memory
  let tag: StoreTag
  var path: String? { nil }
  var filePath: String { "memory" }
  var features: StoreFeatures { StoreFeatures([.incremental, .history], history: self) }

  private let tables: MemoryTables
  private let head: Mutex<DatabaseSnapshot<MemoryReader>>
  private let isClosed = Atomic(false)

  init(_ model: Model) throws {
    let schema = try Schema(model)
    let uuid = UUID()
    let metadata = StoreMetadata(uuid: uuid, type: .memory, model: model)
    let database = MemoryDatabase(
      StoreContents(
        metadata, StoreContents.list(metadata), model, schema,
        TableMap(inMemory: model, schema), isOwn: true, modelCommit: 0))
    tag = StoreTag(uuid)
    tables = MemoryTables(database)
    head = Mutex(DatabaseSnapshot(database, tables))
  }

  private func checkOpen() throws {
    guard !isClosed.load(ordering: .relaxed) else {
      throw StoreError(.closed, "The store was closed.")
    }
  }

  func newest() throws -> DatabaseSnapshot<MemoryReader> {
    try checkOpen()
    return head.withLock { head in
      let database = tables.newest.withLock { $0 }
      if database.newest != head.commit { head = DatabaseSnapshot(database, tables) }
      return head
    }
  }

  func dialect(of contents: StoreContents) -> (any SQLDialect)? { nil }

  func metadata(_ list: [UInt8], after newest: StoreMetadata) throws -> StoreMetadata {
    try StoreContents.metadata(
      list, uuid: newest.uuid?.uuidString, in: "The history", filePath)
  }

  func transaction<R>(_ body: (MemoryTransaction) throws -> () throws -> R) throws -> R {
    try checkOpen()
    tables.turn.lock()
    defer { tables.turn.unlock() }
    return try body(MemoryTransaction(tables))()
  }

  func left(by number: Int64, _ contents: StoreContents) throws -> any StoreSnapshot {
    let shown = try newest()
    return shown.commit == number ? shown : try snapshot(ofCommit: number)
  }

  func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try transaction { transaction in
      try checkNewest(number, is: transaction.newest)
      let result = try body()
      return { result }
    }
  }

  func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try checkOpen()
    let contents = tables.newest.withLock { $0.contents }
    guard contents.map.entities[number] != nil || contents.map.links[number] != nil else {
      throw StoreError(.badChange, "No entity has the number \(number).")
    }
    return tables.keys.withLock { keys in
      let first = (keys[number] ?? 0) + 1
      keys[number] = first + UInt64(max(count, 1)) - 1
      return first..<first + UInt64(max(count, 1))
    }
  }

  func commits() throws -> [CommitSummary] {
    try checkOpen()
    return try tables.newest.withLock { $0 }.openableCommits()
  }

  func keepCommits(where isKept: (Int64) -> Bool) throws {
    try transaction { transaction in
      try transaction.database.removeCommits(transaction.contents.schema, except: isKept)
      try transaction.commit(transaction.newest)
      return {}
    }
  }

  func describe() throws -> StoreSummary {
    var description = StoreSummary()
    description.highestCommit = try newest().commit
    return description
  }

  func close() throws { isClosed.store(true, ordering: .relaxed) }
}

extension DatabaseSnapshot<MemoryReader> {
  /// Creates the snapshot of a database that nothing changes any more.
  init(_ database: MemoryDatabase, _ tables: MemoryTables) {
    self.init(
      database.newest, database.contents,
      TableRows(
        MemoryReader(database, tables), database.contents,
        KnownRows(growth: 2, mostPiecesAhead: 8)))
  }
}

extension TableMap {
  /// Creates the map of a model without columns, which only SQL needs.
  init(inMemory model: Model, _ schema: Schema) {
    self.init()
    for layout in schema.layouts {
      let number = Int64(layout.entityNumber)
      layoutNumbers[number] = layout.entityNumber
      entities[layout.entityNumber] = EntityMap(
        layout: layout, number: number, table: layout.entity, rootNumber: number,
        sharesTable: false, columns: [])
    }
    for table in schema.linkTables {
      let end = Destination(table: "", entity: 0, isOnlyEntity: false)
      links[table.layout.entityNumber] = LinkMap(
        links: table, table: table.layout.entity, isColumn: false, key: "key", version: "version",
        source: "source", target: "target", targetOrder: nil, sourceOrder: nil, sources: end,
        targets: end)
    }
  }
}
