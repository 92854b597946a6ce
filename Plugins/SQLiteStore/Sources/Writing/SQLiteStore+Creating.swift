// SAFETY: The span of an array is used only within the statement that owns the array.

import Deflate
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

// The description of a store: its metadata, its model and its numbers.
extension SQLiteConnection {
  /// Writes the metadata, without the UUID, which has its own column.
  func write(_ metadata: StoreMetadata, uuid: UUID) throws {
    try run(
      "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
      [.text(uuid.uuidString), .blob(StoreContents.list(metadata))])
  }

  /// Writes the model and the numbers, in Quire's own record and in the form of Core Data.
  func write(_ model: Model, _ schema: Schema, _ numbers: EntityNumbers, commit: Int64) throws {
    try execute("DELETE FROM QUIRE_STORE")
    let source = Array(try ModelSource.write(model))
    try run(
      "INSERT INTO QUIRE_STORE (VERSION, MODEL, SCHEMA, MODELCOMMIT) VALUES (?, ?, ?, ?)",
      [
        .integer(OwnRecord.version), .blob(deflated(source)), .blob(SchemaCoding.bytes(schema)),
        .integer(commit),
      ])
    try execute("DELETE FROM Z_MODELCACHE")
    try run(
      "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)",
      [.blob(deflated(CompiledModel.write(model)))])
    try writeNumbers(model, numbers)
  }

  private func deflated(_ bytes: [UInt8]) -> [UInt8] {
    unsafe Deflate.compressRaw(bytes.span.bytes)
  }

  /// Writes one row for each entity, and keeps the highest keys that were assigned.
  private func writeNumbers(_ model: Model, _ numbers: EntityNumbers) throws {
    var highest: [String: Int64] = [:]
    let known = try prepare("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY", isKept: false)
    while try known.step() {
      if let name = known.text(0) { highest[name] = max(known.integer(1), 0) }
    }
    try execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    for name in numbers.names {
      let parent = model[name]?.superentity.flatMap { numbers[$0] } ?? 0
      try run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
        [.integer(numbers[name]!), .text(name), .integer(parent), .integer(highest[name] ?? 0)])
    }
  }
}

extension SQLiteStore {
  /// Creates a database without objects. The file appears at its path complete, or not at all.
  static func create(
    at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
  ) throws {
    let schema = try creation.schema(of: model, path: path)
    let numbers = EntityNumbers(model)
    let map = try StoreContents.map(path, try TableMap(model, schema, numbers))
    do {
      try checkFree(path, disk, overwriting: creation.overwriting)
      try disk.make(
        path, overwriting: creation.overwriting, companionEndings: StorePlaces.companionEndings
      ) { temporary in
        // The disk creates the file, so that a file outside the operating system's disk is detected.
        try disk.open(temporary, for: .create).close()
        try DatabasePlace(temporary, disk).checkIsReal()
        try fill(temporary, path, model, map, schema, numbers, creation)
      }
    } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }

  /// Creates the tables of a new database, all in its file.
  private static func fill(
    _ temporary: String, _ path: String, _ model: Model, _ map: TableMap, _ schema: Schema,
    _ numbers: EntityNumbers, _ creation: StoreCreation
  ) throws {
    try asStore(path) {
      let connection = try SQLiteConnection(temporary, for: .creating)
      try connection.execute("PRAGMA auto_vacuum=2")
      try connection.execute("PRAGMA page_size=4096")
      try connection.execute("PRAGMA journal_mode=DELETE")
      try connection.execute("BEGIN IMMEDIATE")
      let making = TableMaking(model: model, map: map)
      for text in TableMaking.commonTables + making.tables + making.indexes.map(\.text) {
        try connection.execute(text)
      }
      try connection.write(
        StoreMetadata(uuid: creation.uuid, type: .sqlite, model: model), uuid: creation.uuid)
      try connection.write(model, schema, numbers, commit: 0)
      try connection.run(
        "INSERT INTO QUIRE_COMMIT (NUMBER, TIME) VALUES (0, ?)",
        [.real(Date().timeIntervalSinceReferenceDate)])
      try connection.execute("COMMIT")
    }
  }

  /// Throws if a database to be replaced is in use, or if a log exists that SQLite would read into the new database.
  private static func checkFree(
    _ path: String, _ disk: any Disk, overwriting: Bool
  ) throws {
    guard !overwriting else {
      guard try disk.exists(path), SQLiteConnection.isInUse(path) else { return }
      throw StoreError(
        .locked, "The database can't be replaced, because another connection has it open.",
        path: path)
    }
    guard try !disk.exists(path) else { return }
    try StorePlaces.refuseLogs(besides: path, on: disk)
  }
}
