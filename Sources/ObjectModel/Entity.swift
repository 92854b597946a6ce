/// One kind of object: a name, properties and a place in the inheritance tree.
///
///     var trip = Entity("Trip", properties: [
///       .attribute(Attribute("name", .string, isOptional: false)),
///       .relationship(Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
///     ])
///
/// An entity declares properties and inherits properties from its superentity. Members that begin with `declared`
/// contain only the declared properties.
/// ``properties``, ``attributes``, ``relationships`` and ``fetchedProperties`` contain the inherited properties
/// too:
///
///     model["Hotel"]!.declaredAttributes.map(\.name)    // ["stars"]
///     model["Hotel"]!.attributes.map(\.name)            // ["name", "stars"], name is declared by Place
///
/// An entity has its inherited properties once it is part of a ``Model``. In a ``Model/Description`` it has only
/// its declared properties.
public struct Entity: Sendable, Hashable {
  /// The entity's name, unique in its model.
  public var name: String
  /// The class of the entity's objects, unless it is the general class. Not part of the version hash.
  public var className: String?
  /// Whether the entity only passes its properties to subentities and has no objects of its own.
  public var isAbstract: Bool
  /// The name of the superentity.
  public var superentity: String?
  /// The properties that the entity declares, in the order of their source.
  public var declaredProperties: [Property]
  /// Sets of attributes whose combined values no two objects may share.
  public var uniquenessConstraints: [[String]]
  /// The indexes that stores keep for fetching.
  public var fetchIndexes: [FetchIndex]
  /// Indexes over several properties, in the older form of model files before 2017.
  public var compoundIndexes: [[String]]
  /// The name of the entity in the previous version, for migration.
  public var renamingIdentifier: String?
  /// A text that changes the version hash, for a change that the hash does not otherwise cover.
  public var versionHashModifier: String?
  public var userInfo: [String: String]
  /// The details of the source that the entity has no property for.
  public var source: SourceDetails
  /// The inherited properties, once the entity is part of a model.
  var inheritance = Inheritance()

  /// Creates an entity with the given name and parts.
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
  /// The attributes that the entity declares.
  public var declaredAttributes: [Attribute] { declaredProperties.attributes }

  /// The relationships that the entity declares.
  public var declaredRelationships: [Relationship] { declaredProperties.relationships }

  /// The fetched properties that the entity declares.
  public var declaredFetchedProperties: [FetchedProperty] {
    declaredProperties.fetchedProperties
  }
}

/// A named subset of a model's entities, to be kept in its own store.
public struct Configuration: Sendable, Hashable {
  public var name: String
  /// The names of the configuration's entities.
  public var entities: [String]

  /// Creates a configuration of the entities with the given names.
  public init(_ name: String, entities: [String]) {
    self.name = name
    self.entities = entities
  }
}

/// A group of attributes with its own name: the type of composite attributes.
public struct CompositeType: Sendable, Hashable {
  public var name: String
  /// The type's attributes, which may be composite too.
  public var attributes: [Attribute]
  /// The details of the source that the type has no property for.
  public var source: SourceDetails

  /// Creates a composite type with the given attributes.
  public init(_ name: String, attributes: [Attribute], source: SourceDetails = SourceDetails()) {
    self.name = name
    self.attributes = attributes
    self.source = source
  }
}

/// An index that stores keep, so that a fetch need not read every row.
public struct FetchIndex: Sendable, Hashable {
  /// The index's name. Core Data accepts two indexes with the same name in an entity.
  public var name: String
  /// The sort elements of the index, the most significant first.
  public var elements: [Element]
  /// A predicate in text form. The index contains only objects that meet the predicate.
  public var partialPredicate: String?

  /// One sort element of an index.
  public struct Element: Sendable, Hashable {
    /// The kind of search that an element supports.
    public enum Kind: Int, Sendable, Hashable {
      /// Equality, ranges, prefixes and order.
      case binary = 0
      /// Ranges in several dimensions at the same time.
      case rTree = 1
      case fullText = 2
    }

    /// The name of the property. For an expression it is the name in the model, such as `expression0`.
    public var property: String
    /// The text of the element's expression. It is `nil` for a property, and empty if the source has only the name.
    /// Stores leave out an index with an expression.
    public var expression: String?
    /// The kind of search that the element supports.
    public var kind: Kind
    /// Whether the index is sorted in ascending order.
    public var isAscending: Bool
    /// The details of the source that the element has no property for.
    public var source: SourceDetails

    /// Creates an element over the given property, or over an expression with the given name.
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

  /// Whether stores can keep the index. Each element must be over a property and be searched as a value, and the
  /// index must contain all objects.
  package var isPlain: Bool {
    partialPredicate == nil
      && elements.allSatisfy { $0.kind == .binary && $0.expression == nil }
  }

  /// The properties whose words stores find: the elements of the kind ``Element/Kind/fullText`` of an index that contains
  /// all objects.
  package var wordedTexts: [String] {
    guard partialPredicate == nil else { return [] }
    return elements.filter { $0.kind == .fullText && $0.expression == nil }.map(\.property)
  }

  /// Creates an index over the given elements.
  public init(_ name: String, elements: [Element], partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }
}
