package import ObjectModel
package import Rows
package import StoreInterface

/// A transaction in which a store writes one commit. No other writer of the database overlaps it.
///
/// The steps of a commit are the same for each database, and each database takes them in its own SQL: a commit may change
/// the model, keeps the rows that it replaces, and then writes changes, metadata and a record of itself.
package protocol WritingTransaction {
  associatedtype Source: WritableDatabase

  /// The database in the transaction.
  var database: Source { get }
  /// The description of the store before the commit.
  var contents: StoreContents { get }
  /// The number of the newest commit.
  var newest: Int64 { get }
  /// Whether the store keeps the rows before its commits.
  var keepsHistory: Bool { get }

  /// Returns the objects that were changed since the changes of a request were based on them.
  func conflicts(with request: CommitRequest) throws -> [StoreConflict]

  /// Changes the model, and the tables with it.
  ///
  /// - Returns: The new description of the store.
  func changeModel(to model: Model, by request: CommitRequest, as number: Int64) throws
    -> StoreContents

  /// Writes changes of rows.
  func write(_ changes: Layer, as number: Int64, _ contents: StoreContents) throws

  /// Writes the metadata, and sets them in the description of the store.
  func write(_ metadata: StoreMetadata, as number: Int64, in contents: inout StoreContents) throws

  /// Records the commit and the rows before it, as far as there is room for them.
  func record(
    _ request: CommitRequest, as number: Int64, _ before: RowsBefore?, _ contents: StoreContents
  ) throws

  /// Ends the transaction so that the commit counts.
  func commit(_ number: Int64) throws
}

extension WritingTransaction {
  /// Throws if a request must not follow the newest commit.
  package func admit(_ request: CommitRequest) throws {
    try request.checkModel(setBy: contents.modelCommit, path: database.path)
    let conflicts = try conflicts(with: request)
    guard conflicts.isEmpty else {
      throw CommitRequest.refusal(conflicts, path: database.path)
    }
    guard let required = request.requiredCommit, required != newest else { return }
    throw StoreError(
      .overtaken,
      "The changes must follow commit \(required), but the newest commit is \(newest).",
      path: database.path)
  }

  /// Writes a commit, without ending the transaction.
  ///
  /// - Returns: The description of the store after the commit.
  package func write(_ request: CommitRequest, as number: Int64) throws -> StoreContents {
    var after = contents
    if let model = request.model { after = try changeModel(to: model, by: request, as: number) }
    let before =
      keepsHistory
      ? try BeforeReading(database, contents, commit: number).rows(replacedBy: request) : nil
    try write(request.changes, as: number, after)
    if let metadata = contents.metadata(after: request) {
      try write(metadata, as: number, in: &after)
    }
    try record(request, as: number, before, after)
    return after
  }
}
