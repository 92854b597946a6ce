/// Stores that commit atomically: all of them or none.
public protocol StoreGroup: AnyObject, Sendable {
  /// Makes changes of several stores of the group durable, all of them or none.
  ///
  /// - Returns: The snapshots of the stores after the commit, in the order of the requests.
  /// - Throws: The error of the first store that rejects its request.
  func commit(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [any StoreSnapshot]
}
