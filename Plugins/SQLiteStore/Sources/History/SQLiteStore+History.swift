import DurableFiles
import ObjectModel
import Rows
import SQLiteFiles
public import StoreInterface

extension SQLiteStore: HistoryStore {
  /// Returns the commits that can be opened, newest first, as far as ``SQLiteStoreOptions/historyShare`` leaves room
  /// for their history. A database that another system made has none.
  public func commits() throws -> [CommitSummary] {
    let head = try newest()
    guard head.contents.isOwn else { return [] }
    return try reading(head) { try CommitTable.openable($0) }
  }

  /// Returns a snapshot of an earlier commit: the current rows, under the layers that undo each later commit.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let head = try newest()
    if head.commit == number { return head }
    guard head.contents.isOwn, number < head.commit,
      try reading(head, { try CommitTable.openable($0) }).contains(where: { $0.number == number })
    else { throw SQLiteStore.missing(number, filePath) }
    return try head.reader.read { connection in
      // The commits are read in the head's transaction, which still sees recently dropped history.
      let known = try CommitTable.openable(connection).map(\.number)
      guard known.contains(number) else { throw SQLiteStore.missing(number, filePath) }
      let before = try known.prefix { $0 > number }.map { number in
        try head.before.rows(before: number) {
          try BeforeTable.read(number, head.schema, connection)
        }
      }
      return try EarlierSnapshot(number, head, before) {
        try StoreContents.metadata($0, of: head.metadata, head.reader.path)
      }
    }
  }

  /// Drops the history that only discarded commits need.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try withExclusiveAccess { writing, connection, head in
      guard head.contents.isOwn else { return }
      try addMissingReverseRows(head.contents, &writing, connection)
      try keep(CommitTable.openable(connection).map(\.number), isKept, head.schema, connection)
      for number in try CommitTable.all(connection) where number < head.commit && !isKept(number) {
        try connection.delete(from: "QUIRE_COMMIT", where: "NUMBER = ?", number)
      }
      try connection.execute("PRAGMA incremental_vacuum")
      try commit(connection, anew: true)
    }
  }

  /// Merges the history of each kept commit with that of the discarded commits before it.
  ///
  /// - Parameter numbers: The commits that can be opened, newest first.
  private func keep(
    _ numbers: [Int64], _ isKept: (Int64) -> Bool, _ schema: Schema, _ connection: SQLiteConnection
  ) throws {
    guard var newer = numbers.first else { return }
    let oldest = numbers.dropFirst().last(where: isKept) ?? newer
    var passed: [Int64] = []
    var before: RowsBefore?
    for (number, older) in zip(numbers, numbers.dropFirst()) where older >= oldest {
      passed.append(number)
      let one = try BeforeTable.read(number, schema, connection)
      before = try before?.merged(with: one, schema) ?? one
      guard isKept(older) else { continue }
      if passed.count > 1, let before {
        for number in passed {
          try connection.delete(from: "QUIRE_BEFORE", where: "NUMBER = ?", number)
        }
        let kept = try BeforeTable.write(before, of: newer, upTo: .max, connection)
        try CommitTable.setKept(kept, "NUMBER = ?", newer, connection)
        if kept == nil { return try CommitTable.forget(through: newer, connection) }
      }
      (newer, passed, before) = (older, [], nil)
    }
    try CommitTable.forget(through: newer, connection)
  }

  // MARK: - Recording a commit

  /// Returns the rows and metadata that a commit is about to replace; `nil` if no history is kept. A database of
  /// another system keeps none, nor does a commit that changes the model.
  func before(
    _ request: CommitRequest, _ head: SQLiteSnapshot, _ connection: SQLiteConnection
  ) throws -> RowsBefore? {
    guard head.contents.isOwn, request.model == nil, options.historyShare > 0 else { return nil }
    let reading = BeforeReading(
      connection: connection, contents: head.contents,
      values: ExternalFiles(path: filePath, disk: disk), number: head.commit + 1)
    return RowsBefore(
      try reading.layer(request.changes),
      list: request.metadata == nil ? nil : head.contents.list)
  }

  /// Records a commit and its history, as far as there is room for the history.
  func note(
    _ number: Int64, _ request: CommitRequest, _ before: RowsBefore?, _ connection: SQLiteConnection
  ) throws {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let size = try connection.integer("PRAGMA page_size") ?? 0
    let room = max(
      Int64(options.leastHistoryByteCount), Int64(Double(pages * size) * options.historyShare))
    let kept = try before.flatMap { try BeforeTable.write($0, of: number, upTo: room, connection) }
    if kept == nil { try CommitTable.forget(through: number, connection) }
    try CommitTable.add(
      number, author: request.author, contextName: request.contextName, kept: kept, connection)
    try CommitTable.forgetOldest(room, connection)
  }
}
