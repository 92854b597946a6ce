public import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// One run of a written mapping: the source objects, the objects being made, and the associations between them. It is
/// the counterpart of Core Data's `NSMigrationManager`.
public final class MigrationManager {
  /// Whether objects may break rules of the destination's model.
  var allowsInvalid = false
  public let mappingModel: MappingModel
  /// The context of the source objects. Changes in this context are not saved.
  public let sourceContext: ManagedObjectContext
  /// The context of the objects being made. It is saved during the migration.
  public let destinationContext: ManagedObjectContext
  /// Values that policies keep from one step to another.
  public var userInfo: [String: Any] = [:]
  /// The mapping that is being processed.
  public private(set) var currentEntityMapping: EntityMapping?

  /// The transformers of transformable attributes, by the names that the models give them.
  ///
  /// A policy usually reads values with `transformed(forKey:as:)` of an object. It uses a transformer itself for bytes
  /// that no attribute of an object has, such as the arguments of its functions.
  public var transformers: [String: ValueTransformer] {
    destinationContext.coordinator.transformers
  }

  private let source: PersistentStore
  private let destination: PersistentStore
  private var policies: [String: EntityMigrationPolicy] = [:]
  private var associations: [String: Associations] = [:]
  private var values: MappingValues
  /// Relationships that follow from their inverse, by entity.
  private var following: [String: Set<String>] = [:]
  private let report: (StoreCopy.Progress) throws -> Void
  private var progress = StoreCopy.Progress(done: 0, total: 0)

  init(
    _ mapping: MappingModel, from source: any StoreSnapshot, to destination: any Store,
    policies: [String: @Sendable () -> EntityMigrationPolicy],
    classes: [ManagedObject.Type], transformers: [ValueTransformer],
    report: @escaping (StoreCopy.Progress) throws -> Void
  ) throws {
    mappingModel = mapping
    self.report = report
    let before = PersistentStoreCoordinator(
      model: mapping.source, transformers: transformers)
    self.source = try before.add(SnapshotStore(source))
    sourceContext = ManagedObjectContext(before, concurrency: .confined)
    let after = PersistentStoreCoordinator(
      model: mapping.destination, classes: classes, transformers: transformers)
    self.destination = try after.add(destination)
    destinationContext = ManagedObjectContext(after, concurrency: .confined)
    destinationContext.defersValidation = true
    values = MappingValues(source, mapping.source)
    for mapping in mapping.entityMappings {
      guard let name = mapping.policyName else { continue }
      guard let make = policies[name] else {
        throw MigrationError.missingPolicy(name, of: mapping, among: policies.keys.sorted())
      }
      self.policies[mapping.name] = make()
    }
    for entity in mapping.destination.entities { following[entity.name] = followers(entity) }
  }

  private func policy(_ mapping: EntityMapping) -> EntityMigrationPolicy {
    policies[mapping.name] ?? usual
  }
  private let usual = EntityMigrationPolicy()
}

// MARK: - Associations

extension MigrationManager {
  /// Records that a source object has become a destination object. A source object may have several destination
  /// objects.
  public func associate(
    _ source: ManagedObject, with destination: ManagedObject, by mapping: EntityMapping
  ) {
    associations[mapping.name, default: Associations()].add(
      source.objectID.key, destination.objectID.key)
  }

  /// Returns the destination objects that some objects have become by one mapping, or by all mappings if `name` is
  /// `nil`.
  public func destinationInstances(
    of name: String? = nil, for sources: [ManagedObject]
  ) -> [ManagedObject] {
    sources.flatMap { object in
      mappingModel.entityMappings.flatMap { mapping -> [ManagedObject] in
        guard name == nil || mapping.name == name else { return [] }
        return (associations[mapping.name]?.destinations(of: object.objectID.key) ?? []).map(made)
      }
    }
  }

  /// Returns the source objects of some destination objects by one mapping, or by all mappings if `name` is `nil`.
  public func sourceInstances(
    of name: String? = nil, for destinations: [ManagedObject]
  ) -> [ManagedObject] {
    var found: [ManagedObject] = []
    for object in destinations {
      for mapping in mappingModel.entityMappings where name == nil || mapping.name == name {
        found += (associations[mapping.name]?.sources(of: object.objectID.key) ?? []).map(original)
      }
    }
    return found
  }

  private func original(_ key: ObjectKey) -> ManagedObject {
    sourceContext.object(with: ObjectID(store: source.tag, key: key))
  }

  private func made(_ key: ObjectKey) -> ManagedObject {
    destinationContext.object(with: ObjectID(store: destination.tag, key: key))
  }
}

// MARK: - Values

extension MigrationManager {
  /// Returns the value of a property for an object, as a mapping states it.
  ///
  /// - Returns: `nil` if the mapping states no value for the property.
  public func value(
    of property: String, for source: ManagedObject, _ mapping: EntityMapping
  ) throws -> MappingValue? {
    guard let written = mapping[property], let plan = try values.plan(written, mapping) else {
      return nil
    }
    return try value(
      plan, source, nil, try values.row(of: source.objectID.key), mapping, policy(mapping))
  }

  private func value(
    _ plan: MappingValues.Plan, _ source: ManagedObject, _ made: ManagedObject?, _ row: ViewRow?,
    _ mapping: EntityMapping, _ policy: EntityMigrationPolicy
  ) throws -> MappingValue {
    switch plan {
    case .object: return .objects([source])
    case .destination: return .objects(made.map { [$0] } ?? [])
    case .manager: return .manager(self)
    case .entityMapping: return .entityMapping(mapping)
    case .propertyMapping(let property): return .propertyMapping(property)
    case .column(let column):
      let value = try row?.value(column) ?? .null
      if case .object(let key) = value { return .objects([original(key)]) }
      return .value(value)
    case .source(let expression):
      guard let row else { return .value(.null) }
      switch try values.result(expression, source.objectID.key, row) {
      case .value(.object(let key)): return .objects([original(key)])
      case .value(let value): return .value(value)
      case .values(let values):
        return .objects(
          values.compactMap { if case .object(let key) = $0 { original(key) } else { nil } })
      }
    case .instances(mapping: let name, let inner):
      guard mappingModel[name] != nil else {
        throw MigrationError(.badMapping, "The mapping \"\(name)\" does not exist.")
      }
      guard case .objects(let sources) = try value(inner, source, made, row, mapping, policy)
      else {
        return .objects([])
      }
      return .objects(destinationInstances(of: name, for: sources))
    case .policy(let function, let arguments):
      return try policy.value(
        of: function, try arguments.map { try value($0, source, made, row, mapping, policy) }, self)
    }
  }

  /// Sets the attributes of an object as a mapping states.
  func setAttributes(
    of object: ManagedObject, from source: ManagedObject, _ mapping: EntityMapping,
    _ policy: EntityMigrationPolicy
  ) throws {
    let row = try values.row(of: source.objectID.key)
    for (property, attribute, plan) in try values.prepare(mapping, mappingModel.destination)
      .attributes
    {
      guard let plan else {
        // A required attribute keeps its default value, as it does for an expression without a value.
        if attribute.isOptional || attribute.defaultValue.isNull { object[property.name] = .null }
        continue
      }
      var found: Value?
      if case .value(let value) = try self.value(plan, source, object, row, mapping, policy) {
        found = value
      }
      if let fitting = try MappingValues.fitting(found, attribute, property, mapping, source) {
        object[property.name] = fitting
      }
    }
  }

  /// Sets the relationships of an object as a mapping states.
  func setRelationships(
    of object: ManagedObject, _ mapping: EntityMapping, _ policy: EntityMigrationPolicy
  ) throws {
    guard let entity = mapping.destinationEntity,
      let source = associations[mapping.name]?.sources(of: object.objectID.key).first.map(original)
    else { return }
    let skipped = following[entity] ?? []
    let row = try values.row(of: source.objectID.key)
    for (property, relationship, plan) in try values.prepare(mapping, mappingModel.destination)
      .relationships where !skipped.contains(property.name)
    {
      let found: [ManagedObject]
      switch try value(plan, source, object, row, mapping, policy) {
      case .objects(let objects): found = objects
      case .value(.null): continue
      default:
        throw MappingValues.refused(
          property, mapping, source,
          "the expression does not give objects, but the property is a relationship")
      }
      // A source object stands for its destination objects.
      let objects = found.flatMap { one in
        one.managedObjectContext === destinationContext
          ? [one] : destinationInstances(for: [one])
      }.filter {
        mappingModel.destination.entity(
          $0.entity.name, isOrInheritsFrom: relationship.destination)
      }
      guard relationship.isToMany || objects.count < 2 else {
        throw MappingValues.refused(
          property, mapping, source,
          "the expression gives \(objects.count) objects, but the relationship is to-one")
      }
      if objects.isEmpty { continue }
      object.setObjects(objects, forKey: property.name)
    }
  }

  /// Returns the relationships of an entity that are correct once their inverse is set. The inverse is to-one, or its
  /// name comes first, and all mappings carry both ends over.
  private func followers(_ entity: Entity) -> Set<String> {
    var names: Set<String> = []
    for case .relationship(let relationship) in mappingModel.destination.properties(of: entity.name)
    where relationship.isToMany && !relationship.keepsOrder {
      guard let inverse = mappingModel.destination.inverse(of: relationship), !inverse.keepsOrder,
        !inverse.isToMany
          || (relationship.destination, relationship.name) > (entity.name, inverse.name),
        isPlain(relationship.name, of: entity.name),
        isPlain(inverse.name, of: relationship.destination)
      else { continue }
      names.insert(relationship.name)
    }
    return names
  }

  /// Whether all mappings carry a relationship over unchanged.
  private func isPlain(_ name: String, of entity: String) -> Bool {
    let family = Set(mappingModel.destination.family(of: entity).map(\.name))
    let makers = mappingModel.entityMappings.filter {
      $0.destinationEntity.map(family.contains) ?? false
    }
    return makers.allSatisfy { mapping in
      if mapping.kind == .add { return true }
      guard mapping.policyName == nil, let source = mapping.sourceEntity,
        case .keyPath(of: .variable("source"), let path)? = mapping[name]?.expression,
        path.count == 1,
        case .relationship(let old)? = mappingModel.source.property(path[0], of: source)
      else { return false }
      return mappingModel.source.inverse(of: old) != nil
    }
  }
}

// MARK: - Running the mappings

extension MigrationManager {
  /// Runs all mappings.
  ///
  /// - Throws: Errors of policies, or ``MigrationError`` for objects that break rules of their model.
  func run() throws {
    let mappings = mappingModel.entityMappings.filter { $0.kind != .remove && $0.kind != .add }
    var sources: [String: [ObjectID]] = [:]
    for mapping in mappings {
      guard mapping.sourceEntity != nil else { continue }
      let found = try identifiers(mapping)
      sources[mapping.name] = found
      progress.total += found.count * 3
    }
    for mapping in mappings {
      currentEntityMapping = mapping
      let policy = policy(mapping)
      try policy.begin(mapping, self)
      try inBatches(sources.removeValue(forKey: mapping.name) ?? []) { id in
        try policy.createDestinationInstances(
          for: sourceContext.object(with: id), mapping, self)
      }
      try policy.endInstanceCreation(mapping, self)
      try save()
    }
    for mapping in mappings {
      currentEntityMapping = mapping
      let policy = policy(mapping)
      let made = associations[mapping.name]?.pairs.map(\.destination) ?? []
      try inBatches(made) { key in
        try policy.createRelationships(for: self.made(key), mapping, self)
      }
      try policy.endRelationshipCreation(mapping, self)
      try save()
    }
    for mapping in mappings {
      currentEntityMapping = mapping
      let policy = policy(mapping)
      try policy.validate(mapping, self)
      try policy.end(mapping, self)
      try save()
    }
    currentEntityMapping = nil
    try check()
  }

  private func identifiers(_ mapping: EntityMapping) throws -> [ObjectID] {
    guard let entity = mapping.sourceEntity, !(mappingModel.source[entity]?.isAbstract ?? true)
    else { return [] }
    return try mapping.identifiers(in: sourceContext).sorted { $0.key < $1.key }
  }

  private func inBatches<C: RandomAccessCollection>(
    _ all: C, _ body: (C.Element) throws -> Void
  ) throws {
    try all.forEachBatch { batch in
      // Objects without references are released at the end of `performAndWait`.
      try sourceContext.performAndWait {
        try destinationContext.performAndWait {
          for one in batch { try body(one) }
        }
      }
      try save()
      progress.done += batch.count
      // Policies may make any number of objects, so the total is not known beforehand.
      progress.total = max(progress.total, progress.done)
      try report(progress)
    }
  }

  private func save() throws {
    try destinationContext.performAndWait { try destinationContext.save() }
  }

  /// Checks all objects of the destination.
  private func check() throws {
    if allowsInvalid { return }
    var failures: [ValidationFailure] = []
    let model = mappingModel.destination
    let head = try destination.store.snapshot()
    for entity in model.entities where !entity.isAbstract {
      guard let layout = head.schema[entity.name] else { continue }
      let keys = try head.view.keys(ofEntity: layout.entityNumber)
      try inBatches(keys) { number in
        guard failures.count < 1000 else { return }
        failures += destinationContext.failures(
          of: made(ObjectKey(entity: layout.entityNumber, number: number)))
      }
    }
    var check = ObjectsCheck(try destination.store.snapshot(), model, destination.tag)
    for entity in model.entities {
      for columns in entity.uniquenessConstraints { try check.unique(columns, in: entity.name) }
    }
    check.failures = failures + check.failures
    guard check.isValid else { throw MigrationError.invalid(check) }
  }
}

extension MigrationError {
  static func missingPolicy(
    _ name: String, of mapping: EntityMapping, among known: [String]
  ) -> MigrationError {
    let names = known.map { "\"\($0)\"" }.joined(separator: ", ")
    return MigrationError(
      .missingPolicy,
      """
      The mapping "\(mapping.name)" names the policy "\(name)", which this program does not have\
      \(names.isEmpty ? "." : "; it has \(names).")
      """)
  }

  static func invalid(_ check: ObjectsCheck) -> MigrationError {
    let count = check.failures.count + check.conflicts.count
    return MigrationError(
      .invalidResult,
      """
      The migrated objects would have \(count == 1 ? "a problem" : "\(count) problems"), so the \
      store stays unchanged. Change the objects first, or allow invalid objects \
      (allowsInvalid, or --allow-invalid):
      """, failures: check.failures, constraintConflicts: check.conflicts)
  }
}
