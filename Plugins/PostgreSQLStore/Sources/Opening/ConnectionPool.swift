import Foundation
import PostgreSQLConnection
import RelationalStore
import SQLTranslation
import StoreInterface
import Synchronization

/// The connections of a store: makes them, keeps idle ones for the next use, and limits their number.
final class ConnectionPool: Sendable {
  let address: StoreAddress
  let options: PostgreSQLStoreOptions
  /// Threads that look rows up at the same time each need a connection for a moment.
  private let idle = IdleConnections<PostgreSQLConnection>(keeping: 8)
  /// The experience with reading ahead, which all snapshots of the store share.
  let readAhead = ReadAhead()
  /// The snapshots that may have a connection.
  private let snapshots = Mutex<[WeakReader]>([])

  private struct WeakReader {
    weak var reader: SnapshotReader?
  }

  init(_ address: StoreAddress, _ options: PostgreSQLStoreOptions) {
    (self.address, self.options) = (address, options)
  }

  /// If the machine of a program vanishes, the server ends the program's transaction after 25 seconds, and other programs
  /// can save again.
  private static let signsOfLife = """
    SET tcp_keepalives_idle TO 10; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3; \
    SET tcp_user_timeout TO 25000
    """

  /// Returns a new connection that sees the store's schema.
  static func connect(
    _ address: StoreAddress, _ options: PostgreSQLStoreOptions
  ) throws -> PostgreSQLConnection {
    let connection = try PostgreSQLConnection(
      address.server, connectSeconds: Int(options.connectTimeout.components.seconds),
      name: address.path)
    guard connection.serverParameter("server_encoding") == "UTF8" else {
      throw StoreError(
        .notSupported,
        "The database does not have the encoding UTF8. Create a database with that encoding.",
        path: address.path)
    }
    // The server searches its own catalogue first, so a table `text` of an entity does not hide the type `text`.
    let lock = options.patience.milliseconds
    let statement = options.statementTimeout?.milliseconds ?? 0
    try connection.execute(
      """
      SET search_path TO \(quoted(address.schema)); SET lock_timeout TO \(lock); \
      SET statement_timeout TO \(statement); SET standard_conforming_strings TO on; \
      SET cursor_tuple_fraction TO 1; \(signsOfLife)
      """)
    return connection
  }

  /// Takes an idle connection, or makes one.
  func take() throws -> PostgreSQLConnection {
    if let connection = idle.take(), connection.isAlive { return connection }
    releaseReaders()
    return try ConnectionPool.connect(address, options)
  }

  /// Keeps a connection for the next use.
  func give(_ connection: PostgreSQLConnection) {
    guard connection.isAlive, !connection.isInTransaction else { return }
    idle.give(connection)
  }

  /// Closes the connections that are not in use, and keeps none from now on. Snapshots connect again when they are read.
  func close() {
    idle.close()
    for reader in readers() { reader.release(unusedSince: .now) }
  }

  /// Adds the reader of a snapshot, which takes part in the limit.
  func add(_ reader: SnapshotReader) {
    snapshots.withLock { snapshots in
      snapshots.removeAll { $0.reader == nil }
      snapshots.append(WeakReader(reader: reader))
    }
  }

  /// Lets snapshots give up the connections that they have not used for a time, so that no old transaction keeps the
  /// server from removing old rows.
  func releaseIdleReaders() {
    let limit = ContinuousClock.now - options.longestIdleSnapshot
    for reader in readers() { reader.release(unusedSince: limit) }
  }

  /// Lets the snapshots that were used longest ago give up their connections, as far as there are too many.
  private func releaseReaders() {
    let open = readers().filter(\.hasConnection)
    guard open.count >= options.mostSnapshotConnections else { return }
    for reader in open.prefix(open.count - options.mostSnapshotConnections + 1) {
      reader.release(unusedSince: .now)
    }
  }

  func rowsInUse() -> [TableRows<SnapshotReader>] { readers().compactMap(\.rows) }

  private func readers() -> [SnapshotReader] {
    snapshots.withLock { $0.compactMap(\.reader) }.sorted { $0.lastUse < $1.lastUse }
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
