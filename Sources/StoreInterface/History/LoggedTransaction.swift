/// A transaction in the log of a store.
public struct LoggedTransaction: Sendable, Hashable {
  /// The number, the time, the author and the name of the context.
  public var summary: CommitSummary
  /// The identifier of the application that saved, such as `org.example.trips`; `nil` if it is unknown.
  public var bundleID: String?
  /// The name of the process that saved; `nil` if it is unknown.
  public var processName: String?

  /// Creates the description of a transaction.
  public init(_ summary: CommitSummary, bundleID: String? = nil, processName: String? = nil) {
    self.summary = summary
    self.bundleID = bundleID
    self.processName = processName
  }
}
