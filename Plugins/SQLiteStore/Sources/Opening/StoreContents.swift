// SAFETY: The span of an array is used only within the statement that owns the array.

import Deflate
import Foundation
import ModelNotations
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

extension StoreContents {
  /// The most bytes of a value that are read from a separate file.
  static let maximumValueByteCount = 1 << 30

  /// Reads the description of a store.
  ///
  /// - Parameter given: The model to read the store with; `nil` for the model in the database.
  /// - Throws: `StoreError`, `SQLiteError`.
  init(_ connection: SQLiteConnection, model given: Model?) throws {
    let path = connection.path
    if try StoreContents.isPlain(connection) {
      try self.init(plain: connection, model: given)
      return
    }
    let tables = try DatabaseTables(connection)
    guard tables.has("Z_METADATA", "Z_VERSION", "Z_UUID", "Z_PLIST"),
      tables.has("Z_PRIMARYKEY", "Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX")
    else {
      throw StoreError(
        .notAStore,
        "The file is an SQLite database, but not a store of objects: the table Z_METADATA or Z_PRIMARYKEY is missing.",
        path: path)
    }
    let (metadata, list) = try StoreContents.metadata(connection)
    let own = try OwnRecord(connection, tables)
    let model = try StoreContents.model(connection, tables, given, own, metadata)
    // If another program has changed the model, Quire's own record still contains the numbers of the old one.
    let current = own.flatMap { $0.model.versionHashes == model.versionHashes ? $0 : nil }
    let schema: Schema
    if let current {
      schema = try StoreContents.schema(current.schema, of: model, in: "QUIRE_STORE", path)
    } else {
      do { schema = try Schema(model) } catch {
        throw StoreError(.incompatibleModel, "\(error)", path: path, cause: error)
      }
    }
    let numbers = try StoreContents.numbers(connection, model)
    let map = try StoreContents.map(path, try TableMap(model, schema, numbers, in: tables))
    self.init(
      metadata, list, model, schema, map, isOwn: current != nil,
      modelCommit: current?.modelCommit ?? 0)
    if isOwn, let link = map.links.values.first(where: { !$0.isColumn && $0.version == nil }) {
      throw StoreError(.damaged, "The table \(link.table) has no column Z_OPT.", path: path)
    }
  }

  /// Returns the metadata, and the property list that contains them.
  static func metadata(
    _ connection: SQLiteConnection
  ) throws -> (metadata: StoreMetadata, list: [UInt8]) {
    let path = connection.path
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError(.damaged, "Z_METADATA has no row: the store has no UUID.", path: path)
    }
    guard let uuid = statement.text(0), UUID(spelled: uuid) != nil else {
      throw StoreError(.damaged, "Z_METADATA.Z_UUID is not a UUID.", path: path)
    }
    var list: [UInt8] = []
    switch statement.kind(1) {
    case .null: break
    case .blob where (1...maximumModelByteCount).contains(statement.byteCount(1)):
      list = statement.bytes(1)
    default:
      throw StoreError(.damaged, "Z_METADATA.Z_PLIST is not a property list.", path: path)
    }
    return (
      try metadata(list, uuid: uuid, type: .sqlite, in: "Z_METADATA.Z_PLIST", path), list
    )
  }

  private static func model(
    _ connection: SQLiteConnection, _ tables: DatabaseTables, _ given: Model?, _ own: OwnRecord?,
    _ metadata: StoreMetadata
  ) throws -> Model {
    let path = connection.path
    if let given {
      try metadata.checkModel(given, path: path)
      return given
    }
    if let own {
      // If another program has changed the model, Quire's own record still contains the old model, and the metadata do
      // not fit it.
      if (try? metadata.checkModel(own.model, path: path)) != nil { return own.model }
    }
    guard tables.has("Z_MODELCACHE", "Z_CONTENT"), let bytes = try cache(connection) else {
      throw StoreError(
        .incompatibleModel,
        "The store does not contain its model, as stores of older systems do not. Give the model that it was written with.",
        path: path)
    }
    let model: Model
    do { model = try CompiledModel.readModel(bytes, path: path) } catch {
      throw StoreError(
        .incompatibleModel, "The store's model can't be read: \(error)", path: path,
        cause: error)
    }
    try metadata.checkModel(model, path: path)
    return model
  }

  /// Returns the archive of the model with which the store was last opened.
  private static func cache(_ connection: SQLiteConnection) throws -> [UInt8]? {
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    defer { statement.reset() }
    guard try statement.step(), statement.kind(0) == .blob else { return nil }
    do {
      return try statement.withBytes(0) {
        try Deflate.expandRaw($0, upTo: maximumModelByteCount)
      }
    } catch {
      throw StoreError(
        .incompatibleModel, "The store's model can't be decompressed: \(error)",
        path: connection.path, cause: error)
    }
  }

  /// Returns the numbers of the entities in the tables, by the entities' names. If the tables lack the name of an
  /// entity, for example after it was renamed, returns the numbers that the model implies.
  private static func numbers(
    _ connection: SQLiteConnection, _ model: Model
  ) throws -> EntityNumbers {
    var byName: [String: Int64] = [:]
    let statement = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")
    defer { statement.reset() }
    while try statement.step() {
      guard statement.kind(0) == .integer, let name = statement.text(1),
        byName.count <= Int(UInt16.max)
      else { continue }
      byName[name] = statement.integer(0)
    }
    guard model.entities.allSatisfy({ byName[$0.name] != nil }) else { return EntityNumbers(model) }
    let known = byName.filter { model[$0.key] != nil }
    guard Set(known.values).count == known.count else {
      throw StoreError(
        .damaged, "Z_PRIMARYKEY gives two entities the same number.", path: connection.path)
    }
    return EntityNumbers(byName: known)
  }
}

/// The record that Quire adds to the tables of Core Data (spec §10.5): the exact model and schema.
struct OwnRecord {
  let model: Model
  /// The numbers of the model's entities and properties, in their stored form.
  let schema: [UInt8]
  let modelCommit: Int64

  static let version: Int64 = 1

  /// The tables of Quire beside those of Core Data, with their columns.
  static let tables = [
    ("QUIRE_STORE", ["VERSION", "MODEL", "SCHEMA", "MODELCOMMIT"]),
    ("QUIRE_COMMIT", ["NUMBER", "TIME", "AUTHOR", "CONTEXTNAME", "KEPT"]),
    ("QUIRE_BEFORE", ["NUMBER", "KIND", "BYTES"]), ("QUIRE_LINK", ["NUMBER", "LAST"]),
  ]

  init?(_ connection: SQLiteConnection, _ tables: DatabaseTables) throws {
    let (own, columns) = OwnRecord.tables[0]
    guard tables.has(own, columns) else { return nil }
    let statement = try connection.prepare(
      "SELECT VERSION, MODEL, SCHEMA, MODELCOMMIT FROM QUIRE_STORE LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    guard statement.kind(0) == .integer, statement.integer(0) >= 1 else { return nil }
    guard statement.integer(0) <= OwnRecord.version else {
      throw StoreError(
        .newerFormat,
        "The store has format version \(statement.integer(0)), but this program knows version \(OwnRecord.version).",
        path: connection.path)
    }
    for (table, columns) in OwnRecord.tables {
      for column in columns where !tables.has(table, column) {
        throw StoreError(
          .damaged, "The store has no table \(table) with a column \(column).",
          path: connection.path)
      }
    }
    model = try OwnRecord.model(statement.bytes(1), connection.path)
    schema = statement.bytes(2)
    modelCommit = statement.integer(3)
  }

  private static func model(_ bytes: [UInt8], _ path: String) throws -> Model {
    do {
      let contents = unsafe try Deflate.expandRaw(
        bytes.span.bytes, upTo: StoreContents.maximumModelByteCount)
      return try Model(contents: contents, path: path)
    } catch {
      throw StoreError(
        .damaged, "The model in QUIRE_STORE can't be read: \(error)", path: path, cause: error)
    }
  }
}
