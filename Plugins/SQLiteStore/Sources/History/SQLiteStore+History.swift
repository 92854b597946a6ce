import DurableFiles
import ObjectModel
import Rows
import SQLiteFiles
public import StoreInterface
import Synchronization

extension SQLiteStore {
  /// The commits that can be opened, the newest first: those that ``SQLiteStoreOptions`` leave room for. None in databases that
  /// another system made.
  public func commits() throws -> [CommitSummary] {
    let head = try newest()
    guard head.contents.isOwn else { return [] }
    return try reading(head) { try CommitTable.openable($0) }
  }

  /// The objects as an earlier commit left them: as they are now, and above that what takes each commit since back.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    let head = try newest()
    if head.commit == number { return head }
    guard head.contents.isOwn, number < head.commit,
      try reading(head, { try CommitTable.openable($0) }).contains(where: { $0.number == number })
    else { throw SQLiteStore.missing(number, filePath) }
    return try head.reader.read { connection in
      // As the snapshot has them, whatever others have forgotten since.
      let known = try CommitTable.openable(connection).map(\.number)
      guard known.contains(number) else { throw SQLiteStore.missing(number, filePath) }
      let before = try known.prefix { $0 > number }.map { number in
        try head.before.rows(before: number) {
          try BeforeTable.read(number, head.schema, connection)
        }
      }
      return try EarlierSnapshot(number, head, before)
    }
  }

  /// Forgets what only the commits took that are not kept.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try alone { _, connection, head in
      guard head.contents.isOwn else { return }
      try keep(CommitTable.openable(connection).map(\.number), isKept, head.schema, connection)
      for number in try CommitTable.all(connection) where number < head.commit && !isKept(number) {
        try connection.delete(from: "QUIRE_COMMIT", where: "NUMBER = ?", number)
      }
      try connection.execute("PRAGMA incremental_vacuum")
      try commit(connection, anew: true)
    }
  }

  /// Joins what was before commits whose predecessors go.
  ///
  /// - Parameter numbers: The commits that can be opened, the newest first.
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

  // MARK: - When a commit is made

  /// What the rows and the metadata are that a commit is about to write; `nil` where that is not kept: in databases that another
  /// system made, and where the model changes.
  func before(
    _ request: CommitRequest, _ head: SQLiteSnapshot, _ connection: SQLiteConnection
  ) throws -> RowsBefore? {
    guard head.contents.isOwn, request.model == nil, options.historyShare > 0 else { return nil }
    let reading = BeforeReading(
      connection: connection, contents: head.contents,
      values: ExternalFiles(path: filePath, disk: disk), number: head.commit + 1)
    return RowsBefore(
      try reading.layer(request.changes),
      list: request.metadata == nil && !head.contents.hasFormerHashes ? nil : head.contents.list)
  }

  /// Notes a commit, and what was before it, as far as there is room for that.
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

/// What an SQLite store holds at an earlier commit.
private struct EarlierSnapshot: StoreSnapshot {
  let commit: Int64
  let model: Model
  let schema: Schema
  let metadata: StoreMetadata
  let tables: [any RowTable]

  /// - Parameter before: What takes back the commits since, the newest first.
  init(_ commit: Int64, _ head: SQLiteSnapshot, _ before: [RowsBefore]) throws {
    self.commit = commit
    (model, schema) = (head.model, head.schema)
    tables = head.tables + before
    metadata =
      try before.last { $0.list != nil }?.list.map {
        try StoreContents.metadata($0, of: head.metadata, head.reader.path)
      } ?? head.metadata
  }
}

/// What was read so far of what was before the commits of one snapshot.
final class KnownBefore: Sendable {
  private let known = Mutex(Known())

  private struct Known: Sendable {
    var rows: [Int64: RowsBefore] = [:]
    var byteCount = 0
  }
  /// So much is kept, and then other in its place.
  private static let mostByteCount = 1 << 26

  /// What was before a commit, the same each time as long as there is room.
  func rows(before number: Int64, _ read: () throws -> RowsBefore) throws -> RowsBefore {
    if let found = known.withLock({ $0.rows[number] }) { return found }
    let found = try read()
    known.withLock { known in
      if known.byteCount > KnownBefore.mostByteCount { known = Known() }
      known.rows[number] = found
      known.byteCount += found.byteCount
    }
    return found
  }
}
