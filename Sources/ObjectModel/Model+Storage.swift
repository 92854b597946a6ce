extension Model {
  /// What a model keeps: its checked description and the answers that are asked for often.
  final class Storage: Sendable {
    let description: Description
    /// The entities of the description, each with its inherited properties.
    let entities: [Entity]
    let warnings: [ModelFault]
    let index: ModelIndex
    /// For each entity, where its own and inherited properties are declared, sorted by name as
    /// hashes sort them. An entity that adds nothing shares its superentity's list.
    let allProperties: [[ModelIndex.Place]]
    /// For each entity, the positions of the entities that inherit from it directly.
    let subentities: [[Int]]
    let versionHashes = Lazy<VersionHashes>()
    /// The hashes by the former rules, computed when a store's hashes are not the current ones.
    let formerHashes = Lazy<VersionHashes>()
    /// The number that models with the same version hashes have in common.
    let shape = Lazy<Int>()

    /// - Precondition: What the index is of has been checked, and its faults are these warnings.
    init(_ index: ModelIndex, warnings: [ModelFault]) {
      let description = index.description
      self.description = description
      self.warnings = warnings
      self.index = index
      var all = [[ModelIndex.Place]](repeating: [], count: description.entities.count)
      var subentities = [[Int]](repeating: [], count: description.entities.count)
      var entities = description.entities
      for entity in index.parentsFirst {
        entities[entity].inheritance =
          index.parents[entity].map { Inheritance(from: entities[$0]) } ?? Inheritance()
        let inherited = index.parents[entity].map { all[$0] } ?? []
        all[entity] = Storage.merge(inherited, ownOf: entity, in: description)
      }
      for (entity, parent) in index.parents.enumerated() {
        if let parent { subentities[parent].append(entity) }
      }
      allProperties = all
      self.entities = entities
      self.subentities = subentities
    }

    /// The inherited properties, which are sorted, and an entity's own among them.
    private static func merge(
      _ inherited: [ModelIndex.Place], ownOf entity: Int, in description: Description
    ) -> [ModelIndex.Place] {
      let properties = description.entities[entity].declaredProperties
      guard !properties.isEmpty else { return inherited }
      let own = properties.indices.sorted {
        properties[$0].name.precedesInHashes(properties[$1].name)
      }
      var merged: [ModelIndex.Place] = []
      merged.reserveCapacity(inherited.count + own.count)
      var rest = inherited[...]
      for property in own {
        let name = properties[property].name
        while let next = rest.first,
          description.entities[next.entity].declaredProperties[next.property].name.precedesInHashes(
            name)
        {
          merged.append(next)
          rest.removeFirst()
        }
        merged.append(ModelIndex.Place(entity: entity, property: property))
      }
      return merged + rest
    }
  }
}

extension String {
  /// Whether this name comes before another in the order that version hashes use: by UTF-16 code
  /// units (spec §2.4.2).
  func precedesInHashes(_ other: String) -> Bool {
    utf16.lexicographicallyPrecedes(other.utf16)
  }
}
