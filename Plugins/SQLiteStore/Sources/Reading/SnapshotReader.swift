import Foundation
import RelationalStore
import SQLiteFiles
package import StoreInterface

/// A connection in a read transaction that shows the database at one moment. Any thread may use it, one at a time.
package final class SnapshotReader: DatabaseReader, @unchecked Sendable {
  // Sendable: the connection is used only under the lock.
  /// The connection; `nil` once it was given up.
  private var connection: SQLiteConnection?
  private let turn = NSLock()
  private let pool: ReaderPool?
  private let values: ExternalFiles
  package let path: String
  private let makeAnother: @Sendable () throws -> SnapshotReader?

  /// - Parameters:
  ///   - pool: The pool that receives the connection after the snapshot's last use.
  ///   - values: The source of values in separate files.
  ///   - another: Opens another reader of the same moment; `nil` if another connection has committed since.
  init(
    _ connection: SQLiteConnection, pool: ReaderPool?, _ values: ExternalFiles,
    another: @escaping @Sendable () throws -> SnapshotReader? = { nil }
  ) {
    self.connection = connection
    self.pool = pool
    self.values = values
    makeAnother = another
    path = connection.path
  }

  deinit { end() }

  /// Gives the connection up, when the whole snapshot was read or is not used any more.
  package func end() {
    turn.lock()
    defer { turn.unlock() }
    guard let connection else { return }
    self.connection = nil
    guard let pool else { return }
    do {
      if connection.isInTransaction { try connection.execute("COMMIT") }
      pool.give(connection)
    } catch {
      // A connection with an error does not return to the pool. It is closed.
    }
  }

  /// Always `false` for the tables of another program: a date may be text there, and SQL would compare the text.
  package var answersRequests: Bool {
    turn.lock()
    defer { turn.unlock() }
    return connection.map { $0.commonTables == nil } ?? false
  }

  /// Returns `false`: other systems may have written the database between two commits, and the history does not contain such changes.
  package func sharesHistory(with other: SnapshotReader) -> Bool { false }

  package static var hasCompanions: Bool { true }

  package func another() throws -> SnapshotReader? { try makeAnother() }

  /// Runs `body` on the connection, and turns failures of SQLite into errors of the store. The transaction never begins
  /// again, so no layer takes later commits back.
  package func read<R>(_ body: (SQLiteDatabase, [RowsBefore]) throws -> R) throws -> R {
    turn.lock()
    defer { turn.unlock() }
    guard let connection else {
      throw StoreError(.closed, "The snapshot's store was closed.", path: path)
    }
    return try asStore(path) {
      let result = try body(SQLiteDatabase(connection: connection, values: values), [])
      guard !connection.isChanged else {
        throw StoreError(
          .overtaken,
          "Another process changed the database while it was open for reading only. Open it again.",
          path: path)
      }
      return result
    }
  }
}

/// Idle connections for the next snapshots.
typealias ReaderPool = IdleConnections<SQLiteConnection>
