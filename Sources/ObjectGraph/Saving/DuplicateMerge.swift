import ObjectModel
import ObjectQuery
import Rows

/// Merges inserted objects into existing objects that have the same unique values.
///
/// ``UniquenessMerge`` decides over rows. This type applies the outcome as changes of the context, as a program would.
/// So hooks are called, delete rules apply, and undo records everything.
struct DuplicateMerge {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Merges inserted objects into existing objects with the same unique values, by the merge policy.
  ///
  /// - Precondition: All drafts are frozen.
  /// - Returns: Whether any object was merged.
  func run() throws -> Bool {
    guard let decide = workspace.settings.mergePolicy.decide else { return false }
    var isAny = false
    // Deletions that reach no other object are propagated together, after all decisions.
    var deleted: Set<ObjectKey> = []
    for state in workspace.drafts.states where state.hasChanges {
      for entity in state.knownEntities {
        let constraints = state.graph.uniqueness(of: entity.graph)
        if constraints.isEmpty { continue }
        for object in workspace.drafts.changedObjects
        where object.source.entity === entity && object.state.isDuplicable {
          guard
            let decision = try rule(of: state, deleted)
              .decision(about: object.key, constraints, decide),
            let victim = try carryOut(decision, about: object, in: state)
          else { continue }
          isAny = true
          // The next decision must see the rows without the objects that delete rules delete.
          if victim.source.entity.graph.mayCascade {
            try workspace.sealForUndo()
          } else {
            deleted.insert(victim.key)
            try workspace.sealAll()
          }
        }
      }
    }
    if isAny { try workspace.sealForUndo() }
    return isAny
  }

  private func rule(of state: StoreState, _ deleted: Set<ObjectKey>) -> UniquenessMerge {
    UniquenessMerge(
      graph: state.graph, store: state.tag, source: state.source, base: View(state.tables),
      originals: state.originals, deleted: deleted)
  }

  /// Makes a decision changes of the context. Returns the deleted object.
  private func carryOut(
    _ decision: UniquenessMerge.Decision, about object: ManagedObject, in state: StoreState
  ) throws -> ManagedObject? {
    guard let other = workspace.object(at: decision.match, in: state) else { return nil }
    workspace.realize(other)
    switch decision.resolution {
    case .delete:
      workspace.delete(other)
      return other
    case .keepStored: break
    case .save(let values):
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        try give(name, value, to: other)
      }
    }
    try transferReferences(of: object, to: other, in: state)
    workspace.delete(object)
    workspace.objects.recordReplacement(of: object.objectID, by: other.objectID)
    return object
  }

  /// Sets a value of an object, if the object has the property and its value differs.
  private func give(_ name: String, _ value: Value, to object: ManagedObject) throws {
    switch object.source.entity.graph[name]?.place {
    case .attribute(let attribute, let column):
      guard attribute.derivation == nil, object.source.value(column, Int(object.row)) != value
      else { return }
    case .toOne(let toOne):
      // The destination may have been deleted. The row of the inserted object can still refer to it.
      guard object.source.value(toOne.column, Int(object.row)) != value,
        value.isNull || object.source.entity.destination(value, of: toOne.relationship) != nil
      else { return }
    default: return
    }
    if let wrong = object.setValue(value, PropertyHash.of(name), name) { throw wrong }
  }

  /// Moves references from one object to another: the other object receives the members of to-many relationships, and
  /// relationships without an inverse lead to it.
  private func transferReferences(
    of object: ManagedObject, to heir: ManagedObject, in state: StoreState
  ) throws {
    let graph = object.source.entity.graph
    for index in graph.relationships {
      let property = graph.properties[index]
      guard case .toMany(let toMany) = property.place,
        case .toMany(let own)? = heir.source.entity.graph[property.name]?.place
      else { continue }
      for member in RelationshipReader(workspace).objects(of: object, toMany)
      where workspace.exists(member) {
        RelationshipWriter(workspace).add(member === object ? heir : member, to: heir, own)
      }
    }
    if let oneWay = state.graph.oneWayReferences(to: object.key.entity) {
      try transfer(oneWay, of: object, to: heir, in: state)
    }
  }

  private func transfer(
    _ oneWay: OneWayReferences, of object: ManagedObject, to heir: ManagedObject,
    in state: StoreState
  ) throws {
    // A relationship may lead to an entity that the heir does not belong to.
    guard let allowed = state.graph.oneWayReferences(to: heir.key.entity) else { return }
    let source = state.source
    for reference in oneWay.references
    where allowed.references.contains(where: {
      $0.entity == reference.entity && $0.toOne === reference.toOne
    }) {
      let range = IndexRange(equalTo: IndexBound([.object(object.key)]))
      for number in try source.index.keys(reference.index, in: range) {
        let key = ObjectKey(entity: reference.entity, number: number)
        guard let owner = workspace.object(at: key, in: state), workspace.exists(owner) else {
          continue
        }
        workspace.realize(owner)
        ReferenceWriter(workspace).set(reference.toOne, of: owner, to: heir)
      }
    }
    for side in oneWay.links where allowed.links.contains(side) {
      for link in try FoundLink.links(of: object.key, side, in: source) {
        guard let owner = workspace.object(at: link.other, in: state) else { continue }
        try LinkWriter(workspace).add(
          side.turned, owner === object ? heir : owner, heir, state)
      }
    }
  }
}

extension GraphEntity {
  /// Whether the deletion of an object may delete other objects.
  fileprivate var mayCascade: Bool {
    relationships.contains { properties[$0].relationship?.deleteRule == .cascade }
  }
}

extension ManagedObject.State {
  /// Whether an object may be a duplicate of an existing object.
  fileprivate var isDuplicable: Bool {
    contains(.inserted) && isDisjoint(with: [.deleted, .missing])
  }
}
