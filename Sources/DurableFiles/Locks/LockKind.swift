/// Whether a lock lets others in.
public enum LockKind: Sendable, Hashable {
  /// Others may hold shared locks beside it.
  case shared
  /// Nobody else holds any lock.
  case exclusive
}

/// How long to wait for a lock that somebody else holds.
public enum LockPatience: Sendable, Hashable {
  /// Fails at once.
  case never
  /// Tries again until so much time has passed. Blocks the calling thread.
  case upTo(Duration)
}
