// SAFETY: Only the holder of the writer's turn uses the size of the tables, as ``transaction(_:)`` ensures.

import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
public import StoreInterface

extension PostgreSQLStore {
  /// Returns the commits that can be opened, newest first, as far as ``PostgreSQLStoreOptions/historyShare`` leaves room
  /// for their history.
  public func commits() throws -> [CommitSummary] {
    let found = try withIdleConnection { try BeforeTable.openable($0) }
    guard isPartOfDocument else { return found }
    let counting = try knownSnapshot().commit
    return found.filter { $0.number <= counting }
  }

  /// Drops the history that only discarded commits need.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try transaction { connection, head in
      let contents = try contents(head, connection)
      try PostgreSQLDatabase(connection, path: filePath)
        .removeCommits(contents.schema, except: isKept)
      try BeforeTable.countKept(connection)
      try connection.execute("COMMIT")
      return {}
    }
  }

  // MARK: - Recording a commit

  /// Returns the rows and metadata that a commit is about to replace; `nil` if no history is kept.
  func before(
    _ request: CommitRequest, _ contents: StoreContents, _ number: Int64,
    _ connection: PostgreSQLConnection
  ) throws -> RowsBefore? {
    guard isPartOfDocument || options.historyShare > 0 else { return nil }
    let database = PostgreSQLDatabase(connection, path: filePath)
    return try BeforeReading(database, contents, commit: number).rows(replacedBy: request)
  }

  /// The most commits that the table of commits lists.
  private static let mostCommits: Int64 = 10_000

  /// Records a commit and its history, as far as there is room for the history, and announces the commit.
  ///
  /// A document decides itself which commits it keeps, and announces its saves.
  func note(
    _ number: Int64, _ request: CommitRequest, _ before: RowsBefore?, _ head: StoreHead,
    _ contents: StoreContents, _ token: UUID, _ connection: PostgreSQLConnection
  ) throws {
    let room = try historyRoom(number, connection)
    let kept = try PostgreSQLDatabase(connection, path: filePath)
      .keepRows(before, of: number, upTo: room)
    func text(_ text: String?) -> PostgreSQLParameter {
      text.map { PostgreSQLParameter(StoredText.stored($0)) } ?? PostgreSQLParameter(nullOf: .text)
    }
    // One statement, to save round trips while other writers wait.
    try connection.forEachRow(
      """
      WITH made AS (INSERT INTO quire_commit (number, time, token, author, context_name, message, kept) \
      VALUES ($1, $2, $3, $4, $5, $6, $7)), \
      counted AS (UPDATE quire_store SET newest = $1, kept = CASE WHEN $7 IS NULL THEN 0 ELSE kept + $7 END, \
      model_commit = $8, metadata_commit = $9) SELECT \(isPartOfDocument ? "$10, $11" : "pg_notify($10, $11)")
      """,
      [
        PostgreSQLParameter(number), PostgreSQLParameter(Date().timeIntervalSinceReferenceDate),
        PostgreSQLParameter(.uuid, bytes: token.bytes), text(request.author),
        text(request.contextName), text(request.message),
        kept.map { PostgreSQLParameter($0) } ?? PostgreSQLParameter(nullOf: .int64),
        PostgreSQLParameter(contents.modelCommit), PostgreSQLParameter(contents.metadataCommit),
        PostgreSQLParameter(channel), PostgreSQLParameter("\(number)"),
      ])
    if isPartOfDocument { return }
    if head.kept + (kept ?? 0) > room { try BeforeTable.forgetOldest(keeping: room, connection) }
    if number > PostgreSQLStore.mostCommits, number % 256 == 0 {
      try BeforeTable.forget(through: number - PostgreSQLStore.mostCommits, connection)
      try connection.forEachRow(
        "DELETE FROM quire_commit WHERE number <= $1",
        [PostgreSQLParameter(number - PostgreSQLStore.mostCommits)])
    }
  }

  /// Returns the number of bytes that the history may use. The size of the tables is counted from time to time.
  private func historyRoom(_ number: Int64, _ connection: PostgreSQLConnection) throws -> Int64 {
    if isPartOfDocument { return .max }
    if unsafe tableByteCount == nil || number % 256 == 0 {
      unsafe tableByteCount = try PostgreSQLStore.byteCount(connection)
    }
    let size = unsafe tableByteCount ?? 0
    return max(
      Int64(options.leastHistoryByteCount), Int64(Double(size) * options.historyShare))
  }

  /// Returns the size of all tables of the store, with their indexes.
  static func byteCount(_ connection: PostgreSQLConnection) throws -> Int64 {
    let rows = try connection.texts(
      """
      SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class c \
      WHERE c.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = 'quire_store'::regclass) \
      AND c.relkind = 'r'
      """)
    return rows.first?.first.flatMap { $0.flatMap { Int64($0) } } ?? 0
  }
}
