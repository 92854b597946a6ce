import ObjectModel
import Rows

/// Finds new and changed objects with values that no two objects may share.
struct UniquenessCheck {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the conflicts of all changed objects. All drafts must be frozen.
  func conflicts() throws -> [ConstraintConflict] {
    var conflicts: [ConstraintConflict] = []
    for state in workspace.drafts.states where state.hasChanges {
      for entity in state.knownEntities {
        for constraint in state.graph.uniqueness(of: entity.graph) {
          // Thousands of objects may share one value, so their conflict is computed for the first of them alone.
          var known: Set<ObjectID> = []
          var waiting: [ObjectID: ConstraintConflict] = [:]
          for object in workspace.drafts.changedObjects
          where object.source.entity === entity && !object.state.contains(.deleted) {
            if known.contains(object.objectID) {
              if let conflict = waiting[object.objectID] { conflicts.append(conflict) }
              continue
            }
            guard let conflict = try conflict(of: object, constraint, in: state),
              let first = conflict.conflictingObjects.first
            else { continue }
            known.formUnion(conflict.conflictingObjects)
            // The conflict belongs to the first of its objects.
            if first == object.objectID {
              conflicts.append(conflict)
            } else {
              waiting[first] = conflict
            }
          }
        }
      }
    }
    return conflicts
  }

  private func conflict(
    of object: ManagedObject, _ constraint: GraphSchema.Uniqueness, in state: StoreState
  ) throws -> ConstraintConflict? {
    let values = constraint.columns.map { object.source.value($0, Int(object.row)) }
    if values.contains(where: \.isNull) { return nil }
    let sharing = try state.source.keys(sharing: values, constraint, state.graph.schema)
    guard sharing.count > 1, sharing.contains(where: { $0 != object.key }) else { return nil }
    let keys = sharing.sorted()
    let unchanged = keys.first { changedObject(at: $0, in: state) == nil }
    let stored = unchanged ?? keys.first { hadValues($0, values, constraint, in: state) }
    let conflicting = keys.filter {
      $0 != stored && ($0 == object.key || changedObject(at: $0, in: state) != nil)
    }
    return ConstraintConflict(
      entity: constraint.entity, constraint: constraint.names,
      values: Dictionary(zip(constraint.names, values)) { first, _ in first },
      storedObject: stored.map { ObjectID(store: state.tag, key: $0) },
      conflictingObjects: conflicting.map { ObjectID(store: state.tag, key: $0) })
  }

  /// Whether an object had the values before the changes of this context.
  private func hadValues(
    _ key: ObjectKey, _ values: [Value], _ constraint: GraphSchema.Uniqueness, in state: StoreState
  ) -> Bool {
    guard let object = changedObject(at: key, in: state), let place = object.committedPlace else {
      return false
    }
    // The columns of an entity that inherits the constraint may have different indexes.
    let columns = constraint.names.compactMap { object.source.entity.graph.layout.index(of: $0) }
    return columns.map { place.source.value($0, place.row) } == values
  }

  /// Returns the object with the given key if it is new or changed, or else `nil`.
  private func changedObject(at key: ObjectKey, in state: StoreState) -> ManagedObject? {
    state.entity(key.entity, workspace)?.objects[key.number].flatMap {
      $0.state.contains(.pending) ? $0 : nil
    }
  }
}
