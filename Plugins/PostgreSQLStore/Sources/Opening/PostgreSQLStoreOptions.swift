/// Options for reading and writing stores in PostgreSQL databases.
public struct PostgreSQLStoreOptions: Sendable, Hashable {
  /// The time for connecting to each host, unless the address or the environment sets it.
  public var connectTimeout: Duration = .seconds(10)
  /// The time that a save waits for a save of another process, and for the server after the connection was lost.
  public var patience: Duration = .seconds(10)
  /// The time that a statement may take; `nil` for any time.
  public var statementTimeout: Duration?
  /// The number of times that a save is tried again after a serialization failure or a deadlock.
  public var mostRetries = 5
  /// The share of the tables' size that the history may use. The history is the previous rows, from which earlier
  /// commits are opened. With 0, no history is kept.
  public var historyShare = 0.5
  /// The number of bytes that the history may always use.
  public var leastHistoryByteCount = 1 << 24
  /// The most connections that snapshots of one store keep. Above it, the snapshots that were read longest ago give
  /// their connection up, and connect again when they are read.
  public var mostSnapshotConnections = 8
  /// The time after which a snapshot that is not read gives up its connection.
  public var longestIdleSnapshot: Duration = .seconds(10)

  public init() {}
}
