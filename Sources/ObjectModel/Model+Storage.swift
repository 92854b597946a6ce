extension Model {
  /// The storage of a model: its checked description, and results that are needed often.
  final class Storage: Sendable {
    let description: Description
    /// The entities of the description, each with its inherited properties.
    let entities: [Entity]
    let warnings: [ModelFault]
    let index: ModelIndex
    /// For each entity, the places where its declared and inherited properties are declared, sorted by name as in
    /// hashes. An entity without declared properties shares its superentity's list.
    let allProperties: [[ModelIndex.Place]]
    /// For each entity, the positions of its direct subentities.
    let subentities: [[Int]]
    let versionHashes = Lazy<VersionHashes>()
    /// A number that is equal for models with the same version hashes.
    let shape = Lazy<Int>()

    /// - Precondition: The index's description was checked, and `warnings` are its faults.
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

    /// Returns the sorted inherited properties merged with an entity's own properties.
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
  /// Returns whether this name comes before another name in the order of version hashes: by UTF-16 code units
  /// (spec §2.4.2).
  func precedesInHashes(_ other: String) -> Bool {
    utf16.lexicographicallyPrecedes(other.utf16)
  }
}
