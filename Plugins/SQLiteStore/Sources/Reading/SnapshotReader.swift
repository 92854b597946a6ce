import Foundation
import SQLiteFiles
import StoreInterface
import Synchronization

/// A connection in a read transaction that shows the database at one moment. Any thread may use it, one at a time.
final class SnapshotReader: @unchecked Sendable {
  // Sendable: the connection is used only under the lock.
  /// The connection; `nil` once it was given up.
  private var connection: SQLiteConnection?
  private let turn = NSLock()
  private let pool: ReaderPool?
  /// The database's file.
  let path: String

  /// Opens another reader of the same moment; `nil` if another connection has committed since.
  let another: @Sendable () throws -> SnapshotReader?

  /// - Parameter pool: The pool that receives the connection after the snapshot's last use.
  init(
    _ connection: SQLiteConnection, pool: ReaderPool?,
    another: @escaping @Sendable () throws -> SnapshotReader? = { nil }
  ) {
    self.connection = connection
    self.pool = pool
    self.another = another
    path = connection.path
  }

  deinit { end() }

  /// Gives the connection up, when the whole snapshot was read or is not used any more.
  func end() {
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

  /// Whether the reader can still read the database.
  var isOpen: Bool {
    turn.lock()
    defer { turn.unlock() }
    return connection != nil
  }

  /// Runs `body` on the connection, and turns failures of SQLite into errors of the store.
  func read<R>(_ body: (SQLiteConnection) throws -> R) throws -> R {
    turn.lock()
    defer { turn.unlock() }
    guard let connection else {
      throw StoreError(.closed, "The snapshot's store was closed.", path: path)
    }
    return try asStore(path) {
      let result = try body(connection)
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
final class ReaderPool: @unchecked Sendable {
  // Sendable: the connections are taken under the lock, and each has one user at a time.
  private let idle = Mutex(Idle())

  private struct Idle {
    var connections: [SQLiteConnection] = []
    var isClosed = false
  }
  private static let most = 4

  init() {}

  /// Takes an idle connection out of the pool; `nil` if there is none.
  func take() -> SQLiteConnection? {
    let box = idle.withLock { idle in Box(idle.connections.popLast()) }
    return box.connection
  }

  /// Keeps a connection for the next snapshot.
  func give(_ connection: SQLiteConnection) {
    let box = Box(connection)
    idle.withLock { idle in
      if !idle.isClosed, idle.connections.count < ReaderPool.most {
        idle.connections.append(box.connection!)
      }
    }
  }

  /// Closes the idle connections, and keeps none from now on.
  func close() {
    idle.withLock { idle in
      idle.isClosed = true
      idle.connections = []
    }
  }

  // Sendable: the connection moves from one owner to the next.
  private struct Box: @unchecked Sendable {
    let connection: SQLiteConnection?
    init(_ connection: SQLiteConnection?) { self.connection = connection }
  }
}
