/// A store that learns of the commits of other processes at once, such as a database on a server.
public protocol AnnouncingStore: Store {
  /// Calls a function after each commit of the store, also those of other processes, with the commit's number. Only the
  /// last given function is called, on any thread. `nil` ends the calls.
  func whenCommitted(_ body: (@Sendable (Int64) -> Void)?)
}
