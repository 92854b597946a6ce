/// An index of a description: names, superentities and declared properties by position.
///
/// The index accepts any description, even one that fails its checks. If several parts have one name, the first is
/// used. An entity on a cycle of inheritance is treated as having no superentity.
struct ModelIndex: Sendable {
  let description: Model.Description
  let entityByName: [String: Int]
  /// For each entity, the positions of its declared properties by name.
  let ownProperties: [[String: Int]]
  /// For each entity, the position of its superentity; `nil` if it has none.
  let parents: [Int?]
  /// The entities, each after its superentity.
  let parentsFirst: [Int]
  /// For each entity, the number of entities above it.
  let depths: [Int]
  /// The entities on each cycle of inheritance. Each list begins at its first entity in the source.
  let cycles: [[Int]]
  /// For each entity, whether all entities above it are known.
  let hasKnownAncestors: [Bool]
  let compositeByName: [String: Int]
  /// For each composite type, the positions of its attributes.
  let compositeAttributes: [[String: Int]]
  /// The composite types, each after the types that it contains. A type that contains itself is left out.
  let compositesPartsFirst: [Int]

  init(_ description: Model.Description) {
    self.description = description
    let entities = description.entities
    let byName = Self.positions(of: entities.map(\.name))
    entityByName = byName
    ownProperties = entities.map { Self.positions(of: $0.declaredProperties.map(\.name)) }
    compositeByName = Self.positions(of: description.composites.map(\.name))
    compositeAttributes = description.composites.map {
      Self.positions(of: $0.attributes.map(\.name))
    }
    compositesPartsFirst = Self.partsFirst(description.composites, compositeByName)

    let named = entities.map { entity in entity.superentity.flatMap { byName[$0] } }
    let lineage = Lineage(parents: named)
    parents = lineage.parents
    parentsFirst = lineage.parentsFirst
    cycles = lineage.cycles
    var depths = [Int](repeating: 0, count: entities.count)
    var known = entities.indices.map {
      entities[$0].superentity == nil || lineage.parents[$0] != nil
    }
    for entity in lineage.parentsFirst {
      guard let parent = lineage.parents[entity] else { continue }
      depths[entity] = depths[parent] + 1
      let isInReach = depths[entity] <= Model.greatestInheritanceDepth
      known[entity] = known[entity] && known[parent] && isInReach
    }
    self.depths = depths
    hasKnownAncestors = known
  }
}

extension ModelIndex {
  private static func positions(of names: [String]) -> [String: Int] {
    Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The place where a property is declared.
  struct Place: Sendable, Hashable {
    var entity: Int
    var property: Int
  }

  subscript(place: Place) -> Property {
    description.entities[place.entity].declaredProperties[place.property]
  }

  /// Returns the place of the property with the given name that an entity declares or inherits.
  func property(_ name: String, of entity: Int) -> Place? {
    for candidate in ancestry(of: entity) {
      if let property = ownProperties[candidate][name] {
        return Place(entity: candidate, property: property)
      }
    }
    return nil
  }

  /// Returns whether a property of an entity is a relationship that is its own inverse.
  ///
  /// The relationship's destination is then the entity, or an entity that inherits from it.
  func isOwnInverse(_ property: Property, of entity: Int) -> Bool {
    guard case .relationship(let relationship) = property, relationship.inverse == property.name,
      let destination = entityByName[relationship.destination],
      let inverse = self.property(property.name, of: destination)
    else { return false }
    return inverse.entity == entity
  }

  /// Returns the attribute with the given name in the composite type of an attribute.
  ///
  /// Returns `nil` if the attribute has no known composite type, or the type does not contain the attribute.
  func part(_ name: String, of attribute: Attribute) -> Attribute? {
    guard let composite = attribute.compositeName.flatMap({ compositeByName[$0] }),
      let position = compositeAttributes[composite][name]
    else { return nil }
    return description.composites[composite].attributes[position]
  }

  /// Returns the entity and its superentities, up to the maximum depth of inheritance.
  func ancestry(of entity: Int) -> some Sequence<Int> {
    sequence(first: entity) { parents[$0] }.prefix(Model.greatestInheritanceDepth + 1)
  }

  /// Returns whether an entity is another entity or inherits from it.
  func entity(_ entity: Int, isOrInheritsFrom other: Int) -> Bool {
    ancestry(of: entity).contains(other)
  }
}

extension ModelIndex {
  /// Returns the composite types in an order that puts each type after its parts. Repeatedly takes the types whose
  /// parts were all taken before.
  private static func partsFirst(_ composites: [CompositeType], _ byName: [String: Int]) -> [Int] {
    guard !composites.isEmpty else { return [] }
    let parts = composites.map { composite in
      Set(composite.attributes.compactMap { $0.compositeName.flatMap { byName[$0] } })
    }
    var containers = [[Int]](repeating: [], count: parts.count)
    for (container, parts) in parts.enumerated() {
      for part in parts { containers[part].append(container) }
    }
    var partsLeft = parts.map(\.count)
    var taken = parts.indices.filter { partsLeft[$0] == 0 }
    var next = 0
    while next < taken.count {
      for container in containers[taken[next]] {
        partsLeft[container] -= 1
        if partsLeft[container] == 0 { taken.append(container) }
      }
      next += 1
    }
    return taken
  }
}

/// Chains of superentities, cut where they form a cycle.
private struct Lineage {
  private(set) var parents: [Int?]
  private(set) var parentsFirst: [Int] = []
  private(set) var cycles: [[Int]] = []

  /// Follows each chain upwards once, so the time is linear for any shape.
  init(parents: [Int?]) {
    self.parents = parents
    var positionOnPath = [Int?](repeating: nil, count: parents.count)
    var isDone = [Bool](repeating: false, count: parents.count)
    for start in parents.indices where !isDone[start] {
      var path: [Int] = []
      var next: Int? = start
      while let entity = next, !isDone[entity] {
        if let position = positionOnPath[entity] {
          cut(Array(path[position...]))
          break
        }
        positionOnPath[entity] = path.count
        path.append(entity)
        next = parents[entity]
      }
      // The members of a cycle no longer have parents, so their order does not matter.
      for entity in path.reversed() where !isDone[entity] {
        isDone[entity] = true
        parentsFirst.append(entity)
      }
    }
  }

  private mutating func cut(_ cycle: [Int]) {
    for entity in cycle { parents[entity] = nil }
    let first = cycle.firstIndex(of: cycle.min() ?? 0) ?? 0
    cycles.append(Array(cycle[first...] + cycle[..<first]))
  }
}
