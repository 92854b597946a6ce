import ObjectModel
import Rows

/// Lists of related objects that were asked for since the view changed, to be given again.
///
/// The lists belong to one view, as its index does. A change of the view drops them.
/// A repeated walk through relationships is spared the search, and the look into the table of objects.
struct RelatedLists {
  private var lists: [Owner: RelatedStorage] = [:]
  /// The number of places of all lists, with the cost of each list itself.
  private var size = 0
  /// The approximate cost of a list itself, in places.
  private static let overhead = 16
  /// So many places are kept where few objects are known.
  private static let least = 4096

  private struct Owner: Hashable {
    var key: ObjectKey
    var relationship: ObjectIdentifier
  }

  subscript(key: ObjectKey, toMany: GraphProperty.ToMany) -> RelatedStorage? {
    lists[Owner(key: key, relationship: ObjectIdentifier(toMany))]
  }

  /// Remembers a list.
  ///
  /// - Parameter room: How many objects are known that lists of this kind lead to. Lists that lead to more than twice as
  ///   many are more than the lists in use, and all lists are dropped.
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
