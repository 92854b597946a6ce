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
  /// Makes changes durable in one transaction: all of them or none.
  ///
  /// A transaction that fails because of other transactions, or because the connection was lost before its end, is
  /// run again. If the connection is lost while the transaction ends, the store finds out by the number of the commit
  /// whether the commit counts.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    guard !isPartOfDocument else { throw notConfirmable("only a save of the document commits.") }
    let token = UUID()
    return try transaction { connection, head in
      if request.isEmpty {
        _ = try admitted(request, head, connection)
        return { try self.newest() }
      }
      let number = head.newest + 1
      let after = try write(request, as: number, token, head, connection)
      try end(connection, number, token)
      return { try self.left(by: number, after) }
    }
  }

  /// Writes the changes of a commit in a transaction that the caller ends.
  ///
  /// - Returns: The description of the store after the commit.
  func write(
    _ request: CommitRequest, as number: Int64, _ token: UUID, _ head: StoreHead,
    _ connection: PostgreSQLConnection
  ) throws -> StoreContents {
    let contents = try admitted(request, head, connection)
    var after = contents
    if request.model != nil {
      after = try changeModel(request, contents, connection, number)
    }
    let before = try before(request, contents, number, connection)
    try write(request.changes, after, number, connection)
    if var metadata = contents.metadata(after: request) {
      metadata.document = contents.metadata.document ?? metadata.document
      after.metadata = metadata
      after.list = StoreContents.list(metadata)
      after.metadataCommit = number
      try connection.forEachRow(
        "WITH old AS (DELETE FROM quire_metadata) INSERT INTO quire_metadata (commit, list) VALUES ($1, $2)",
        [PostgreSQLParameter(number), PostgreSQLParameter(.bytes, bytes: after.list)])
    }
    try note(number, request, before, head, after, token, connection)
    return after
  }

  /// Calls `body` while no process can commit, if the given commit is the newest.
  public func holding<R>(commit number: Int64, _ body: () throws -> R) throws -> R {
    try transaction { connection, head in
      try checkNewest(number, is: head.newest)
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
  func transaction<R>(
    _ body: (PostgreSQLConnection, StoreHead) throws -> () throws -> R
  ) throws -> R {
    if isReadOnly {
      throw StoreError(.readOnly, "The store was opened for reading only.", path: path)
    }
    writingTurn.lock()
    defer { writingTurn.unlock() }
    var patience = Patience(options.patience)
    var retries = 0
    return try asStore(filePath) {
      while true {
        do { return try once(body)() } catch let error as PostgreSQLError {
          unsafe writer = nil
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
    _ body: (PostgreSQLConnection, StoreHead) throws -> () throws -> R
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
    let rows = try connection.texts(
      "BEGIN ISOLATION LEVEL READ COMMITTED; \(StoreHead.selection) FOR UPDATE")
    defer {
      if connection.isAlive, connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }
    let head = try StoreHead(rows, path: filePath)
    if isPartOfDocument { try checkCounting(head) }
    return try body(connection, head)
  }

  /// Ends a transaction. If the connection is lost meanwhile, or the server does not wait for a standby, finds out
  /// whether the commit counts.
  private func end(
    _ connection: PostgreSQLConnection, _ number: Int64, _ token: UUID
  ) throws {
    let failure: PostgreSQLError
    do {
      guard let warning = try connection.commit() else { return }
      // If the commit does not count, the caller must run the transaction again, as after a lost connection.
      failure = PostgreSQLError(message: warning, isConnectionLost: true)
    } catch  where error.isConnectionLost {
      failure = error
    }
    guard try counts(number, token, after: failure) else { throw failure }
  }

  /// Returns whether a commit counts, also if a standby takes over.
  ///
  /// - Throws: `StoreError` with the code `StoreError.Code.uncertain` if the server does not answer in time.
  private func counts(
    _ number: Int64, _ token: UUID, after error: PostgreSQLError
  ) throws -> Bool {
    let deadline = ContinuousClock.now + options.patience
    while true {
      do { return try isFound(number, token, until: deadline) } catch let failure as PostgreSQLError
      {
        guard deadline > .now else {
          throw StoreError(
            .uncertain,
            "The server did not confirm commit \(number) in time. When it answers again, read the objects to see whether the commit counts. PostgreSQL: \(failure)",
            path: path, cause: error)
        }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  /// Returns whether the database contains a commit. If it does, waits until a standby has the commit too.
  private func isFound(
    _ number: Int64, _ token: UUID, until deadline: ContinuousClock.Instant
  ) throws -> Bool {
    let connection = try ConnectionPool.connect(pool.address, options)
    // The lock waits for the server to end the lost transaction in one way or the other.
    _ = try connection.texts("BEGIN; \(StoreHead.selection) FOR UPDATE")
    var found: [UInt8] = []
    try connection.forEachRow(
      "SELECT token FROM quire_commit WHERE number = $1", [PostgreSQLParameter(number)]
    ) { found = $0[0].bytes }
    guard found == token.bytes else { return false }
    // The server may have stopped waiting for a standby, or may have started again without one. The lock is a change in
    // the log, so this commit waits for the standby that the lost commit needs. No time-out of the server ends this wait.
    let canceller = connection.canceller()
    let end = DispatchWorkItem { canceller.cancel() }
    let rest = max((deadline - .now).milliseconds, 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(rest)), execute: end)
    defer { end.cancel() }
    if let warning = try connection.commit() { throw PostgreSQLError(message: warning) }
    return true
  }

  // MARK: - Steps

  /// Returns the description of the store in a transaction.
  func contents(
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

  /// Returns the description of the store in a transaction, if the request may follow the newest commit.
  private func admitted(
    _ request: CommitRequest, _ head: StoreHead, _ connection: PostgreSQLConnection
  ) throws -> StoreContents {
    let contents = try contents(head, connection)
    try request.checkModel(setBy: contents.modelCommit, path: path)
    try check(request, head, contents, connection)
    return contents
  }

  /// Throws if another commit has changed the same objects, or if the newest commit is not the required one.
  private func check(
    _ request: CommitRequest, _ head: StoreHead, _ contents: StoreContents,
    _ connection: PostgreSQLConnection
  ) throws {
    if head.newest != request.base {
      var conflicts: [StoreConflict] = []
      for changes in request.changes.entities {
        guard let writer = writer(changes.entityNumber, contents, 0, connection) else { continue }
        conflicts += try writer.conflicts(with: changes)
      }
      guard conflicts.isEmpty else { throw CommitRequest.refusal(conflicts, path: path) }
    }
    if let required = request.requiredCommit { try checkNewest(required, is: head.newest) }
  }

  private func writer(
    _ number: UInt16, _ contents: StoreContents, _ version: Int64,
    _ connection: PostgreSQLConnection
  ) -> TableWriter? {
    contents.map.entities[number].map { TableWriter($0, version: version, connection) }
      ?? contents.map.links[number].map { TableWriter($0, version: version, connection) }
  }

  /// Writes changes. Removals come first, to free keys for the rows that follow.
  private func write(
    _ changes: Layer, _ contents: StoreContents, _ number: Int64,
    _ connection: PostgreSQLConnection
  ) throws {
    let writers = try changes.entities.map { entity in
      guard let writer = writer(entity.entityNumber, contents, number, connection) else {
        throw StoreError(
          .badChange, "No entity has the number \(entity.entityNumber).", path: filePath)
      }
      return (writer, entity)
    }
    for (writer, entity) in writers {
      try writer.remove(entity.removed)
      try writer.makeRoom(for: entity.put)
    }
    for (writer, entity) in writers {
      try writer.update(entity.changed)
      try writer.insert(entity.put)
      try raise(entity, contents, connection)
    }
  }

  /// Raises the highest assigned key, so that keys which a writer chose without leasing them are not assigned again.
  private func raise(
    _ entity: Layer.EntityChanges, _ contents: StoreContents, _ connection: PostgreSQLConnection
  ) throws {
    guard let highest = entity.put.blocks.last?.maximumKey else { return }
    try connection.forEachRow(
      "UPDATE quire_key SET last = $2 WHERE number = $1 AND last < $2",
      [
        PostgreSQLParameter(contents.keyNumber(of: entity.entityNumber) ?? 0),
        PostgreSQLParameter(Int64(highest)),
      ])
  }
}

extension StoreContents {
  /// Returns the number under which `quire_key` counts the keys of an entity or of links.
  func keyNumber(of number: UInt16) -> Int64? {
    map.entities[number]?.rootNumber ?? (map.links[number] == nil ? nil : Int64(number))
  }
}
