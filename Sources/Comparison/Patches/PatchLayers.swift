import ObjectModel
import Rows
import StoreInterface

/// The layers of a merge that applies a patch to a store.
struct PatchLayers {
  private let rows: [Patch.Row]
  private let part: MergePart
  private let lanes: StoreLanes
  /// The name of the patch in messages.
  private let name: String
  /// Whether an inserted object gets a new identifier if another object has its own.
  private let renumbers: Bool
  /// The keys in the store of the objects that the patch inserts.
  private var keys: [ObjectKey: ObjectKey] = [:]

  init(
    _ rows: [Patch.Row], _ part: MergePart, _ lanes: StoreLanes, name: String, renumbers: Bool
  ) throws {
    self.rows = rows
    self.part = part
    self.lanes = lanes
    self.name = name
    self.renumbers = renumbers
    try assignKeys()
  }

  /// Returns the layers.
  ///
  /// - Throws: The errors of a damaged store.
  func layers() throws -> MergeLayers {
    let (base, theirs) = (LayerBuilder(part.ours.schema), LayerBuilder(part.ours.schema))
    for row in rows where row.key != nil { try add(row, row.key!, base, theirs) }
    let links = Dictionary(grouping: rows.filter { $0.key == nil }) {
      $0.entity.layout.entityNumber
    }
    for (_, rows) in links.sorted(by: { $0.key < $1.key }) { try addLinks(rows, base, theirs) }
    return MergeLayers(
      base: base.freeze(), theirs: theirs.freeze(),
      originalKeys: Dictionary(
        keys.filter { $0.key != $0.value }.map { ($0.value, $0.key) },
        uniquingKeysWith: { first, _ in first }),
      lanes: lanes.isEmpty ? nil : lanes)
  }

  // MARK: - Objects

  private mutating func assignKeys() throws {
    var candidates: [(row: Patch.Row, key: ObjectKey)] = []
    for row in rows where row.isInserted {
      guard let key = row.key else { continue }
      if try isEqual(row, key) { candidates.append((row, key)) }
    }
    // An object that is there with the same values was inserted by the same patch. If it leads to another new object,
    // that object must be there too.
    let inserted = Set(rows.filter(\.isInserted).compactMap(\.key))
    var same = Set(candidates.map(\.key))
    var count = -1
    while count != same.count {
      count = same.count
      for (row, key) in candidates {
        let isOther = row.values.contains { value in
          if case .object(let target) = value.new {
            inserted.contains(target) && !same.contains(target)
          } else {
            false
          }
        }
        if isOther { same.remove(key) }
      }
    }
    for key in same { keys[key] = key }
    let new = inserted.subtracting(same)
    let taken = try new.filter {
      try part.ours.view.contains($0) || part.ours.sharesNumber(of: $0, in: part.store.type)
        || isOfOtherReplica($0)
    }.sorted()
    guard renumbers || taken.isEmpty else {
      throw NumberClash.error(
        taken.map {
          NumberClash(
            object: $0, entity: part.ours.schema[$0.entity]?.entity ?? "",
            reason: isOfOtherReplica($0) ? .overlappingLanes : .otherValues)
        }, part.ours.name, name)
    }
    for key in new { keys[key] = key }
    // A new identifier must not be one that the patch uses for another object.
    let named = Set(rows.flatMap(\.named))
    let groups = Dictionary(grouping: taken, by: \.entity)
    for (entity, objects) in groups.sorted(by: { $0.key < $1.key }) {
      let numbers = try KeyAssignment.numbers(
        for: objects.map(\.number),
        avoiding: Set(named.lazy.filter { $0.entity == entity }.map(\.number))
      ) { try part.store.leaseKeys(ofEntity: entity, count: $0) }
      for (old, number) in numbers {
        keys[ObjectKey(entity: entity, number: old)] = ObjectKey(entity: entity, number: number)
      }
    }
  }

  /// Whether the store knows the lane of a number as the lane of another replica than the patch does.
  ///
  /// A lane that begins before the lane of the patch tells nothing: it ends where the lane of the patch begins, which the store
  /// need not know yet.
  private func isOfOtherReplica(_ key: ObjectKey) -> Bool {
    let (own, other) = (part.ours.lanes.lane(of: key.number), lanes.lane(of: key.number))
    return own.start > 0 && own.start >= other.start && own != other
  }

  /// Whether the store has an object with the values of an inserted object.
  private func isEqual(_ row: Patch.Row, _ key: ObjectKey) throws -> Bool {
    guard let own = try part.ours.view.row(of: key) else { return false }
    let given = Dictionary(
      row.values.map { ($0.property.column, $0.new) }, uniquingKeysWith: { first, _ in first })
    return try row.entity.properties.allSatisfy { property in
      try own.value(row.entity.layout.columns[property.column])
        .isIdentical(to: given[property.column] ?? .null)
    }
  }

  private func value(_ value: Value) -> Value {
    guard case .object(let key) = value else { return value }
    return .object(keys[key] ?? key)
  }

  private func add(
    _ row: Patch.Row, _ key: ObjectKey, _ base: LayerBuilder, _ theirs: LayerBuilder
  ) throws {
    let columns = row.entity.layout.columns
    if row.isInserted {
      let key = keys[key] ?? key
      if try part.ours.view.contains(key) { base.remove(key) }
      theirs.insert(key)
      let given = Dictionary(
        row.values.map { ($0.property.column, $0.new) }, uniquingKeysWith: { first, _ in first })
      for property in row.entity.properties {
        theirs.set(value(given[property.column] ?? .null), column: property.column, of: key)
      }
      return
    }
    let own = try part.ours.view.row(of: key)
    if own == nil { base.insert(key) }
    // A deletion names all values, so a property that it does not name had no value.
    let old = Dictionary(
      row.values.map { ($0.property.column, $0.old) }, uniquingKeysWith: { first, _ in first })
    for property in row.entity.properties {
      guard let before = old[property.column] ?? (row.isDeleted ? .null : nil) else { continue }
      if try own?.value(columns[property.column]).isIdentical(to: before) ?? false { continue }
      base.set(before, column: property.column, of: key)
    }
    if row.isDeleted { return theirs.remove(key) }
    for (property, _, new) in row.values {
      theirs.set(value(new), column: property.column, of: key)
    }
  }

  // MARK: - Links

  private func addLinks(
    _ rows: [Patch.Row], _ base: LayerBuilder, _ theirs: LayerBuilder
  ) throws {
    let layout = rows[0].entity.layout
    var known: [[ObjectKey]: ObjectKey] = [:]
    let wanted = Set(rows.flatMap { row in row.ends.map { keys[$0] ?? $0 } })
    let stream = try RowStream(part.ours.view, layout)
    while let place = try stream.next() {
      let row = ComparedRow(place, in: stream)
      guard case .object(let one) = try row.value(0), case .object(let other) = try row.value(1),
        wanted.contains(one), wanted.contains(other)
      else { continue }
      known[[one, other]] = row.key
      if rows[0].entity.isSymmetric { known[[other, one]] = row.key }
    }
    let newCount = rows.filter(\.isInserted).count
    var free: Range<UInt64> = 0..<0
    for row in rows {
      let ends = row.ends.map { keys[$0] ?? $0 }
      let own = known[ends]
      if row.isInserted {
        if free.isEmpty {
          free = try part.store.leaseKeys(ofEntity: layout.entityNumber, count: newCount)
        }
        let key = own ?? ObjectKey(entity: layout.entityNumber, number: free.lowerBound)
        if own == nil { free = free.lowerBound + 1..<free.upperBound } else { base.remove(key) }
        theirs.insert(key)
        for (column, end) in ends.enumerated() { theirs.set(.object(end), column: column, of: key) }
        for (property, _, new) in row.values { theirs.set(new, column: property.column, of: key) }
        continue
      }
      // A link that is not there any more needs no removal, and has no place.
      guard let own else { continue }
      if row.isDeleted {
        theirs.remove(own)
        continue
      }
      let link = try part.ours.view.row(of: own)
      for (property, old, new) in row.values {
        if try link?.value(layout.columns[property.column]).isIdentical(to: old) != true {
          base.set(old, column: property.column, of: own)
        }
        theirs.set(new, column: property.column, of: own)
      }
    }
  }
}
