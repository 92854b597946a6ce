import ObjectModel
import Rows

/// Merges inserted objects into existing objects that have the same unique values.
struct DuplicateMerge {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Merges inserted objects into existing objects with the same unique values, by the merge policy.
  ///
  /// Two objects can't become one, because an identifier never changes. The existing object receives the inserted
  /// object's values and the references to the inserted object, which is then deleted. All drafts must be frozen.
  func run() throws {
    guard let decide = workspace.settings.mergePolicy.decide else { return }
    var isAny = false
    for state in workspace.storeStates where state.hasChanges {
      for entity in state.knownEntities {
        let constraints = state.graph.uniqueness(of: entity.graph)
        if constraints.isEmpty { continue }
        for object in workspace.changedObjects
        where object.source.entity === entity && object.state.isDuplicable {
          for constraint in constraints {
            // An earlier merge may have released the values, or given them to another object.
            if isAny { try workspace.sealAll() }
            guard let other = try existingMatch(of: object, constraint, in: state) else { continue }
            try merge(object, into: other, constraint, decide)
            isAny = true
            break
          }
        }
      }
    }
  }

  /// Returns the existing object with the same unique values, which stays; `nil` if there is none.
  private func existingMatch(
    of object: ManagedObject, _ constraint: GraphSchema.Uniqueness, in state: StoreState
  ) throws -> ManagedObject? {
    let values = constraint.columns.map { object.source.value($0, Int(object.row)) }
    if values.contains(where: \.isNull) { return nil }
    for key in try state.objects(sharing: values, constraint) where key != object.key {
      guard let other = workspace.object(at: key, in: state), workspace.exists(other) else {
        continue
      }
      // Of several inserted objects the first one stays.
      if !other.isInserted || key < object.key { return other }
    }
    return nil
  }

  private func merge(
    _ object: ManagedObject, into other: ManagedObject, _ constraint: GraphSchema.Uniqueness,
    _ decide: (MergeConflict) throws -> MergeResolution
  ) throws {
    workspace.realize(other)
    var conflict = MergeConflict(
      object: other.objectID, entity: other.source.entity.graph.name,
      base: object.source.entity.graph.namedValuesAtBirth,
      mine: object.source.valuesByName(row: Int(object.row)),
      theirs: other.source.valuesByName(row: Int(other.row)))
    conflict.uniqueKeys = constraint.names
    conflict.derivedKeys = object.source.entity.graph.derivedNames
    switch try decide(conflict) {
    case .delete: workspace.delete(other)
    case .keepStored: replace(object, by: other)
    case .save(let values):
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        try give(name, value, to: other)
      }
      replace(object, by: other)
    }
  }

  private func replace(_ object: ManagedObject, by other: ManagedObject) {
    transferReferences(of: object, to: other)
    workspace.delete(object)
    workspace.saveRecord.replacements[object.objectID] = other.objectID
  }

  /// Sets a value of an object, if the object has the property and its value differs.
  private func give(_ name: String, _ value: Value, to object: ManagedObject) throws {
    switch object.source.entity.graph[name]?.place {
    case .attribute(let attribute, let column):
      guard attribute.derivation == nil, object.source.value(column, Int(object.row)) != value
      else { return }
    case .toOne(let toOne):
      // The destination may have been deleted, which the inserted object does not show.
      guard object.source.value(toOne.column, Int(object.row)) != value,
        value.isNull || object.source.entity.destination(value, of: toOne.relationship) != nil
      else { return }
    default: return
    }
    if let wrong = object.setValue(value, PropertyHash.of(name), name) { throw wrong }
  }

  /// Adds the members of an object's to-many relationships to the relationships of another object.
  private func transferReferences(of object: ManagedObject, to heir: ManagedObject) {
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
  }
}

extension ManagedObject.State {
  /// Whether an object may be a duplicate of an existing object.
  fileprivate var isDuplicable: Bool {
    contains(.inserted) && isDisjoint(with: [.deleted, .missing])
  }
}

extension RowSource {
  /// Returns the values of a row by column name, references and places included.
  fileprivate func valuesByName(row: Int) -> [String: Value] {
    let columns = entity.graph.layout.columns
    return Dictionary(
      uniqueKeysWithValues: columns.indices.map { (columns[$0].name, value($0, row)) })
  }
}

extension GraphEntity {
  /// The values of a new object, by column name.
  fileprivate var namedValuesAtBirth: [String: Value] {
    Dictionary(zip(layout.columns.map(\.name), valuesAtBirth)) { first, _ in first }
  }

  /// The names of the derived attributes.
  fileprivate var derivedNames: Set<String> { Set(derived.map { properties[$0].name }) }
}
