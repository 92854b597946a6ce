import ObjectModel

/// The end of an ordered relationship of one object. The next member is added there.
struct OrderEnd: Hashable {
  var owner: ObjectID
  var relationship: String
}

/// The state of relationships that is in no row: the deletions that have not reached related objects yet, and the ends of
/// ordered lists.
struct RelationshipState {
  /// The deleted objects whose deletion is not propagated yet.
  private(set) var deletionsToPropagate: [ManagedObject] = []
  /// The place of the next member of each ordered list that was written or searched.
  private var nextPlaces: [OrderEnd: Int64] = [:]

  /// Adds a deletion to propagate.
  mutating func addDeletion(of object: ManagedObject) { deletionsToPropagate.append(object) }

  /// Removes the deletions to propagate, and returns them.
  mutating func takeDeletions() -> [ManagedObject] {
    defer { deletionsToPropagate = [] }
    return deletionsToPropagate
  }

  /// Returns the place of the next member of a list and reserves it; `nil` if the place is not known.
  mutating func reservePlace(at end: OrderEnd) -> Int64? {
    guard let place = nextPlaces[end] else { return nil }
    nextPlaces[end] = place + 1
    return place
  }

  /// Sets the place of the next member of a list.
  mutating func setNextPlace(_ place: Int64, at end: OrderEnd) { nextPlaces[end] = place }

  /// Forgets the places of all lists, because the lists may have other members now.
  mutating func forgetPlaces() { nextPlaces = [:] }

  /// Forgets everything, because the context drops its changes.
  mutating func removeAll() { self = RelationshipState() }

  /// Forgets the places of the lists of evicted objects.
  mutating func forgetPlaces(unless isKnown: (ObjectID) -> Bool) {
    if !nextPlaces.isEmpty { nextPlaces = nextPlaces.filter { isKnown($0.key.owner) } }
  }
}
