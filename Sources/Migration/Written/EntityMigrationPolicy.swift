public import ObjectGraph
public import ObjectModel

/// The steps by which the objects of one entity become objects of another, like Core Data's
/// `NSEntityMigrationPolicy`. Subclass it to replace some steps.
///
///     final class ToDoPolicy: EntityMigrationPolicy {
///       override func createDestinationInstances(
///         for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
///       ) throws {
///         try super.createDestinationInstances(for: source, mapping, manager)
///         let made = manager.destinationInstances(of: mapping.name, for: [source])
///         …
///       }
///     }
///
/// Every step can use both sides: `manager.sourceContext` has the old objects and `manager.destinationContext` the
/// new ones. Steps run in this order. For each mapping ``begin(_:_:)`` runs, then
/// ``createDestinationInstances(for:_:_:)`` for every object, then ``endInstanceCreation(_:_:)``. Then for each
/// mapping ``createRelationships(for:_:_:)`` runs for every object made, then ``endRelationshipCreation(_:_:)``. Then
/// ``validate(_:_:)`` and ``end(_:_:)`` run for each. New objects are saved in between, so keep identifiers rather
/// than objects from one step to the next.
open class EntityMigrationPolicy {
  /// Creates a policy. The migration creates one for each mapping that names it.
  public init() {}

  /// Runs before the other steps of the mapping.
  open func begin(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Makes the destination objects of one source object: one object with the attributes of the mapping, or several,
  /// or none.
  ///
  /// An override records each object that it makes with ``MigrationManager/associate(_:with:by:)``, so that
  /// relationships find the object.
  open func createDestinationInstances(
    for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
  ) throws {
    guard let entity = mapping.destinationEntity else { return }
    let made = try manager.destinationContext.insert(entity)
    try manager.setAttributes(of: made, from: source, mapping, self)
    manager.associate(source, with: made, by: mapping)
  }

  /// Runs when all objects of the mapping are made.
  open func endInstanceCreation(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Sets the relationships of a new object as the mapping states.
  open func createRelationships(
    for destination: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
  ) throws {
    try manager.setRelationships(of: destination, mapping, self)
  }

  /// Runs when all relationships of the mapping are set.
  open func endRelationshipCreation(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Checks the new objects. A thrown error ends the migration. The rules of the model are checked in any case.
  open func validate(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Runs after the other steps of the mapping.
  open func end(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Returns the value of `FUNCTION($entityPolicy, "name", …)` in the expressions of a mapping.
  ///
  /// The arguments are in the order of the expression. `$manager`, `$entityMapping` and `$propertyMapping` may be
  /// among them, as in mappings of Core Data; a function that does not need them passes over them.
  ///
  /// - Throws: ``MigrationError`` if the policy has no such function. Subclasses override this to provide functions.
  open func value(
    of function: String, _ arguments: [MappingValue], _ manager: MigrationManager
  ) throws -> MappingValue {
    throw MigrationError(
      .badMapping, "The policy \(type(of: self)) has no function \"\(function)\".")
  }
}

/// The value of an expression in a mapping.
public enum MappingValue {
  case value(Value)
  /// Objects of the source. They are objects of the destination if the expression asks for these.
  case objects([ManagedObject])
  /// The running migration: the argument `$manager` of a policy's function.
  case manager(MigrationManager)
  /// The mapping of the entity: the argument `$entityMapping` of a policy's function.
  case entityMapping(EntityMapping)
  /// The mapping of the property: the argument `$propertyMapping` of a policy's function.
  case propertyMapping(PropertyMapping)
}
