/// A store that learns of the commits of other processes at once, such as a database on a server.
public protocol AnnouncingStore: Store {
  /// Sets the function that is called after each commit of the store, with the commit's number. The commit may be one of
  /// another process. The function is called on any thread, and replaces the one that was set before; `nil` ends the
  /// calls.
  func whenCommitted(_ body: (@Sendable (Int64) -> Void)?)
}
