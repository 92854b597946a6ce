// SAFETY: Only the holder of the writer's turn uses the size of the tables, as ``transaction(_:)`` ensures.

import Foundation
import ObjectModel
import PostgreSQLConnection
import Rows
public import StoreInterface

extension PostgreSQLStore: HistoryStore {
  /// Returns the commits that can be opened, newest first, as far as ``PostgreSQLStoreOptions/historyShare`` leaves room
  /// for their history.
  public func commits() throws -> [CommitSummary] {
    let found = try withIdleConnection { try BeforeTable.openable($0) }
    guard isPartOfDocument else { return found }
    let counting = try knownSnapshot().commit
    return found.filter { $0.number <= counting }
  }

  /// Returns a snapshot of an earlier commit: the newest rows, under the layers that undo each later commit.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let head = try newest()
    if head.commit == number { return head }
    guard number < head.commit else { throw PostgreSQLStore.missing(number, path) }
    // The head's transaction still sees history that was dropped since, so another connection looks whether the commit
    // is still kept.
    guard try commits().contains(where: { $0.number == number }) else {
      throw PostgreSQLStore.missing(number, path)
    }
    let before = try head.reader.read { connection, _ in
      try BeforeTable.layers(
        undoing: number..<head.commit, head.schema, connection, filePath, head.before)
    }
    let uuid = head.metadata.uuid ?? UUID()
    return try EarlierSnapshot(number, head, before) {
      try StoreContents.metadata($0, uuid: uuid, filePath)
    }
  }

  /// Drops the history that only discarded commits need.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try transaction { connection, head in
      let contents = try contents(head, connection)
      try keep(
        BeforeTable.openable(connection).map(\.number), isKept, contents.schema, connection)
      var dropped: [Int64] = []
      try connection.forEachRow(
        "SELECT number FROM quire_commit WHERE number < $1", [PostgreSQLParameter(head.newest)]
      ) { cells in
        if let number = cells[0].integer, !isKept(number) { dropped.append(number) }
      }
      try connection.forEachRow(
        "DELETE FROM quire_commit WHERE number = ANY($1)", [PostgreSQLParameter(dropped)])
      try BeforeTable.countKept(connection)
      try connection.execute("COMMIT")
      return {}
    }
  }

  /// Merges the history of each kept commit with that of the discarded commits before it.
  ///
  /// - Parameter numbers: The commits that can be opened, newest first.
  private func keep(
    _ numbers: [Int64], _ isKept: (Int64) -> Bool, _ schema: Schema,
    _ connection: PostgreSQLConnection
  ) throws {
    guard var newer = numbers.first else { return }
    let oldest = numbers.dropFirst().last(where: isKept) ?? newer
    var passed: [Int64] = []
    var before: RowsBefore?
    for (number, older) in zip(numbers, numbers.dropFirst()) where older >= oldest {
      passed.append(number)
      let one = try BeforeTable.read(number, schema, connection, filePath)
      before = try before?.merged(with: one, schema) ?? one
      guard isKept(older) else { continue }
      if passed.count > 1, let before {
        try connection.forEachRow(
          "DELETE FROM quire_before WHERE commit = ANY($1)", [PostgreSQLParameter(passed)])
        let kept = try BeforeTable.write(before, of: newer, upTo: .max, connection)
        try connection.forEachRow(
          "UPDATE quire_commit SET kept = $2 WHERE number = $1",
          [PostgreSQLParameter(newer), PostgreSQLParameter(kept ?? 0)])
      }
      (newer, passed, before) = (older, [], nil)
    }
    try BeforeTable.forget(through: newer, connection)
  }

  // MARK: - Recording a commit

  /// Returns the rows and metadata that a commit is about to replace; `nil` if no history is kept. A commit that changes
  /// the model keeps none.
  func before(
    _ request: CommitRequest, _ contents: StoreContents, _ number: Int64,
    _ connection: PostgreSQLConnection
  ) throws -> RowsBefore? {
    guard request.model == nil, isPartOfDocument || options.historyShare > 0 else { return nil }
    let reading = BeforeReading(
      connection: connection, contents: contents, path: filePath, number: number)
    return RowsBefore(
      try reading.layer(request.changes),
      list: request.metadata == nil ? nil : contents.list)
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
    let kept = try before.flatMap { try BeforeTable.write($0, of: number, upTo: room, connection) }
    if kept == nil { try BeforeTable.forget(through: number, connection) }
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
