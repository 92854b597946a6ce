/// What differs between two versions of a model, as data and in words.
///
///     let difference = ModelDifference(from: old, to: new)
///     print(difference.summary)       // 1 entity renamed, 2 properties changed. Stores must be …
///     for change in difference.changes { print(change) }
///
/// Renamed parts are recognised by their renaming identifiers (spec §2.5.3). What merely follows
/// from a renaming, such as the destinations of relationships that lead to a renamed entity, is not
/// listed again. Details of the source that mean nothing to the model are not compared.
public struct ModelDifference: Sendable, Hashable {
  /// The changes: first those of entities, in the order of their names, each followed by those of
  /// its properties, constraints and indexes; then those of the model's other parts.
  public let changes: [Change]

  /// Whether the models are the same.
  public var isEmpty: Bool { changes.isEmpty }

  /// Whether version hashes differ, so that stores must be migrated.
  public var isSeenByHashes: Bool { changes.contains(where: \.isSeenByHashes) }

  /// One change.
  public struct Change: Sendable, Hashable {
    /// What changed, under its new name unless it was removed.
    public let subject: Subject
    /// What became of it.
    public let action: Action
    /// Whether the change shows in version hashes.
    public let isSeenByHashes: Bool
  }

  /// The part of a model that changed.
  public enum Subject: Sendable, Hashable {
    /// The model itself.
    case model
    /// An entity.
    case entity(String)
    /// A property, and the entity that declares it.
    case property(String, of: String)
    /// A uniqueness constraint, and its entity.
    case uniquenessConstraint([String], of: String)
    /// A fetch index, and its entity.
    case fetchIndex(String, of: String)
    /// A composite type.
    case compositeType(String)
    /// An attribute of a composite type.
    case compositeAttribute(String, of: String)
    /// A configuration.
    case configuration(String)
    /// A fetch request template.
    case template(String)
  }

  /// What became of a part.
  public enum Action: Sendable, Hashable {
    /// It is new.
    case added
    /// It is gone.
    case removed
    /// It had the given name before.
    case renamed(from: String)
    /// Something about it is different.
    case changed(Facet, from: String, to: String)
  }

  /// What can be different about a part. The raw value is a stable name.
  public enum Facet: String, Sendable, Hashable, CaseIterable {
    /// Whether a property is an attribute, a relationship or a fetched property.
    case kind
    /// The superentity.
    case superentity
    /// Whether the entity has no objects itself.
    case isAbstract
    /// The class of the objects.
    case className
    /// The order of the uniqueness constraints.
    case constraintOrder
    /// The older kind of indexes over several properties.
    case compoundIndexes
    /// The attribute's type.
    case type
    /// Whether there may be no value.
    case isOptional
    /// Whether it lives in memory only.
    case isTransient
    /// The value of a new object.
    case defaultValue
    /// The lower bound.
    case minimum
    /// The upper bound.
    case maximum
    /// The regular expression for text.
    case pattern
    /// The predicates that values must meet.
    case validationPredicates
    /// How a derived value is computed.
    case derivation
    /// What restricts a derived count.
    case derivationFilter
    /// The composite type.
    case compositeType
    /// The transformer of a transformable attribute.
    case valueTransformer
    /// The class of a transformable attribute's values.
    case valueClass
    /// Whether large values are kept apart.
    case allowsExternalStorage
    /// Whether the value outlives the object in the history.
    case preservesValueOnDeletion
    /// The options that no hash sees.
    case otherOptions
    /// Where a relationship leads.
    case destination
    /// What leads back.
    case inverse
    /// How many objects a relationship may lead to.
    case count
    /// Whether the objects are in an order of their own.
    case isOrdered
    /// What becomes of the objects at the other end.
    case deleteRule
    /// A fetch request: a template's or a fetched property's.
    case request
    /// What an index is sorted by and restricted to.
    case elements
    /// The members of a configuration.
    case members
    /// The name in the version before.
    case renamingIdentifier
    /// The text that changes the version hash.
    case versionHashModifier
    /// What the author calls the version.
    case versionIdentifiers
    /// The application's notes.
    case userInfo
  }
}
