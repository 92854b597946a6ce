// SAFETY: Only the holder of the writer's turn uses the state that the turn guards.

import Foundation
public import ObjectModel
import PostgreSQLConnection
public import RelationalStore
import Rows
package import SQLTranslation
public import StoreInterface
import Synchronization

/// A store in a schema of a PostgreSQL database, in tables that people can read (spec §14).
///
/// A snapshot is a read transaction of the server, as long as it is used. Rows become blocks when they are read.
public final class PostgreSQLStore: DatabaseStore, AnnouncingStore {
  /// A schema of a PostgreSQL database.
  public var type: StoreType { .postgreSQL }
  /// Commits write only changes, are durable, and reach other processes. Requests are answered in SQL if SQL has
  /// exactly the same meaning.
  public var features: StoreFeatures {
    StoreFeatures(
      PostgreSQLStoreBackend.capabilities, isRemote: !isPartOfDocument, history: self,
      querying: self, confirming: self, announcements: self)
  }
  /// The store's tag in object identifiers.
  public let tag: StoreTag
  let uuid: UUID
  package let filePath: String
  let options: PostgreSQLStoreOptions
  let isReadOnly: Bool
  /// Whether the store was opened at a commit. Then a document decides which commits count.
  let isPartOfDocument: Bool
  /// The number of the document's folder (`StoreOpening.folderNumber`).
  let folderNumber: UInt64?
  /// The name under which commits are announced.
  let channel: String
  let pool: ConnectionPool
  /// Whether each commit of the store is announced. The saves of a document count only after the document has decided.
  var announcesItself: Bool { !isPartOfDocument && pool.address.announcesCommits }

  /// The state that readers need.
  struct Current {
    /// The connection that looks for the newest commit; `nil` after it was lost.
    var watch: Watch?
    var head: PostgreSQLSnapshot
  }
  let current: Mutex<Current?>

  /// A connection that different threads use, each under a lock.
  struct Watch: @unchecked Sendable {
    // Sendable: used only under the store's lock.
    let connection: PostgreSQLConnection
  }

  // Sendable: only the holder of the writer's turn uses it.
  nonisolated(unsafe) var writer: PostgreSQLConnection?
  // Sendable: only the holder of the writer's turn uses it.
  nonisolated(unsafe) var tableSize: TableSize?
  /// The writer's turn: the lock of this process's only writer.
  let writingTurn = NSLock()
  private let listener = Mutex<CommitListener?>(nil)

  init(
    _ address: StoreAddress, _ opening: StoreOpening, _ options: PostgreSQLStoreOptions
  ) throws {
    filePath = address.path
    self.options = options
    isReadOnly = opening.readOnly
    isPartOfDocument = opening.commit != nil
    folderNumber = opening.folderNumber
    let pool = ConnectionPool(address, options)
    self.pool = pool
    let path = address.path
    let (watch, head) = try asStore(path) {
      let watch = try ConnectionPool.connect(address, options)
      if let number = opening.commit {
        let uuid = try StoreHead(watch, path: path).uuid
        if !opening.readOnly { try PreparedCommit.checkServer(watch, path) }
        try PreparedCommit.settle(
          uuid, counting: number, watch, rollingBack: !opening.readOnly,
          from: opening.folderNumber, waiting: opening.readOnly, path)
      }
      let reader = try ConnectionPool.connect(address, options)
      let (newest, _) = try SnapshotReader.begin(reader, path)
      let contents = try StoreContents(reader, path: path)
      try ColumnTypes.check(contents.map, reader, path: path)
      let head = PostgreSQLStore.snapshot(newest, contents, reader, pool)
      return (Watch(connection: watch), try opening.commit.map { try head.earlier($0) } ?? head)
    }
    if !isPartOfDocument, !isReadOnly, let document = head.metadata.document {
      throw StoreMaking.partOfDocument(document, path)
    }
    try opening.check(head.metadata, path: path)
    guard let uuid = head.metadata.uuid else {
      throw StoreError(.damaged, "The store has no UUID.", path: path)
    }
    self.uuid = uuid
    tag = StoreTag(uuid)
    channel = "quire_" + uuid.uuidString.lowercased()
    current = Mutex(Current(watch: watch, head: head))
    let listener = CommitListener(channel: channel, pool: pool, after: head.commit)
    listener.start()
    self.listener.withLock { $0 = listener }
  }

  /// Returns the snapshot of a transaction.
  private static func snapshot(
    _ newest: Int64, _ contents: StoreContents, _ connection: PostgreSQLConnection,
    _ pool: ConnectionPool
  ) -> PostgreSQLSnapshot {
    let snapshot = PostgreSQLSnapshot(
      newest, contents, SnapshotReader(connection, commit: newest, contents, pool: pool))
    // Before the first commit there is nothing to read, so the transaction can end.
    if newest == 0 { snapshot.rows.assumeEmpty() }
    return snapshot
  }

  package func dialect(of contents: StoreContents) -> (any SQLDialect)? { PostgreSQLDialect() }

  package func metadata(_ list: [UInt8], after newest: StoreMetadata) throws -> StoreMetadata {
    try StoreContents.metadata(
      list, uuid: newest.uuid?.uuidString, in: "quire_before", filePath)
  }

  /// Returns the newest snapshot that was read, without asking the server.
  public func knownSnapshot() throws -> any StoreSnapshot {
    guard let head = current.withLock({ $0?.head }) else { throw closed }
    return head
  }

  func knownContents() throws -> StoreContents {
    guard let contents = current.withLock({ $0?.head.contents }) else { throw closed }
    return contents
  }

  /// Returns a snapshot of the newest commit, or of the commit that the document of the store names.
  package func newest() throws -> DatabaseSnapshot<SnapshotReader> {
    try current.withLock { current in
      guard current != nil else { throw closed }
      if isPartOfDocument { return current!.head }
      return try asStore(filePath) {
        let known = current!.head
        // A snapshot without a transaction may have to begin one soon. Beginning it now takes no more round trips than
        // looking at the newest commit, and the snapshot can then answer requests in SQL.
        guard known.reader.hasConnection || known.commit == 0 else {
          let next = try retrying { try self.next(after: known.contents, known) }
          current!.head = next
          return next
        }
        let head = try retrying { try self.head(&current!) }
        if head.newest == known.commit, head.metadataCommit == known.contents.metadataCommit {
          return known
        }
        current!.head = try retrying { try self.next(after: known.contents) }
        return current!.head
      }
    }
  }

  private func head(_ current: inout Current) throws -> StoreHead {
    do {
      if current.watch == nil {
        current.watch = Watch(connection: try ConnectionPool.connect(pool.address, options))
      }
      return try StoreHead(current.watch!.connection, path: filePath)
    } catch {
      current.watch = nil
      throw error
    }
  }

  /// Returns a snapshot of the newest commit, in a new transaction.
  ///
  /// - Parameter known: A snapshot that gets the transaction and is returned, if it shows the newest commit.
  func next(
    after contents: StoreContents, _ known: PostgreSQLSnapshot? = nil
  ) throws -> PostgreSQLSnapshot {
    let connection = try pool.take()
    let rows = try connection.texts(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \(StoreHead.selection)")
    let head = try StoreHead(rows, path: filePath)
    if let known, head.newest == known.commit,
      head.metadataCommit == known.contents.metadataCommit,
      head.modelCommit == known.contents.modelCommit
    {
      if !known.reader.adopt(connection) {
        try connection.execute("ROLLBACK")
        pool.give(connection)
      }
      return known
    }
    var contents = contents
    if head.modelCommit != contents.modelCommit || head.metadataCommit != contents.metadataCommit {
      contents = try StoreContents(connection, path: filePath, after: contents)
    }
    return PostgreSQLStore.snapshot(head.newest, contents, connection, pool)
  }

  /// Runs `body` again while the connection is lost, until the time is over.
  func retrying<R>(_ body: () throws -> R) throws -> R {
    var patience = Patience(options.patience)
    while true {
      do { return try body() } catch let error as PostgreSQLError {
        guard patience.allowsRetry(after: error) else { throw error }
      }
    }
  }

  /// Returns the snapshot of a commit of this process, even if another process has committed before it was read.
  ///
  /// The snapshot connects only when it is read: most programs know the objects that they have just saved. A failure to
  /// read must not make a finished save fail.
  package func left(by number: Int64, _ contents: StoreContents) throws -> any StoreSnapshot {
    let isLater = pool.looksUp && contents.modelCommit != number
    guard !isLater, let shown = try? next(after: contents), shown.commit >= number else {
      let later = PostgreSQLSnapshot(
        number, contents, SnapshotReader(nil, commit: number, contents, pool: pool))
      show(later)
      return later
    }
    current.withLock { $0?.head = shown }
    if shown.commit == number { return shown }
    // If the history does not contain the commit, the snapshot is newer than its number says, but its rows have the
    // versions of the commits that wrote them.
    return (try? snapshot(ofCommit: number)) ?? shown.numbered(number)
  }

  /// Remembers a snapshot as the newest one, unless another thread has read a later commit meanwhile.
  func show(_ snapshot: PostgreSQLSnapshot) {
    current.withLock { current in
      guard let head = current?.head, head.commit <= snapshot.commit || isPartOfDocument else {
        return
      }
      current!.head = snapshot
    }
  }

  /// Calls `body` with a connection outside a transaction.
  func withIdleConnection<R>(_ body: (PostgreSQLConnection) throws -> R) throws -> R {
    guard current.withLock({ $0 != nil }) else { throw closed }
    return try asStore(filePath) {
      try retrying {
        let connection = try pool.take()
        let result = try body(connection)
        pool.give(connection)
        return result
      }
    }
  }

  /// Calls `body` after each commit that a connection announces (`NOTIFY`), with the commit's number. Only one function
  /// is called; `nil` ends the calls.
  public func whenCommitted(_ body: (@Sendable (Int64) -> Void)?) {
    listener.withLock { $0?.observe(body) }
  }

  /// Returns the size of the tables, the newest commit and its time.
  public func describe() throws -> StoreSummary {
    try withIdleConnection { connection in
      let head = try StoreHead(connection, path: filePath)
      var description = StoreSummary()
      description.formatVersion = "\(StoreContents.format)"
      description.byteCount = Int(try PostgreSQLStore.byteCount(connection))
      description.liveByteCount = description.byteCount
      description.highestCommit = head.newest
      description.savedAt = try PostgreSQLDatabase(connection, path: filePath).openableCommits()
        .first?.time
      return description
    }
  }

  /// Closes the connections of the store. Snapshots stay readable: they connect again.
  public func close() throws {
    listener.withLock { listener in
      listener?.stop()
      listener = nil
    }
    current.withLock { $0 = nil }
    writingTurn.lock()
    unsafe writer = nil
    writingTurn.unlock()
    pool.close()
  }

  deinit { listener.withLock { $0?.stop() } }
}
