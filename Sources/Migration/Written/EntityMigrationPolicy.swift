public import ObjectGraph
public import ObjectModel

/// The steps by which the objects of one entity become those of another: what `NSEntityMigrationPolicy` is to
/// Core Data. Subclass it to do some of them in another way.
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
/// Both sides are at hand in every step: `manager.sourceContext` has the objects as they were and
/// `manager.destinationContext` those that are being made. Steps come in this order: for each mapping
/// ``begin(_:_:)``, ``createDestinationInstances(for:_:_:)`` for every object, ``endInstanceCreation(_:_:)``;
/// then for each ``createRelationships(for:_:_:)`` for every object made, ``endRelationshipCreation(_:_:)``;
/// then for each ``validate(_:_:)`` and ``end(_:_:)``. What is made is kept in the store as it goes, so hold
/// identifiers rather than objects from one step to the next.
open class EntityMigrationPolicy {
  /// A policy. One is made for each mapping that names it.
  public init() {}

  /// Comes before anything else of the mapping.
  open func begin(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Makes what an object becomes: one object with the attributes that the mapping says, or several, or none.
  ///
  /// Whatever is made for an object is noted with ``MigrationManager/associate(_:with:by:)``, so that
  /// relationships find it.
  open func createDestinationInstances(
    for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
  ) throws {
    guard let entity = mapping.destinationEntity else { return }
    let made = try manager.destinationContext.insert(entity)
    try manager.setAttributes(of: made, from: source, mapping, self)
    manager.associate(source, with: made, by: mapping)
  }

  /// Comes when all objects of the mapping are made.
  open func endInstanceCreation(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Leads the relationships of an object that was made to where the mapping says.
  open func createRelationships(
    for destination: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
  ) throws {
    try manager.setRelationships(of: destination, mapping, self)
  }

  /// Comes when all relationships of the mapping lead somewhere.
  open func endRelationshipCreation(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Looks at what was made; whatever is thrown ends the migration. What the model asks is looked at anyway.
  open func validate(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// Comes last of the mapping.
  open func end(_ mapping: EntityMapping, _ manager: MigrationManager) throws {}

  /// What `FUNCTION($entityPolicy, "name", …)` gives in the expressions of a mapping.
  ///
  /// - Throws: That the policy has no such function, unless a subclass has it.
  open func value(
    of function: String, _ arguments: [MappingValue], _ manager: MigrationManager
  ) throws -> MappingValue {
    throw MigrationError(
      .badMapping, "The policy \(type(of: self)) has no function \"\(function)\".")
  }
}

/// The value of an expression in a mapping.
public enum MappingValue {
  /// A value.
  case value(Value)
  /// Objects, of the source or, where they were asked for, of the destination.
  case objects([ManagedObject])
}
