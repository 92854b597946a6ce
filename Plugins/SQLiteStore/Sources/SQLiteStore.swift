// SAFETY: What the writer's turn guards is used by whoever has the turn.

import DurableFiles
import Foundation
public import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStoreFormat
public import StoreInterface
import Synchronization

/// A store in an SQLite database, in the tables of Core Data's own (spec §10).
///
/// A snapshot is a transaction of SQLite's that reads: the database shows it what it held then, whoever writes meanwhile.
/// Rows become blocks when they are asked for.
public final class SQLiteStore: Store {
  /// The SQLite database.
  public var type: StoreType { .sqlite }
  /// Commits write what changed, survive, and are seen by others; requests are answered in SQL where that means the same.
  public var capabilities: StoreCapabilities { SQLiteStoreBackend.capabilities }
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// The database's file.
  public var path: String? { filePath }

  let filePath: String
  let disk: any Disk
  let options: SQLiteStoreOptions
  let isReadOnly: Bool
  /// Whether a database that another system made may be written.
  let writesForeign: Bool
  private let givenModel: Model?

  /// What readers need.
  struct Current {
    /// Who notices that others have written; `nil` where nobody is reckoned with.
    var watch: Watch?
    var head: SQLiteSnapshot
    /// The change counter that the watch had then.
    var seen: Int64
  }
  let current: Mutex<Current?>
  let pool = ReaderPool()
  /// The rows of snapshots that somebody may still read.
  private let snapshots = Mutex<[Snapshot]>([])

  private struct Snapshot: Sendable {
    weak var rows: TableRows?
    let commit: Int64
  }

  /// What writers need. Whoever holds it is this process's only writer.
  struct Writing {
    /// Who writes.
    var connection: Watch?
    /// The keys of links that nobody has asked for yet, where the database does not count them.
    var linkKeys: [UInt16: UInt64] = [:]
    /// Whether it is known that the database can be written.
    var isChecked = false
  }
  // Sendable: used by whoever has the turn.
  nonisolated(unsafe) var writingState = Writing()
  /// The turn of this process's only writer.
  let writingTurn = NSLock()

  /// A connection that goes from one thread to another under a lock.
  struct Watch: @unchecked Sendable {
    // Sendable: used under the store's locks alone.
    let connection: SQLiteConnection
  }

  init(
    _ path: String, _ disk: any Disk, _ opening: StoreOpening, _ options: SQLiteStoreOptions
  ) throws {
    filePath = path
    self.disk = disk
    self.options = options
    isReadOnly = opening.readOnly
    writesForeign = opening.writesForeign
    givenModel = opening.model
    let place = try DatabasePlace(path, disk)
    let isAlone = opening.readOnly && !place.isInUse
    let pool = pool
    if !opening.readOnly { try place.checkIsReal() }
    let watch: Watch?
    let reader: SQLiteConnection
    if isAlone {
      watch = nil
      reader = try asStore(path) { try SQLiteStore.undisturbed(path, disk) }
    } else {
      let connection = try asStore(path) {
        try SQLiteConnection(
          path, for: opening.readOnly ? .reading : .writing, patience: options.patience)
      }
      watch = Watch(connection: connection)
      if !opening.readOnly {
        try asStore(path) { try SQLiteStore.prepare(connection, for: opening) }
      }
      reader = try asStore(path) {
        try SQLiteStore.reader(path, isReadOnly: opening.readOnly, options.patience)
      }
    }
    let seen = try asStore(path) { try watch?.connection.integer("PRAGMA data_version") ?? 0 }
    let head = try asStore(path) {
      try SQLiteStore.begin(
        reader, pool: isAlone ? nil : pool, after: nil, model: opening.model, disk,
        isReadOnly: opening.readOnly)
    }
    guard let uuid = head.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: path)
    }
    tag = StoreTag(uuid)
    current = Mutex(Current(watch: watch, head: head, seen: seen))
    note(head)
  }

  private static func undisturbed(_ path: String, _ disk: any Disk) throws -> SQLiteConnection {
    do { return try SQLiteConnection(undisturbed: path, on: disk) } catch let error as DiskError {
      throw StoreError(error, path: path)
    }
  }

  /// A connection for a snapshot. One that may write leaves nothing beside the file when it is the last; it does not write.
  private static func reader(
    _ path: String, isReadOnly: Bool, _ patience: Duration
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path, for: isReadOnly ? .reading : .writing, patience: patience)
    if !isReadOnly { try connection.execute("PRAGMA query_only=ON") }
    return connection
  }

  /// Sees to it that a connection can write, unless the database is somebody else's that nobody asked to write: then, and
  /// where it is no store, the file stays as it is to the byte.
  private static func prepare(
    _ connection: SQLiteConnection, for opening: StoreOpening
  ) throws {
    if try !keepsLog(connection) {
      let contents = try StoreContents(connection, model: opening.model)
      guard contents.isOwn || opening.writesForeign else { return }
    }
    try prepare(connection)
  }

  private static func keepsLog(_ connection: SQLiteConnection) throws -> Bool {
    let mode = try connection.prepare("PRAGMA journal_mode", isKept: false)
    return try mode.step() && mode.text(0) == "wal"
  }

  /// Sees to it that a connection can write beside readers, and that what it commits is durable.
  static func prepare(_ connection: SQLiteConnection) throws {
    let mode = try connection.prepare("PRAGMA journal_mode=WAL", isKept: false)
    guard try mode.step(), mode.text(0) == "wal" else {
      throw StoreError(
        .locked, "The database can't be written while others read it: it keeps no log yet.",
        path: connection.path)
    }
    mode.reset()
    try connection.execute("PRAGMA synchronous=FULL")
    try connection.execute("PRAGMA cache_size=-65536")
  }

  /// Begins to read a snapshot.
  ///
  /// - Parameters:
  ///   - before: The snapshot before, whose description is taken over where it still holds.
  ///   - anew: Whether it is begun also where that is still the newest.
  static func begin(
    _ connection: SQLiteConnection, pool: ReaderPool?, after before: SQLiteSnapshot?,
    model: Model?, _ disk: any Disk, isReadOnly: Bool, anew: Bool = false
  ) throws -> SQLiteSnapshot {
    try connection.execute("BEGIN")
    let contents: StoreContents
    // Nothing is read of a file whose tables nobody has looked at yet.
    if let before, let (metadata, list) = try? StoreContents.metadata(connection),
      before.contents.list == list, before.contents.metadata == metadata
    {
      contents = before.contents
    } else {
      contents = try StoreContents(connection, model: model)
    }
    let number: Int64
    if contents.isOwn {
      number = try CommitTable.newest(connection)
      if let before, before.contents.isOwn, before.commit == number, !anew {
        // Somebody has set keys aside.
        try connection.execute("COMMIT")
        pool?.give(connection)
        return before
      }
    } else {
      number = before.map { $0.commit + 1 } ?? 1
    }
    let (path, isOwn) = (connection.path, contents.isOwn)
    let reader = SnapshotReader(connection, pool: pool) {
      guard let pool else {
        let other = try undisturbed(path, disk)
        try other.execute("BEGIN")
        return SnapshotReader(other, pool: nil)
      }
      guard isOwn else { return nil }
      let other = try pool.take() ?? SQLiteStore.reader(path, isReadOnly: isReadOnly, .seconds(10))
      try other.execute("BEGIN")
      let reader = SnapshotReader(other, pool: pool)
      return try CommitTable.newest(other) == number ? reader : nil
    }
    let rows = TableRows(
      reader, contents, ExternalFiles(path: connection.path, disk: disk))
    // Nobody has saved: there is nothing to read, and no transaction that would be in the way of the first commits. Where
    // nobody is reckoned with the connection stays, to see whether the file changes.
    if contents.isOwn, number == 0, pool != nil { rows.assumeEmpty() }
    return SQLiteSnapshot(commit: number, contents: contents, rows: rows, reader: reader)
  }

  var closed: StoreError { StoreError(.closed, "The store was closed.", path: filePath) }

  /// The objects as the newest commit left them, another process's included.
  public func snapshot() throws -> any StoreSnapshot { try newest() }

  func newest() throws -> SQLiteSnapshot {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      return current!.head
    }
  }

  /// Looks whether others have written, and goes on to what they wrote.
  func refresh(_ current: inout Current) throws {
    guard current.watch != nil else {
      try reopenIfChanged(&current)
      return
    }
    let seen = try watched(current)
    guard seen != current.seen else { return }
    current.head = try next(after: current.head, with: idleReader())
    current.seen = seen
  }

  /// Commits, and goes on to what is there then.
  ///
  /// - Parameter anew: Whether something else than the objects has changed.
  @discardableResult
  func commit(_ connection: SQLiteConnection, anew: Bool = false) throws -> SQLiteSnapshot {
    // Had before: once it is committed nothing may fail for want of a connection.
    let reader = Watch(connection: try idleReader())
    let isOwn = current.withLock { $0?.head.contents.isOwn ?? true }
    let before = isOwn ? nil : try connection.integer("PRAGMA data_version")
    try connection.execute("COMMIT")
    return try current.withLock { current in
      guard current != nil else { throw closed }
      // Asked first: whoever writes from here on is noticed the next time.
      let seen = try watched(current!)
      var head = try next(after: current!.head, with: reader.connection, anew: anew)
      // Commits of other systems have no numbers, and what is there may be of more than one.
      if let before, try connection.integer("PRAGMA data_version") != before {
        head = head.numbered(head.commit + 1)
      }
      current!.head = head
      current!.seen = seen
      return head
    }
  }

  /// What a commit of this process has left, whoever has committed before anybody could look.
  ///
  /// Where that is not kept it is what is there by now, under the commit's number: it is taken for older than it is,
  /// and its rows say themselves of which commit they are.
  ///
  /// - Parameter shown: What was there when somebody looked.
  func left(by number: Int64, _ shown: SQLiteSnapshot) -> any StoreSnapshot {
    if shown.commit == number { return shown }
    return (try? snapshot(ofCommit: number)) ?? shown.numbered(number)
  }

  /// Takes notice that this process has written what is no commit, such as keys that were set aside.
  func ignoreOwnWriting() throws {
    try current.withLock { current in
      guard current != nil else { throw closed }
      current!.seen = try watched(current!)
    }
  }

  private func watched(_ current: Current) throws -> Int64 {
    try asStore(filePath) {
      try current.watch?.connection.integer("PRAGMA data_version") ?? 0
    }
  }

  /// A snapshot of what is there now.
  private func next(
    after before: SQLiteSnapshot, with connection: SQLiteConnection, anew: Bool = false
  ) throws -> SQLiteSnapshot {
    try asStore(filePath) {
      let next = try SQLiteStore.begin(
        connection, pool: pool, after: before, model: givenModel, disk,
        isReadOnly: isReadOnly, anew: anew)
      note(next)
      return next
    }
  }

  /// A connection that nobody reads with yet.
  private func idleReader() throws -> SQLiteConnection {
    try asStore(filePath) {
      try pool.take() ?? SQLiteStore.reader(filePath, isReadOnly: isReadOnly, options.patience)
    }
  }

  private func note(_ snapshot: SQLiteSnapshot) {
    snapshots.withLock { snapshots in
      snapshots.removeAll { $0.rows == nil }
      snapshots.append(Snapshot(rows: snapshot.rows, commit: snapshot.commit))
    }
  }

  private func reopenIfChanged(_ current: inout Current) throws {
    let before = current.head
    let isChanged = before.reader.isChanged
    guard isChanged else { return }
    let connection = try asStore(filePath) { try SQLiteStore.undisturbed(filePath, disk) }
    current.head = try asStore(filePath) {
      try SQLiteStore.begin(
        connection, pool: nil, after: before, model: givenModel, disk,
        isReadOnly: isReadOnly)
    }
  }

  /// The database's size, and the commits.
  public func describe() throws -> StoreDescription {
    let head = try newest()
    var description = StoreDescription()
    description.formatVersion = head.contents.isOwn ? "\(OwnRecord.version)" : nil
    for suffix in ["", "-wal"] {
      guard let status = try? disk.status(of: filePath + suffix) else { continue }
      description.byteCount += status.byteCount
      if status.byteCount > 0 {
        description.savedAt = max(
          description.savedAt ?? .distantPast,
          Date(timeIntervalSince1970: Double(status.modificationNanoseconds) / 1e9))
      }
    }
    description.liveByteCount = try reading(head) { try SQLiteStore.liveByteCount($0) }
    description.highestCommit = head.contents.isOwn ? head.commit : 0
    return description
  }

  /// Asks the database for something as it is now.
  func reading<R>(
    _ head: SQLiteSnapshot, _ body: (SQLiteConnection) throws -> R
  ) throws -> R {
    var result: R?
    try current.withLock { current in
      guard let watch = current?.watch else {
        result = try head.reader.read(body)
        return
      }
      result = try asStore(filePath) { try body(watch.connection) }
    }
    return result!
  }

  private static func liveByteCount(_ connection: SQLiteConnection) throws -> Int {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    return Int(clamping: (pages - free) &* (try connection.integer("PRAGMA page_size") ?? 0))
  }

  /// Gives the database back, whole in its file. Snapshots stay readable.
  public func close() throws {
    let newest = current.withLock { current in
      defer { current = nil }
      return current.map { (watch: $0.watch, commit: $0.head.commit) }
    }
    writingTurn.lock()
    let writer = unsafe writingState.connection
    unsafe writingState.connection = nil
    writingTurn.unlock()
    pool.close()
    guard let newest, let connection = writer ?? newest.watch, !isReadOnly else { return }
    _ = try asStore(filePath) { try settle(connection.connection, newest.commit) }
  }

  /// Brings what lies in the log into the file, so that this is all of the database. What keeps it from that is snapshots of before,
  /// which are read to their end then.
  ///
  /// - Returns: Whether nothing kept it from that.
  func settle(_ connection: SQLiteConnection, _ newest: Int64) throws -> Bool {
    if try isSettled(connection) { return true }
    for one in snapshots.withLock({ $0 }) where one.commit < newest { try one.rows?.detach() }
    return try isSettled(connection)
  }

  private func isSettled(_ connection: SQLiteConnection) throws -> Bool {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)", isKept: false)
    guard try statement.step() else { return true }
    // So many pages are in the log, and so many of them in the file.
    return statement.integer(0) == 0 && statement.integer(1) == statement.integer(2)
  }
}

extension SnapshotReader {
  /// Whether the file is not what it was, where nobody was reckoned with.
  var isChanged: Bool { (try? read { _ in () }) == nil }
}
