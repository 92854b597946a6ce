/// One property of an entity: an attribute, a relationship or a fetched property.
public enum Property: Sendable, Hashable {
  case attribute(Attribute)
  /// A link to other objects, kept consistent at both ends.
  case relationship(Relationship)
  /// The result of a fetch request, evaluated when the property is read.
  case fetched(FetchedProperty)
}

extension Property {
  /// The property's name, unique among the properties that the entity declares and inherits.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    case .fetched(let property): property.name
    }
  }

  /// Whether the property may lack a value.
  public var isOptional: Bool {
    switch self {
    case .attribute(let attribute): attribute.isOptional
    case .relationship(let relationship): relationship.isOptional
    case .fetched(let property): property.isOptional
    }
  }

  /// Whether the property is held in memory only. Always true for a fetched property.
  public var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    case .fetched: true
    }
  }

  /// The name of the property in the previous version, for migration.
  public var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    case .fetched(let property): property.renamingIdentifier
    }
  }

  /// A text that changes the version hash, for a change that the hash does not otherwise cover.
  public var versionHashModifier: String? {
    switch self {
    case .attribute(let attribute): attribute.versionHashModifier
    case .relationship(let relationship): relationship.versionHashModifier
    case .fetched(let property): property.versionHashModifier
    }
  }

  public var userInfo: [String: String] {
    switch self {
    case .attribute(let attribute): attribute.userInfo
    case .relationship(let relationship): relationship.userInfo
    case .fetched(let property): property.userInfo
    }
  }

  /// The kind of the property in words: attribute, relationship or fetched property.
  public var kind: String {
    switch self {
    case .attribute: "attribute"
    case .relationship: "relationship"
    case .fetched: "fetched property"
    }
  }
}

extension [Property] {
  /// The attributes among the properties.
  package var attributes: [Attribute] {
    compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
  }

  /// The relationships among the properties.
  package var relationships: [Relationship] {
    compactMap { if case .relationship(let relationship) = $0 { relationship } else { nil } }
  }

  /// The fetched properties among the properties.
  package var fetchedProperties: [FetchedProperty] {
    compactMap { if case .fetched(let property) = $0 { property } else { nil } }
  }
}
