public import ObjectModel
public import ObjectQuery

/// A written mapping from the objects of one version of a model to the objects of another, like Core Data's
/// `NSMappingModel`.
///
///     let mapping = try MappingModel(
///       """
///       map Person -> Contact
///         fullName = $source.firstName + ' ' + $source.lastName
///       """, from: old, to: new)
///
/// Entities and properties that the mapping omits are carried over as an ``InferredMapping`` carries them.
public struct MappingModel: Sendable {
  public let source: Model
  public let destination: Model
  /// The mappings of the entities, in the order in which they run. Inferred mappings complete the written ones.
  public let entityMappings: [EntityMapping]

  /// Creates a mapping from its written parts, and completes it with inferred parts.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` for a part that contradicts the
  ///   models, or ``MigrationError/Code/notInferable`` for an omitted part that can't be inferred.
  public init(
    from source: Model, to destination: Model, _ mappings: [EntityMapping]
  ) throws(MigrationError) {
    self.source = source
    self.destination = destination
    entityMappings = try MappingCompletion(source, destination).complete(mappings)
  }

  /// The mapping with the given name.
  public subscript(name: String) -> EntityMapping? { entityMappings.first { $0.name == name } }
}

/// The mapping of the objects of one entity, like Core Data's `NSEntityMapping`.
public struct EntityMapping: Sendable, Hashable {
  /// The mapping's name, unique in its model. The default is `PersonToContact`.
  public var name: String
  /// The kind of the mapping. The raw values are Core Data's numbers.
  public var kind: Kind
  /// The source entity; `nil` for a mapping that takes no objects.
  public var sourceEntity: String?
  /// The destination entity; `nil` for a mapping that makes no objects.
  public var destinationEntity: String?
  /// The condition for source objects. `$source`, and a key path without a variable, refer to the object.
  public var sourcePredicate: QueryPredicate?
  /// The values of attributes and relationships.
  public var properties: [PropertyMapping]
  /// The name of the policy that replaces the usual steps.
  public var policyName: String?
  /// Whether omitted properties stay empty instead of being carried over.
  public var isExact: Bool
  public var userInfo: [String: String]

  /// The kind of an entity mapping.
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// A policy makes the objects.
    case custom = 1
    /// The entity is new and has no objects yet.
    case add = 2
    case remove = 3
    case copy = 4
    /// Each object becomes another object.
    case transform = 5
  }

  /// Creates a mapping of the given kind.
  public init(
    _ kind: Kind, from source: String? = nil, to destination: String? = nil, name: String? = nil,
    where predicate: QueryPredicate? = nil, properties: [PropertyMapping] = [],
    policy: String? = nil, isExact: Bool = false, userInfo: [String: String] = [:]
  ) {
    self.kind = kind
    sourceEntity = source
    destinationEntity = destination
    self.name =
      name
      ?? [source, destination].compactMap { $0 }.joined(separator: "To")
    sourcePredicate = predicate
    self.properties = properties
    policyName = policy
    self.isExact = isExact
    self.userInfo = userInfo
  }

  /// Returns a mapping from objects of one entity to objects of another.
  public static func transform(
    _ source: String, to destination: String, name: String? = nil,
    where predicate: QueryPredicate? = nil, policy: String? = nil,
    _ properties: [PropertyMapping] = []
  ) -> EntityMapping {
    EntityMapping(
      policy == nil ? .transform : .custom, from: source, to: destination, name: name,
      where: predicate, properties: properties, policy: policy)
  }

  /// Returns a mapping that drops the objects of an entity.
  public static func remove(_ source: String) -> EntityMapping {
    EntityMapping(.remove, from: source)
  }

  /// Returns a mapping for a new entity.
  public static func add(_ destination: String, policy: String? = nil) -> EntityMapping {
    EntityMapping(policy == nil ? .add : .custom, to: destination, policy: policy)
  }

  /// The mapping of a property.
  public subscript(property: String) -> PropertyMapping? {
    properties.first { $0.name == property }
  }
}

/// The value of one property, like Core Data's `NSPropertyMapping`.
public struct PropertyMapping: Sendable, Hashable {
  public var name: String
  /// The value. In the expression, `$source` is the mapped object. A relationship refers to the destination objects of
  /// the objects found. `nil` leaves the property empty.
  ///
  /// `FUNCTION($entityPolicy, "name", …)` calls the policy (``EntityMigrationPolicy/value(of:_:_:)``), and
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "Name", $source.x)` returns
  /// the destination objects that the named mapping made from the given objects.
  public var expression: QueryExpression?

  /// Creates the mapping of a property to a value.
  public init(_ name: String, _ expression: QueryExpression?) {
    self.name = name
    self.expression = expression
  }

  /// Creates the mapping of a property to an expression in the predicate language.
  ///
  /// - Throws: `QueryError` with the place in the text.
  public init(_ name: String, _ expression: String) throws(QueryError) {
    self.init(name, try QueryExpression(expression))
  }
}
