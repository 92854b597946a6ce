import ObjectModel

/// The bits by which the history of Core Data names the changed properties of an entity (spec §10.10.5).
///
/// A mask has a bit for each slot, the first slot in the highest bit of the first byte. To-one relationships come first,
/// each with one slot more if the table has a column for the entity of its target, and one more for its place in an order.
/// Attributes follow, and then relationships that refer to many.
struct ChangeSlots: Sendable {
  /// The property of each slot.
  private var names: [String] = []
  /// The slots of each column of the layout, and of each relationship that refers to many.
  private var slots: [String: [Int]] = [:]
  /// The slots that stand for several relationships whose order is unknown.
  private var unsure: [Range<Int>] = []
  /// The reason why the slots of the entity are unknown; `nil` if they are known.
  private(set) var fault: String?

  /// Numbers the stored properties of an entity: those of the root entity first, and within a level by name.
  init(of entity: Entity, in model: Model) {
    let levels = ChangeSlots.levels(of: entity, in: model)
    func each<P>(_ properties: (Entity) -> [P], _ name: (P) -> String) -> [P] {
      levels.flatMap { level in
        properties(level).sorted { name($0).utf16.lexicographicallyPrecedes(name($1).utf16) }
      }
    }
    let relationships = each({ $0.declaredRelationships.filter { !$0.isTransient } }, \.name)
    let toOne = relationships.filter { !$0.isToMany }
    for one in toOne { add(one.name, for: one.name) }
    for one in toOne where !model.subentities(of: one.destination).isEmpty {
      add(one.name, for: one.name)
    }
    for one in toOne where model.inverse(of: one)?.keepsOrder ?? false {
      add(one.name, for: "\(one.name)#order")
    }
    for attribute in each({ $0.declaredAttributes.filter { !$0.isTransient } }, \.name) {
      if attribute.type == .composite || attribute.derivation != nil {
        let kind = attribute.derivation == nil ? "composite" : "derived"
        fault = "'\(entity.name)' has the \(kind) attribute '\(attribute.name)'"
      }
      add(attribute.name, for: attribute.name)
    }
    addToMany(relationships.filter(\.isToMany), in: model)
  }

  /// Returns an entity and those that it inherits from, the root first.
  private static func levels(of entity: Entity, in model: Model) -> [Entity] {
    var levels = [entity]
    while let name = levels[0].superentity, let above = model[name] { levels.insert(above, at: 0) }
    return levels
  }

  private mutating func add(_ name: String, for column: String) {
    slots[column, default: []].append(names.count)
    names.append(name)
  }

  /// Adds the to-many relationships in two groups: first the relationships with a to-one inverse, then the
  /// relationships with a to-many inverse. Core Data's order within a group is unknown. If a relationship lacks an
  /// inverse, or is its own inverse, its group is unknown too. Then all to-many relationships form one group.
  private mutating func addToMany(_ relationships: [Relationship], in model: Model) {
    var groups: [[Relationship]] = [[], []]
    var isUnsure = false
    for one in relationships {
      let inverse = model.inverse(of: one)
      isUnsure = isUnsure || inverse == nil || inverse == one
      groups[inverse?.isToMany ?? true ? 1 : 0].append(one)
    }
    if isUnsure { groups = [groups[0] + groups[1]] }
    for group in groups where !group.isEmpty {
      let range = names.count..<names.count + group.count
      if group.count > 1 { unsure.append(range) }
      for one in group {
        slots[one.name] = group.count > 1 ? Array(range) : [range.lowerBound]
        names.append(one.name)
      }
    }
  }

  /// The number of bytes of a mask.
  var byteCount: Int { (names.count + 7) / 8 }

  /// Returns the mask of changed columns and relationships. A relationship with shared slots sets them all, because a
  /// reader that looks again at an unchanged value loses nothing.
  func mask(_ columns: some Sequence<String>) -> [UInt8] {
    var mask = [UInt8](repeating: 0, count: byteCount)
    for slot in columns.lazy.compactMap({ slots[$0] }).joined() {
      mask[slot / 8] |= 0x80 >> UInt8(slot % 8)
    }
    return mask
  }

  /// Returns the sorted names of the properties that a mask names; `nil` if it has another length, or bits behind the
  /// last slot.
  func properties(_ mask: [UInt8]) -> [String]? {
    guard mask.count == byteCount else { return nil }
    var found: Set<String> = []
    for slot in 0..<mask.count * 8 where mask[slot / 8] & (0x80 >> UInt8(slot % 8)) != 0 {
      guard slot < names.count else { return nil }
      let shared = unsure.first { $0.contains(slot) } ?? slot..<slot + 1
      found.formUnion(names[shared])
    }
    return found.sorted()
  }
}
