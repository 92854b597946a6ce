import ObjectModel
import RelationalStore
import Rows
import SQLiteFiles
public import StoreInterface

extension SQLiteStore {
  /// Returns the commits that can be opened, newest first, as far as ``SQLiteStoreOptions/historyShare`` leaves room
  /// for their history. A database that another system made has none.
  public func commits() throws -> [CommitSummary] {
    let head = try newest()
    guard head.contents.isOwn else { return [] }
    return try reading(head) { try CommitTable.openable($0) }
  }

  /// Drops the history that only discarded commits need.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try withExclusiveAccess { writing, database, head in
      guard head.contents.isOwn else { return }
      try addMissingReverseRows(head.contents, &writing, database.connection)
      try database.removeCommits(head.schema, except: isKept)
      try database.connection.execute("PRAGMA incremental_vacuum")
      try commit(database.connection, anew: true)
    }
  }

  // MARK: - Recording a commit

  /// Returns the rows and metadata that a commit is about to replace; `nil` if no history is kept. A database of
  /// another system keeps none.
  func before(
    _ request: CommitRequest, _ head: SQLiteSnapshot, _ database: SQLiteDatabase
  ) throws -> RowsBefore? {
    guard head.contents.isOwn, options.historyShare > 0 else { return nil }
    return try BeforeReading(database, head.contents, commit: head.commit + 1)
      .rows(replacedBy: request)
  }

  /// Records a commit and its history, as far as there is room for the history.
  func note(
    _ number: Int64, _ request: CommitRequest, _ before: RowsBefore?, _ database: SQLiteDatabase
  ) throws {
    let connection = database.connection
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let size = try connection.integer("PRAGMA page_size") ?? 0
    let room = max(
      Int64(options.leastHistoryByteCount), Int64(Double(pages * size) * options.historyShare))
    let kept = try database.keepRows(before, of: number, upTo: room)
    try CommitTable.add(
      number, author: request.author, contextName: request.contextName, kept: kept, connection)
    try CommitTable.forgetOldest(room, connection)
  }
}
