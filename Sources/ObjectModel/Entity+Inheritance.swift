extension Entity {
  /// The properties that the entity inherits, beginning with the topmost superentity.
  ///
  /// Empty before the entity is part of a ``Model``. Each call creates the array.
  public var inheritedProperties: [Property] { inheritance.properties }

  /// The properties of the entity's objects: the inherited ones, then the declared ones.
  public var properties: [Property] { inheritedProperties + declaredProperties }

  /// The attributes of the entity's objects: the inherited ones, then the declared ones.
  public var attributes: [Attribute] { properties.attributes }

  /// The relationships of the entity's objects: the inherited ones, then the declared ones.
  public var relationships: [Relationship] { properties.relationships }

  /// The fetched properties of the entity's objects: the inherited ones, then the declared ones.
  public var fetchedProperties: [FetchedProperty] { properties.fetchedProperties }

  /// Returns the relationships of the entity's objects that have the given entity as their destination.
  ///
  /// Relationships to a superentity or a subentity of the given entity are not included.
  public func relationships(to destination: String) -> [Relationship] {
    relationships.filter { $0.destination == destination }
  }

  /// Returns the property with the given name that the entity declares or inherits.
  public subscript(name: String) -> Property? {
    declaredProperties.first { $0.name == name } ?? inheritance.property(name)
  }
}

/// The properties that an entity inherits. All entities that inherit these properties share this value.
///
/// Inherited properties follow from the model. So two entities are equal if their own parts are equal.
struct Inheritance: Sendable, Hashable {
  /// The declared properties of one superentity, and its superentity's level.
  private final class Level: Sendable {
    let properties: [Property]
    let above: Level?

    init(_ properties: [Property], above: Level?) {
      self.properties = properties
      self.above = above
    }
  }

  private var level: Level?

  init() {}

  /// Creates the inheritance that an entity passes to its subentities.
  init(from entity: Entity) {
    let above = entity.inheritance.level
    level =
      entity.declaredProperties.isEmpty ? above : Level(entity.declaredProperties, above: above)
  }

  /// All properties, beginning with the topmost entity.
  var properties: [Property] {
    var levels: [[Property]] = []
    var next = level
    while let level = next {
      levels.append(level.properties)
      next = level.above
    }
    return levels.reversed().flatMap { $0 }
  }

  func property(_ name: String) -> Property? {
    var next = level
    while let level = next {
      if let property = level.properties.first(where: { $0.name == name }) { return property }
      next = level.above
    }
    return nil
  }

  static func == (left: Inheritance, right: Inheritance) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
