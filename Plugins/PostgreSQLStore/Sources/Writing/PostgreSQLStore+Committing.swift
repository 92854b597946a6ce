// SAFETY: Only the holder of the writer's turn uses the writer's connection, as ``transaction(_:)`` ensures.

import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
public import StoreInterface
import Synchronization

extension PostgreSQLStore {
  /// Makes changes durable in one transaction: all or nothing.
  ///
  /// A transaction that fails because of other transactions, or because the connection was lost before its end, is
  /// run again. If the connection is lost while the transaction ends, the store finds out by the number of the commit
  /// whether the commit counts.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    guard !isPartOfDocument else { throw notConfirmable("only a save of the document commits.") }
    return try commitInOneTrip(request) ?? commitAlone(request)
  }

  /// Calls `body` while no process can commit, if the given commit is the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try transaction { transaction in
      try checkNewest(number, is: transaction.newest)
      let result = try body()
      return { result }
    }
  }

  // MARK: - Transactions

  /// Calls `body` in a transaction that no other writer of the store can overlap. Changes that `body` does not commit
  /// are rolled back.
  ///
  /// - Parameter body: Called with the newest commit. It may run several times. The function that it returns runs after
  ///   the transaction.
  package func transaction<R>(
    _ body: (PostgreSQLTransaction) throws -> () throws -> R
  ) throws -> R {
    try transaction(reading: [], body)
  }

  /// Calls `body` in a transaction, as ``transaction(_:)`` does. The rows that the request changes are read in the round
  /// trip that begins the transaction.
  package func transaction<R>(
    of request: CommitRequest, _ body: (PostgreSQLTransaction) throws -> () throws -> R
  ) throws -> R {
    try transaction(reading: rowsToRead(for: request), body)
  }

  private func transaction<R>(
    reading statements: [PostgreSQLStatement],
    _ body: (PostgreSQLTransaction) throws -> () throws -> R
  ) throws -> R {
    var statements = statements
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: path)
    }
    writingTurn.lock()
    defer { writingTurn.unlock() }
    var patience = Patience(options.patience)
    var retries = 0
    let token = UUID()
    return try asStore(filePath) {
      while true {
        do { return try once(token, statements, body)() } catch let error as PostgreSQLError {
          unsafe writer = nil
          if error.isOfClass("42"), !statements.isEmpty {
            // Another program has changed the tables. Without these statements, the commit finds out why it is refused.
            statements = []
            continue
          }
          if error.state == "54000", try dropIndex(named: error.message) { continue }
          if error.isTransient, retries < options.mostRetries {
            retries += 1
            // A pause that differs between the writers keeps them from meeting again.
            Thread.sleep(forTimeInterval: .random(in: 0...0.01) * Double(1 << retries))
          } else if !patience.allowsRetry(after: error) {
            throw error
          }
        }
      }
    }
  }

  /// The most rows of an entity that are read when a transaction begins.
  static let mostRowsRead = 1024

  /// Returns the statements with which a commit of a request reads the rows that it changes.
  private func rowsToRead(for request: CommitRequest) throws -> [PostgreSQLStatement] {
    guard request.model == nil, let contents = current.withLock({ $0?.head.contents }) else {
      return []
    }
    return try request.changes.entities.compactMap { changes in
      guard let entity = contents.map.entities[changes.entityNumber] else { return nil }
      let keys = try changes.touchedKeys().old.sorted()
      guard !keys.isEmpty, keys.count <= PostgreSQLStore.mostRowsRead else { return nil }
      let (text, parameters) = RowReader.selection(of: keys, entity)
      return PostgreSQLStatement(text, parameters)
    }
  }

  /// Drops the index that has no room for a value, if a message names one of the store's own indexes.
  ///
  /// The index of a text has room for about 2,700 bytes. Without the index, a search of the column is slower, but every
  /// text can be saved.
  private func dropIndex(named message: String) throws -> Bool {
    let connection = try ConnectionPool.connect(pool.address, options)
    var names: [String] = []
    try connection.forEachRow(
      """
      SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relkind = 'i' AND c.relname LIKE 'quire\\_%' AND \
      c.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = 'quire_store'::regclass)
      """
    ) { names.append($0[0].text) }
    // A longer name may contain a shorter one.
    let known = names.filter { message.contains("\"\($0)\"") }
    for name in known { try connection.execute("DROP INDEX IF EXISTS \(quoted(name))") }
    return !known.isEmpty
  }

  private func once<R>(
    _ token: UUID, _ statements: [PostgreSQLStatement],
    _ body: (PostgreSQLTransaction) throws -> () throws -> R
  ) throws -> () throws -> R {
    // A closed store has no connections.
    guard current.withLock({ $0 != nil }) else { throw closed }
    let connection: PostgreSQLConnection
    if let known = unsafe writer, known.isAlive {
      connection = known
    } else {
      connection = try ConnectionPool.connect(pool.address, options)
      unsafe writer = connection
    }
    if isPartOfDocument { try settle(connection) }
    // Each writer locks this row before anything else. So one writer follows the next, and no deadlock is possible.
    // Each statement of such a transaction shows its own moment, so the statements after the lock show the newest
    // commit.
    defer {
      if connection.isAlive, connection.isInTransaction { try? connection.rollBack() }
    }
    try connection.begin(
      "BEGIN ISOLATION LEVEL READ COMMITTED",
      reading: [PostgreSQLStatement(answeredInTexts: "\(StoreHead.selection) FOR UPDATE")]
        + statements)
    let head = try StoreHead(connection, path: filePath, locking: true)
    if isPartOfDocument { try checkCounting(head) }
    return try body(
      PostgreSQLTransaction(
        store: self, database: PostgreSQLDatabase(connection, path: filePath), head: head,
        contents: contents(head, connection), token: token))
  }

  /// Ends a transaction. If the connection is lost meanwhile, or the server does not wait for a standby, finds out
  /// whether the commit counts.
  func end(_ connection: PostgreSQLConnection, _ number: Int64, _ token: UUID) throws {
    let failure: PostgreSQLError
    do {
      guard let warning = try connection.commit() else { return }
      // If the commit does not count, the caller must run the transaction again, as after a lost connection.
      failure = PostgreSQLError(message: warning, isConnectionLost: true)
    } catch  where error.isConnectionLost {
      failure = error
    }
    guard try self.number(of: token, after: number - 1, failure) != nil else { throw failure }
  }

  /// Returns the number of the commit with a token, also if a standby takes over; `nil` if the commit does not count.
  ///
  /// - Parameter base: A commit before it.
  /// - Throws: `StoreError` with the code `StoreError.Code.uncertain` if the server does not answer in time.
  func number(
    of token: UUID, after base: Int64, _ error: PostgreSQLError
  ) throws -> Int64? {
    let deadline = ContinuousClock.now + options.patience
    while true {
      do { return try find(token, after: base, until: deadline) } catch let failure
        as PostgreSQLError
      {
        guard deadline > .now else {
          throw StoreError(
            .uncertain,
            "The server did not confirm in time the commit that follows commit \(base). When it answers again, read the objects to see whether the commit counts. PostgreSQL: \(failure)",
            path: path, cause: error)
        }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  /// Returns the number of the commit with a token. If there is one, waits until a standby has the commit too.
  private func find(
    _ token: UUID, after base: Int64, until deadline: ContinuousClock.Instant
  ) throws -> Int64? {
    let connection = try ConnectionPool.connect(pool.address, options)
    // The lock waits for the server to end the lost transaction in one way or the other.
    _ = try connection.texts("BEGIN; \(StoreHead.selection) FOR UPDATE")
    var found: Int64?
    try connection.forEachRow(
      "SELECT number FROM quire_commit WHERE number > $1 AND token = $2",
      [PostgreSQLParameter(base), PostgreSQLParameter(.uuid, bytes: token.bytes)]
    ) { found = $0[0].integer }
    guard let found else { return nil }
    // The server may have stopped waiting for a standby, or may have started again without one. The lock is a change in
    // the log, so this commit waits for the standby that the lost commit needs. No time-out of the server ends this wait.
    let canceller = connection.canceller()
    let end = DispatchWorkItem { canceller.cancel() }
    let rest = max((deadline - .now).milliseconds, 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(rest)), execute: end)
    defer { end.cancel() }
    if let warning = try connection.commit() { throw PostgreSQLError(message: warning) }
    return found
  }

  /// Returns the description of the store in a transaction.
  private func contents(
    _ head: StoreHead, _ connection: PostgreSQLConnection
  ) throws -> StoreContents {
    let known = current.withLock { $0?.head.contents }
    if let known, known.modelCommit == head.modelCommit,
      known.metadataCommit == head.metadataCommit
    {
      return known
    }
    return try StoreContents(connection, path: filePath, after: known)
  }
}
