import Interchange
import ObjectModel
package import Rows

/// A comparison of the objects of two stores.
///
/// ```text
/// let comparison = try StoreComparison(from: old, to: new, MatchChoices())
/// try comparison.forEachChange { change in print(change.kind, change.object.id) }
/// ```
///
/// Changes come entity by entity. Matching by identifier needs memory only for the changed lists of to-many
/// relationships; matching by key needs about 28 bytes more for each object.
package struct StoreComparison {
  let matching: ObjectMatching
  /// The rows that differ, if both sides are commits of one file; `nil` if all rows must be read.
  let layer: Layer?

  var stores: BothSides<ComparedStore> { matching.stores }
  /// The compared entities, in the order of the changes.
  var pairs: [EntityPair] { matching.pairs }

  /// Prepares a comparison.
  ///
  /// - Parameter layer: Returns the changes from the old to the new side for two commits of one file with the same
  ///   schema; `nil` if the rows must be compared. It is called only if all objects are matched by identifier.
  /// - Throws: ``ComparisonError`` for a key that the entities don't have; the errors of a damaged store.
  package init(
    from old: ComparedStore, to new: ComparedStore, _ choices: MatchChoices,
    layer: () throws -> Layer? = { nil }
  ) throws {
    let stores = BothSides(old: old, new: new)
    let pairs = EntityPair.all(stores)
    let rules = try MatchRules(choices, pairs, stores)
    matching = ObjectMatching(stores, pairs, rules)
    self.layer = rules.areIdentifiers ? try layer() : nil
  }

  /// Calls `body` with each change: entity by entity, and within an entity in the order of the objects' numbers.
  /// With a match by key, deleted objects follow the rest of their entity.
  ///
  /// - Parameter entities: The entities whose objects are compared, by their old or new names; `nil` for all.
  /// - Throws: ``ComparisonError`` if several objects have the same key; the errors of a damaged store and of `body`.
  package func forEachChange(
    of entities: Set<String>? = nil, _ body: (ObjectChange) throws -> Void
  ) throws {
    let included = pairs.indices.filter { pairs[$0].isNamed(in: entities) }
    try prepareKeys(included)
    let lists = included.contains { index in
      pairs[index].shared.contains { pairs[index].lists($0) != nil }
    }
    let marks = lists ? try changedOwners() : ListMarks()
    for index in included {
      try forEachPair(index, and: marks) { old, new in
        if let change = try change(index, old, new, marks) { try body(change) }
      }
    }
  }

  /// Returns the entities that have objects on both sides, and whose objects are compared by identifier because no
  /// uniqueness constraint exists.
  ///
  /// - Parameter entities: The entities to look at, by their old or new names; `nil` for all.
  package func unmatchedEntities(of entities: Set<String>? = nil) throws -> [String] {
    try matching.rules.unmatched.map { pairs[$0] }.filter { pair in
      try pair.isNamed(in: entities) && hasObjects(pair, .old) && hasObjects(pair, .new)
    }.map(\.name)
  }

  /// The objects of an entity that are compared by identifier, because they have no value for their key.
  package struct UnkeyedObjects {
    package let entity: String
    /// The properties of the key.
    package let names: [String]
    package let count: Int
  }

  /// Returns the objects without a value for their key, by their entities.
  ///
  /// - Parameter entities: The entities to look at, by their old or new names; `nil` for all.
  package func unkeyedObjects(of entities: Set<String>? = nil) throws -> [UnkeyedObjects] {
    try pairs.indices.compactMap { index in
      guard pairs[index].isNamed(in: entities), let key = matching.rules.rules[index].key else {
        return nil
      }
      let count =
        try matching.table(index, .old).unkeyedCount + matching.table(index, .new).unkeyedCount
      return count == 0
        ? nil : UnkeyedObjects(entity: pairs[index].name, names: key.names, count: count)
    }
  }

  /// Returns whether a side has objects of an entity.
  private func hasObjects(_ pair: EntityPair, _ side: ComparedSide) throws -> Bool {
    guard let layout = pair[side]?.layout else { return false }
    return try stores[side].view.batches(of: layout).contains { $0.rowCount > 0 }
  }

  /// Makes the tables of keys, so that errors about keys precede the first change.
  private func prepareKeys(_ included: [Int]) throws {
    for index in included where matching.rules.rules[index].key != nil {
      for side in [ComparedSide.old, .new] { _ = try matching.table(index, side) }
    }
  }

  // MARK: - Rows

  /// Calls `body` with each object of a pair of entities and the object of the other side that matches it.
  ///
  /// If the comparison has a layer, only the objects in the layer and the marked objects are visited.
  func forEachPair(
    _ index: Int, and marks: ListMarks = ListMarks(),
    _ body: (_ old: ComparedRow?, _ new: ComparedRow?) throws -> Void
  ) throws {
    let pair = pairs[index]
    if let layer {
      // Both sides have the same schema, so a pair has the same number on both sides.
      guard let old = pair.old, let new = pair.new else { return }
      return try forEachPair(
        in: layer, BothSides(old: old.layout, new: new.layout),
        and: marks.numbers(ofEntity: new.layout.entityNumber), body)
    }
    if matching.rules.rules[index].key != nil, let old = pair.old, let new = pair.new {
      return try forEachKeyedPair(index, old.layout, new.layout, body)
    }
    try forEachPair(old: pair.old?.layout, new: pair.new?.layout, body)
  }

  /// Calls `body` with the rows of both sides for each key of a layer, and for more keys.
  func forEachPair(
    in layer: Layer, _ layouts: BothSides<Layout>, and more: Set<UInt64> = [],
    _ body: (ComparedRow?, ComparedRow?) throws -> Void
  ) throws {
    let keys = try layer.entries(ofEntity: layouts.new.entityNumber).map(\.key)
    for key in more.isEmpty ? keys : more.union(keys).sorted() {
      let old = try ComparedRow(key, layouts.old, in: stores.old.view)
      let new = try ComparedRow(key, layouts.new, in: stores.new.view)
      if old != nil || new != nil { try body(old, new) }
    }
  }

  /// Calls `body` with the rows of both sides that have the same key, in the order of the keys.
  func forEachPair(
    old: Layout?, new: Layout?, _ body: (ComparedRow?, ComparedRow?) throws -> Void
  ) throws {
    let before = try old.map { try RowStream(stores.old.view, $0) }
    let after = try new.map { try RowStream(stores.new.view, $0) }
    var (one, other) = (try before?.next(), try after?.next())
    while one != nil || other != nil {
      let key = min(one?.key ?? .max, other?.key ?? .max)
      let (isOld, isNew) = (one?.key == key, other?.key == key)
      try body(
        isOld ? ComparedRow(one!, in: before!) : nil, isNew ? ComparedRow(other!, in: after!) : nil)
      if isOld { one = try before?.next() }
      if isNew { other = try after?.next() }
    }
  }

  private func forEachKeyedPair(
    _ index: Int, _ old: Layout, _ new: Layout,
    _ body: (ComparedRow?, ComparedRow?) throws -> Void
  ) throws {
    let (before, after) = (try matching.table(index, .old), try matching.table(index, .new))
    let inserted = try RowStream(stores.new.view, new)
    while let place = try inserted.next() {
      var match: ComparedRow?
      if let hash = after.hash(of: place.key) {
        match = try before.number(of: hash).flatMap {
          try ComparedRow($0, old, in: stores.old.view)
        }
      } else if before.hash(of: place.key) == nil {
        match = try ComparedRow(place.key, old, in: stores.old.view)
      }
      try body(match, ComparedRow(place, in: inserted))
    }
    let deleted = try RowStream(stores.old.view, old)
    while let place = try deleted.next() {
      if let hash = before.hash(of: place.key) {
        if after.number(of: hash) != nil { continue }
      } else if after.hash(of: place.key) == nil,
        try ComparedRow(place.key, new, in: stores.new.view) != nil
      {
        continue
      }
      try body(ComparedRow(place, in: deleted), nil)
    }
  }
}
