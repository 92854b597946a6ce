import ObjectModel

/// The objects of each side with to-many relationships that may differ. The lists of all further objects are equal.
struct ListMarks {
  /// The numbers of the objects, by the numbers of their entities.
  private var numbers: BothSides<[UInt16: Set<UInt64>]> = BothSides(old: [:], new: [:])

  /// Adds the object that a reference of a member or a link refers to.
  mutating func insert(_ owner: Value, _ side: ComparedSide) {
    if case .object(let key) = owner { numbers[side][key.entity, default: []].insert(key.number) }
  }

  /// Returns the numbers of the objects of an entity that has the same number on both sides.
  func numbers(ofEntity entity: UInt16) -> Set<UInt64> {
    (numbers.old[entity] ?? []).union(numbers.new[entity] ?? [])
  }

  func contains(_ old: ObjectKey, _ new: ObjectKey) -> Bool {
    numbers.old[old.entity]?.contains(old.number) ?? false
      || numbers.new[new.entity]?.contains(new.number) ?? false
  }
}
