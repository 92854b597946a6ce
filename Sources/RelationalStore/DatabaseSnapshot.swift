package import ObjectModel
package import Rows
package import StoreInterface

/// The contents of a database at one commit.
package struct DatabaseSnapshot<Reader: DatabaseReader>: StoreSnapshot {
  package let commit: Int64
  package let contents: StoreContents
  /// The rows in the database.
  package let rows: TableRows<Reader>
  // Stored, because readers of single objects ask for them again and again.
  package let tables: [any RowTable]
  /// The cached rows before earlier commits.
  package let before: KnownBefore

  /// Creates the snapshot of a commit.
  package init(
    _ commit: Int64, _ contents: StoreContents, _ rows: TableRows<Reader>,
    _ before: KnownBefore = KnownBefore()
  ) {
    (self.commit, self.contents, self.rows, self.before) = (commit, contents, rows, before)
    tables = [rows]
  }

  /// The reader of the database at the commit.
  package var reader: Reader { rows.reader }
  package var model: Model { contents.model }
  package var schema: Schema { contents.schema }
  package var metadata: StoreMetadata { contents.metadata }
  package var countsVersions: Bool { !contents.isOwn }

  /// Returns the same contents under another commit's number.
  package func numbered(_ number: Int64) -> DatabaseSnapshot {
    DatabaseSnapshot(number, contents, rows, before)
  }

  /// Returns the layers that undo the commits above an earlier commit, newest first.
  ///
  /// - Throws: `StoreError` with the code `StoreError.Code.notFound` if the history does not reach that commit.
  package func layers(undoing range: Range<Int64>) throws -> [RowsBefore] {
    try reader.read { database, _ in try database.layers(undoing: range, schema, before) }
  }

  /// Returns the history between two commits, as long as it is kept.
  package func layersTouched(since older: any StoreSnapshot) throws -> [Layer]? {
    guard let older = older as? DatabaseSnapshot, older.reader.sharesHistory(with: reader),
      older.contents.modelCommit == contents.modelCommit, older.commit <= commit
    else { return nil }
    do { return try layers(undoing: older.commit..<commit).map(\.layer) } catch let error
      as StoreError where error.code == .notFound
    { return nil }
  }
}

extension Database {
  /// Returns the layers that undo the commits above an earlier commit, newest first.
  ///
  /// - Parameters:
  ///   - range: The commit, and the newest commit of the transaction.
  ///   - known: The layers that were read before.
  /// - Throws: `StoreError` with the code `StoreError.Code.notFound` if the history does not reach the commit.
  package func layers(
    undoing range: Range<Int64>, _ schema: Schema, _ known: KnownBefore = KnownBefore()
  ) throws -> [RowsBefore] {
    guard !range.isEmpty else { return [] }
    guard let numbers = try history(of: range.lowerBound...range.upperBound) else {
      throw StoreError(
        .notFound, "Commit \(range.lowerBound) does not exist or is not kept any more.", path: path)
    }
    return try known.rows(before: numbers.dropLast()) { try rowsBefore($0, schema) }
  }
}
