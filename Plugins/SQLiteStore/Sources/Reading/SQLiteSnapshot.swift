import ObjectModel
import Rows
import StoreInterface

/// The contents of a database at one commit.
struct SQLiteSnapshot: StoreSnapshot {
  let commit: Int64
  let contents: StoreContents
  /// The rows in the database.
  let rows: TableRows
  /// The reader of the database at the commit.
  let reader: SnapshotReader
  /// The cached rows before earlier commits.
  let before = KnownBefore()

  var model: Model { contents.model }
  var schema: Schema { contents.schema }
  var metadata: StoreMetadata { contents.metadata }
  var tables: [any RowTable] { [rows] }
  var countsVersions: Bool { !contents.isOwn }

  /// Returns the same contents under another commit's number.
  func numbered(_ number: Int64) -> SQLiteSnapshot {
    SQLiteSnapshot(commit: number, contents: contents, rows: rows, reader: reader)
  }
}
