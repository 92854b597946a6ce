extension Model {
  /// What a model keeps: its checked description and the answers that are asked for often.
  final class Storage: Sendable {
    let description: Description
    let indexByName: [String: Int]
    /// For each entity, its own and inherited properties, sorted by name as hashes sort them.
    let allProperties: [[Property]]
    /// For each entity, the positions of the entities that inherit from it directly.
    let subentities: [[Int]]

    /// - Precondition: `description` has been checked.
    init(_ description: Description) {
      self.description = description
      let entities = description.entities
      let indexByName = Dictionary(
        entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
      self.indexByName = indexByName
      allProperties = entities.map { entity in
        var byName: [String: Property] = [:]
        var next: Entity? = entity
        while let one = next {
          for property in one.properties where byName[property.name] == nil {
            byName[property.name] = property
          }
          next = one.superentity.flatMap { indexByName[$0] }.map { entities[$0] }
        }
        return byName.values.sorted { $0.name.precedesInHashes($1.name) }
      }
      var subentities = [[Int]](repeating: [], count: entities.count)
      for (index, entity) in entities.enumerated() {
        if let parent = entity.superentity.flatMap({ indexByName[$0] }) {
          subentities[parent].append(index)
        }
      }
      self.subentities = subentities
    }
  }

  /// What the model is made of.
  public var description: Description { storage.description }

  /// The model's entities, in the order of their source.
  public var entities: [Entity] { storage.description.entities }

  /// The entity of the given name.
  public subscript(name: String) -> Entity? {
    storage.indexByName[name].map { storage.description.entities[$0] }
  }

  /// The properties an object of the named entity has, inherited ones included, sorted by name.
  ///
  /// Empty when the model has no such entity.
  public func properties(of entity: String) -> [Property] {
    storage.indexByName[entity].map { storage.allProperties[$0] } ?? []
  }

  /// The entities that inherit directly from the named one, in the order of their source.
  public func subentities(of entity: String) -> [Entity] {
    guard let index = storage.indexByName[entity] else { return [] }
    return storage.subentities[index].map { storage.description.entities[$0] }
  }

  /// The named entity and all that inherit from it, at any distance.
  public func family(of entity: String) -> [Entity] {
    guard let index = storage.indexByName[entity] else { return [] }
    var found: [Entity] = []
    var waiting = [index]
    while let next = waiting.popLast() {
      found.append(storage.description.entities[next])
      waiting.append(contentsOf: storage.subentities[next].reversed())
    }
    return found
  }

  /// The topmost entity that the named one inherits from; itself when it inherits from none.
  public func root(of entity: String) -> Entity? {
    var root = self[entity]
    while let parent = root?.superentity { root = self[parent] }
    return root
  }

  /// The composite type of the given name.
  public func composite(_ name: String) -> CompositeType? {
    storage.description.composites.first { $0.name == name }
  }
}

extension Model: Hashable {
  /// Whether both models are made of equal parts in the same order.
  public static func == (left: Model, right: Model) -> Bool {
    left.storage === right.storage || left.storage.description == right.storage.description
  }

  /// Feeds the model's parts into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.description) }
}

extension String {
  /// Whether this name comes before another in the order that version hashes use: by UTF-16 code
  /// units (spec §2.4.2).
  func precedesInHashes(_ other: String) -> Bool {
    utf16.lexicographicallyPrecedes(other.utf16)
  }
}
