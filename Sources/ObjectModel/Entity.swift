/// One kind of object: its name, its properties and its place in the inheritance tree.
///
///     var trip = Entity("Trip", properties: [
///       .attribute(Attribute("name", .string, isOptional: false)),
///       .relationship(Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
///     ])
///
/// An entity declares properties and inherits properties from its superentity. Members that begin with `declared`
/// contain the declared ones alone. ``properties``, ``attributes``, ``relationships`` and ``fetchedProperties`` contain
/// the inherited ones too:
///
///     model["Hotel"]!.declaredAttributes.map(\.name)    // ["stars"]
///     model["Hotel"]!.attributes.map(\.name)            // ["name", "stars"], name is declared by Place
///
/// An entity has its inherited properties once it is part of a ``Model``. In a ``Model/Description`` it has its declared
/// properties alone.
public struct Entity: Sendable, Hashable {
  /// The entity's name, unique in its model.
  public var name: String
  /// The class of the entity's objects, if not the general one. Not part of the version hash.
  public var className: String?
  /// Whether the entity only gives its properties to others and has no objects itself.
  public var isAbstract: Bool
  /// The name of the entity this one inherits from.
  public var superentity: String?
  /// The properties that this entity declares, in the order of their source.
  public var declaredProperties: [Property]
  /// Sets of attributes whose values, taken together, no two objects may share.
  public var uniquenessConstraints: [[String]]
  /// The indexes stores keep for fetching.
  public var fetchIndexes: [FetchIndex]
  /// The older way of asking for indexes over several properties, as model files before 2017 have it.
  public var compoundIndexes: [[String]]
  /// The name this entity had in the version before, for migration.
  public var renamingIdentifier: String?
  /// Text that changes the version hash when nothing else does.
  public var versionHashModifier: String?
  /// Notes of the application's own.
  public var userInfo: [String: String]
  /// What the source says beyond the entity.
  public var source: SourceDetails
  /// The properties of the superentity, once the entity is part of a model.
  var inheritance = Inheritance()

  /// An entity with the given name and parts.
  public init(
    _ name: String,
    className: String? = nil,
    isAbstract: Bool = false,
    superentity: String? = nil,
    properties: [Property] = [],
    uniquenessConstraints: [[String]] = [],
    fetchIndexes: [FetchIndex] = [],
    compoundIndexes: [[String]] = [],
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:],
    source: SourceDetails = SourceDetails()
  ) {
    self.name = name
    self.className = className
    self.isAbstract = isAbstract
    self.superentity = superentity
    declaredProperties = properties
    self.uniquenessConstraints = uniquenessConstraints
    self.fetchIndexes = fetchIndexes
    self.compoundIndexes = compoundIndexes
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
    self.source = source
  }
}

extension Entity {
  /// The attributes that this entity declares.
  public var declaredAttributes: [Attribute] { declaredProperties.attributes }

  /// The relationships that this entity declares.
  public var declaredRelationships: [Relationship] { declaredProperties.relationships }

  /// The fetched properties that this entity declares.
  public var declaredFetchedProperties: [FetchedProperty] {
    declaredProperties.fetchedProperties
  }
}

/// A named subset of a model's entities, to be kept in a store of its own.
public struct Configuration: Sendable, Hashable {
  /// The configuration's name.
  public var name: String
  /// The names of its entities.
  public var entities: [String]

  /// A configuration of the entities with the given names.
  public init(_ name: String, entities: [String]) {
    self.name = name
    self.entities = entities
  }
}

/// A group of attributes with a name of its own: the type of composite attributes.
public struct CompositeType: Sendable, Hashable {
  /// The type's name.
  public var name: String
  /// Its attributes, which may be composite in turn.
  public var attributes: [Attribute]
  /// What the source says beyond the type.
  public var source: SourceDetails

  /// A composite type of the given attributes.
  public init(_ name: String, attributes: [Attribute], source: SourceDetails = SourceDetails()) {
    self.name = name
    self.attributes = attributes
    self.source = source
  }
}

/// An index that stores keep so that fetching need not look at every row.
public struct FetchIndex: Sendable, Hashable {
  /// The index's name. Core Data accepts two indexes of one name in an entity.
  public var name: String
  /// What the index is sorted by, most significant first.
  public var elements: [Element]
  /// A predicate in text form; only objects that satisfy it are in the index.
  public var partialPredicate: String?

  /// One thing an index is sorted by.
  public struct Element: Sendable, Hashable {
    /// How an element is searched.
    public enum Kind: Int, Sendable, Hashable {
      /// Equality, ranges, prefixes and order.
      case binary = 0
      /// Ranges in several dimensions at once.
      case rTree = 1
      /// Words in text.
      case fullText = 2
    }

    /// The name of the property; for an expression the name that the model gives it, such as
    /// `expression0`.
    public var property: String
    /// The text of the expression that the element is over; `nil` for a property, and empty where the
    /// source has the name alone. Stores leave an index with an expression out.
    public var expression: String?
    /// How the element is searched.
    public var kind: Kind
    /// Whether the index is sorted upwards.
    public var isAscending: Bool
    /// The parts of the source that the element has no property for.
    public var source: SourceDetails

    /// An element over the given property, or over an expression of the given name.
    public init(
      _ property: String, expression: String? = nil, kind: Kind = .binary,
      isAscending: Bool = true, source: SourceDetails = SourceDetails()
    ) {
      self.property = property
      self.expression = expression
      self.kind = kind
      self.isAscending = isAscending
      self.source = source
    }

    /// The property's name, or the expression.
    public var text: String { expression.flatMap { $0.isEmpty ? nil : $0 } ?? property }
  }

  /// Whether stores can keep the index: each element is over a property and is searched as a value,
  /// and all objects are in the index.
  package var isPlain: Bool {
    partialPredicate == nil
      && elements.allSatisfy { $0.kind == .binary && $0.expression == nil }
  }

  /// An index over the given elements.
  public init(_ name: String, elements: [Element], partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }
}
