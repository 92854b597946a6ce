import ObjectModel
import Rows
import StoreInterface

/// One moment of the stores of a coordinator. A context that is pinned to this moment sees no later save.
public struct QueryGeneration: Sendable {
  private var snapshots: [StoreTag: any StoreSnapshot]

  /// Makes the present moment of the stores of a coordinator.
  ///
  /// The stores of one document show the same version. Stores that do not belong together are read one after another.
  ///
  /// - Throws: `StoreError` if a store can't be read.
  public init(_ coordinator: PersistentStoreCoordinator) throws {
    var snapshots: [StoreTag: any StoreSnapshot] = [:]
    var left = coordinator.stores
    while let store = left.first {
      let group = store.store.features.group
      let together = left.filter {
        $0 === store || group != nil && $0.store.features.group === group
      }
      let stores = together.map(\.store)
      let found = try group?.snapshots(of: stores) ?? stores.map { try $0.snapshot() }
      for (store, snapshot) in zip(together, found) { snapshots[store.tag] = snapshot }
      left.removeAll { together.contains($0) }
    }
    self.snapshots = snapshots
  }

  /// Makes a moment from an earlier commit of one store and the present state of the other stores.
  ///
  /// - Throws: `StoreError` if the store does not keep that commit any more.
  public init(_ coordinator: PersistentStoreCoordinator, commit: Int64, of store: PersistentStore)
    throws
  {
    try self.init(coordinator)
    snapshots[store.tag] = try store.store.snapshot(ofCommit: commit)
  }

  func snapshot(of tag: StoreTag) -> (any StoreSnapshot)? { snapshots[tag] }

  /// Replaces the snapshot of a store by the commit of a save that the pinned context has made.
  mutating func advance(_ tag: StoreTag, to snapshot: any StoreSnapshot) {
    if snapshots[tag] != nil { snapshots[tag] = snapshot }
  }
}
