import ObjectModel
import Rows
import StoreInterface

/// The states of three copies of a store, as layers with the keys of one of them.
///
/// Objects of the copies match by the rules of a comparison. An object that only the second copy has inserted keeps its
/// number, because the lanes of the copies (`StoreLanes`) keep their numbers apart. If both copies have given one number to
/// different objects nevertheless, the merge is refused, or gives the objects of the second copy new numbers.
package final class MergeTranslation {
  /// The comparison of the base with the copy that receives the changes.
  let toOurs: StoreComparison
  /// The comparison of the base with the second copy.
  let toTheirs: StoreComparison
  private let part: MergePart
  /// The keys of objects of the base in this copy, where they differ.
  private var baseKeys: [ObjectKey: ObjectKey] = [:]
  /// The new keys among ``baseKeys``, of objects that this copy does not have.
  private var newBaseKeys: Set<ObjectKey> = []
  /// The keys of objects of the second copy in this copy, where they differ.
  private var theirKeys: [ObjectKey: ObjectKey] = [:]
  /// Whether objects whose numbers are taken get new numbers. Otherwise they are an error.
  private let renumbers: Bool
  /// The keys in the second copy of the objects that got a new key.
  private var originalKeys: [ObjectKey: ObjectKey] = [:]
  /// The numbers of this copy's entities, by the numbers of the other entities.
  private var entities = BothSides<[UInt16: UInt16]>(old: [:], new: [:])

  /// Reserves numbers for new objects of an entity.
  typealias Lease = (_ entity: UInt16, _ count: Int) throws -> Range<UInt64>

  var base: ComparedStore { toOurs.stores.old }
  var ours: ComparedStore { toOurs.stores.new }
  var theirs: ComparedStore { toTheirs.stores.new }

  package init(_ part: MergePart, _ choices: MatchChoices, renumbers: Bool) throws {
    self.part = part
    self.renumbers = renumbers
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
  /// - Throws: ``ComparisonError`` if several objects have the same key, or different objects the same number; the errors of a
  ///   damaged store.
  package func layers() throws -> MergeLayers {
    try findKeys()
    let (before, changes) = (LayerBuilder(ours.schema), LayerBuilder(ours.schema))
    for pair in toOurs.pairs { try addRows(of: pair, before, changes) }
    try LinkTranslation(self, lease: lease).add(to: before, changes)
    return MergeLayers(
      base: before.freeze(), theirs: changes.freeze(), originalKeys: originalKeys,
      lanes: theirs.lanes.isEmpty ? nil : theirs.lanes)
  }

  // MARK: - Keys

  /// Returns the key in this copy of an object of the base (`old`) or of the second copy (`new`).
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
    let kept = Set(inserted.values.flatMap(\.theirs).map { key(of: $0, .new) })
    try assignNumbers(to: gone, .old, avoiding: kept) { old, new in
      baseKeys[old] = new
      newBaseKeys.insert(new)
    }
    for (theirs, base) in matched { theirKeys[theirs] = key(of: base, .old) }
    let same = try insertedByBoth(inserted)
    for (theirs, ours) in same { theirKeys[theirs] = ours }
    let own = inserted.values.flatMap(\.theirs).filter { same[$0] == nil }
    let clashes = try own.sorted().compactMap(clash)
    guard renumbers || clashes.isEmpty else {
      throw NumberClash.error(clashes, ours.name, theirs.name)
    }
    try assignNumbers(to: clashes.map(\.object), .new, avoiding: kept) { old, new in
      theirKeys[old] = new
      originalKeys[new] = old
    }
  }

  /// Gives objects numbers that this copy reserves for them. An object keeps its number if the number is free.
  ///
  /// - Parameter others: The keys of further objects, which get none of the numbers.
  private func assignNumbers(
    to keys: [ObjectKey], _ side: ComparedSide, avoiding others: Set<ObjectKey>,
    _ body: (ObjectKey, ObjectKey) -> Void
  ) throws {
    let groups = Dictionary(grouping: keys) { entities[side][$0.entity] ?? $0.entity }
    for (entity, keys) in groups.sorted(by: { $0.key < $1.key }) {
      let numbers = try KeyAssignment.numbers(
        for: keys.map(\.number),
        avoiding: Set(others.lazy.filter { $0.entity == entity }.map(\.number))
      ) { try lease(entity, $0) }
      for key in keys {
        body(key, ObjectKey(entity: entity, number: numbers[key.number]!))
      }
    }
  }

  // MARK: - Numbers of different objects

  /// Returns the clash of an object that only the second copy has inserted; `nil` if the object can keep its number.
  private func clash(_ object: ObjectKey) throws -> NumberClash? {
    let target = key(of: object, .new)
    let name = ours.schema[target.entity]?.entity ?? ""
    if try isTaken(target) {
      let isKeyed = zip(toOurs.pairs, toOurs.matching.rules.rules).contains { pair, rule in
        pair.new?.layout.entityNumber == target.entity && rule.key != nil
      }
      return NumberClash(
        object: object, entity: name,
        reason: isKeyed ? .other : reasonOfClash(object.number) ?? .other)
    }
    guard try ours.sharesNumber(of: target, in: part.store.type) else { return nil }
    return NumberClash(object: object, entity: name, reason: .other)
  }

  /// Returns whether an object of this copy has a key, or an object of the base that this copy has deleted.
  private func isTaken(_ key: ObjectKey) throws -> Bool {
    if try ours.view.contains(key) || newBaseKeys.contains(key) { return true }
    guard let name = ours.schema[key.entity]?.entity, let layout = base.schema[name] else {
      return false
    }
    let former = ObjectKey(entity: layout.entityNumber, number: key.number)
    return try baseKeys[former] == nil && base.view.contains(former)
  }

  /// Returns the reason why one number may belong to different objects of the two copies; `nil` if their lanes tell that it
  /// belongs to one object.
  private func reasonOfClash(_ number: UInt64) -> NumberClash.Reason? {
    if part.isSameFile { return nil }
    let (one, other) = (ours.lanes.lane(of: number), theirs.lanes.lane(of: number))
    guard one == other else { return .overlappingLanes }
    // Every store has its own first lane.
    guard one.start > 0 || ours.uuid == theirs.uuid else { return .otherStores }
    // A copy draws a lane before it inserts an object, so two copies never count in one lane.
    let countsHere = ours.lanes.current == one.start
    return countsHere && theirs.lanes.current == one.start ? .unnoticedCopies : nil
  }

  // MARK: - Objects that both copies have inserted

  /// Returns the objects that both copies have inserted, by their keys in the second copy: objects with the same key of
  /// a rule, and objects with the same number if a common commit contains them, or if the number belongs to one replica, or
  /// if they have the same values.
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
        if try part.common?.contains(own) ?? false || reasonOfClash(key.number) == nil {
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

  /// Returns the objects that an object of the second copy refers to, if an object of this copy with the same number has
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

  /// Returns a reference of the second copy with the number of this copy's entity.
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
