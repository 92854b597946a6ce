import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The rules of a newer model that the older model did not have. The objects are checked against them before the
/// store is switched.
struct InferredChecks {
  private let mapping: InferredMapping
  /// Relationships that are required now and were optional before, with their entities.
  private var requiredReferences: [(entity: String, relationship: Relationship)] = []
  /// Relationships with changed limits on the number of objects, with their entities.
  private var counts: [(entity: String, relationship: Relationship)] = []
  /// Relationships with new or changed predicates, with their entities.
  private var predicates: [(entity: String, relationship: Relationship)] = []
  /// Attributes with new or changed rules, with their entities.
  private var attributes: [(entity: String, attribute: Attribute)] = []
  /// New uniqueness constraints, each with the entity that declares it.
  private var constraints: [(entity: String, columns: [String])] = []

  /// - Parameter all: Whether unchanged rules are checked too, because the migration filled in or dropped values.
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
        // Inference has found that a new relationship is optional or follows from its inverse.
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

  /// Returns the check of the objects of a snapshot of the newer model.
  ///
  /// - Parameters:
  ///   - tag: The tag of the store that contains the objects.
  ///   - valuesOnly: Whether links and uniqueness are skipped, because the migration writes their rows again.
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

extension InferredChecks {
  /// Returns the check of the references and unique values that a step will write, computed from the rows before it.
  func check(
    before snapshot: any StoreSnapshot, writing origins: [RowOrigin], of tag: StoreTag
  ) throws -> ObjectsCheck {
    var check = ObjectsCheck(snapshot, mapping.source, tag)
    func parts(of entity: String) -> [RowOrigin] {
      let names = Set(mapping.destination.family(of: entity).map(\.name))
      return origins.filter { !$0.isLinks && names.contains($0.target.entity) }
    }
    for (entity, relationship) in requiredReferences {
      for origin in parts(of: entity) { try check.requireReferences(relationship, in: origin) }
    }
    for (entity, columns) in constraints {
      try check.unique(columns, of: entity, in: parts(of: entity))
    }
    return check
  }
}

/// Finds the objects of a snapshot that break the rules of their model.
struct ObjectsCheck {
  private let snapshot: any StoreSnapshot
  private let model: Model
  private let source: ViewSource
  private let tag: StoreTag
  /// The rules that objects break.
  var failures: [ValidationFailure] = []
  /// The objects that share unique values.
  private(set) var conflicts: [ConstraintConflict] = []

  /// Whether all checked objects meet the rules of the model.
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

  /// Records a failure for each object without a reference, or with a reference to a missing object.
  mutating func requireReferences(_ relationship: Relationship, of entity: String) throws {
    for layout in layouts(of: entity) {
      guard let index = layout.index(of: relationship.name) else { continue }
      try snapshot.forEachRow(of: layout, [layout.columns[index]]) { key, found, row in
        if let other = found[0]?.reference(at: row), try snapshot.view.contains(other) { return }
        fail(
          key, layout.entity, relationship.name, .required,
          "\"\(relationship.name)\" must refer to an object.")
      }
    }
  }

  /// Records a failure for each row that will be written without a reference, or with a reference to a missing object.
  mutating func requireReferences(_ relationship: Relationship, in origin: RowOrigin) throws {
    guard let index = origin.target.index(of: relationship.name) else { return }
    let columns = origin.columns.filter { $0.target == index }.map(\.source)
    let computed = origin.references.last { $0.target == index }?.values ?? [:]
    try snapshot.forEachRow(of: origin.source, columns) { key, found, row in
      let kept = found.first.flatMap { $0?.reference(at: row) }
      let reference = computed[key.number] ?? kept
      if let reference, try snapshot.view.contains(reference) { return }
      fail(
        key, origin.target.entity, relationship.name, .required,
        "\"\(relationship.name)\" must refer to an object.")
    }
  }

  private mutating func conflict(
    _ key: ObjectKey, _ stored: ObjectKey, of entity: String, _ names: [String], _ values: [Value]
  ) {
    conflicts.append(
      ConstraintConflict(
        entity: entity, constraint: names,
        values: Dictionary(zip(names, values)) { first, _ in first },
        storedObject: ObjectID(store: tag, key: stored),
        conflictingObjects: [ObjectID(store: tag, key: key)]))
  }

  /// Records a conflict for each pair of rows that will be written with the same values of some attributes.
  mutating func unique(_ names: [String], of entity: String, in origins: [RowOrigin]) throws {
    var seen: [[Value]: ObjectKey] = [:]
    for origin in origins {
      let indexes = names.compactMap { origin.target.index(of: $0) }
      guard indexes.count == names.count else { continue }
      let columns = indexes.map { index in origin.columns.first { $0.target == index } }
      try snapshot.forEachRow(of: origin.source, columns.compactMap { $0?.source }) {
        key, found, row in
        var rest = found[...]
        let values = zip(indexes, columns).map { index, column -> Value in
          guard let column else { return origin.target.columns[index].defaultValue }
          var value = rest.popFirst().flatMap { $0?.value(at: row) } ?? .null
          if let convert = column.convert { value = convert(value) }
          return value.isNull ? column.missing : value
        }
        if values.contains(where: \.isNull) { return }
        guard let other = seen.updateValue(key, forKey: values) else { return }
        conflict(key, other, of: entity, names, values)
      }
    }
  }

  /// Records a failure for each value of an attribute that breaks the attribute's rules.
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

  /// Records a failure for each object that does not meet a predicate of a relationship or a composite attribute.
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

  /// Records a failure for each object that refers to fewer or more objects than the relationship allows.
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
            "\(relationship.name)" refers to \(count) objects, and must refer to at least \(least).
            """)
        case .tooMany(let most):
          fail(
            key, layout.entity, relationship.name, .tooManyObjects,
            "\"\(relationship.name)\" refers to \(count) objects, and may refer to at most \(most)."
          )
        }
      }
    }
  }

  /// Records a conflict for each pair of objects of an entity that share the values of some attributes.
  mutating func unique(_ names: [String], in entity: String) throws {
    // Only a hash is kept for each object. Values are compared only if two hashes are equal.
    var seen: [Int: [ObjectKey]] = [:]
    for layout in layouts(of: entity) {
      let columns = names.compactMap { layout.index(of: $0).map { layout.columns[$0] } }
      guard columns.count == names.count else { continue }
      try snapshot.forEachRow(of: layout, columns) { key, found, row in
        let values = found.map { $0?.value(at: row) ?? .null }
        if values.contains(where: \.isNull) { return }
        let hash = values.hashValue
        for other in seen[hash] ?? [] where try self.values(of: other, names) == values {
          conflict(key, other, of: entity, names, values)
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
