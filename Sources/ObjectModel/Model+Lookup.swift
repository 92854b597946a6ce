extension Model {
  /// What the model is made of.
  public var description: Description { storage.description }

  /// The model's entities, in the order of their source.
  public var entities: [Entity] { storage.entities }

  /// The entity of the given name.
  public subscript(name: String) -> Entity? {
    position(of: name).map { storage.entities[$0] }
  }

  /// The properties an object of the named entity has, inherited ones included, sorted by name as
  /// version hashes sort them (spec §2.4.2).
  ///
  /// Empty when the model has no such entity. The array is made on each call.
  public func properties(of entity: String) -> [Property] {
    guard let position = position(of: entity) else { return [] }
    return storage.allProperties[position].map { storage.index[$0] }
  }

  /// The property of the given name that an object of the named entity has, inherited or not.
  public func property(_ name: String, of entity: String) -> Property? {
    guard let position = position(of: entity) else { return nil }
    return storage.index.property(name, of: position).map { storage.index[$0] }
  }

  /// The relationship that leads back along the given one.
  public func inverse(of relationship: Relationship) -> Relationship? {
    guard let name = relationship.inverse,
      case .relationship(let inverse) = property(name, of: relationship.destination)
    else { return nil }
    return inverse
  }

  /// The entities that inherit directly from the named one, in the order of their source.
  public func subentities(of entity: String) -> [Entity] {
    guard let position = position(of: entity) else { return [] }
    return storage.subentities[position].map { storage.entities[$0] }
  }

  /// All entities depth first, siblings in the order of their names, case aside: the order in which Core Data, and stores
  /// of ours, number them.
  package var entitiesDepthFirst: [Entity] {
    func reversed(_ siblings: [Entity]) -> [Entity] {
      siblings.map { ($0.name.lowercased(), $0) }
        .sorted { ($0.0, $0.1.name) > ($1.0, $1.1.name) }
        .map(\.1)
    }
    // The walk keeps its own stack: inheritance may be as deep as the model is large.
    var waiting = reversed(entities.filter { $0.superentity == nil })
    var found: [Entity] = []
    while let entity = waiting.popLast() {
      found.append(entity)
      waiting += reversed(subentities(of: entity.name))
    }
    return found
  }

  /// The named entity and all that inherit from it, at any distance.
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

  /// The topmost entity that the named one inherits from; itself when it inherits from none.
  public func root(of entity: String) -> Entity? {
    guard var position = position(of: entity) else { return nil }
    while let parent = storage.index.parents[position] { position = parent }
    return storage.entities[position]
  }

  /// Whether the named entity is another one or inherits from it.
  public func entity(_ entity: String, isOrInheritsFrom other: String) -> Bool {
    guard let position = position(of: entity), let other = self.position(of: other) else {
      return false
    }
    return storage.index.entity(position, isOrInheritsFrom: other)
  }

  /// The composite type of the given name.
  public func composite(_ name: String) -> CompositeType? {
    storage.index.compositeByName[name].map { storage.description.composites[$0] }
  }

  /// Where the named entity stands among ``entities``.
  func position(of entity: String) -> Int? { storage.index.entityByName[entity] }
}

extension Model: Hashable {
  /// Whether both models are made of equal parts in the same order.
  public static func == (left: Model, right: Model) -> Bool {
    left.storage === right.storage || left.storage.description == right.storage.description
  }

  /// Feeds the model's parts into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.description) }
}
