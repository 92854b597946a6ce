import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// A deletion that its relationship denies as long as it leads to objects that stay.
struct DeletionDenial {
  let object: ManagedObject
  let relationship: Relationship
  let others: [ManagedObject]

  /// Whether one of the objects at the other end leads here still; it may have been led elsewhere since.
  func isLedBack(from other: ManagedObject) -> Bool {
    guard let name = relationship.inverse,
      case .toOne(let toOne)? = other.source.entity.graph[name]?.place
    else { return true }
    return other.reference(column: toOne.column) == object.key
  }
}

// What deletions do to others.
extension Workspace {
  /// Sees to the relationships of objects that were deleted.
  func propagateDeletions() {
    do { try propagateDeletionsOrThrow() } catch { note(error) }
  }

  func propagateDeletionsOrThrow() throws {
    guard !deletionsToPropagate.isEmpty else { return }
    workDepth += 1
    defer { workDepth -= 1 }
    var waves: [[ManagedObject]] = []
    // Cascades may run in any shape, circles included: what is deleted already is not deleted again.
    while !deletionsToPropagate.isEmpty {
      let doomed = deletionsToPropagate
      deletionsToPropagate = []
      waves.append(doomed)
      // The rows of what is going are still there, so that relationships can be read.
      try sealAll()
      for object in doomed {
        object.state.remove(.deletionToPropagate)
        try propagateDeletion(of: object)
      }
    }
    for object in waves.joined() { try object.withEntity { try $0.remove(object) } }
  }

  /// Sees to the relationships of objects that were deleted and whose rows are taken out already. Everything
  /// must be sealed.
  func propagateDeletion(ofTakenOut objects: [ManagedObject]) throws {
    for object in objects where object.state.contains(.deleted) {
      try propagateDeletion(of: object)
    }
    try propagateDeletionsOrThrow()
    try sealAll()
  }

  private func propagateDeletion(of object: ManagedObject) throws {
    let graph = object.source.entity.graph
    guard let state = state(of: object) else { return }
    if let references = state.graph.oneWayReferences(to: graph.number) {
      try clear(references, to: object, state)
    }
    for index in graph.relationshipsToPropagate {
      switch graph.properties[index].place {
      case .toOne(let toOne):
        guard
          let key = object.reference(column: toOne.column),
          let other = self.object(at: key, in: state),
          reached[object]?[toOne.column] != key || isLedBack(from: other, to: object, toOne, state)
        else { continue }
        try apply(toOne.relationship, of: object, to: [other], state)
      case .toMany(let toMany):
        if toMany.relationship.deleteRule != .nullify || toMany.links == nil {
          let keys = try state.source.objects(relatedTo: object.key, through: toMany.query)
          try apply(toMany.relationship, of: object, to: objects(at: keys, in: state), state)
        }
        if let side = toMany.links { try removeAllLinks(side, of: object, state) }
      default: continue
      }
    }
  }

  /// Takes away every reference and link that leads to a deleted object without an inverse.
  ///
  /// Core Data leaves them dangling. A store of Quire holds no reference to a missing object, so a
  /// relationship without an inverse is cleared as if its inverse had the rule *nullify*.
  private func clear(
    _ oneWay: OneWayReferences, to object: ManagedObject, _ state: StoreState
  ) throws {
    for reference in oneWay.references {
      guard let indexed = state.source.indexed else { return }
      let range = IndexRange(equalTo: IndexBound([.object(object.key)]))
      let keys = try indexed.keys(reference.index, in: range).map {
        ObjectKey(entity: reference.entity, number: $0)
      }
      for other in objects(at: keys, in: state) {
        lookAgain(at: other, in: state)
        guard isAlive(other), other.reference(column: reference.toOne.column) == object.key
        else { continue }
        setReference(of: other, reference.toOne, to: nil)
      }
    }
    for side in oneWay.links {
      let owners = try links(of: object.key, side, state).map(\.other)
      if owners.isEmpty { continue }
      try removeAllLinks(side, of: object, state)
      // The number of objects that an owner leads to is checked again.
      for owner in objects(at: owners, in: state) {
        lookAgain(at: owner, in: state)
        if isAlive(owner) { noteTouched(owner) }
      }
    }
  }

  /// One to one, whether the other end leads to a deleted object. Whoever did not when the deletion reached it
  /// first, as it had been led elsewhere, may have been led back by others.
  private func isLedBack(
    from other: ManagedObject, to object: ManagedObject, _ toOne: GraphProperty.ToOne,
    _ state: StoreState
  ) -> Bool {
    guard let name = toOne.inverse?.name,
      case .toOne(let backward)? = other.source.entity.graph[name]?.place
    else { return false }
    lookAgain(at: other, in: state)
    return isAlive(other) && other.reference(column: backward.column) == object.key
  }

  /// Has the deletions of those whom an object leads to again, since its changes were given up, reach it.
  func reachAgain(_ object: ManagedObject, in state: StoreState) throws {
    for index in object.source.entity.graph.relationships {
      guard isAlive(object),
        case .toOne(let toOne) = object.source.entity.graph.properties[index].place,
        let key = object.reference(column: toOne.column),
        let other = state.entity(key.entity, self)?.objects[key.number],
        other.state.contains(.deleted), !other.state.contains(.missing)
      else { continue }
      if let inverse = toOne.inverse, !inverse.isTransient {
        try apply(inverse, of: other, to: [object], state)
      } else {
        setReference(of: object, toOne, to: nil)
      }
    }
  }

  /// Notes what a deleted object leads to, before it is looked at again: whom it was led away from before it was
  /// deleted is not reached by that, and all others were.
  func noteReached(_ object: ManagedObject) {
    guard object.state.contains(.deleted) else { return }
    let references = committedReferences(of: object)
    if !references.isEmpty || reached[object] != nil { reached[object] = references }
  }

  /// The references along which an object's deletion goes, as they were saved last, by column.
  func committedReferences(of object: ManagedObject) -> [Int: ObjectKey] {
    let graph = object.source.entity.graph
    var references: [Int: ObjectKey] = [:]
    for index in graph.relationships {
      guard case .toOne(let toOne) = graph.properties[index].place, toOne.isReachedByDeletion,
        let place = object.committedPlace,
        case .object(let key) = place.source.value(toOne.column, place.row)
      else { continue }
      references[toOne.column] = key
    }
    return references
  }

  /// Makes sure that an object without changed values is not as of an older commit than what lies beneath.
  func lookAgain(at object: ManagedObject, in state: StoreState) {
    let wasMissing = object.state.contains(.missing)
    var before: (source: RowSource, row: Int)?
    if state.hasMoved, !object.source.isPending, wasMissing || !object.state.contains(.deleted) {
      before = placeToOverlook(object)
      object.point(to: object.source.entity.unresolved, row: 0)
      // Whoever was deleted may have been brought back.
      if wasMissing { object.state.subtract([.missing, .deleted]) }
    }
    if object.source.isUnresolved { realize(object) }
    if let before { noteOverlooked(object, was: before) }
    if wasMissing, object.state.contains(.missing) { object.state.insert(.deleted) }
  }

  /// Does to the objects at the other end what a relationship says.
  private func apply(
    _ relationship: Relationship, of object: ManagedObject, to others: [ManagedObject],
    _ state: StoreState
  ) throws {
    let staying = others.filter { other in
      lookAgain(at: other, in: state)
      return other.state.isDisjoint(with: [.deleted, .missing])
    }
    switch relationship.deleteRule {
    case .deny:
      if !staying.isEmpty {
        deny(relationship, of: object, for: staying)
      }
    case .cascade:
      for other in staying { delete(other) }
    // A reference that leads to nothing can't be saved, so no action clears it too.
    case .nullify, .noAction:
      guard let name = relationship.inverse else { return }
      for other in staying {
        guard case .toOne(let toOne)? = other.source.entity.graph[name]?.place else { continue }
        realize(other)
        guard other.reference(column: toOne.column) == object.key else { continue }
        setReference(of: other, toOne, to: nil)
      }
    }
  }
}

extension Workspace {
  /// Forgets who denies what is deleted. What is there may be deleted again by whoever does again what was undone,
  /// and then is denied that as it was.
  func forgetDenials() {
    denials.removeAll { undoManager == nil || $0.object.state.contains(.deleted) }
  }

  /// Notes that some objects deny a deletion, besides those that do already.
  func deny(
    _ relationship: Relationship, of object: ManagedObject, for staying: [ManagedObject]
  ) {
    var others = staying
    denials.removeAll { denial in
      guard denial.object === object, denial.relationship.name == relationship.name else {
        return false
      }
      others = denial.others + others.filter { !denial.others.contains($0) }
      return true
    }
    denials.append(DeletionDenial(object: object, relationship: relationship, others: others))
  }
}

extension GraphProperty.ToOne {
  /// Whether the deletion of an object concerns the one that it leads to.
  fileprivate var isReachedByDeletion: Bool {
    relationship.deleteRule == .cascade || relationship.deleteRule == .deny
      || inverse.map { !$0.isToMany } ?? false
  }
}
