import Foundation
import SQLiteFiles
import StoreInterface
import Synchronization

/// A connection that shows the database as it was at one moment, for whoever reads a snapshot: from any thread, one at a time.
final class SnapshotReader: @unchecked Sendable {
  // Sendable: the connection is used under the lock alone.
  /// `nil` once all that the snapshot shows was read.
  private var connection: SQLiteConnection?
  private let turn = NSLock()
  private let pool: ReaderPool?
  /// The database's file.
  let path: String

  /// Makes another reader of the same moment; `nil` where somebody has written since.
  let another: @Sendable () throws -> SnapshotReader?

  /// - Parameter pool: Where the connection goes when nobody reads the snapshot any more.
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

  /// Gives the connection up: for a snapshot of which everything was read.
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
      // It is closed instead.
    }
  }

  /// Whether the database can still be asked.
  var isOpen: Bool {
    turn.lock()
    defer { turn.unlock() }
    return connection != nil
  }

  /// Reads something, and says what SQLite refuses as a store does.
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
          "Somebody else has changed the database while it was read, which was opened for reading alone: open it again.",
          path: path)
      }
      return result
    }
  }
}

/// Connections that wait for the next snapshot.
final class ReaderPool: @unchecked Sendable {
  // Sendable: the connections are handed out under the lock, each to one at a time.
  private let idle = Mutex(Idle())

  private struct Idle {
    var connections: [SQLiteConnection] = []
    var isClosed = false
  }
  private static let most = 4

  init() {}

  /// A connection that nobody uses.
  func take() -> SQLiteConnection? {
    let box = idle.withLock { idle in Box(idle.connections.popLast()) }
    return box.connection
  }

  /// Keeps a connection for the next who needs one.
  func give(_ connection: SQLiteConnection) {
    let box = Box(connection)
    idle.withLock { idle in
      if !idle.isClosed, idle.connections.count < ReaderPool.most {
        idle.connections.append(box.connection!)
      }
    }
  }

  /// Keeps none from now on.
  func close() {
    idle.withLock { idle in
      idle.isClosed = true
      idle.connections = []
    }
  }

  // Sendable: it goes from one holder to another.
  private struct Box: @unchecked Sendable {
    let connection: SQLiteConnection?
    init(_ connection: SQLiteConnection?) { self.connection = connection }
  }
}
