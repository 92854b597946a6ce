extension Model {
  /// The parts of the model.
  public var description: Description { storage.description }

  /// The model's entities, in the order of their source.
  public var entities: [Entity] { storage.entities }

  /// Returns the entity with the given name.
  public subscript(name: String) -> Entity? {
    position(of: name).map { storage.entities[$0] }
  }

  /// Returns the properties of the named entity's objects, including inherited properties, sorted by name as in
  /// version hashes (spec §2.4.2).
  ///
  /// Returns an empty array if the entity is not in the model. Each call creates the array.
  public func properties(of entity: String) -> [Property] {
    guard let position = position(of: entity) else { return [] }
    return storage.allProperties[position].map { storage.index[$0] }
  }

  /// Returns the property with the given name that the named entity declares or inherits.
  public func property(_ name: String, of entity: String) -> Property? {
    guard let position = position(of: entity) else { return nil }
    return storage.index.property(name, of: position).map { storage.index[$0] }
  }

  /// Returns the properties of an entity in the order of the model, inherited properties first.
  package func orderedProperties(of entity: String) -> [Property] {
    let line = sequence(first: entity) { self[$0]?.superentity }.compactMap { self[$0] }
    return line.reversed().flatMap(\.declaredProperties)
      .compactMap { property($0.name, of: entity) }
  }

  /// Returns whether objects may refer to an object of an entity, so that they contain its identifier.
  package func isReferred(to entity: String) -> Bool {
    description.entities.contains { other in
      other.declaredProperties.contains { property in
        guard case .relationship(let relationship) = property else { return false }
        return self.entity(entity, isOrInheritsFrom: relationship.destination)
      }
    }
  }

  /// Returns the attributes that are unique on their own among the objects of an entity, each with the entity that declares
  /// it unique. The attributes of the entity itself come first.
  package func uniqueAttributes(of entity: String) -> [(entity: String, name: String)] {
    let line = sequence(first: entity) { self[$0]?.superentity }
    return line.flatMap { name in
      (self[name]?.uniquenessConstraints ?? []).filter { $0.count == 1 }
        .map { (entity: name, name: $0[0]) }
    }
  }

  /// Returns the inverse of the given relationship.
  public func inverse(of relationship: Relationship) -> Relationship? {
    guard let name = relationship.inverse,
      case .relationship(let inverse) = property(name, of: relationship.destination)
    else { return nil }
    return inverse
  }

  /// Returns the direct subentities of the named entity, in the order of their source.
  public func subentities(of entity: String) -> [Entity] {
    guard let position = position(of: entity) else { return [] }
    return storage.subentities[position].map { storage.entities[$0] }
  }

  /// All entities depth first, siblings in the order of their names without regard to case. Core Data and Quire's
  /// stores number entities in this order.
  package var entitiesDepthFirst: [Entity] {
    func reversed(_ siblings: [Entity]) -> [Entity] {
      siblings.map { ($0.name.lowercased(), $0) }
        .sorted { ($0.0, $0.1.name) > ($1.0, $1.1.name) }
        .map(\.1)
    }
    // The walk keeps its own stack instead of recursing, because inheritance may be very deep.
    var waiting = reversed(entities.filter { $0.superentity == nil })
    var found: [Entity] = []
    while let entity = waiting.popLast() {
      found.append(entity)
      waiting += reversed(subentities(of: entity.name))
    }
    return found
  }

  /// Returns the named entity and all entities that inherit from it, at any distance.
  public func family(of entity: String) -> [Entity] {
    guard let position = position(of: entity) else { return [] }
    var found: [Entity] = []
    var waiting = [position]
    while let next = waiting.popLast() {
      found.append(storage.entities[next])
      waiting.append(contentsOf: storage.subentities[next].reversed())
    }
    return found
  }

  /// Returns the topmost superentity of the named entity, or the entity itself if it has no superentity.
  public func root(of entity: String) -> Entity? {
    guard var position = position(of: entity) else { return nil }
    while let parent = storage.index.parents[position] { position = parent }
    return storage.entities[position]
  }

  /// Returns whether the named entity is another entity or inherits from it.
  public func entity(_ entity: String, isOrInheritsFrom other: String) -> Bool {
    guard let position = position(of: entity), let other = self.position(of: other) else {
      return false
    }
    return storage.index.entity(position, isOrInheritsFrom: other)
  }

  /// Returns the composite type with the given name.
  public func composite(_ name: String) -> CompositeType? {
    storage.index.compositeByName[name].map { storage.description.composites[$0] }
  }

  /// Returns the type of a composite attribute; `nil` for another attribute, and for a type that the model lacks.
  package func composite(of attribute: Attribute) -> CompositeType? {
    attribute.compositeName.flatMap(composite)
  }

  /// Returns the position of the named entity in ``entities``.
  package func position(of entity: String) -> Int? { storage.index.entityByName[entity] }
}

extension Model: Hashable {
  /// Returns whether both models consist of equal parts in the same order.
  public static func == (left: Model, right: Model) -> Bool {
    left.storage === right.storage || left.storage.description == right.storage.description
  }

  /// Feeds the model's parts into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.description) }
}

// Positions in the model's lists.
extension Model {
  /// The positions of the composite types, each after the types that it contains.
  package var compositesPartsFirst: [Int] { storage.index.compositesPartsFirst }

  /// Returns the position of the composite type with the given name.
  package func position(ofComposite name: String) -> Int? { storage.index.compositeByName[name] }

  /// Returns the positions of the entity that declares a property, and of the property among those that it declares.
  package func declaration(
    of property: String, in entity: String
  ) -> (entity: Int, property: Int)? {
    position(of: entity).flatMap { storage.index.property(property, of: $0) }
      .map { ($0.entity, $0.property) }
  }
}
