import ObjectModel
import Rows

/// Lists of related objects that were asked for since the view changed, to be given again.
///
/// They are a view's as its index is, so nothing has to be kept right in them: what changes the view forgets them.
/// Whoever walks through relationships again and again is spared the search, and the objects' places in the table.
struct RelatedLists {
  private var lists: [Owner: RelatedStorage] = [:]
  /// How many places the lists have, and what each takes by itself.
  private var size = 0
  /// About what a list takes, in places of its own.
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
  ///   many are more than those that are used, and all are forgotten.
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
