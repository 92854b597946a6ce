internal import Checksums

/// The hashes of all entities and properties of a model, computed as spec §2.4 defines byte by byte.
///
/// Each property is hashed once, in its declaring entity. Entities that inherit the property reuse the hash.
struct VersionHashes: Sendable {
  private(set) var entities: [VersionHash]
  /// The hashes of each entity's declared properties; `nil` for a property that is not stored.
  private(set) var properties: [[VersionHash?]]

  init(_ storage: Model.Storage) {
    let description = storage.description
    let composites = Self.composites(of: storage.index)
    let properties = description.entities.enumerated().map { position, entity in
      entity.declaredProperties.map { property -> VersionHash? in
        if property.isTransient { return nil }
        return Self.hash(
          of: property, leavesOutInverse: storage.index.isOwnInverse(property, of: position)
        ) { composites[$0] ?? [] }
      }
    }
    var entities = [VersionHash?](repeating: nil, count: description.entities.count)
    for position in storage.index.parentsFirst {
      entities[position] = Self.hash(
        of: description.entities[position],
        superentity: storage.index.parents[position].flatMap { entities[$0] },
        properties: storage.allProperties[position].lazy
          .compactMap { properties[$0.entity][$0.property] })
    }
    self.entities = entities.compactMap { $0 }
    self.properties = properties
  }

  /// Returns, for each composite type, the joined hashes of its stored attributes in the order of their names
  /// (spec §2.4.5).
  private static func composites(of index: ModelIndex) -> [String: [UInt8]] {
    var composites: [String: [UInt8]] = [:]
    for position in index.compositesPartsFirst {
      let type = index.description.composites[position]
      composites[type.name] = type.attributes
        .filter { !$0.isTransient }
        .sorted { $0.name.precedesInHashes($1.name) }
        .flatMap { Self.hash(of: .attribute($0)) { composites[$0] ?? [] }.bytes }
    }
    return composites
  }
}

extension VersionHashes {
  /// Returns the hash of one entity (spec §2.4.6).
  ///
  /// - Parameters:
  ///   - superentity: The hash of the superentity, if there is one.
  ///   - properties: The hashes of all stored properties, including inherited properties, in the order of their
  ///     names.
  static func hash(
    of entity: Entity, superentity: VersionHash?, properties: some Sequence<VersionHash>
  ) -> VersionHash {
    var hash = SHA256()
    hash.update(entity.name)
    hash.update([entity.isAbstract ? 1 : 0])
    hash.update(superentity?.bytes ?? [])
    for property in properties { hash.update(property.bytes) }
    hash.update(entity.versionHashModifier ?? "")
    for text in entity.uniquenessConstraints.hashedTexts { hash.update(text) }
    return VersionHash(hash.digest())
  }

  /// Returns the hash of one stored property (spec §2.4.3, §2.4.4).
  ///
  /// - Parameters:
  ///   - leavesOutInverse: Whether the property is a relationship that is its own inverse. Its hash then leaves out
  ///     the inverse's name.
  ///   - composite: Returns the bytes of the composite type with the given name.
  static func hash(
    of property: Property, leavesOutInverse: Bool = false, composite: (String) -> [UInt8]
  ) -> VersionHash {
    var hash = SHA256()
    switch property {
    case .attribute(let attribute):
      if let derivation = attribute.derivation {
        hash.update(derivation.normalizedExpression)
        hash.update(attribute.versionHashModifier ?? "")
        break
      }
      hash.update(base(of: property).bytes)
      hash.update(attribute.type.rawValue.littleEndianBytes)
      for facet in Attribute.optionFacets where facet.isHashed {
        if facet.flag(of: attribute) == true { hash.update([1]) }
      }
      if let name = attribute.compositeName { hash.update(composite(name)) }
    case .relationship(let relationship):
      hash.update(base(of: property).bytes)
      hash.update(relationship.destination)
      if !leavesOutInverse { hash.update(relationship.inverse ?? "") }
      hash.update(Int32(truncatingIfNeeded: relationship.count.maximum).littleEndianBytes)
      hash.update(Int32(truncatingIfNeeded: relationship.count.minimum).littleEndianBytes)
      if relationship.isOrdered { hash.update([1, 0]) }
    case .fetched:
      preconditionFailure("Fetched properties are not stored, so they have no hash.")
    }
    return VersionHash(hash.digest())
  }

  /// Returns the hash of the parts that all ordinary properties have: name, optionality, and the modifier
  /// (spec §2.4.3).
  private static func base(of property: Property) -> Digest<32> {
    var hash = SHA256()
    hash.update(property.name)
    // The second byte is 1 for a read-only property. No stored property of Quire is read-only.
    hash.update([property.isOptional ? 1 : 0, 0])
    hash.update(property.versionHashModifier ?? "")
    return hash.digest()
  }
}

extension [[String]] {
  /// The texts of uniqueness constraints in a hash: the columns of each constraint joined with `.`, in the order of
  /// names (spec §2.4.6).
  var hashedTexts: [String] {
    map { $0.joined(separator: ".") }.sorted { $0.precedesInHashes($1) }
  }
}

extension Int32 {
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * Int32($0))) }
  }
}
