import ObjectModel
import Rows
import StoreInterface

/// What a database holds at one commit.
struct SQLiteSnapshot: StoreSnapshot {
  let commit: Int64
  let contents: StoreContents
  /// The rows as they are in the database.
  let rows: TableRows
  /// Who reads the database as it is at the commit.
  let reader: SnapshotReader
  /// What was read of what was before its commits.
  let before = KnownBefore()

  var model: Model { contents.model }
  var schema: Schema { contents.schema }
  var metadata: StoreMetadata { contents.metadata }
  var tables: [any RowTable] { [rows] }
  var countsVersions: Bool { !contents.isOwn }

  /// The same as what another commit has left.
  func numbered(_ number: Int64) -> SQLiteSnapshot {
    SQLiteSnapshot(commit: number, contents: contents, rows: rows, reader: reader)
  }
}
