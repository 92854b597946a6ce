import ObjectModel
import Rows
import StoreInterface

/// One moment of the stores of a coordinator. A context that is pinned to it sees no later save.
public struct QueryGeneration: Sendable {
  private var snapshots: [StoreTag: any StoreSnapshot]

  /// The present moment of the stores of a coordinator.
  ///
  /// - Throws: `StoreError`.
  public init(_ coordinator: PersistentStoreCoordinator) throws {
    var snapshots: [StoreTag: any StoreSnapshot] = [:]
    for store in coordinator.stores { snapshots[store.tag] = try store.store.snapshot() }
    self.snapshots = snapshots
  }

  /// The moment of an earlier commit of one store, and the present moment of the other stores.
  ///
  /// - Throws: `StoreError` if the store does not keep that commit any more.
  public init(_ coordinator: PersistentStoreCoordinator, commit: Int64, of store: PersistentStore)
    throws
  {
    try self.init(coordinator)
    snapshots[store.tag] = try store.store.snapshot(ofCommit: commit)
  }

  func snapshot(of tag: StoreTag) -> (any StoreSnapshot)? { snapshots[tag] }

  /// Moves a store to the commit of a save that was made above the moment.
  mutating func advance(_ tag: StoreTag, to snapshot: any StoreSnapshot) {
    if snapshots[tag] != nil { snapshots[tag] = snapshot }
  }
}
