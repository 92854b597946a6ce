/// Stores that commit atomically: all or nothing.
public protocol StoreGroup: AnyObject, Sendable {
  /// Makes changes of several stores of the group durable, all or nothing.
  ///
  /// - Returns: The snapshots of the stores after the commit, in the order of the requests.
  /// - Throws: The error of the first store that rejects its request.
  func commit(
    _ parts: [(store: any Store, request: CommitRequest)]
  ) throws -> [any StoreSnapshot]

  /// Returns snapshots of several stores of the group at one moment. They show each commit of the group as a whole or not at
  /// all. Snapshots that are taken one after another may show a commit in one store only.
  ///
  /// - Returns: The snapshots of the stores, in their order.
  func snapshots(of stores: [any Store]) throws -> [any StoreSnapshot]
}
