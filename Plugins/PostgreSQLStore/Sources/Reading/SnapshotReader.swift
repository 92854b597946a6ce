import Foundation
package import PostgreSQLConnection
import RelationalStore
package import Rows
package import SQLTranslation
package import StoreInterface
import Synchronization

/// A connection in a transaction that shows the database at one commit. Any thread may use it, one at a time.
///
/// The connection is given up if it is not used for a time. Then the next use begins a transaction again. If later
/// commits were made since, their history takes them back.
package final class SnapshotReader: DatabaseReader, @unchecked Sendable {
  // Sendable: the state is used only under the lock.
  private var connection: PostgreSQLConnection?
  /// The rows that take back the commits between the reader's commit and the transaction, newest first.
  private var laterCommits: [RowsBefore] = []
  /// The time of the last use, and whether there is a connection. They have their own lock, because the pool
  /// looks at all readers while one of them connects.
  private let use: Mutex<(time: ContinuousClock.Instant, hasConnection: Bool)>
  private let turn = NSLock()
  let pool: ConnectionPool
  private let contents: StoreContents
  /// The rows that are read through the reader.
  private let owner = Mutex(Owner())

  private struct Owner: Sendable {
    weak var rows: TableRows<SnapshotReader>?
  }
  /// The rows that are read through the reader; `nil` if they are not in use any more.
  var rows: TableRows<SnapshotReader>? {
    get { owner.withLock { $0.rows } }
    set { owner.withLock { $0.rows = newValue } }
  }

  /// The commit that the reader shows.
  let commit: Int64

  /// - Parameter connection: A connection in a transaction that shows the commit; `nil` to begin one at the first use.
  init(
    _ connection: PostgreSQLConnection?, commit: Int64, _ contents: StoreContents,
    pool: ConnectionPool
  ) {
    (self.connection, self.commit, self.contents, self.pool) = (connection, commit, contents, pool)
    use = Mutex((.now, connection != nil))
    pool.add(self)
  }

  deinit { end() }

  package var path: String { pool.address.path }

  /// Whether the store has objects. Without any, the reader has no connection.
  package var answersRequests: Bool { commit > 0 }

  package func sharesHistory(with other: SnapshotReader) -> Bool { pool === other.pool }

  /// The time of the last use.
  var lastUse: ContinuousClock.Instant { use.withLock { $0.time } }

  /// Whether the reader has a connection.
  var hasConnection: Bool { use.withLock { $0.hasConnection } }

  /// Gives the connection up unless it was used after the given time, or is in use now.
  func release(unusedSince limit: ContinuousClock.Instant) {
    guard turn.try() else { return }
    defer { turn.unlock() }
    if lastUse <= limit { giveUp() }
  }

  /// Gives the connection up, after the last use.
  package func end() {
    turn.lock()
    defer { turn.unlock() }
    giveUp()
  }

  private func giveUp() {
    guard let connection else { return }
    self.connection = nil
    use.withLock { $0.hasConnection = false }
    guard connection.isAlive, (try? connection.execute("ROLLBACK")) != nil else { return }
    pool.give(connection)
  }

  /// Takes a connection over, in a transaction that shows the reader's commit. Returns whether it was needed.
  func adopt(_ connection: PostgreSQLConnection) -> Bool {
    guard turn.try() else { return false }
    defer { turn.unlock() }
    guard self.connection == nil else { return false }
    self.connection = connection
    laterCommits = []
    use.withLock { $0 = (.now, true) }
    return true
  }

  /// Returns rows of the commit in one round trip, without a transaction; `nil` if a transaction is needed, or has begun.
  ///
  /// One statement shows one moment. If that is the moment of the reader's commit, the rows are those of the commit. If
  /// later commits were made, a row whose version is not above the reader's commit is still the same, because each commit
  /// writes its number into the rows that it changes (spec §14.5.1).
  package func lookUp(
    _ keys: Range<UInt64>, of entity: TableMap.EntityMap, in map: TableMap
  ) throws -> BlockRun? {
    guard commit > 0, !hasConnection else { return nil }
    let found = try asStore(path) {
      var patience = Patience(pool.options.patience)
      while true {
        do { return try pool.lookUp(keys, of: entity, in: map) } catch let error as PostgreSQLError
          where patience.allowsRetry(after: error)
        {}
      }
    }
    guard let (head, run) = found, head.modelCommit == contents.modelCommit, head.newest >= commit
    else { return nil }
    if head.newest == commit { return run }
    guard keys.count == 1, let row = try run.location(of: keys.lowerBound),
      try row.version <= commit
    else { return nil }
    return run
  }

  /// Runs `body` in the transaction, and turns failures of PostgreSQL into errors of the store.
  ///
  /// If the connection is lost, `body` runs again with a new one.
  ///
  /// - Parameter body: Called with the database, and with the layers that turn the rows in the database into those of
  ///   the commit, the lowest first.
  package func read<R>(
    _ body: (PostgreSQLDatabase<PostgreSQLConnection>, [RowsBefore]) throws -> R
  ) throws -> R {
    turn.lock()
    defer { turn.unlock() }
    defer { use.withLock { $0 = (.now, connection != nil) } }
    return try asStore(path) {
      var patience = Patience(pool.options.patience)
      var retries = 0
      while true {
        do {
          let connection = try open()
          return try body(PostgreSQLDatabase(connection, path: path), laterCommits)
        } catch let error as PostgreSQLError where patience.allowsRetry(after: error) {
          connection = nil
        } catch let error as PostgreSQLError {
          // The transaction has failed, so the next use needs a new one.
          giveUp()
          // A standby ends transactions that keep it from following its primary.
          guard error.isTransient, retries < pool.options.mostRetries else { throw error }
          retries += 1
        } catch {
          // A row that can't be read ends its statement, and with it the transaction.
          if connection?.hasFailedTransaction ?? false { giveUp() }
          throw error
        }
      }
    }
  }

  private func open() throws -> PostgreSQLConnection {
    if let connection { return connection }
    let taken = try pool.take()
    var (newest, modelCommit) = try SnapshotReader.begin(taken, path)
    if newest < commit, let uuid = contents.metadata.uuid {
      // The document has decided that the commit counts, but the connection was lost before the server knew.
      try taken.execute("ROLLBACK")
      try PreparedCommit.settle(
        uuid, counting: commit, taken, rollingBack: false, from: nil, waiting: false, path)
      (newest, modelCommit) = try SnapshotReader.begin(taken, path)
    }
    guard modelCommit <= commit || modelCommit == contents.modelCommit else {
      throw StoreError(
        .overtaken,
        "Another process has changed the model of the store since. Read the newest commit.",
        path: path)
    }
    guard newest >= commit else {
      throw StoreError(
        .notFound,
        "Commit \(commit) is not in the database any more: the newest is \(newest). Another server may have taken over without it.",
        path: path)
    }
    laterCommits = try PostgreSQLDatabase(taken, path: path).layers(
      undoing: commit..<newest, contents.schema)
    connection = taken
    return taken
  }

  /// Begins a transaction that shows one moment.
  ///
  /// - Returns: The newest commit, and the commit that set the model.
  static func begin(
    _ connection: PostgreSQLConnection, _ path: String
  ) throws -> (newest: Int64, modelCommit: Int64) {
    let rows = try connection.texts(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT newest, model_commit FROM quire_store"
    )
    guard let row = rows.first, row.count == 2, let newest = row[0].flatMap({ Int64($0) }),
      let modelCommit = row[1].flatMap({ Int64($0) })
    else { throw StoreError(.damaged, "The table quire_store has no row.", path: path) }
    return (newest, modelCommit)
  }
}
