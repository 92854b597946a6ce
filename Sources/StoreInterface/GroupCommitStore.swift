/// A store that accepts further commits while earlier ones wait for the disk. One sync then makes several commits durable.
///
/// A coordinator lets the next save begin as soon as the previous one has its place in the order of commits.
public protocol GroupCommitStore: Store {
  /// The snapshot of the newest commit of this process that is not durable yet; `nil` if all commits are durable. The next
  /// commit follows this one.
  var waitingSnapshot: (any StoreSnapshot)? { get throws }

  /// Makes changes durable as ``Store/commit(_:)`` does.
  ///
  /// If the commit can't be made durable, no commit that was ordered after it becomes durable either, and all these calls
  /// throw. The numbers of these commits are not used again.
  ///
  /// - Parameter ordered: Called as soon as other commits may follow this one, before it is durable. The snapshot is that
  ///   of the commit.
  /// - Throws: ``StoreError``, as ``Store/commit(_:)``.
  @discardableResult
  func commit(
    _ request: CommitRequest, whenOrdered ordered: (any StoreSnapshot) -> Void
  ) throws -> any StoreSnapshot
}
