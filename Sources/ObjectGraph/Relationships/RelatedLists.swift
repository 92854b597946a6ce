import ObjectModel
import ObjectQuery
import Rows

/// A cache of the lists of related objects that were read.
///
/// A list stays until a change of the view may concern it. So a repeated walk through relationships needs no second
/// search and no second lookup in the table of objects, and `trip.stops.count` takes constant time when it is asked
/// again.
struct RelatedLists {
  private var lists: [Owner: RelatedStorage] = [:]
  /// The relationships of the lists, by the entities whose rows store them.
  private var stored: [UInt16: Set<ObjectIdentifier>] = [:]
  /// The number of members of all lists, with a fixed cost for each list.
  private var size = 0
  /// The fixed cost of a list, in members.
  private static let overhead = 16
  /// The least number of members that the cache may keep.
  private static let least = 4096

  private struct Owner: Hashable {
    var key: ObjectKey
    var relationship: ObjectIdentifier
  }

  subscript(key: ObjectKey, toMany: GraphProperty.ToMany) -> RelatedStorage? {
    lists[Owner(key: key, relationship: ObjectIdentifier(toMany))]
  }

  /// Adds a list to the cache.
  ///
  /// - Parameter room: The number of known objects of the entity that the list leads to. If the lists have more than
  ///   twice as many members, many of them are no longer in use, and all lists are dropped.
  mutating func record(
    _ list: RelatedStorage, _ key: ObjectKey, _ toMany: GraphProperty.ToMany, room: Int
  ) {
    if size > max(RelatedLists.least, room * 2) { forget() }
    let relationship = ObjectIdentifier(toMany)
    lists[Owner(key: key, relationship: relationship)] = list
    for entity in toMany.way.storingEntities { stored[entity, default: []].insert(relationship) }
    size += list.count + RelatedLists.overhead
  }

  /// Drops the lists of the relationships that rows of some entities store.
  mutating func forget(storedIn entities: [UInt16]) {
    let changed = entities.reduce(into: Set()) {
      $0.formUnion(stored.removeValue(forKey: $1) ?? [])
    }
    if changed.isEmpty { return }
    if changed.isSuperset(of: stored.values.joined()) { return forget() }
    lists = lists.filter { !changed.contains($0.key.relationship) }
    size = lists.values.reduce(0) { $0 + $1.count + RelatedLists.overhead }
  }

  mutating func forget() {
    if size == 0 { return }
    lists = [:]
    stored = [:]
    size = 0
  }
}
