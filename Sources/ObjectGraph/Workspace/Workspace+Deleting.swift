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

extension Workspace {
  /// Marks an object to be deleted by the next save. Its delete rules are applied when changes are processed.
  func delete(_ object: ManagedObject) {
    checkPlace()
    requireOwn(object)
    guard object.state.isDisjoint(with: [.deleted, .missing, .beingDeleted]) else { return }
    realize(object)
    // It may be gone, or delete itself when it awakes.
    guard object.state.isDisjoint(with: [.deleted, .missing]) else { return }
    // What it does to make itself ready may lead back here.
    object.state.insert(.beingDeleted)
    object.prepareForDeletion()
    object.state.remove(.beingDeleted)
    object.state.insert([.deleted, .deletionToPropagate])
    if !reached.isEmpty { reached[object] = nil }
    // Who denied a deletion that was given up since is asked anew.
    if !denials.isEmpty { denials.removeAll { $0.object === object } }
    noteChange(of: object)
    deletionsToPropagate.append(object)
    ContextExecutor(self).endTurnSoon()
  }

  /// Propagates deletions, and records an error for the next save.
  func propagateDeletions() {
    do { try propagateDeletionsOrThrow() } catch { note(error) }
  }

  /// Propagates the deletions that are not propagated yet.
  func propagateDeletionsOrThrow() throws {
    guard !deletionsToPropagate.isEmpty else { return }
    try DeletionPropagation(self).run()
  }

  /// Propagates the deletion of objects with rows that are taken out already. All drafts must be frozen.
  func propagateDeletion(ofTakenOut objects: [ManagedObject]) throws {
    try DeletionPropagation(self).run(ofTakenOut: objects)
  }

  /// Applies deletions to an object that leads to deleted objects again, because its changes were dropped.
  func reachAgain(_ object: ManagedObject, in state: StoreState) throws {
    try DeletionPropagation(self).reachAgain(object, in: state)
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
