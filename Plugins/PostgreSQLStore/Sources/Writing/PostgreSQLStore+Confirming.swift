// SAFETY: Only the holder of the writer's turn uses the writer's connection, as ``transaction(_:)`` ensures.

import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
public import StoreInterface
import Synchronization

/// Commits of a store that is a part of a document (spec §14.6).
extension PostgreSQLStore: ConfirmingStore {
  /// Prepares a commit on the server, calls `confirm`, and then makes the commit count.
  ///
  /// If `confirm` throws, the prepared commit waits until the store is opened again or commits again. So it still counts
  /// if the document turns out to name it.
  @discardableResult
  public func commit(
    _ request: CommitRequest, at position: StorePosition,
    confirm: (any StoreSnapshot) throws -> Void
  ) throws -> any StoreSnapshot {
    guard isPartOfDocument else { throw notConfirmable("it was not opened at a commit.") }
    let base = try newest()
    if request.isEmpty {
      try request.check(against: base, path: path)
      try confirm(base)
      return base
    }
    let (prepared, after) = try transaction { transaction in
      let head = transaction.head
      guard position.commit > head.newest else {
        throw StoreError(
          .badChange, "Commit \(position.commit) must follow commit \(head.newest).", path: path)
      }
      try transaction.admit(request)
      let after = try transaction.write(request, as: position.commit)
      let prepared = PreparedCommit(
        store: head.uuid, number: position.commit, folder: folderNumber)
      try prepare(prepared, transaction.connection)
      return { (prepared, after) }
    }
    try confirm(UndecidedSnapshot(position.commit, base, after, request.changes))
    // The document has decided. If the server can't be reached now, the next reader or writer tells it.
    try? finish(prepared)
    return try left(by: position.commit, after)
  }

  /// Shows a commit of another process from now on.
  public func advance(to position: StorePosition) throws {
    guard isPartOfDocument else { throw notConfirmable("it was not opened at a commit.") }
    try current.withLock { current in
      guard let known = current?.head else { throw closed }
      guard known.commit != position.commit else { return }
      try asStore(filePath) {
        current!.head = try retrying {
          let connection = try pool.take()
          try PreparedCommit.settle(
            uuid, counting: position.commit, connection, rollingBack: false, from: folderNumber,
            waiting: true, filePath)
          pool.give(connection)
          return try next(after: known.contents).earlier(position.commit)
        }
      }
    }
  }

  /// Ends the commits that wait on the server, as the document has decided. The caller holds the document's lock.
  func settle(_ connection: PostgreSQLConnection) throws {
    try PreparedCommit.settle(
      uuid, counting: newest().commit, connection, rollingBack: true, from: folderNumber,
      waiting: false, filePath)
  }

  /// Throws if the server has a commit that the document does not know.
  func checkCounting(_ head: StoreHead) throws {
    let counting = try newest().commit
    guard head.newest != counting else { return }
    throw StoreError(
      .overtaken,
      "The newest commit on the server is \(head.newest), but the document names commit \(counting). Another copy of the document may have saved. Open that copy, or convert this document into one with a store of its own.",
      path: path)
  }

  /// Returns the error for a commit of the wrong kind.
  func notConfirmable(_ reason: String) -> StoreError {
    StoreError(.notConfirmable, "The store can't commit in this way: \(reason)", path: path)
  }

  /// Ends a transaction as a prepared one. If the connection is lost meanwhile, finds out whether it waits.
  private func prepare(_ commit: PreparedCommit, _ connection: PostgreSQLConnection) throws {
    do {
      guard let warning = try connection.prepareTransaction(named: commit.name) else { return }
      // The server no longer waits for its standby. A standby that takes over might not have the commit.
      try? commit.rollBack(connection)
      throw PostgreSQLError(message: warning)
    } catch let error as PostgreSQLError where error.isConnectionLost {
      // If it does not wait, the transaction is run again.
      guard try retrying({ try isWaiting(commit) }) else { throw error }
    }
  }

  /// Returns whether a commit waits, once the server has ended the lost transaction in one way or the other.
  private func isWaiting(_ commit: PreparedCommit) throws -> Bool {
    let connection = try ConnectionPool.connect(pool.address, options)
    let deadline = ContinuousClock.now + options.patience
    while true {
      if try commit.isWaiting(connection) { return true }
      do {
        // The lost transaction and the prepared one both lock the row.
        try connection.execute("BEGIN; \(StoreHead.selection) FOR UPDATE NOWAIT; ROLLBACK")
        return try commit.isWaiting(connection)
      } catch let error as PostgreSQLError where error.state == "55P03" && deadline > .now {
        try connection.execute("ROLLBACK")
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  private func finish(_ commit: PreparedCommit) throws {
    try withIdleConnection { connection in
      try commit.commit(connection)
      guard pool.address.announcesCommits else { return }
      // Programs that only read the database may listen.
      try connection.forEachRow(
        "SELECT pg_notify($1, $2)",
        [PostgreSQLParameter(channel), PostgreSQLParameter("\(commit.number)")])
    }
  }
}

/// The contents of a store at a commit that the server has not made visible yet.
private struct UndecidedSnapshot: StoreSnapshot {
  let commit: Int64
  let model: Model
  let schema: Schema
  let metadata: StoreMetadata
  let tables: [any RowTable]

  init(
    _ commit: Int64, _ base: PostgreSQLSnapshot, _ contents: StoreContents, _ changes: Layer
  ) {
    self.commit = commit
    (model, schema, metadata) = (contents.model, contents.schema, contents.metadata)
    tables = base.view.pushing(changes).tables
  }
}
