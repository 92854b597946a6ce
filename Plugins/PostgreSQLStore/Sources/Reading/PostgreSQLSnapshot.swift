import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The contents of a database at one commit.
struct PostgreSQLSnapshot: StoreSnapshot {
  let commit: Int64
  let contents: StoreContents
  /// The rows in the database.
  let rows: TableRows
  /// The cached rows before earlier commits.
  let before = KnownBefore()

  init(_ commit: Int64, _ contents: StoreContents, _ reader: SnapshotReader) {
    self.commit = commit
    self.contents = contents
    rows = TableRows(reader, contents)
  }

  /// The reader of the database at the commit.
  var reader: SnapshotReader { rows.reader }
  var model: Model { contents.model }
  var schema: Schema { contents.schema }
  var metadata: StoreMetadata { contents.metadata }
  var tables: [any RowTable] { [rows] }

  /// Returns the snapshot of an earlier commit, which reads the database and its history.
  ///
  /// - Throws: `StoreError` with the code `StoreError.Code.notFound` if the database does not contain the commit.
  func earlier(_ number: Int64) throws -> PostgreSQLSnapshot {
    if number == commit { return self }
    guard number < commit else {
      throw StoreError(
        .notFound,
        "Commit \(number) is not in the database: the newest is \(commit). The database may have been restored from a backup. 'quire convert \(reader.path) FILE' saves the objects in the database, and 'quire recover DOC --output COPY' the stores in the folder of a document.",
        path: reader.path)
    }
    let layers = try reader.read { connection, _ in
      try BeforeTable.layers(undoing: number..<commit, schema, connection, reader.path, before)
    }
    var contents = contents
    if let list = layers.last(where: { $0.list != nil })?.list {
      contents.list = list
      contents.metadata = try StoreContents.metadata(
        list, uuid: contents.metadata.uuid ?? UUID(), reader.path)
    }
    return PostgreSQLSnapshot(
      number, contents, SnapshotReader(nil, commit: number, contents, pool: reader.pool))
  }

  /// Returns the history between two commits, as long as it is kept.
  func layersTouched(since older: any StoreSnapshot) throws -> [Layer]? {
    guard let older = older as? PostgreSQLSnapshot, older.reader.isOfSameStore(as: reader),
      older.contents.modelCommit == contents.modelCommit, older.commit <= commit
    else { return nil }
    do {
      return try reader.read { connection, _ in
        try BeforeTable.layers(
          undoing: older.commit..<commit, schema, connection, reader.path, before)
      }.map(\.layer)
    } catch let error as StoreError where error.code == .notFound { return nil }
  }
}
