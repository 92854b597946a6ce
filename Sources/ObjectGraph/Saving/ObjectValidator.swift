import ObjectModel
import Rows

/// Checks the objects that are about to be saved.
struct ObjectValidator {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Returns the failures that the classes of the given objects report. A class may correct values.
  func failuresOfClasses(of objects: ArraySlice<ManagedObject>) -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    for object in objects where type(of: object) != ManagedObject.self {
      if !object.state.contains(.deleted) {
        failures += failuresOfClass(of: object, asking: .everything)
      } else if !object.state.contains(.inserted), let failure = failureOfDelete(of: object) {
        failures.append(failure)
      }
    }
    return failures
  }

  /// Returns the validation failures of the changed objects according to the rules of the model.
  func failuresOfModel() throws -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    // Objects that were inserted one after another mostly have the same entity.
    var entity: EntityState?
    var known: [ObjectIdentifier: Bool] = [:]
    var (mayFail, checksObjects) = (false, false)
    for object in workspace.drafts.changedObjects {
      if object.state.contains(.deleted) { continue }
      if object.source.entity !== entity {
        let now = object.source.entity
        if let entity { known[ObjectIdentifier(entity)] = mayFail }
        entity = now
        mayFail = known[ObjectIdentifier(now)] ?? now.mayFailValidation
        checksObjects = now.graph.constraints.checksObjects
      }
      guard mayFail || checksObjects, let constraints = entity?.graph.constraints else { continue }
      if mayFail { failures += constraints.failures(of: object) }
      failures += constraints.transientFailures(of: object)
      failures += relationshipFailures(of: object)
    }
    for owner in try countedOwners() { failures += relationshipFailures(of: owner) }
    failures += try DeniedDeletions(workspace).failures()
    return failures
  }

  /// The methods of an object's class that a validation calls.
  enum ClassMethods {
    /// Only `validateValue`: the caller is the method for the whole object.
    case values
    case everything
  }

  /// Returns all failures of an object, changed or not, from its class and from the rules of the model.
  func failures(
    of object: ManagedObject, asking methods: ClassMethods = .everything
  ) -> [ValidationFailure] {
    workspace.realize(object)
    guard object.state.isDisjoint(with: [.deleted, .missing]) else { return [] }
    let constraints = object.source.entity.graph.constraints
    var failures =
      type(of: object) == ManagedObject.self ? [] : failuresOfClass(of: object, asking: methods)
    failures += constraints.failures(of: object)
    failures += constraints.transientFailures(of: object)
    return failures + relationshipFailures(of: object)
  }

  /// Returns the failures of an object's relationships, and of its composite attributes that have predicates.
  private func relationshipFailures(of object: ManagedObject) -> [ValidationFailure] {
    let constraints = object.source.entity.graph.constraints
    var failures: [ValidationFailure] = []
    for (index, column) in constraints.requiredColumns.enumerated() {
      // Most references refer to an object.
      if let column, refers(object, column) { continue }
      if let failure = failure(of: constraints.relationships[index], of: object) {
        failures.append(failure)
      }
    }
    if !constraints.propertyPredicates.isEmpty, let state = workspace.state(of: object) {
      failures += constraints.predicateFailures(of: object, in: state)
    }
    return failures
  }

  /// Returns the unchanged objects that have gained or lost related objects by the changes.
  private func countedOwners() throws -> [ManagedObject] {
    let isCounted = workspace.drafts.states.contains { state in
      state.knownEntities.contains { !$0.graph.countedRelationships.isEmpty }
    }
    guard isCounted else { return [] }
    var owners: [ManagedObject] = []
    var seen: Set<ManagedObject> = []
    for object in workspace.drafts.changedObjects {
      let graph = object.source.entity.graph
      for index in graph.countedRelationships {
        for owner in try RelationshipReader(workspace).members(
          of: object, graph.properties[index].name, andBefore: true)
        where !owner.state.contains(.pending) && seen.insert(owner).inserted {
          workspace.realize(owner)
          if owner.state.isDisjoint(with: [.deleted, .missing]) { owners.append(owner) }
        }
      }
    }
    return owners
  }

  /// Whether a reference of an object refers to an object that is there.
  private func refers(_ object: ManagedObject, _ column: Int) -> Bool {
    guard let key = object.reference(column: column),
      let other = workspace.object(at: key, in: object.source.entity.store)
    else { return false }
    return !other.state.contains(.deleted)
  }

  private func failure(of property: GraphProperty, of object: ManagedObject) -> ValidationFailure? {
    switch property.place {
    case .toOne(let toOne):
      // The caller has found that the reference refers to no object.
      guard !toOne.relationship.isOptional else { return nil }
      return ValidationFailure(
        object, property.name, .null, .required, "\"\(property.name)\" must refer to an object.")
    case .toMany(let toMany):
      let count = RelationshipReader(workspace).list(of: object, toMany).count
      switch toMany.relationship.problem(withCount: count) {
      case nil: return nil
      case .tooFew(let least):
        return ValidationFailure(
          object, property.name, nil, .tooFewObjects,
          "\"\(property.name)\" refers to \(count) objects, and must refer to at least \(least).")
      case .tooMany(let most):
        return ValidationFailure(
          object, property.name, nil, .tooManyObjects,
          "\"\(property.name)\" refers to \(count) objects, and may refer to at most \(most).")
      }
    default: return nil
    }
  }

  /// Returns the failures that the class of an object reports for single values and for the whole object.
  private func failuresOfClass(
    of object: ManagedObject, asking methods: ClassMethods
  ) -> [ValidationFailure] {
    object.state.insert(.beingValidated)
    defer { object.state.remove(.beingValidated) }
    var failures: [ValidationFailure] = []
    for key in type(of: object).validatedKeys {
      let before: Value
      switch object.source.entity.graph[key]?.place {
      case .attribute(_, let column): before = object.source.value(column, Int(object.row))
      case .transient: before = object[key]
      default:
        object.source.entity.graph.refuse(key, as: "an attribute")
      }
      var value = before
      do {
        try object.validateValue(&value, forKey: key)
        if value != before, let wrong = object.setValue(value, PropertyHash.of(key), key) {
          throw wrong
        }
      } catch {
        failures.append(
          ValidationFailure(object, key, value, .custom, "\"\(key)\": \(error)", cause: error))
      }
    }
    guard methods == .everything else { return failures }
    do {
      if object.isInserted {
        try object.validateForInsert()
      } else {
        try object.validateForUpdate()
      }
    } catch {
      failures.append(ValidationFailure(object, nil, nil, .custom, "\(error)", cause: error))
    }
    return failures
  }

  /// Returns the failure that the class of an object reports for its deletion; `nil` if it allows the deletion.
  private func failureOfDelete(of object: ManagedObject) -> ValidationFailure? {
    object.state.insert(.beingValidated)
    defer { object.state.remove(.beingValidated) }
    do {
      try object.validateForDelete()
      return nil
    } catch {
      return ValidationFailure(object, nil, nil, .custom, "\(error)", cause: error)
    }
  }
}

extension EntityState {
  /// Whether a draft of the entity may have an invalid value.
  var mayFailValidation: Bool {
    sealedSources.contains { source in
      source.draft.map { graph.constraints.mayFail($0) } ?? !source.isValidated
    }
  }
}
