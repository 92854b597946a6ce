/// The kind of a lock: shared or exclusive.
public enum LockKind: Sendable, Hashable {
  /// Other handles may hold shared locks at the same time.
  case shared
  /// No other handle holds any lock.
  case exclusive
}

/// The time to wait for a lock that another handle or process holds.
public enum LockPatience: Sendable, Hashable {
  /// Fails immediately if the lock is held.
  case never
  /// Tries again until the given time has passed. Blocks the calling thread.
  case upTo(Duration)
}
