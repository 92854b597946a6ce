// SAFETY: Only the holder of the writer's turn uses the state that the turn guards.

import DurableFiles
import Foundation
public import ObjectModel
public import RelationalStore
import Rows
package import SQLTranslation
import SQLiteFiles
public import StoreInterface
import Synchronization

typealias SQLiteSnapshot = DatabaseSnapshot<SnapshotReader>

/// A store in an SQLite database, in the tables that Core Data uses (spec §10).
///
/// A snapshot is a read transaction of SQLite: the database shows it the same contents while other connections write.
/// Rows become blocks when they are read.
public final class SQLiteStore: DatabaseStore {
  public var type: StoreType { .sqlite }
  /// Commits write only changes, are durable, and reach other processes. Requests are answered in SQL if SQL has
  /// exactly the same meaning. A database that another system made keeps no earlier commits, but may have a history of
  /// Core Data.
  public var features: StoreFeatures {
    StoreFeatures(
      SQLiteStoreBackend.capabilities, history: isOwn ? self : nil,
      changeLog: keepsLog ? self : nil,
      querying: self)
  }
  /// The store's tag in object identifiers.
  public let tag: StoreTag
  package let filePath: String
  let disk: any Disk
  let options: SQLiteStoreOptions
  let isReadOnly: Bool
  /// Whether the store may write a database that another system made.
  let writesForeign: Bool
  private let givenModel: Model?
  /// Whether the database was Quire's own when it was opened.
  private let isOwn: Bool
  /// Whether the database had a history of Core Data when it was opened.
  private let keepsLog: Bool

  /// The state that readers need.
  struct Current {
    /// The connection that detects commits by other processes; `nil` if the database was opened without locks,
    /// because the store is read-only and no connection had the database open.
    var watch: Watch?
    var head: SQLiteSnapshot
    /// SQLite's change counter when `head` was read.
    var seen: Int64
  }
  let current: Mutex<Current?>
  let pool = ReaderPool()
  /// The rows of the snapshots that may still be read.
  private let snapshots = Mutex<[Snapshot]>([])

  private struct Snapshot: Sendable {
    weak var rows: TableRows<SnapshotReader>?
    let commit: Int64
  }

  /// The state that writers need. Its holder is this process's only writer.
  struct Writing {
    var connection: Watch?
    /// The last assigned keys of links, where the database keeps no count of them.
    var linkKeys: [UInt16: UInt64] = [:]
    /// The database's schema when it was last found to be writable, and the history of Core Data in it.
    var checked: (schema: Int64, log: ChangeLogTables?)?
  }
  // Sendable: only the holder of the writer's turn uses it.
  nonisolated(unsafe) var writingState = Writing()
  /// The writer's turn: the lock of this process's only writer.
  let writingTurn = NSLock()

  /// A connection that different threads use, each under a lock.
  struct Watch: @unchecked Sendable {
    // Sendable: used only under the store's locks.
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
    let opened = try asStore(path) {
      var watch: Watch?
      let reader: SQLiteConnection
      if isAlone {
        reader = try place.undisturbed()
      } else {
        let connection = try SQLiteConnection(
          path, for: opening.readOnly ? .reading : .writing, patience: options.patience)
        watch = Watch(connection: connection)
        if !opening.readOnly { try SQLiteStore.prepare(connection, for: opening) }
        reader = try SQLiteStore.reader(path, isReadOnly: opening.readOnly, options.patience)
      }
      let seen = try watch?.connection.integer("PRAGMA data_version") ?? 0
      let head = try SQLiteStore.begin(
        reader, pool: isAlone ? nil : pool, after: nil, model: opening.model, disk,
        isReadOnly: opening.readOnly)
      return Current(watch: watch, head: head, seen: seen)
    }
    let head = opened.head
    guard let uuid = head.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: path)
    }
    tag = StoreTag(uuid)
    isOwn = head.contents.isOwn
    keepsLog =
      try !isOwn
      && head.reader.read { database, _ in
        ChangeLogTables(try DatabaseTables(database.connection)) != nil
      }
    current = Mutex(opened)
    record(head)
  }

  /// Returns a connection for a snapshot. Unless the store is read-only, the connection is opened for writing, so
  /// that it removes the log's files if it closes last. It executes only queries.
  private static func reader(
    _ path: String, isReadOnly: Bool, _ patience: Duration
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path, for: isReadOnly ? .reading : .writing, patience: patience)
    if !isReadOnly { try connection.execute("PRAGMA query_only=ON") }
    return connection
  }

  /// Prepares a connection for writing, unless the database belongs to another system and the caller has not asked to
  /// write it.
  ///
  /// Such a file stays unchanged, and so does a file that is not a store.
  private static func prepare(
    _ connection: SQLiteConnection, for opening: StoreOpening
  ) throws {
    guard try !StoreContents.isPlain(connection) else {
      throw StoreError(
        .readOnly,
        "The tables of the database belong to another program. Quire reads them as objects, and changes none of them. A document that is made of the database can be changed ('quire new DOC --from').",
        path: connection.path)
    }
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

  /// Configures a connection to write while readers are active, and to make its commits durable.
  static func prepare(_ connection: SQLiteConnection) throws {
    let mode = try connection.prepare("PRAGMA journal_mode=WAL", isKept: false)
    guard try mode.step(), mode.text(0) == "wal" else {
      throw StoreError(
        .locked,
        "The database can't be written while other connections read it, because it has no log yet.",
        path: connection.path)
    }
    mode.reset()
    try connection.execute("PRAGMA synchronous=FULL")
    try connection.execute("PRAGMA cache_size=-65536")
  }

  /// Begins a read transaction, and returns its snapshot.
  ///
  /// - Parameters:
  ///   - before: The previous snapshot. Its contents are used again if the metadata have not changed.
  ///   - anew: Whether to return a new snapshot even if the newest commit is still that of `before`.
  static func begin(
    _ connection: SQLiteConnection, pool: ReaderPool?, after before: SQLiteSnapshot?,
    model: Model?, _ disk: any Disk, isReadOnly: Bool, anew: Bool = false
  ) throws -> SQLiteSnapshot {
    try connection.execute("BEGIN")
    let contents: StoreContents
    // The metadata can be read at once only if an earlier snapshot has checked the tables of the file.
    if let before, let (metadata, list) = try? StoreContents.metadata(connection),
      before.contents.list == list, before.contents.metadata == metadata
    {
      contents = before.contents
    } else {
      contents = try StoreContents(connection, model: model)
    }
    let number: Int64
    if contents.isOwn {
      number = try connection.newestCommit()
      if let before, before.contents.isOwn, before.commit == number, !anew {
        // The commit is the same: a process has only leased keys.
        try connection.execute("COMMIT")
        pool?.give(connection)
        return before
      }
    } else {
      number = before.map { $0.commit + 1 } ?? 1
    }
    let (path, isOwn, common) = (connection.path, contents.isOwn, connection.commonTables)
    let values = ExternalFiles(path: path, disk: disk)
    let reader = SnapshotReader(connection, pool: pool, values) {
      guard let pool else {
        let other = try DatabasePlace(path, disk).undisturbed()
        try other.execute("BEGIN")
        if let common { try other.use(common) }
        return SnapshotReader(other, pool: nil, values)
      }
      guard isOwn else { return nil }
      let other = try pool.take() ?? SQLiteStore.reader(path, isReadOnly: isReadOnly, .seconds(10))
      try other.execute("BEGIN")
      let reader = SnapshotReader(other, pool: pool, values)
      return try other.newestCommit() == number ? reader : nil
    }
    let rows = TableRows(reader, contents, KnownRows(growth: 2, mostPiecesAhead: 64))
    // Before the first commit there is nothing to read, and an open transaction would only delay the first commits. A
    // connection without locks stays open, to detect changes of the file.
    if contents.isOwn, number == 0, pool != nil { rows.assumeEmpty() }
    return SQLiteSnapshot(number, contents, rows)
  }

  package func dialect(of contents: StoreContents) -> (any SQLDialect)? {
    SQLiteDialect(isOwn: contents.isOwn)
  }

  package func metadata(_ list: [UInt8], after newest: StoreMetadata) throws -> StoreMetadata {
    try StoreContents.metadata(
      list, uuid: newest.uuid?.uuidString, type: .sqlite, in: "QUIRE_BEFORE", filePath)
  }

  package func newest() throws -> DatabaseSnapshot<SnapshotReader> {
    try current.withLock { current in
      guard current != nil else { throw closed }
      try refresh(&current!)
      return current!.head
    }
  }

  /// Checks whether other processes have committed, and reads a new head if they have.
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

  /// Commits the transaction, and reads the new head.
  ///
  /// - Parameter anew: Whether more than objects has changed, so that a new snapshot is needed.
  @discardableResult
  func commit(_ connection: SQLiteConnection, anew: Bool = false) throws -> SQLiteSnapshot {
    // The connection is opened before the commit. A failure to open it must not make a finished save fail.
    let reader = Watch(connection: try idleReader())
    let isOwn = current.withLock { $0?.head.contents.isOwn ?? true }
    let before = isOwn ? nil : try connection.integer("PRAGMA data_version")
    try connection.execute("COMMIT")
    return try current.withLock { current in
      guard current != nil else { throw closed }
      // The counter is read before the head, so that later commits are detected at the next check.
      let seen = try watched(current!)
      var head = try next(after: current!.head, with: reader.connection, anew: anew)
      // Commits of other systems are not numbered, and the newest contents may include more than one commit.
      if let before, try connection.integer("PRAGMA data_version") != before {
        head = head.numbered(head.commit + 1)
      }
      current!.head = head
      current!.seen = seen
      return head
    }
  }

  package func left(by number: Int64, _ contents: StoreContents) throws -> any StoreSnapshot {
    guard let shown = current.withLock({ $0?.head }) else { throw closed }
    if shown.commit == number { return shown }
    return (try? snapshot(ofCommit: number)) ?? shown.numbered(number)
  }

  /// Records a write of this process that is not a commit, such as leasing keys, so that it does not count as an external
  /// change.
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

  /// Returns a snapshot of the database's current contents.
  private func next(
    after before: SQLiteSnapshot, with connection: SQLiteConnection, anew: Bool = false
  ) throws -> SQLiteSnapshot {
    try asStore(filePath) {
      let next = try SQLiteStore.begin(
        connection, pool: pool, after: before, model: givenModel, disk,
        isReadOnly: isReadOnly, anew: anew)
      record(next)
      return next
    }
  }

  /// Returns a connection that is not in use.
  private func idleReader() throws -> SQLiteConnection {
    try asStore(filePath) {
      try pool.take() ?? SQLiteStore.reader(filePath, isReadOnly: isReadOnly, options.patience)
    }
  }

  private func record(_ snapshot: SQLiteSnapshot) {
    snapshots.withLock { snapshots in
      snapshots.removeAll { $0.rows == nil }
      snapshots.append(Snapshot(rows: snapshot.rows, commit: snapshot.commit))
    }
  }

  private func reopenIfChanged(_ current: inout Current) throws {
    let before = current.head
    guard before.reader.isChanged else { return }
    current.head = try asStore(filePath) {
      try SQLiteStore.begin(
        DatabasePlace(filePath, disk).undisturbed(), pool: nil, after: before, model: givenModel,
        disk, isReadOnly: isReadOnly)
    }
  }

  /// Returns the database's size and its newest commit.
  public func describe() throws -> StoreSummary {
    let head = try newest()
    var description = StoreSummary()
    description.formatVersion = head.contents.isOwn ? "\(OwnRecord.version)" : nil
    for suffix in ["", "-wal"] {
      guard let status = try disk.statusIfThere(filePath + suffix) else { continue }
      description.byteCount += status.byteCount
      if status.byteCount > 0 {
        description.savedAt = max(
          description.savedAt ?? .distantPast,
          Date(timeIntervalSince1970: Double(status.modificationNanoseconds) / 1e9))
      }
    }
    description.liveByteCount = try reading(head) { try SQLiteStore.liveByteCount($0.connection) }
    description.highestCommit = head.contents.isOwn ? head.commit : 0
    return description
  }

  /// Runs `body` on the database's current contents, or on those of `head` if the database was opened without locks.
  func reading<R>(
    _ head: SQLiteSnapshot, _ body: (SQLiteDatabase) throws -> R
  ) throws -> R {
    var result: R?
    try current.withLock { current in
      guard let watch = current?.watch else {
        result = try head.reader.read { database, _ in try body(database) }
        return
      }
      result = try asStore(filePath) { try body(database(watch.connection)) }
    }
    return result!
  }

  /// Returns the database with the values in its separate files.
  func database(_ connection: SQLiteConnection) -> SQLiteDatabase {
    SQLiteDatabase(connection: connection, values: ExternalFiles(path: filePath, disk: disk))
  }

  private static func liveByteCount(_ connection: SQLiteConnection) throws -> Int {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    return Int(clamping: (pages - free) &* (try connection.integer("PRAGMA page_size") ?? 0))
  }

  /// Closes the store, and moves the contents of the log into the file. Snapshots stay readable.
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

  /// Moves the contents of the log into the file, so that the file alone contains the whole database. Older snapshots
  /// may prevent that; then their rows are read into memory first.
  ///
  /// - Returns: Whether the file contains the whole database.
  func settle(_ connection: SQLiteConnection, _ newest: Int64) throws -> Bool {
    if try isSettled(connection) { return true }
    for one in snapshots.withLock({ $0 }) where one.commit < newest { try one.rows?.detach() }
    return try isSettled(connection)
  }

  private func isSettled(_ connection: SQLiteConnection) throws -> Bool {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)", isKept: false)
    guard try statement.step() else { return true }
    // The statement returns the number of pages in the log, and the number of those that were moved.
    return statement.integer(0) == 0 && statement.integer(1) == statement.integer(2)
  }
}

extension SnapshotReader {
  /// Whether the reader can't read any more, because the file has changed since it was opened without locks.
  var isChanged: Bool { (try? read { _, _ in () }) == nil }
}
