import ObjectModel
package import Rows

extension StoreCopy {
  /// Returns the entities of the target whose objects can't keep their numbers.
  ///
  /// A block file numbers the objects of each entity separately. An SQLite database numbers the objects of an entity
  /// and all of its subentities together, and a store of another kind may do the same. In such a target, a family
  /// with repeated numbers gets new numbers.
  func renumberedEntities(_ origins: [RowOrigin], in model: Model) throws -> Set<UInt16> {
    guard !target.type.numbersEachEntity else { return [] }
    let isSameType = try source.metadata.type == target.type
    let before = try source.model
    var families: [String: [RowOrigin]] = [:]
    for origin in origins where !origin.isLinks {
      families[model.root(of: origin.target.entity)?.name ?? "", default: []].append(origin)
    }
    var renumbered: Set<UInt16> = []
    for family in families.values where family.count > 1 {
      // A source of the same type already numbers the family together.
      let roots = Set(family.map { before.root(of: $0.source.entity)?.name })
      if isSameType, roots.count == 1 { continue }
      if try source.view.sharesNumbers(family.map(\.source.entityNumber)) {
        renumbered.formUnion(family.map(\.target.entityNumber))
      }
    }
    return renumbered
  }

  /// Reserves the numbers that the source has reserved. A number of a deleted object is not used again, because another
  /// copy of the source may still have the object.
  func reserveUsedKeys(of origin: RowOrigin, _ lanes: StoreLanes) throws {
    guard let next = source.nextKeys[origin.source.entityNumber],
      lanes.countedNumbers.contains(next)
    else { return }
    let first = lanes.firstFreeNumber(after: nil)
    guard next > first else { return }
    _ = try target.leaseKeys(ofEntity: origin.target.entityNumber, count: Int(next - first))
  }
}

extension StoreType {
  /// Whether stores of the type number the objects of each entity separately from the objects of its superentity.
  package var numbersEachEntity: Bool {
    self == .binary || self == .compressed || self == .memory
  }
}

extension View {
  /// Whether objects of two of the entities have the same number.
  package func sharesNumbers(_ entities: [UInt16]) throws -> Bool {
    var seen: Set<UInt64> = []
    for entity in entities {
      for number in try keys(ofEntity: entity) where !seen.insert(number).inserted { return true }
    }
    return false
  }
}
