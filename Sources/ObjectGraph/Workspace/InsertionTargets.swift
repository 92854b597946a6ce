import ObjectModel
import Rows
import StoreInterface

/// The caches of insertions: where new objects and new members go, and leased keys.
struct InsertionTargets {
  /// The entity of the last insertion, which is likely to be that of the next.
  var last: EntityState?
  /// The number of changes of the coordinator's stores at that insertion.
  var storeChanges = 0
  /// The stores that the program has chosen for new objects, by entity.
  var assignments: [String: PersistentStore] = [:]
  /// The ends of ordered relationships: the places for the next members.
  var orderEnds: [OrderEnd: Int64] = [:]
  /// The leased keys for new links, by store and table.
  private var linkKeys: [StoreTag: [UInt16: Range<UInt64>]] = [:]

  /// Returns a key for a new link that no other link has.
  ///
  /// - Parameter remaining: The number of links that the caller is about to put.
  mutating func nextLinkKey(
    _ table: UInt16, _ state: StoreState, _ remaining: Int
  ) throws -> UInt64 {
    if let range = linkKeys[state.tag]?[table], !range.isEmpty {
      linkKeys[state.tag]![table] = range.dropFirst()
      return range.lowerBound
    }
    let range = try state.persistent.store.leaseKeys(
      ofEntity: table, count: max(256, min(remaining, 65_536)))
    linkKeys[state.tag, default: [:]][table] = range.dropFirst()
    return range.lowerBound
  }
}

extension Workspace {
  /// The ends of ordered relationships: the places for the next members.
  var orderEnds: [OrderEnd: Int64] {
    _read { yield insertion.orderEnds }
    _modify { yield &insertion.orderEnds }
  }
}
