import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// What a dry run finds out about a written mapping. A policy's results are known only when the migration runs.
extension MappingModel {
  /// Binds all expressions and conditions of the mapping.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` for an expression that a migration would
  ///   refuse, whatever the objects are.
  func checkExpressions() throws {
    var values = try MappingValues(source)
    for mapping in entityMappings where mapping.sourceEntity != nil {
      let prepared = try values.prepare(mapping, destination)
      for (property, _, plan) in prepared.attributes where plan?.givesObjects ?? false {
        throw MigrationError(
          .badMapping,
          """
          The value of "\(property.name)" in the mapping "\(mapping.name)" is an object, but the property is an \
          attribute.
          """)
      }
      let plans = prepared.attributes.compactMap(\.plan) + prepared.relationships.map(\.plan)
      for name in plans.flatMap(\.mappingNames) where self[name] == nil {
        throw MigrationError(.badMapping, "The mapping \"\(name)\" does not exist.")
      }
    }
  }

  /// Returns the rules of attributes that the objects would break which the mapping makes of the objects of a snapshot.
  ///
  /// Entities with a policy are passed over, and so are values that a policy or another mapping gives.
  ///
  /// - Throws: ``MigrationError`` as the migration throws it, for a value that does not fit its attribute.
  func violations(
    in snapshot: any StoreSnapshot, of tag: StoreTag
  ) throws -> [ValidationFailure] {
    let coordinator = PersistentStoreCoordinator(model: source)
    try coordinator.add(SnapshotStore(snapshot))
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    var values = MappingValues(snapshot, source)
    var failures: [ValidationFailure] = []
    for mapping in entityMappings where mapping.policyName == nil && mapping.sourceEntity != nil {
      guard let entity = mapping.destinationEntity else { continue }
      let trials = try trials(mapping, entity, &values)
      let keys = try mapping.identifiers(in: context).sorted { $0.key < $1.key }
      if trials.isEmpty { continue }
      try keys.forEachBatch { batch in
        try context.performAndWait {
          for id in batch {
            guard let row = try values.row(of: id.key) else { continue }
            for trial in trials {
              let found = try trial.plan.map { try values.value($0, id.key, row) } ?? .some(.null)
              let value =
                try MappingValues.fitting(
                  found, trial.attribute, trial.property, mapping, context.object(with: id))
                ?? trial.attribute.defaultValue
              guard failures.count < 1000, let problem = trial.check.failure(of: value) else {
                continue
              }
              failures.append(
                ValidationFailure(
                  object: ObjectID(store: tag, key: id.key), entity: entity,
                  key: trial.property.name, rule: problem.rule, message: problem.message,
                  code: problem.code))
            }
          }
        }
      }
    }
    return failures
  }

  /// An attribute whose values a dry run computes.
  private struct Trial {
    let property: PropertyMapping
    let attribute: Attribute
    /// The value; `nil` for an attribute that stays empty.
    let plan: MappingValues.Plan?
    let check: ValueCheck
  }

  private func trials(
    _ mapping: EntityMapping, _ entity: String, _ values: inout MappingValues
  ) throws -> [Trial] {
    var trials = try values.prepare(mapping, destination).attributes.compactMap {
      property, attribute, plan -> Trial? in
      guard plan?.readsSourceOnly ?? true else { return nil }
      // The parts of a composite attribute are required together with it.
      let isRequired = !attribute.isOptional && !property.name.contains(".")
      return Trial(
        property: property, attribute: attribute, plan: plan,
        check: ValueCheck(attribute, isRequired: isRequired))
    }
    for case .attribute(let attribute) in destination.properties(of: entity)
    where mapping[attribute.name] == nil && !attribute.isTransient && !attribute.isOptional
      && attribute.derivation == nil && attribute.type != .composite
    {
      trials.append(
        Trial(
          property: PropertyMapping(attribute.name, QueryExpression?.none), attribute: attribute,
          plan: nil, check: ValueCheck(attribute, isRequired: true)))
    }
    return trials
  }
}
