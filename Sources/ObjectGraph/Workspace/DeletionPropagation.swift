import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Applies the delete rules of deleted objects to the objects at the other ends of their relationships.
struct DeletionPropagation {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Propagates all deletions that are not propagated yet, and takes the rows of the deleted objects out.
  func run() throws {
    workspace.workDepth += 1
    defer { workspace.workDepth -= 1 }
    var waves: [[ManagedObject]] = []
    // Cascades may run in any shape, circles included: what is deleted already is not deleted again.
    while !workspace.deletionsToPropagate.isEmpty {
      let doomed = workspace.deletionsToPropagate
      workspace.deletionsToPropagate = []
      waves.append(doomed)
      // The rows of what is going are still there, so that relationships can be read.
      try workspace.sealAll()
      for object in doomed {
        object.state.remove(.deletionToPropagate)
        try propagateDeletion(of: object)
      }
    }
    for object in waves.joined() { try object.withEntity { try $0.remove(object) } }
  }

  /// Propagates the deletion of objects with rows that are taken out already. All drafts must be frozen.
  func run(ofTakenOut objects: [ManagedObject]) throws {
    for object in objects where object.state.contains(.deleted) {
      try propagateDeletion(of: object)
    }
    try workspace.propagateDeletionsOrThrow()
    try workspace.sealAll()
  }

  private func propagateDeletion(of object: ManagedObject) throws {
    let graph = object.source.entity.graph
    guard let state = workspace.state(of: object) else { return }
    if let references = state.graph.oneWayReferences(to: graph.number) {
      try clear(references, to: object, state)
    }
    for index in graph.relationshipsToPropagate {
      switch graph.properties[index].place {
      case .toOne(let toOne):
        guard
          let key = object.reference(column: toOne.column),
          let other = workspace.object(at: key, in: state),
          workspace.reached[object]?[toOne.column] != key
            || isLedBack(from: other, to: object, toOne, state)
        else { continue }
        try apply(toOne.relationship, of: object, to: [other], state)
      case .toMany(let toMany):
        if toMany.relationship.deleteRule != .nullify || toMany.links == nil {
          let keys = try state.source.objects(relatedTo: object.key, through: toMany.query)
          try apply(
            toMany.relationship, of: object, to: workspace.objects(at: keys, in: state), state)
        }
        if let side = toMany.links { try LinkWriter(workspace).removeAll(side, of: object, state) }
      default: continue
      }
    }
  }

  /// Clears the references and links without an inverse that lead to a deleted object.
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
      for other in workspace.objects(at: keys, in: state) {
        workspace.lookAgain(at: other, in: state)
        guard workspace.isAlive(other),
          other.reference(column: reference.toOne.column) == object.key
        else { continue }
        ReferenceWriter(workspace).set(reference.toOne, of: other, to: nil)
      }
    }
    for side in oneWay.links {
      let owners = try LinkReader().links(of: object.key, side, state).map(\.other)
      if owners.isEmpty { continue }
      try LinkWriter(workspace).removeAll(side, of: object, state)
      // The number of objects that an owner leads to is checked again.
      for owner in workspace.objects(at: owners, in: state) {
        workspace.lookAgain(at: owner, in: state)
        if workspace.isAlive(owner) { workspace.noteTouched(owner) }
      }
    }
  }

  /// Whether the other end of a one-to-one relationship leads to a deleted object.
  ///
  /// The answer may change: another context may have led the other end back since the deletion was propagated.
  private func isLedBack(
    from other: ManagedObject, to object: ManagedObject, _ toOne: GraphProperty.ToOne,
    _ state: StoreState
  ) -> Bool {
    guard let name = toOne.inverse?.name,
      case .toOne(let backward)? = other.source.entity.graph[name]?.place
    else { return false }
    workspace.lookAgain(at: other, in: state)
    return workspace.isAlive(other) && other.reference(column: backward.column) == object.key
  }

  /// Applies deletions to an object that leads to deleted objects again, because its changes were dropped.
  func reachAgain(_ object: ManagedObject, in state: StoreState) throws {
    for index in object.source.entity.graph.relationships {
      guard workspace.isAlive(object),
        case .toOne(let toOne) = object.source.entity.graph.properties[index].place,
        let key = object.reference(column: toOne.column),
        let other = state.entity(key.entity, workspace)?.objects[key.number],
        other.state.contains(.deleted), !other.state.contains(.missing)
      else { continue }
      if let inverse = toOne.inverse, !inverse.isTransient {
        try apply(inverse, of: other, to: [object], state)
      } else {
        ReferenceWriter(workspace).set(toOne, of: object, to: nil)
      }
    }
  }

  /// Applies the delete rule of a relationship to the objects at its other end.
  private func apply(
    _ relationship: Relationship, of object: ManagedObject, to others: [ManagedObject],
    _ state: StoreState
  ) throws {
    let staying = others.filter { other in
      workspace.lookAgain(at: other, in: state)
      return other.state.isDisjoint(with: [.deleted, .missing])
    }
    switch relationship.deleteRule {
    case .deny:
      if !staying.isEmpty {
        workspace.deny(relationship, of: object, for: staying)
      }
    case .cascade:
      for other in staying { workspace.delete(other) }
    // A reference that leads to nothing can't be saved, so no action clears it too.
    case .nullify, .noAction:
      guard let name = relationship.inverse else { return }
      for other in staying {
        guard case .toOne(let toOne)? = other.source.entity.graph[name]?.place else { continue }
        workspace.realize(other)
        guard other.reference(column: toOne.column) == object.key else { continue }
        ReferenceWriter(workspace).set(toOne, of: other, to: nil)
      }
    }
  }
}
