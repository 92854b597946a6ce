import ObjectModel
import Rows

/// A cache of lists of related objects that were read since the view last changed.
///
/// The lists belong to one view, and a change of the view drops them. A repeated walk through relationships needs no
/// second search and no second lookup in the table of objects.
struct RelatedLists {
  private var lists: [Owner: RelatedStorage] = [:]
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
  mutating func note(
    _ list: RelatedStorage, _ key: ObjectKey, _ toMany: GraphProperty.ToMany, room: Int
  ) {
    if size > max(RelatedLists.least, room * 2) { forget() }
    lists[Owner(key: key, relationship: ObjectIdentifier(toMany))] = list
    size += list.count + RelatedLists.overhead
  }

  mutating func forget() {
    if size == 0 { return }
    lists = [:]
    size = 0
  }
}
