import ObjectModel
import Rows
import StoreInterface

/// The caches of insertions: the entity of new objects, and leased keys.
struct InsertionTargets {
  /// The entity of the last insertion. The next insertion is likely to have the same entity.
  var last: EntityState?
  /// The coordinator's count of store changes at that insertion.
  var storeChanges = 0
  /// The stores that the program has chosen for new objects, by entity.
  var assignments: [String: PersistentStore] = [:]
  /// The leased keys for new links, by store and table.
  private var linkKeys: [StoreTag: [UInt16: Range<UInt64>]] = [:]

  /// Returns a key for a new link. No other link has the same key.
  ///
  /// - Parameter remaining: The number of links that the caller is about to add.
  mutating func nextLinkKey(
    _ table: UInt16, _ state: StoreState, _ remaining: Int
  ) throws -> UInt64 {
    if let range = linkKeys[state.tag]?[table], !range.isEmpty {
      linkKeys[state.tag]![table] = range.dropFirst()
      return range.lowerBound
    }
    let range = try state.persistent.store.leaseKeys(
      ofEntity: table, count: max(16, min(remaining, 65_536)))
    linkKeys[state.tag, default: [:]][table] = range.dropFirst()
    return range.lowerBound
  }
}
