import Foundation
import ObjectModel
import RelationalStore
import StoreInterface

typealias PostgreSQLSnapshot = DatabaseSnapshot<SnapshotReader>

extension PostgreSQLSnapshot {
  init(_ commit: Int64, _ contents: StoreContents, _ reader: SnapshotReader) {
    let known = KnownRows(growth: 4, mostPiecesAhead: 256, readAhead: reader.pool.readAhead)
    let rows = TableRows(reader, contents, known)
    reader.rows = rows
    self.init(commit, contents, rows)
  }

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
    let layers = try layers(undoing: number..<commit)
    var contents = contents
    if let list = layers.last(where: { $0.list != nil })?.list {
      contents.list = list
      contents.metadata = try StoreContents.metadata(
        list, uuid: contents.metadata.uuid?.uuidString, in: "quire_before", reader.path)
    }
    return PostgreSQLSnapshot(
      number, contents, SnapshotReader(nil, commit: number, contents, pool: reader.pool))
  }
}
