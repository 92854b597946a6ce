import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// What a newer model asks of objects that the older one did not: looked at before anything is switched.
struct InferredChecks {
  private let mapping: InferredMapping
  /// Relationships that must lead to an object and need not have before, by entity.
  private var requiredReferences: [(entity: String, relationship: Relationship)] = []
  /// Relationships that may lead to fewer or more objects than before.
  private var counts: [(entity: String, relationship: Relationship)] = []
  /// Relationships with predicates that are new or changed, by entity.
  private var predicates: [(entity: String, relationship: Relationship)] = []
  /// Attributes with a rule that is new or another than before, by entity.
  private var attributes: [(entity: String, attribute: Attribute)] = []
  /// Constraints that are new, with the entity that declares each.
  private var constraints: [(entity: String, columns: [String])] = []

  /// - Parameter all: Whether everything is looked at, because values were filled in or let go.
  init(_ mapping: InferredMapping, all: Bool) {
    self.mapping = mapping
    let continuation = mapping.continuation
    for entity in mapping.destination.entities {
      let before = continuation.entity(before: entity.name)
      let continued = continuation.properties(of: entity.name)
      for relationship in entity.declaredRelationships where !relationship.isTransient {
        var old: Relationship?
        if case .relationship(let known)? = continued.before[relationship.name] { old = known }
        if !relationship.validationPredicates.isEmpty,
          all || old?.validationPredicates != relationship.validationPredicates
        {
          predicates.append((entity.name, relationship))
        }
        // What is new has been found to be optional, or to follow from its inverse.
        let isSame = old.map { $0.isOptional == relationship.isOptional } ?? relationship.isOptional
        if relationship.isToMany {
          guard all || !isSame || old?.count != relationship.count else { continue }
          guard relationship.limitsCount else { continue }
          counts.append((entity.name, relationship))
        } else if !relationship.isOptional, all || !isSame {
          requiredReferences.append((entity.name, relationship))
        }
      }
      guard let before else { continue }
      for attribute in entity.declaredAttributes where !attribute.isTransient {
        guard case .attribute(let old)? = continued.before[attribute.name],
          attribute.validation != old.validation, attribute.validation != Attribute.Validation()
        else { continue }
        attributes.append((entity.name, attribute))
      }
      for columns in entity.uniquenessConstraints {
        let old = columns.map { continued.before[$0]?.name ?? $0 }
        if all || !before.uniquenessConstraints.contains(old) {
          constraints.append((entity.name, columns))
        }
      }
    }
  }

  /// Checks the objects of a snapshot of the newer model.
  ///
  /// - Parameters:
  ///   - tag: The store whose objects they are.
  ///   - valuesOnly: Whether links and uniqueness are left out, because their rows will be written anew.
  func check(
    _ snapshot: any StoreSnapshot, of tag: StoreTag, valuesOnly: Bool = false
  ) throws -> ObjectsCheck {
    var check = ObjectsCheck(snapshot, mapping.destination, tag)
    for (entity, attribute) in attributes { try check.values(of: attribute, in: entity) }
    if valuesOnly { return check }
    for (entity, relationship) in requiredReferences {
      try check.requireReferences(relationship, of: entity)
    }
    for (entity, relationship) in counts { try check.count(relationship, of: entity) }
    for (entity, relationship) in predicates {
      try check.predicates(
        relationship.validationPredicates, of: .relationship(relationship), in: entity)
    }
    for (entity, columns) in constraints { try check.unique(columns, in: entity) }
    return check
  }
}

/// Looks through the objects of a snapshot for those that are not what their model asks of them.
struct ObjectsCheck {
  private let snapshot: any StoreSnapshot
  private let model: Model
  private let source: ViewSource
  private let tag: StoreTag
  /// The rules that objects break.
  var failures: [ValidationFailure] = []
  /// The objects that share unique values.
  private(set) var conflicts: [ConstraintConflict] = []

  /// Whether all objects looked at are as the model asks.
  var isValid: Bool { failures.isEmpty && conflicts.isEmpty }

  init(_ snapshot: any StoreSnapshot, _ model: Model, _ tag: StoreTag) {
    self.snapshot = snapshot
    self.model = model
    self.tag = tag
    source = ViewSource(snapshot.view, model: model, schema: snapshot.schema)
  }

  private func layouts(of entity: String) -> [Layout] {
    model.family(of: entity).filter { !$0.isAbstract }.compactMap { snapshot.schema[$0.name] }
  }

  private mutating func fail(
    _ key: ObjectKey, _ entity: String, _ property: String, _ rule: ValidationFailure.Rule,
    _ message: String, code: Int? = nil
  ) {
    failures.append(
      ValidationFailure(
        object: ObjectID(store: tag, key: key), entity: entity, key: property, rule: rule,
        message: message, code: code))
  }

  /// Every object must have a reference, to an object that is there.
  mutating func requireReferences(_ relationship: Relationship, of entity: String) throws {
    for layout in layouts(of: entity) {
      guard let index = layout.index(of: relationship.name) else { continue }
      try snapshot.forEachRow(of: layout, [layout.columns[index]]) { key, found, row in
        if let other = found[0]?.reference(at: row), try snapshot.view.contains(other) { return }
        fail(
          key, layout.entity, relationship.name, .required,
          "\"\(relationship.name)\" must lead to an object.")
      }
    }
  }

  /// Every value of an attribute must be what the attribute's rules ask for.
  mutating func values(of attribute: Attribute, in entity: String) throws {
    if attribute.type == .composite {
      return try predicates(attribute.validation.predicates, of: .attribute(attribute), in: entity)
    }
    let rule = ValueCheck(attribute, isRequired: false)
    for layout in layouts(of: entity) {
      guard let index = layout.index(of: attribute.name) else { continue }
      try snapshot.forEachRow(of: layout, [layout.columns[index]]) { key, found, row in
        let value = found[0]?.value(at: row) ?? .null
        guard let problem = rule.failure(of: value) else { return }
        fail(
          key, layout.entity, attribute.name, problem.rule, problem.message, code: problem.code)
      }
    }
  }

  /// Every object must meet the predicates of a relationship or a composite attribute.
  mutating func predicates(
    _ predicates: [ValidationPredicate], of property: Property, in entity: String
  ) throws {
    if predicates.isEmpty { return }
    for layout in layouts(of: entity) {
      let rules = predicates.map {
        PropertyCheck($0, of: property, layout, model, snapshot.schema)
      }
      for number in try snapshot.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        for problem in rules.compactMap({ $0.problem(with: key, in: source) }) {
          fail(
            key, layout.entity, property.name, problem.rule, problem.message,
            code: problem.code)
        }
      }
    }
  }

  /// Every object must lead to as many others as the relationship says.
  mutating func count(_ relationship: Relationship, of entity: String) throws {
    for layout in layouts(of: entity) {
      guard
        let toMany = ToManyRelationship(
          relationship.name, of: layout.entity, model, snapshot.schema)
      else { continue }
      for number in try snapshot.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        let count = try source.objects(relatedTo: key, through: toMany).count
        switch relationship.problem(withCount: count) {
        case nil: break
        case .tooFew(let least):
          fail(
            key, layout.entity, relationship.name, .tooFewObjects,
            """
            "\(relationship.name)" leads to \(count) objects, and must lead to at least \(least).
            """)
        case .tooMany(let most):
          fail(
            key, layout.entity, relationship.name, .tooManyObjects,
            "\"\(relationship.name)\" leads to \(count) objects, and may lead to at most \(most).")
        }
      }
    }
  }

  /// No two objects of an entity may share the values of some attributes.
  mutating func unique(_ names: [String], in entity: String) throws {
    // What is kept of each object is a hash; only where two meet values are compared.
    var seen: [Int: [ObjectKey]] = [:]
    for layout in layouts(of: entity) {
      let columns = names.compactMap { layout.index(of: $0).map { layout.columns[$0] } }
      guard columns.count == names.count else { continue }
      try snapshot.forEachRow(of: layout, columns) { key, found, row in
        let values = found.map { $0?.value(at: row) ?? .null }
        if values.contains(where: \.isNull) { return }
        let hash = values.hashValue
        for other in seen[hash] ?? [] where try self.values(of: other, names) == values {
          conflicts.append(
            ConstraintConflict(
              entity: entity, constraint: names,
              values: Dictionary(zip(names, values)) { first, _ in first },
              storedObject: ObjectID(store: tag, key: other),
              conflictingObjects: [ObjectID(store: tag, key: key)]))
          break
        }
        seen[hash, default: []].append(key)
      }
    }
  }

  private func values(of key: ObjectKey, _ names: [String]) throws -> [Value] {
    guard let layout = snapshot.schema[key.entity] else { return [] }
    return try names.map { name in
      guard let index = layout.index(of: name) else { return .null }
      return try snapshot.view.value(of: key, column: layout.columns[index]) ?? .null
    }
  }
}
