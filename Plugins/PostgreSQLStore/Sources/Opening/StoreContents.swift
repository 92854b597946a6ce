// SAFETY: The span of an array is used only within the statement that owns the array.

import Foundation
import ModelNotations
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

extension StoreContents {
  /// The version of the tables (spec §14.4).
  static let format: Int64 = 1

  /// Creates the description of a new store, or of a store after a change.
  ///
  /// - Parameter list: The property list of the metadata.
  init(
    _ metadata: StoreMetadata, _ list: [UInt8], _ model: Model, _ schema: Schema,
    modelCommit: Int64, metadataCommit: Int64, path: String
  ) throws {
    let map = try StoreContents.map(path, try TableMap(postgreSQL: model, schema))
    self.init(
      metadata, list, model, schema, map, isOwn: true, modelCommit: modelCommit,
      metadataCommit: metadataCommit)
  }

  /// Reads the description of a store in a transaction.
  ///
  /// - Parameter before: An earlier description of the same store, of which the model is used again if it has not
  ///   changed.
  init(_ connection: any RowSource, path: String, after before: StoreContents? = nil) throws {
    let head = try StoreHead(connection, path: path)
    let (metadata, list) = try StoreContents.metadata(connection, head)
    if let before, before.modelCommit == head.modelCommit {
      self = before
      (self.metadata, self.list) = (metadata, list)
      metadataCommit = head.metadataCommit
    } else {
      let (model, schema) = try StoreContents.model(connection, head)
      try self.init(
        metadata, list, model, schema, modelCommit: head.modelCommit,
        metadataCommit: head.metadataCommit, path: path)
    }
  }

  /// Returns the metadata, and the property list that contains them.
  static func metadata(
    _ connection: PostgreSQLConnection
  ) throws -> (metadata: StoreMetadata, list: [UInt8]) {
    try metadata(connection, StoreHead(connection, path: connection.name))
  }

  private static func metadata(
    _ connection: any RowSource, _ head: StoreHead
  ) throws -> (metadata: StoreMetadata, list: [UInt8]) {
    var list: [UInt8]?
    try connection.forEachRow(
      "SELECT list FROM quire_metadata WHERE commit = $1",
      [PostgreSQLParameter(head.metadataCommit)]
    ) { cells in
      try check(cells[0], "quire_metadata, column list", head.path)
      list = cells[0].bytes
    }
    guard let list else {
      throw StoreError(
        .damaged, "The table quire_metadata has no row for commit \(head.metadataCommit).",
        path: head.path)
    }
    return (
      try metadata(
        list, uuid: head.uuid.uuidString, in: "quire_metadata, column list,", head.path), list
    )
  }

  private static func model(
    _ connection: any RowSource, _ head: StoreHead
  ) throws -> (Model, Schema) {
    var found: (model: [UInt8], schema: [UInt8])?
    try connection.forEachRow(
      "SELECT model, schema FROM quire_model WHERE commit = $1",
      [PostgreSQLParameter(head.modelCommit)], columnCount: 2
    ) { cells in
      try check(cells[0], "quire_model, column model", head.path)
      try check(cells[1], "quire_model, column schema", head.path)
      found = (cells[0].bytes, cells[1].bytes)
    }
    guard let found else {
      throw StoreError(
        .damaged, "The table quire_model has no row for commit \(head.modelCommit).",
        path: head.path)
    }
    let model: Model
    do { model = try Model(contents: found.model, path: head.path) } catch {
      throw StoreError(
        .damaged, "The model in quire_model can't be read: \(error)", path: head.path, cause: error)
    }
    return (model, try schema(found.schema, of: model, in: "quire_model", head.path))
  }

  private static func check(_ cell: PostgreSQLCell, _ place: String, _ path: String) throws {
    guard !cell.isNull, cell.byteCount <= maximumModelByteCount else {
      throw StoreError(.damaged, "\(place), contains \(cell.words).", path: path)
    }
  }
}

/// The row of the table `quire_store`: the newest commit, and the commits that set the model and the metadata.
struct StoreHead: Sendable {
  var uuid: UUID
  var newest: Int64
  /// The number of bytes of the history.
  var kept: Int64
  var modelCommit: Int64
  var metadataCommit: Int64
  let path: String

  /// The highest valid number of a commit: it leaves room above it for all further commits.
  private static let highest = Int64.max / 2

  /// Reads the row.
  ///
  /// - Parameter locking: Whether other writers wait until the transaction ends.
  init(_ connection: any RowSource, path: String, locking: Bool = false) throws {
    try self.init(
      connection.texts(StoreHead.selection + (locking ? " FOR UPDATE" : "")), path: path)
  }

  /// The statement that reads the row.
  static let selection =
    "SELECT format, uuid, newest, kept, model_commit, metadata_commit FROM quire_store"

  /// Creates the value from the rows of ``selection``.
  init(_ rows: [[String?]], path: String) throws {
    guard let row = rows.first, row.count == 6, let uuid = row[1].flatMap(UUID.init(uuidString:))
    else {
      throw StoreError(.damaged, "The table quire_store does not describe a store.", path: path)
    }
    let numbers = [0, 2, 3, 4, 5].map { row[$0].flatMap { Int64($0) } ?? -1 }
    guard numbers[0] <= StoreContents.format else {
      throw StoreError(
        .newerFormat,
        "The store has format version \(numbers[0]), but this program knows version \(StoreContents.format). Use a newer program.",
        path: path)
    }
    guard numbers.allSatisfy({ $0 >= 0 && $0 <= StoreHead.highest }) else {
      throw StoreError(
        .damaged, "The table quire_store contains a number that no commit has.", path: path)
    }
    self.uuid = uuid
    (newest, kept, modelCommit, metadataCommit) = (numbers[1], numbers[2], numbers[3], numbers[4])
    self.path = path
  }
}
