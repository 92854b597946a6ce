extension Model {
  /// Returns whether two models may have the same version hashes. `false` is certain, and needs no version hash.
  ///
  /// The function compares one number of each model. The number covers the names of all entities and stored
  /// properties and the types of attributes, as version hashes do (spec §2.4). It is computed once for each model.
  package func mayHaveHashes(of other: Model) -> Bool { shape == other.shape }

  private var shape: Int { storage.shape { Model.shape(of: storage.description) } }

  private static func shape(of description: Description) -> Int {
    // The order of entities and properties does not matter, so their numbers are added.
    description.entities.reduce(into: 0) { sum, entity in
      var hasher = Hasher()
      hasher.combine(entity.name)
      hasher.combine(entity.isAbstract)
      hasher.combine(entity.superentity)
      hasher.combine(entity.declaredProperties.reduce(into: 0) { $0 &+= shape(of: $1) })
      sum &+= hasher.finalize()
    }
  }

  private static func shape(of property: Property) -> Int {
    // The hash of a derived attribute does not cover its name (spec §2.4.4).
    if property.isTransient { return 0 }
    var hasher = Hasher()
    switch property {
    case .attribute(let attribute):
      if attribute.derivation != nil { return 0 }
      hasher.combine(attribute.name)
      hasher.combine(attribute.type)
      hasher.combine(attribute.isOptional)
    case .relationship(let relationship):
      hasher.combine(relationship.name)
      hasher.combine(relationship.destination)
    case .fetched: return 0
    }
    return hasher.finalize()
  }
}
