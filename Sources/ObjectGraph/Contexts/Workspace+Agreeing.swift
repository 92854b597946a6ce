import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// What lies beneath was changed by others while there are changes here. Values stand each for itself, and
// relationships do not: what leads here or there must lead to something, and be led back.
extension Workspace {
  /// Brings changes into agreement with what lies beneath them by now.
  ///
  /// - Parameters:
  ///   - changed: The changed objects whose rows beneath may be others than before.
  ///   - mayBeLost: Whether objects may be gone that others lead to.
  func agree(_ changed: [ManagedObject], in state: StoreState, mayBeLost: Bool) throws {
    if mayBeLost { try clearLost(in: state) }
    agreeOneToOne(changed, in: state)
    try agreeOrder(state.pending, in: state)
  }

  /// Leads both ends of one to one to each other, or nowhere.
  func agreeOneToOne(_ changed: [ManagedObject], in state: StoreState) {
    for object in changed where !object.state.contains(.missing) {
      for index in object.source.entity.graph.relationships {
        guard case .toOne(let toOne) = object.source.entity.graph.properties[index].place,
          let inverse = toOne.inverse, !inverse.isToMany
        else { continue }
        if isAlive(object) { agree(object, toOne, inverse, in: state) }
        part(object, toOne, inverse, in: state)
      }
    }
  }

  /// Leads both ends of one to one to each other where changes were made while saving, and what was known of
  /// the other end may have been of another moment.
  func agreeOneToOneAgain() throws {
    for state in storeStates where state.hasMoved && state.hasChanges {
      try propagateDeletionsOrThrow()
      try sealAll()
      agreeOneToOne(
        changedObjects.filter { $0.source.entity.store === state.persistent }, in: state)
    }
  }

  /// One to one: an end that is not led back to leads nowhere.
  private func agree(
    _ object: ManagedObject, _ toOne: GraphProperty.ToOne, _ inverse: Relationship,
    in state: StoreState
  ) {
    let now = object.reference(column: toOne.column)
    if let now, let other = self.object(at: now, in: state),
      case .toOne(let backward)? = other.source.entity.graph[inverse.name]?.place
    {
      lookAgain(at: other, in: state)
      if isAlive(other)
        ? other.reference(column: backward.column) != object.key : isGone(other, inverse)
      {
        write(nil, of: object, toOne.column)
      }
    }
  }

  /// One to one: whom an object leads to no more, because it goes or leads elsewhere, does not lead back.
  private func part(
    _ object: ManagedObject, _ toOne: GraphProperty.ToOne, _ inverse: Relationship,
    in state: StoreState
  ) {
    guard let place = object.committedPlace,
      case .object(let before) = place.source.value(toOne.column, place.row),
      object.reference(column: toOne.column) != before,
      let other = self.object(at: before, in: state),
      case .toOne(let backward)? = other.source.entity.graph[inverse.name]?.place
    else { return }
    lookAgain(at: other, in: state)
    if isAlive(other), other.reference(column: backward.column) == object.key {
      write(nil, of: other, backward.column)
    }
  }

  /// Whether a reference to a deleted object is cleared. A reference that denies the deletion stays.
  ///
  /// - Parameter relationship: The inverse of the reference; `nil` if it has none.
  private func isGone(_ object: ManagedObject, _ relationship: Relationship?) -> Bool {
    object.state.contains(.missing) || relationship?.deleteRule != .deny
  }

  /// Whether an object was neither deleted nor found to be gone.
  func isAlive(_ object: ManagedObject) -> Bool {
    object.state.isDisjoint(with: [.deleted, .missing])
  }

  /// Deletions reach what others have led to the deleted objects meanwhile. Everything must be sealed.
  func propagateDeletionsAgain(in state: StoreState) throws {
    for object in changedObjects
    where object.source.entity.store === state.persistent
      && object.state.contains(.deleted) && object.state.isDisjoint(with: [.inserted, .missing])
    {
      propagateAgain(object)
    }
    try propagateDeletionsOrThrow()
    try sealAll()
  }

  /// Has a deletion reach others once more. Who denied it is asked anew.
  func propagateAgain(_ object: ManagedObject) {
    denials.removeAll { $0.object === object }
    guard !object.state.contains(.deletionToPropagate) else { return }
    object.state.insert(.deletionToPropagate)
    deletionsToPropagate.append(object)
  }

  /// Whether there is no object with a key beneath, and none was inserted.
  ///
  /// - Parameter ownDeletions: Whether objects are lost too that were deleted here and not saved yet.
  func isLost(
    _ key: ObjectKey, ownDeletions: Bool, in state: StoreState
  ) throws -> Bool {
    guard let entity = state.entity(key.entity, self) else { return true }
    if let known = entity.objects[key.number] {
      if ownDeletions, known.state.contains(.deleted) { return true }
      if known.state.contains(.inserted) { return known.state.contains(.missing) }
    }
    return try View(state.tables).row(of: key) == nil
  }

  /// Whether an object that leads to one that was deleted here denies that.
  private func denies(_ object: ManagedObject, _ deleted: ObjectKey) -> Bool {
    denials.contains {
      $0.object.key == deleted && $0.object.source.entity.store === object.source.entity.store
        && $0.others.contains(object)
    }
  }

  /// Takes back what leads to objects that others have deleted. Everything must be sealed.
  func clearLost(in state: StoreState) throws {
    try forgetSettledLinks(in: state)
    try clearLost(
      changedObjects.filter { $0.source.entity.store === state.persistent }, state.pending,
      ownDeletions: false, in: state)
  }

  /// Takes back what some objects lead to that is deleted here.
  func clearDeleted(_ objects: [ManagedObject], in state: StoreState) {
    for object in objects where isAlive(object) {
      for index in object.source.entity.graph.relationships {
        guard case .toOne(let toOne) = object.source.entity.graph.properties[index].place,
          let key = object.reference(column: toOne.column),
          let other = state.entity(key.entity, self)?.objects[key.number], !isAlive(other),
          isGone(other, toOne.inverse)
        else { continue }
        write(nil, of: object, toOne.column)
        if let order = toOne.order { write(order: nil, of: object, order) }
      }
    }
  }

  /// Takes back what some objects, and the links of some layers, lead to that is gone. Everything must be
  /// sealed.
  ///
  /// - Parameter ownDeletions: Whether what was deleted here is gone. Otherwise its relationships' rules have
  ///   said what becomes of those who lead to it.
  func clearLost(
    _ objects: [ManagedObject], _ layers: [Layer], ownDeletions: Bool, in state: StoreState
  ) throws {
    for object in objects where isAlive(object) {
      let graph = object.source.entity.graph
      let committed = object.committedPlace
      for index in graph.relationships {
        // What leads there beneath as well is the affair of whoever deleted it.
        guard case .toOne(let toOne) = graph.properties[index].place,
          let key = object.reference(column: toOne.column),
          committed.map({ $0.source.value(toOne.column, $0.row) }) != .object(key),
          try isLost(key, ownDeletions: ownDeletions, in: state), !denies(object, key)
        else { continue }
        write(nil, of: object, toOne.column)
        if let order = toOne.order { write(order: nil, of: object, order) }
      }
    }
    try clearLostLinks(layers, ownDeletions: ownDeletions, in: state)
  }
}
