/// References that a migration computes from the links of two relationships that become inverses of each other.
///
/// A relationship that gets an inverse has links in one direction only, and two one-way relationships that become
/// inverses have links in both. The new relationships show all of these links, as far as a to-one end has room for
/// them. The rest counts as dropped.
struct InverseJoin {
  /// A relationship of the source.
  struct End: Hashable, Comparable {
    /// The source entity whose objects have the relationship.
    let entity: String
    let relationship: String

    static func < (left: End, right: End) -> Bool {
      (left.relationship, left.entity) < (right.relationship, right.entity)
    }
  }

  /// The index of the origin of the rows with the references.
  let origin: Int
  /// The index of the reference column in the target, and of the column of its places, if the inverse is ordered.
  let target: Int
  let order: Int?
  /// The relationship that the rows had before; `nil` if it is new.
  let own: End?
  /// The relationship that led to the rows before; `nil` if the inverse is new.
  let other: End?
  /// Whether the inverse leads to one object too.
  let isOneToOne: Bool

  /// The relationships whose links are joined. One-to-one relationships are both computed in this order, so that they
  /// keep the same links. A reference in the rows themselves counts before links that refer to the rows.
  var ends: [(end: End, isOwn: Bool)] {
    let ends = [own.map { ($0, true) }, other.map { ($0, false) }].compactMap { $0 }
    if own == other { return [ends[0]] }
    return isOneToOne ? ends.sorted { $0.0 < $1.0 } : ends
  }

  /// Whether the drops of this join are counted. The two joins of a one-to-one relationship drop the same links.
  var countsDrops: Bool {
    guard isOneToOne, let own else { return true }
    return other.map { own <= $0 } ?? false
  }
}
