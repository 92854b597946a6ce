import Foundation
import ObjectModel
import PropertyLists
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

extension StoreContents {
  /// Returns whether a database has tables, but none of the tables of a store.
  static func isPlain(_ connection: SQLiteConnection) throws -> Bool {
    try connection.integer(
      """
      SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*') \
      AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY'))
      """) == 1
  }

  /// Describes the tables of another program as a store. From then on the connection's queries find these tables under the names
  /// and in the form that a store has.
  ///
  /// - Throws: `StoreError` if there are no tables, or if the caller gives a model, because the model is derived
  ///   from the tables.
  init(plain connection: SQLiteConnection, model given: Model?) throws {
    let path = connection.path
    guard given == nil else {
      throw StoreError(
        .notAStore,
        "The file is an SQLite database, but not a store of objects: the table Z_METADATA is missing. "
          + "The model of other databases is inferred from their tables, so no model can be given.",
        path: path)
    }
    let database = try PlainDatabase(connection)
    let plain = try PlainModel(database, connection)
    let (model, schema): (Model, Schema)
    do {
      model = try plain.model
      schema = try Schema(model)
    } catch {
      throw StoreError(
        .incompatibleModel, "The tables of the database make no model: \(error)", path: path,
        cause: error)
    }
    let map = try StoreContents.map(path, try TableMap(model, schema, EntityNumbers(model)))
    try connection.use(plain.commonTables(database, map, model, schema))
    var metadata = StoreMetadata(
      uuid: StoreContents.uuid(of: database), type: .sqlite, model: model)
    metadata.modelNotes = database.notes + plain.notes
    self.init(
      metadata, StoreContents.list(metadata), model, schema, map, isOwn: false, modelCommit: 0)
  }

  /// Returns a UUID that is the same as long as the tables have the same definitions.
  private static func uuid(of database: PlainDatabase) -> UUID {
    var bytes: [UInt8] = []
    for seed in [0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142] as [UInt64] {
      var hash = seed
      for source in database.sources + database.links {
        for byte in source.table.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
      }
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
    }
    return UUID(bytes: bytes) ?? UUID()
  }
}
