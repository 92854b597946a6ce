public import ObjectModel
public import ObjectQuery

/// How the objects of one version of a model become those of another, as somebody wrote it down: what
/// `NSMappingModel` is to Core Data.
///
///     let mapping = try MappingModel(
///       """
///       map Person -> Contact
///         fullName = $source.firstName + ' ' + $source.lastName
///       """, from: old, to: new)
///
/// Entities and properties that it does not speak of are carried over as an ``InferredMapping`` carries them.
public struct MappingModel: Sendable {
  /// The older version.
  public let source: Model
  /// The newer version.
  public let destination: Model
  /// What becomes of the entities, in the order in which it is done. Complete: what was not written is here
  /// as it was inferred.
  public let entityMappings: [EntityMapping]

  /// A mapping that somebody wrote, completed with what follows from the models.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badMapping`` for what the models do not
  ///   bear out, or ``MigrationError/Code/notInferable`` for what was left out and can't be inferred.
  public init(
    from source: Model, to destination: Model, _ mappings: [EntityMapping]
  ) throws(MigrationError) {
    self.source = source
    self.destination = destination
    entityMappings = try MappingCompletion(source, destination).complete(mappings)
  }

  /// The mapping of the given name.
  public subscript(name: String) -> EntityMapping? { entityMappings.first { $0.name == name } }
}

/// What becomes of the objects of one entity: what `NSEntityMapping` is to Core Data.
public struct EntityMapping: Sendable, Hashable {
  /// The mapping's name, unique in its model: `PersonToContact` unless said otherwise.
  public var name: String
  /// What is done. The raw values are Core Data's numbers.
  public var kind: Kind
  /// The entity whose objects it takes; `nil` for one that takes none.
  public var sourceEntity: String?
  /// The entity whose objects it makes; `nil` for one that makes none.
  public var destinationEntity: String?
  /// Which objects it takes: in it `$source` is the object, and so is what no variable stands before.
  public var sourcePredicate: QueryPredicate?
  /// What attributes and relationships get.
  public var properties: [PropertyMapping]
  /// The name of the policy whose steps are taken in the place of the usual ones.
  public var policyName: String?
  /// Whether properties that are not spoken of stay empty, rather than being carried over.
  public var isExact: Bool
  /// Notes of the application's own.
  public var userInfo: [String: String]

  /// What a mapping does.
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// It makes what a policy says.
    case custom = 1
    /// The entity is new and has no objects yet.
    case add = 2
    /// The objects are let go.
    case remove = 3
    /// The objects stay what they are.
    case copy = 4
    /// Each object becomes another.
    case transform = 5
  }

  /// A mapping of the given kind.
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

  /// Objects of one entity become objects of another.
  public static func transform(
    _ source: String, to destination: String, name: String? = nil,
    where predicate: QueryPredicate? = nil, policy: String? = nil,
    _ properties: [PropertyMapping] = []
  ) -> EntityMapping {
    EntityMapping(
      policy == nil ? .transform : .custom, from: source, to: destination, name: name,
      where: predicate, properties: properties, policy: policy)
  }

  /// The objects of an entity are let go.
  public static func remove(_ source: String) -> EntityMapping {
    EntityMapping(.remove, from: source)
  }

  /// An entity is new.
  public static func add(_ destination: String, policy: String? = nil) -> EntityMapping {
    EntityMapping(policy == nil ? .add : .custom, to: destination, policy: policy)
  }

  /// The mapping of a property.
  public subscript(property: String) -> PropertyMapping? {
    properties.first { $0.name == property }
  }
}

/// What one property gets: what `NSPropertyMapping` is to Core Data.
public struct PropertyMapping: Sendable, Hashable {
  /// The property's name.
  public var name: String
  /// The value. In it `$source` is the object that is mapped; a relationship leads to what the objects found
  /// have become. `nil` leaves the property empty.
  ///
  /// `FUNCTION($entityPolicy, "name", …)` asks the policy (``EntityMigrationPolicy/value(of:_:_:)``), and
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "Name", $source.x)`
  /// gives what certain objects have become by a certain mapping.
  public var expression: QueryExpression?

  /// A property and its value.
  public init(_ name: String, _ expression: QueryExpression?) {
    self.name = name
    self.expression = expression
  }

  /// A property and its value, in the predicate language.
  ///
  /// - Throws: `QueryError` with the place in the text.
  public init(_ name: String, _ expression: String) throws(QueryError) {
    self.init(name, try QueryExpression(expression))
  }
}
