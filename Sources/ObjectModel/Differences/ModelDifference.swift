/// The differences between two versions of a model, as data and in words.
///
///     let difference = ModelDifference(from: old, to: new)
///     print(difference.summary)       // 1 entity renamed, 2 properties changed. Stores must be …
///     for change in difference.changes { print(change) }
///
/// Renamed parts are recognized by their renaming identifiers (spec §2.5.3). Consequences of a renaming, such as
/// new destinations of relationships to a renamed entity, are not listed. Details of the source without meaning for
/// the model are not compared.
public struct ModelDifference: Sendable, Hashable {
  /// The changes: first of the entities in the order of their names, each with the changes of its properties,
  /// constraints and indexes. The changes of the model's remaining parts follow.
  public let changes: [Change]

  /// Whether the models are the same.
  public var isEmpty: Bool { changes.isEmpty }

  /// Whether version hashes differ, so that stores must be migrated.
  public var isSeenByHashes: Bool { changes.contains(where: \.isSeenByHashes) }

  /// One change.
  public struct Change: Sendable, Hashable {
    /// The part that changed. A part has its new name unless it was removed.
    public let subject: Subject
    /// The kind of the change.
    public let action: Action
    /// Whether the change affects version hashes.
    public let isSeenByHashes: Bool
  }

  /// The part of a model that changed.
  public enum Subject: Sendable, Hashable {
    case model
    case entity(String)
    /// A property, and the entity that declares it.
    case property(String, of: String)
    /// A uniqueness constraint, and its entity.
    case uniquenessConstraint([String], of: String)
    /// A fetch index, and its entity.
    case fetchIndex(String, of: String)
    case compositeType(String)
    /// An attribute of a composite type.
    case compositeAttribute(String, of: String)
    case configuration(String)
    case template(String)
  }

  /// The kind of a change.
  public enum Action: Sendable, Hashable {
    case added
    case removed
    /// The part was renamed from the given name.
    case renamed(from: String)
    /// A facet of the part changed.
    case changed(Facet, from: String, to: String)
  }

  /// A comparable aspect of a part. The raw value is a stable name.
  public enum Facet: String, Sendable, Hashable, CaseIterable {
    /// Whether a property is an attribute, a relationship or a fetched property.
    case kind
    case superentity
    /// Whether the entity has no objects of its own.
    case isAbstract
    /// The class of the objects.
    case className
    /// The order of the uniqueness constraints.
    case constraintOrder
    /// The indexes over several properties, in their older form.
    case compoundIndexes
    case type
    /// Whether the property may lack a value.
    case isOptional
    /// Whether the property is held in memory only.
    case isTransient
    /// The value of a new object.
    case defaultValue
    case minimum
    case maximum
    /// The regular expression for text.
    case pattern
    /// Whether the values are days without a time.
    case isDay
    /// The number of decimal places of the values.
    case places
    /// The predicates that values must meet.
    case validationPredicates
    /// The derivation of a derived attribute.
    case derivation
    /// The predicate that restricts a derived count.
    case derivationFilter
    case compositeType
    /// The transformer of a transformable attribute.
    case valueTransformer
    /// The class of a transformable attribute's values.
    case valueClass
    /// Whether large values are stored apart from their rows.
    case allowsExternalStorage
    /// Whether the value stays in the history after the object is deleted.
    case preservesValueOnDeletion
    /// The options that do not affect the version hash.
    case otherOptions
    /// The destination of a relationship.
    case destination
    /// The inverse of a relationship.
    case inverse
    /// The minimum and maximum number of objects of a relationship.
    case count
    /// Whether the objects of a relationship are ordered.
    case isOrdered
    /// The delete rule of a relationship.
    case deleteRule
    /// The fetch request of a template or of a fetched property.
    case request
    /// The elements of an index and its partial predicate.
    case elements
    /// The members of a configuration.
    case members
    /// The name in the previous version.
    case renamingIdentifier
    /// The text that changes the version hash.
    case versionHashModifier
    /// The author's names of the version.
    case versionIdentifiers
    case userInfo
  }
}
