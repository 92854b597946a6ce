// SAFETY: The span of an array is used only within the statement that owns the array.

import Deflate
import Foundation
import ObjectModel
import PropertyLists
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// The description of a store in its database: the metadata, the model, and the tables of the model's objects.
struct StoreContents: Sendable {
  /// The metadata, as the database contains them.
  var metadata: StoreMetadata
  /// The property list of the metadata, to detect changes of them.
  var list: [UInt8]
  /// The model of the objects.
  var model: Model
  /// The numbers of entities and properties in rows.
  var schema: Schema
  /// The tables and columns of the objects.
  var map: TableMap
  /// Whether the database has the additional tables of Quire's own stores (spec §10.5).
  var isOwn: Bool
  /// The commit that set the model; 0 if it is unknown.
  var schemaNumber: Int64
}

extension StoreContents {
  /// The most bytes of a model, and of metadata, that are read.
  static let maximumModelByteCount = 1 << 26
  /// The most bytes of a value that are read from a separate file.
  static let maximumValueByteCount = 1 << 30

  /// Reads the description of a store.
  ///
  /// - Parameter given: The model to read the store with; `nil` for the model in the database.
  /// - Throws: `StoreError`, `SQLiteError`.
  init(_ connection: SQLiteConnection, model given: Model?) throws {
    let path = connection.path
    let tables = try DatabaseTables(connection)
    guard tables.has("Z_METADATA", "Z_VERSION", "Z_UUID", "Z_PLIST"),
      tables.has("Z_PRIMARYKEY", "Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX")
    else {
      throw StoreError(
        .notAStore,
        "The file is an SQLite database, but not a store of objects: the table Z_METADATA or Z_PRIMARYKEY is missing.",
        path: path)
    }
    (metadata, list) = try StoreContents.metadata(connection)
    let own = try OwnRecord(connection, tables)
    let model = try StoreContents.model(connection, tables, given, own, metadata)
    self.model = model
    let schema: Schema
    if let own, own.model.versionHashes == model.versionHashes {
      schema = try own.schema(path, of: model)
      isOwn = true
      schemaNumber = own.modelCommit
    } else {
      do { schema = try Schema(model) } catch {
        throw StoreError(.incompatibleModel, "\(error)", path: path, cause: error)
      }
      isOwn = false
      schemaNumber = 0
    }
    self.schema = schema
    let numbers = try StoreContents.numbers(connection, model)
    do throws(TableMap.Mismatch) {
      map = try TableMap(model, schema, numbers, in: tables)
    } catch {
      throw StoreError(.incompatibleModel, error.description, path: path)
    }
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
    switch statement.kind(1) {
    case .null: return (metadata([:], uuid), [])
    case .blob where statement.byteCount(1) <= maximumModelByteCount:
      let list = statement.bytes(1)
      return (metadata(try values(list, "Z_METADATA.Z_PLIST", path), uuid), list)
    default:
      throw StoreError(.damaged, "Z_METADATA.Z_PLIST is not a property list.", path: path)
    }
  }

  /// Returns earlier metadata of a store from their property list.
  ///
  /// - Parameter newest: The store's current metadata, for the UUID.
  static func metadata(
    _ list: [UInt8], of newest: StoreMetadata, _ path: String
  ) throws -> StoreMetadata {
    metadata(list.isEmpty ? [:] : try values(list, "QUIRE_BEFORE", path), newest.uuid?.uuidString)
  }

  private static func values(
    _ list: [UInt8], _ place: String, _ path: String
  ) throws -> [String: PropertyList] {
    do {
      guard case .dictionary(let found) = try BinaryPropertyList.read(list) else {
        throw StoreError(.damaged, "\(place) is not a dictionary.", path: path)
      }
      return found
    } catch let error as PropertyListError {
      throw StoreError(.damaged, "\(place) can't be read: \(error)", path: path, cause: error)
    }
  }

  private static func metadata(
    _ values: [String: PropertyList], _ uuid: String?
  ) -> StoreMetadata {
    var values = values
    values[StoreMetadata.Key.uuid] = uuid.map { .string($0) }
    if values[StoreMetadata.Key.type] == nil {
      values[StoreMetadata.Key.type] = .string(StoreType.sqlite.rawValue)
    }
    return StoreMetadata(values: values)
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
  private let schemaBytes: [UInt8]
  /// The commit that set the model.
  let modelCommit: Int64

  static let version: Int64 = 1

  init?(_ connection: SQLiteConnection, _ tables: DatabaseTables) throws {
    guard tables.has("QUIRE_STORE", "VERSION", "MODEL", "SCHEMA", "MODELCOMMIT") else { return nil }
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
    for (table, columns) in [
      ("QUIRE_COMMIT", ["NUMBER", "TIME", "AUTHOR", "CONTEXTNAME", "KEPT"]),
      ("QUIRE_BEFORE", ["NUMBER", "KIND", "BYTES"]),
      ("QUIRE_LINK", ["NUMBER", "LAST"]),
    ] {
      for column in columns where !tables.has(table, column) {
        throw StoreError(
          .damaged, "The store has no table \(table) with a column \(column).",
          path: connection.path)
      }
    }
    model = try OwnRecord.model(statement.bytes(1), connection.path)
    schemaBytes = statement.bytes(2)
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

  /// Returns the numbers of a model's entities and properties.
  ///
  /// - Throws: `StoreError` also if the numbers belong to another model. Each property of the model must have a
  ///   number.
  func schema(_ path: String, of model: Model) throws -> Schema {
    let schema: Schema
    do { schema = try SchemaCoding.read(schemaBytes, at: 0) } catch {
      throw StoreError(
        .damaged, "The schema in QUIRE_STORE can't be read: \(error)", path: path, cause: error)
    }
    // The numbers belong to this model only if numbering the model again changes none of them.
    guard let own = try? Schema(model, evolving: schema, of: model),
      own.relationshipNumbers == schema.relationshipNumbers, own.layouts == schema.layouts,
      own.linkTables == schema.linkTables
    else {
      throw StoreError(
        .damaged, "The schema in QUIRE_STORE does not fit the model in QUIRE_STORE.", path: path)
    }
    return schema
  }
}
