import ObjectModel
import Rows
import StoreInterface

/// The states of three copies of a store, as layers with the keys of one of them.
///
/// Objects of the copies match by the rules of a comparison. An object that only the other copy has inserted gets a key
/// of its own, because this copy may have given the same number to another object.
final class MergeTranslation {
  /// The comparison of the base with the copy that receives the changes.
  let toOurs: StoreComparison
  /// The comparison of the base with the other copy.
  let toTheirs: StoreComparison
  private let part: MergePart
  /// The keys of objects of the base in this copy, where they differ.
  private var baseKeys: [ObjectKey: ObjectKey] = [:]
  /// The keys of objects of the other copy in this copy, where they differ.
  private var theirKeys: [ObjectKey: ObjectKey] = [:]
  /// The keys in the other copy of the objects that got a new key.
  private var originalKeys: [ObjectKey: ObjectKey] = [:]
  /// The numbers of this copy's entities, by the numbers of the other entities.
  private var entities = BothSides<[UInt16: UInt16]>(old: [:], new: [:])

  /// Reserves numbers for new objects of an entity.
  typealias Lease = (_ entity: UInt16, _ count: Int) throws -> Range<UInt64>

  var base: ComparedStore { toOurs.stores.old }
  var ours: ComparedStore { toOurs.stores.new }
  var theirs: ComparedStore { toTheirs.stores.new }

  init(_ part: MergePart, _ choices: MatchChoices) throws {
    self.part = part
    toOurs = try StoreComparison(from: part.base, to: part.ours, choices)
    toTheirs = try StoreComparison(from: part.base, to: part.theirs, choices)
    for (source, side) in [(part.base, ComparedSide.old), (part.theirs, .new)] {
      for layout in source.schema.layouts {
        entities[side][layout.entityNumber] = part.ours.schema[layout.entity]?.entityNumber
      }
    }
  }

  private func lease(_ entity: UInt16, _ count: Int) throws -> Range<UInt64> {
    try part.store.leaseKeys(ofEntity: entity, count: count)
  }

  /// Finds the keys of all objects, and returns the layers.
  ///
  /// - Throws: ``CommandError`` if several objects have the same key; the errors of a damaged store.
  func layers() throws -> MergeLayers {
    try findKeys()
    let (base, theirs) = (LayerBuilder(ours.schema), LayerBuilder(ours.schema))
    for pair in toOurs.pairs { try addRows(of: pair, base, theirs) }
    try LinkTranslation(self, lease: lease).add(to: base, theirs)
    return MergeLayers(
      base: base.freeze(), theirs: theirs.freeze(), originalKeys: originalKeys)
  }

  // MARK: - Keys

  /// Returns the key in this copy of an object of the base (`old`) or of the other copy (`new`).
  func key(of key: ObjectKey, _ side: ComparedSide) -> ObjectKey {
    (side == .old ? baseKeys : theirKeys)[key]
      ?? ObjectKey(entity: entities[side][key.entity] ?? key.entity, number: key.number)
  }

  func value(_ value: Value, _ side: ComparedSide) -> Value {
    guard case .object(let key) = value else { return value }
    return .object(self.key(of: key, side))
  }

  /// Returns the position of the same pair of entities in the other comparison.
  private func index(_ pair: EntityPair, in comparison: StoreComparison) -> Int? {
    comparison.pairs.firstIndex { $0.name == pair.name }
  }

  private func findKeys() throws {
    var inserted: [UInt16: (ours: Set<UInt64>, theirs: [ObjectKey])] = [:]
    var gone: [ObjectKey] = []
    var matched: [(theirs: ObjectKey, base: ObjectKey)] = []
    for (position, pair) in toOurs.pairs.enumerated() {
      guard let number = pair.new?.layout.entityNumber, let other = index(pair, in: toTheirs)
      else { continue }
      let isKeyed = toOurs.matching.rules.rules[position].key != nil
      var found = (ours: Set<UInt64>(), theirs: [ObjectKey]())
      try toOurs.forEachPair(position) { old, new in
        switch (old, new) {
        case (let old?, let new?) where old.key.number != new.key.number:
          baseKeys[old.key] = new.key
        case (nil, let new?): found.ours.insert(new.key.number)
        case (let old?, nil) where isKeyed: gone.append(old.key)
        default: break
        }
      }
      try toTheirs.forEachPair(other) { old, new in
        switch (old, new) {
        case (let old?, let new?) where isKeyed: matched.append((new.key, old.key))
        case (nil, let new?): found.theirs.append(new.key)
        default: break
        }
      }
      inserted[number] = found
    }
    try assignNumbers(to: gone, [:]) { baseKeys[$0] = $1 }
    for (theirs, base) in matched { theirKeys[theirs] = key(of: base, .old) }
    let same = try insertedByBoth(inserted)
    for (theirs, ours) in same { theirKeys[theirs] = ours }
    let own = inserted.values.flatMap(\.theirs).filter { same[$0] == nil }
    let taken = inserted.mapValues(\.ours)
    try assignNumbers(to: own, taken) { old, new in
      theirKeys[old] = new
      originalKeys[new] = old
    }
  }

  /// Gives objects numbers that this copy reserves for them. An object keeps its number if the number is free.
  private func assignNumbers(
    to keys: [ObjectKey], _ taken: [UInt16: Set<UInt64>],
    _ body: (ObjectKey, ObjectKey) -> Void
  ) throws {
    let side: ComparedSide = taken.isEmpty ? .old : .new
    let groups = Dictionary(grouping: keys) { entities[side][$0.entity] ?? $0.entity }
    for (entity, all) in groups.sorted(by: { $0.key < $1.key }) {
      let keys = try all.filter { key in
        let own = ObjectKey(entity: entity, number: key.number)
        // In a common history, the number belongs to this object.
        guard side == .new, part.knowsTheirs, try !ours.view.contains(own) else { return true }
        body(key, own)
        return false
      }
      if keys.isEmpty { continue }
      let numbers = try KeyAssignment.numbers(for: keys.map(\.number)) { try lease(entity, $0) }
      for key in keys {
        body(key, ObjectKey(entity: entity, number: numbers[key.number]!))
      }
    }
  }

  // MARK: - Objects that both copies have inserted

  /// Returns the objects that both copies have inserted, by their keys in the other copy: objects with the same key of
  /// a rule, objects of a common commit, and objects with the same number and the same values.
  private func insertedByBoth(
    _ inserted: [UInt16: (ours: Set<UInt64>, theirs: [ObjectKey])]
  ) throws -> [ObjectKey: ObjectKey] {
    var same: [ObjectKey: ObjectKey] = [:]
    var candidates: [(theirs: ObjectKey, targets: [ObjectKey])] = []
    for (position, pair) in toOurs.pairs.enumerated() {
      guard let entity = pair.new, let found = inserted[entity.layout.entityNumber],
        let other = index(pair, in: toTheirs), let layout = toTheirs.pairs[other].new?.layout
      else { continue }
      let isKeyed = toOurs.matching.rules.rules[position].key != nil
      for key in found.theirs {
        if isKeyed, let hash = try toTheirs.matching.table(other, .new).hash(of: key.number) {
          if let number = try toOurs.matching.table(position, .new).number(of: hash) {
            same[key] = ObjectKey(entity: entity.layout.entityNumber, number: number)
          }
          continue
        }
        guard found.ours.contains(key.number) else { continue }
        let own = ObjectKey(entity: entity.layout.entityNumber, number: key.number)
        if try part.common?.contains(own) ?? false {
          same[key] = own
        } else if let targets = try targets(ofEqual: key, layout, own, entity) {
          same[key] = own
          candidates.append((key, targets))
        }
      }
    }
    // Equal rows that lead to different new objects are different objects.
    let new = Set(inserted.values.flatMap(\.theirs))
    var count = -1
    while count != same.count {
      count = same.count
      for (key, targets) in candidates
      where targets.contains(where: { new.contains($0) && same[$0] == nil }) {
        same[key] = nil
      }
    }
    return same
  }

  /// Returns the objects that an object of the other copy refers to, if an object of this copy with the same number has
  /// the same values; `nil` if the values differ.
  private func targets(
    ofEqual key: ObjectKey, _ layout: Layout, _ own: ObjectKey, _ entity: ComparedEntity
  ) throws -> [ObjectKey]? {
    guard let theirs = try self.theirs.view.row(of: key), let ours = try self.ours.view.row(of: own)
    else { return nil }
    var targets: [ObjectKey] = []
    for property in entity.properties {
      let column: Int
      switch property.content {
      case .value(let index): column = index
      case .reference(let reference): column = reference.column
      case .list: continue
      }
      let wanted = entity.layout.columns[column]
      guard let other = layout.index(of: wanted.name) else { return nil }
      let (one, two) = (try ours.value(wanted), try theirs.value(layout.columns[other]))
      if case .object(let target) = two { targets.append(target) }
      guard one.isIdentical(to: defaultKey(two)) else { return nil }
    }
    return targets
  }

  /// Returns a reference of the other copy with the number of this copy's entity.
  private func defaultKey(_ value: Value) -> Value {
    guard case .object(let key) = value else { return value }
    return .object(
      theirKeys[key]
        ?? ObjectKey(entity: entities.new[key.entity] ?? key.entity, number: key.number))
  }

  // MARK: - Rows

  private func addRows(
    of pair: EntityPair, _ base: LayerBuilder, _ theirs: LayerBuilder
  ) throws {
    guard let layout = pair.new?.layout, let position = index(pair, in: toOurs),
      let other = index(pair, in: toTheirs)
    else { return }
    let baseColumns = Columns(layout, pair.old?.layout)
    let formerColumns = Columns(layout, toTheirs.pairs[other].old?.layout)
    let theirColumns = Columns(layout, toTheirs.pairs[other].new?.layout)
    try toOurs.forEachPair(position) { old, new in
      let own = try new.map { row in try layout.columns.indices.map { try row.value($0) } }
      guard let old else {
        return base.remove(new!.key, basis: try version(new!.key))
      }
      let values = try baseColumns.values(of: old) { value($0, .old) }
      set(values, instead: own, of: key(of: old.key, .old), base)
    }
    try toTheirs.forEachPair(other) { old, new in
      let before = try old.map { row in try formerColumns.values(of: row) { value($0, .old) } }
      guard let new else { return theirs.remove(key(of: old!.key, .old)) }
      let values = try theirColumns.values(of: new) { value($0, .new) }
      set(values, instead: before, of: key(of: new.key, .new), theirs)
    }
  }

  private func version(_ key: ObjectKey) throws -> Int64 {
    try ours.view.row(of: key)?.version ?? 0
  }

  /// Adds the values that differ, or a whole row.
  private func set(
    _ values: [Value], instead before: [Value]?, of key: ObjectKey, _ builder: LayerBuilder
  ) {
    if before == nil { builder.insert(key) }
    for (column, value) in values.enumerated() {
      if let before, value.isIdentical(to: before[column]) { continue }
      builder.set(value, column: column, of: key)
    }
  }

  /// The columns of a layout of this copy in the layout of another side.
  private struct Columns {
    private let layout: Layout
    private let positions: [Int?]

    init(_ layout: Layout, _ source: Layout?) {
      self.layout = layout
      positions = layout.columns.map { source?.index(of: $0.name) }
    }

    func values(of row: ComparedRow, _ translated: (Value) -> Value) throws -> [Value] {
      try positions.enumerated().map { index, position in
        guard let position else { return layout.columns[index].defaultValue }
        return translated(try row.value(position))
      }
    }
  }
}

/// The changes that a merge combines, with the keys of the copy that receives the changes.
struct MergeLayers {
  /// The changes that turn the rows of this copy into the rows of the base.
  let base: Layer
  /// The changes of the other copy, above the base.
  let theirs: Layer
  /// The keys in the other copy of the objects that got a new key.
  let originalKeys: [ObjectKey: ObjectKey]
}
