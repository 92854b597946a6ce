import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Finds the deletions that a delete rule denies.
struct DeniedDeletions {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns a failure for each deletion that a delete rule denies.
  func failures() throws -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    for object in workspace.drafts.changedObjects where object.state.contains(.deleted) {
      failures += try self.failures(of: object)
    }
    return failures
  }

  /// Returns a failure for each relationship that denies the deletion of an object, deleted already or not.
  ///
  /// A deletion is allowed only if the related objects of the relationship are deleted too, or have been disconnected.
  func failures(of object: ManagedObject) throws -> [ValidationFailure] {
    let graph = object.source.entity.graph
    let relationships = graph.constraints.denyingRelationships
    guard !relationships.isEmpty, object.state.isDisjoint(with: .missing) || object.isInserted,
      let state = workspace.state(of: object)
    else { return [] }
    return try relationships.compactMap { index in
      guard let relationship = graph.properties[index].relationship else { return nil }
      let staying = try denying(object, graph.properties[index].place, in: state)
      guard let first = staying.first else { return nil }
      return ValidationFailure(
        object, relationship.name, nil, .deletionDenied,
        """
        The object can't be deleted as long as "\(relationship.name)" refers to \
        \(staying.count == 1 ? "\(first)" : "\(staying.count) objects").
        """)
    }
  }

  /// Returns the objects that deny the deletion of an object: the related objects of a relationship that are not
  /// deleted.
  private func denying(
    _ object: ManagedObject, _ place: GraphProperty.Place, in state: StoreState
  ) throws -> [ManagedObject] {
    switch place {
    case .toOne(let toOne):
      let reference =
        object.state.contains(.deleted)
        ? try lastReference(of: object, toOne, in: state) : object.reference(column: toOne.column)
      guard let key = reference,
        let other = workspace.object(at: key, in: state), workspace.exists(other)
      else { return [] }
      if let name = toOne.inverse?.name,
        case .toOne(let backward)? = other.source.entity.graph[name]?.place,
        other.reference(column: backward.column) != object.key
      {
        return []
      }
      return [other]
    case .toMany(let toMany):
      try workspace.sealAll()
      let keys = try state.source.objects(relatedTo: object.key, through: toMany.query)
      return workspace.objects(at: keys, in: state).filter(workspace.exists)
    default: return []
    }
  }

  /// Returns the key that a reference of a deleted object contained at the deletion.
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
