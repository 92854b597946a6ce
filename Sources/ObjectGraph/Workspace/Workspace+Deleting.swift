import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Deletions, as they reach other objects.
extension Workspace {
  /// Applies the delete rules of deleted objects. The next save throws an error of a damaged store.
  func propagateDeletions() {
    do { try propagateDeletionsOrThrow() } catch { note(error) }
  }

  func propagateDeletionsOrThrow() throws {
    guard !deletionsToPropagate.isEmpty else { return }
    workDepth += 1
    defer { workDepth -= 1 }
    var waves: [[ManagedObject]] = []
    // Cascades may run in any shape, circles included. A deleted object is not deleted again, so the waves end.
    while !deletionsToPropagate.isEmpty {
      let doomed = deletionsToPropagate
      deletionsToPropagate = []
      waves.append(doomed)
      // The rows of the deleted objects are still in the view, so their relationships can be read.
      try sealAll()
      for object in doomed {
        object.state.remove(.deletionToPropagate)
        try propagateDeletion(of: object)
      }
    }
    for object in waves.joined() { try object.withEntity { try $0.remove(object) } }
  }

  /// Applies the delete rules of one object.
  private func propagateDeletion(of object: ManagedObject) throws {
    guard let state = state(of: object) else { return }
    let graph = object.source.entity.graph
    try noteLastReferences(of: object, graph, in: state)
    if graph.relationshipsToPropagate.isEmpty, state.graph.oneWayReferences(to: graph.number) == nil
    {
      return
    }
    let effects = try DeletePropagation(state.graph, state.source).effects(of: object.key) {
      object.reference(column: $0)
    } isReached: { _ in true }
    for key in effects.deleted {
      if let other = self.object(at: key, in: state) { delete(other) }
    }
    for (key, toOne) in effects.cleared {
      guard let other = self.object(at: key, in: state) else { continue }
      realize(other)
      if isAlive(other), other.reference(column: toOne.column) == object.key {
        setReference(of: other, toOne, to: nil)
      }
    }
    for link in effects.links {
      guard let row = try state.source.view.row(of: link) else { continue }
      state.links.remove(link, basis: try row.version)
      state.hasOpenChanges = true
    }
    for key in effects.owners {
      if let owner = self.object(at: key, in: state), exists(owner) { noteTouched(owner) }
    }
  }

  /// Notes the references of a deleted object, where the context has changed them before.
  private func noteLastReferences(
    of object: ManagedObject, _ graph: GraphEntity, in state: StoreState
  ) throws {
    guard object.source.isPending else { return }
    let committed = object.committedPlace
    let isChanged = graph.toOnes.contains { toOne in
      toOne.mattersToDeletion
        && committed.map { $0.source.value(toOne.column, $0.row) }
          != object.source.value(toOne.column, Int(object.row))
    }
    guard isChanged else { return }
    let builder = LayerBuilder(state.graph.schema)
    builder.insert(object.key)
    for toOne in graph.toOnes {
      builder.set(
        object.source.value(toOne.column, Int(object.row)), column: toOne.column, of: object.key)
    }
    state.lastReferences = try state.lastReferences.merged(
      with: builder.freeze(), schema: state.graph.schema)
  }

  /// Whether the context knows of no deletion of an object.
  func isAlive(_ object: ManagedObject) -> Bool {
    object.state.isDisjoint(with: [.deleted, .missing])
  }
}

// Deletions that objects deny.
extension Workspace {
  /// Returns the failures of deletions that relationships deny.
  ///
  /// A deletion stands only if the objects that the relationship leads to are deleted too, or are led elsewhere.
  func deniedDeletions() throws -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    for object in changedObjects where object.state.contains(.deleted) {
      guard object.state.isDisjoint(with: .missing) || object.isInserted,
        let state = state(of: object)
      else { continue }
      let graph = object.source.entity.graph
      for index in graph.relationships {
        guard let relationship = graph.properties[index].relationship,
          relationship.deleteRule == .deny
        else { continue }
        let staying = try denying(object, graph.properties[index].place, in: state)
        guard let first = staying.first else { continue }
        failures.append(
          object.failure(
            relationship.name, nil, .deletionDenied,
            """
            can't be deleted as long as "\(relationship.name)" leads to \
            \(staying.count == 1 ? "\(first)" : "\(staying.count) objects").
            """))
      }
    }
    return failures
  }

  /// Returns the objects that a relationship of a deleted object leads to and that stay.
  private func denying(
    _ object: ManagedObject, _ place: GraphProperty.Place, in state: StoreState
  ) throws -> [ManagedObject] {
    switch place {
    case .toOne(let toOne):
      guard let key = try lastReference(of: object, toOne, in: state),
        let other = self.object(at: key, in: state), exists(other)
      else { return [] }
      if let name = toOne.inverse?.name,
        case .toOne(let backward)? = other.source.entity.graph[name]?.place,
        other.reference(column: backward.column) != object.key
      {
        return []
      }
      return [other]
    case .toMany(let toMany):
      try sealAll()
      let keys = try state.source.objects(relatedTo: object.key, through: toMany.query)
      return objects(at: keys, in: state).filter(exists)
    default: return []
    }
  }

  /// Returns the key that a reference of a deleted object held when it was deleted.
  private func lastReference(
    of object: ManagedObject, _ toOne: GraphProperty.ToOne, in state: StoreState
  ) throws -> ObjectKey? {
    let column = object.source.entity.graph.layout.columns[toOne.column]
    if case .put(let location) = try state.lastReferences.entry(of: object.key) {
      if case .object(let key)? = try location.block.value(column, row: location.row) { return key }
      return nil
    }
    guard let place = object.committedPlace,
      case .object(let key) = place.source.value(toOne.column, place.row)
    else { return nil }
    return key
  }
}
