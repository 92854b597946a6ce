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
    list(of: object, toMany).keys
  }

  /// Freezes all drafts, unless the members of the relationship do not depend on drafts.
  ///
  /// A program that reads relationships often changes objects in turn: it links many objects, or sets `trip.stopCount`
  /// to `trip.stops.count`. A freeze for each object would take most of the time.
  private func sealMembers(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany, _ state: StoreState
  ) throws {
    let mayConcern =
      toMany.links != nil
      ? state.links.mayConcern(object.key)
      : toMany.way.storingEntities.contains { state.knownEntity($0)?.hasOpenChanges ?? false }
    if mayConcern { try workspace.sealAll() }
  }

  /// Returns the members of a relationship as a list that makes each object when it is read.
  func list(of object: ManagedObject, _ toMany: GraphProperty.ToMany) -> RelatedStorage {
    do {
      try workspace.propagateDeletionsOrThrow()
      guard let state = workspace.state(of: object) else { return RelatedStorage([]) }
      try sealMembers(of: object, toMany, state)
      let list = try state.related(object.key, toMany, workspace)
      guard toMany.mayLeadToDeleted, list.hasDeleted else { return list }
      return RelatedStorage(list.members.filter { !$0.state.contains(.deleted) })
    } catch {
      workspace.record(error)
      return RelatedStorage([])
    }
  }

  /// Returns the members of a relationship, in its order.
  func objects(
    of object: ManagedObject, _ toMany: GraphProperty.ToMany
  ) -> [ManagedObject] {
    list(of: object, toMany).members
  }

  /// Returns the members of a to-one or to-many relationship.
  ///
  /// - Parameter andBefore: Whether to add the object that the saved reference refers to.
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
