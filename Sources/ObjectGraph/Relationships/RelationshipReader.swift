import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Reads the members of to-many relationships.
struct RelationshipReader {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the keys of the members of a relationship, in its order.
  func keys(of object: ManagedObject, _ toMany: GraphProperty.ToMany) -> [ObjectKey] {
    do {
      try workspace.propagateDeletionsOrThrow()
      return try keysOrThrow(of: object, toMany)
    } catch {
      workspace.note(error)
      return []
    }
  }

  private func keysOrThrow(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) throws -> [ObjectKey] {
    guard let state = workspace.state(of: object) else { return [] }
    try sealMembers(of: object, toMany, state)
    let keys = try state.source.objects(relatedTo: object.key, through: toMany.query)
    guard toMany.mayLeadToDeleted else { return keys }
    return workspace.objects(at: keys, in: state).filter { !$0.state.contains(.deleted) }.map(\.key)
  }

  /// Freezes all drafts, unless the members of the relationship do not depend on drafts.
  ///
  /// A program that links many objects reads and sets the links of each object in turn. A freeze for each object would
  /// take most of the time.
  private func sealMembers(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany, _ state: StoreState
  ) throws {
    if toMany.links != nil, !state.links.mayConcern(object.key) { return }
    try workspace.sealAll()
  }

  /// Returns the members of a relationship as a list that makes each object when it is read.
  func list(of object: ManagedObject, _ toMany: GraphProperty.ToMany) -> RelatedStorage {
    do {
      try workspace.propagateDeletionsOrThrow()
      guard let state = workspace.state(of: object) else { return RelatedStorage([]) }
      try sealMembers(of: object, toMany, state)
      if let number = toMany.way.onlyEntity, let entity = state.entity(number, workspace) {
        return try state.related(object.key, toMany, in: entity)
      }
      let keys = try toMany.way.objects(relatedTo: object.key, in: state.source.index)
      let found = workspace.objects(at: keys, in: state)
      guard toMany.mayLeadToDeleted else { return RelatedStorage(found) }
      return RelatedStorage(found.filter { !$0.state.contains(.deleted) })
    } catch {
      workspace.note(error)
      return RelatedStorage([])
    }
  }

  /// Returns the members of a relationship, in its order.
  func objects(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) -> [ManagedObject] {
    guard let state = workspace.state(of: object) else { return [] }
    return workspace.objects(at: keys(of: object, toMany), in: state)
  }

  /// Returns the members of a to-one or to-many relationship.
  ///
  /// - Parameter andBefore: Whether to add the object that the saved reference leads to.
  func members(
    of object: ManagedObject, _ name: String, andBefore: Bool
  ) throws -> [ManagedObject] {
    guard let state = workspace.state(of: object) else { return [] }
    switch object.source.entity.graph[name]?.place {
    case .toOne(let toOne):
      var keys: [ObjectKey] = []
      if let key = object.reference(column: toOne.column) { keys.append(key) }
      if andBefore, let place = object.committedPlace,
        case .object(let key) = place.source.value(toOne.column, place.row)
      {
        keys.append(key)
      }
      return keys.compactMap { workspace.object(at: $0, in: state) }
    case .toMany(let toMany):
      // The links of a deleted object are already removed from the view.
      if object.state.contains(.deleted), toMany.links != nil {
        return workspace.objects(
          at: try state.baseSource.objects(relatedTo: object.key, through: toMany.query), in: state)
      }
      return objects(of: object, toMany)
    default: return []
    }
  }
}
