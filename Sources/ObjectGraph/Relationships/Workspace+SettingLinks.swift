import ObjectModel
import Rows

extension Workspace {
  /// Links an object to the given objects and to no others.
  ///
  /// The links of the object are read once, and only the differences are written. Asking for each pair by itself takes
  /// ten times as long.
  ///
  /// - Parameter wanted: The objects to link, none of them twice.
  func setLinks(
    _ side: LinkTable.Side, of object: ManagedObject, _ toMany: GraphProperty.ToMany,
    to wanted: [ManagedObject]
  ) throws {
    let present = Set(relatedKeys(of: object, toMany))
    let added = wanted.filter { !present.contains($0.key) }
    requireOwn(object)
    for other in added {
      requireOwn(other)
      if other.source.entity.store !== object.source.entity.store {
        misuse("\(ContextError.crossStore(toMany.relationship.name, object, other))")
      }
    }
    guard let state = state(of: object), exists(object) else { return }
    // Each object that stays is both present and wanted.
    if present.count > wanted.count - added.count {
      try removeLinks(side, of: object, except: Set(wanted.map(\.key)), state)
    }
    try locate(added)
    for (index, other) in added.enumerated() where exists(other) {
      try putLink(side, object, other, state, remaining: added.count - index)
    }
  }

  /// Removes the links of an object that lead to none of the given objects. Everything must be sealed.
  private func removeLinks(
    _ side: LinkTable.Side, of object: ManagedObject, except kept: Set<ObjectKey>,
    _ state: StoreState
  ) throws {
    for found in try links(of: object.key, side, state) where !kept.contains(found.other) {
      state.links.remove(found.key, basis: found.version)
      state.hasOpenChanges = true
      noteTouched(object)
      if let other = self.object(at: found.other, in: state) { noteTouched(other) }
    }
  }
}
