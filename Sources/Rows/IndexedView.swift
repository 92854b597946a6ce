package import ObjectModel
import Synchronization

/// The objects of a view, found by what they are sorted by.
///
///     let indexed = IndexedView(view, schema)
///     let range = IndexRange(equalTo: IndexBound([.object(company)]))
///     let people = try indexed.keys(index, in: range)
///
/// Stores keep sorted entries for most of what they hold. For the rest, such as changes that are not
/// saved yet, they are made when they are first asked for, and kept as long as this is.
public final class IndexedView: Sendable {
  /// What is looked through.
  public let view: View
  private let schema: Schema
  private let made = Mutex<[Key: IndexParts]>([:])
  /// The entries that another view had of the lowest tables, which are this view's too.
  private let kept: [Key: [IndexRun]]

  private struct Key: Hashable {
    let index: IndexLayout

    func hash(into hasher: inout Hasher) {
      hasher.combine(index.number)
      hasher.combine(index.entityNumber)
    }

    static func == (left: Key, right: Key) -> Bool {
      guard left.index.number == right.index.number else { return false }
      // A number says which index it is; one that no store keeps has none.
      return left.index.number != 0 || left.index == right.index
    }
  }

  /// The objects of the given view.
  ///
  /// - Parameter other: Another view, whose entries are used as far as both have the same tables at
  ///   their bottom.
  public init(_ view: View, _ schema: Schema, reusing other: IndexedView? = nil) {
    self.view = view
    self.schema = schema
    guard let other else {
      kept = [:]
      return
    }
    let common = zip(view.tables, other.view.tables).prefix { $0.isSame(as: $1) }.count
    let made = other.made.withLock { $0 }
    kept = other.kept.merging(made.mapValues(\.runs)) { $1 }
      .mapValues { Array($0.prefix(common)) }
  }

  /// The entries of all of the view's tables.
  private func parts(_ index: IndexLayout) throws -> IndexParts {
    let key = Key(index: index)
    if let known = made.withLock({ $0[key] }) { return known }
    // Made outside the lock: it may read much, and making it twice does no harm.
    let kept = kept[key] ?? []
    let runs = try view.tables.indices.map { table in
      try table < kept.count ? kept[table] : run(index, ofTable: table)
    }
    let parts = try IndexParts(runs, view, index)
    made.withLock { $0[key] = parts }
    return parts
  }

  private func run(_ index: IndexLayout, ofTable position: Int) throws -> IndexRun {
    let table = view.tables[position]
    if let kept = try table.entries(of: index) { return kept }
    guard let layout = schema[index.entityNumber] else { return IndexRun(index, []) }
    return try IndexRun(
      index, of: table.changes(ofEntity: index.entityNumber), layout: layout,
      above: View(Array(view.tables[..<position])))
  }

  /// At most how many objects are in a range: those that were moved out of it since count too.
  public func mostKeys(_ index: IndexLayout, in range: IndexRange) throws -> Int {
    try parts(index).places(range).reduce(0) { $0 + $1.places.count }
  }

  /// The numbers of the objects in a range of an index, in its order.
  public func keys(_ index: IndexLayout, in range: IndexRange) throws -> [UInt64] {
    let parts = try parts(index)
    let places = try parts.places(range)
    // Where all values are the same, the order is that of the objects: no entry is held beside another.
    guard places.count <= 1 || range.isEqual(inColumns: index.columns.count) else {
      var numbers: [UInt64] = []
      try forEach(parts, places, isAscending: true) { entry in
        numbers.append(entry.object)
        return true
      }
      return numbers
    }
    var numbers: [UInt64] = []
    for place in places {
      let found = try parts.runs[place.table].objects(at: place.places)
      if parts.isTop(place.table) {
        // Nothing can be above them.
        if numbers.isEmpty { numbers = found } else { numbers += found }
      } else {
        for number in found where try parts.isCurrent(number, above: place.table) {
          numbers.append(number)
        }
      }
    }
    if places.count > 1,
      !numbers.indices.dropFirst().allSatisfy({ numbers[$0 - 1] < numbers[$0] })
    {
      numbers.sort()
    }
    return numbers
  }

  /// The blocks of the entries in a range and which of their rows these are, in the order of the index.
  ///
  /// - Returns: `nil` when not all are in one table, or something above it may say otherwise.
  package func stretches(
    _ index: IndexLayout, in range: IndexRange
  ) throws -> [(block: Block, rows: Range<Int>)]? {
    let parts = try parts(index)
    let found = try parts.places(range)
    guard let only = found.first else { return [] }
    guard found.count == 1, parts.isTop(only.table) else { return nil }
    return parts.runs[only.table].stretches(only.places)
  }

  /// The entries in a range of an index that still hold, in its order.
  package func entries(_ index: IndexLayout, in range: IndexRange) throws -> [IndexEntry] {
    var found: [IndexEntry] = []
    let parts = try parts(index)
    try forEach(parts, parts.places(range), isAscending: true) { entry in
      found.append(entry)
      return true
    }
    return found
  }

  /// Calls `body` with the entries in a range that still hold, in the order of the indexes or against
  /// it, as long as it answers yes.
  ///
  /// The indexes are of different entities and sort by the same columns, such as those of an entity and
  /// of one that inherits from it; what is equal comes in the order of keys.
  /// Costs what is looked at, and not what the range holds.
  package func forEach(
    _ indexes: [IndexLayout], in range: IndexRange, isAscending: Bool = true,
    _ body: (IndexEntry) throws -> Bool
  ) throws {
    var cursors: [IndexCursor] = []
    for index in indexes {
      let parts = try parts(index)
      for place in try parts.places(range) {
        cursors.append(try IndexCursor(parts, place, isAscending))
      }
    }
    try forEach(&cursors, isAscending, body)
  }

  private func forEach(
    _ parts: IndexParts, _ places: [IndexParts.Places], isAscending: Bool,
    _ body: (IndexEntry) throws -> Bool
  ) throws {
    var cursors = try places.map { try IndexCursor(parts, $0, isAscending) }
    try forEach(&cursors, isAscending, body)
  }

  private func forEach(
    _ cursors: inout [IndexCursor], _ isAscending: Bool, _ body: (IndexEntry) throws -> Bool
  ) throws {
    guard let order = cursors.first?.index else { return }
    while !cursors.isEmpty {
      var next = 0
      for other in cursors.indices.dropFirst()
      where try order.comesFirst(cursors[other].entry, cursors[next].entry) == isAscending {
        next = other
      }
      let entry = cursors[next].entry
      if try cursors[next].isCurrent, try !body(entry) { return }
      if try !cursors[next].advance() { cursors.remove(at: next) }
    }
  }
}

extension IndexRange {
  /// Whether all entries in the range have the same values in so many columns, which are all there are.
  fileprivate func isEqual(inColumns count: Int) -> Bool {
    guard let lower, let upper, !lower.isPrefix, !upper.isPrefix, lower.values.count == count,
      upper.values.count == count
    else { return false }
    return zip(lower.values, upper.values).allSatisfy { one, other in
      switch (one, other) {
      // Texts that are read the same may have other bytes, and those are what is sorted by.
      case (.string(let one), .string(let other)), (.uri(let one), .uri(let other)):
        one.utf8.elementsEqual(other.utf8)
      default: one == other
      }
    }
  }
}

/// A place in the run of one table, moving up or down.
private struct IndexCursor {
  let index: IndexLayout
  private let parts: IndexParts
  private let table: Int
  private(set) var entry: IndexEntry
  private let blocks: [Block]
  private let isAscending: Bool
  private var block: Int
  private var objects: Column
  /// How many entries are left behind this one.
  private var remaining: Int

  /// The first of the given places, or the last. There is at least one.
  init(_ parts: IndexParts, _ part: IndexParts.Places, _ isAscending: Bool) throws {
    let run = parts.runs[part.table]
    let places = part.places
    let (block, row) = run.location(
      of: isAscending ? places.lowerBound : places.upperBound - 1)
    index = run.index
    self.parts = parts
    table = part.table
    self.block = block
    self.isAscending = isAscending
    blocks = run.blocks
    remaining = places.count - 1
    objects = try run.blocks[block].indexedObjects
    entry = try IndexEntry(block: run.blocks[block], row: row, run.index, objects)
  }

  /// Whether nothing above the table says otherwise than the entry.
  var isCurrent: Bool {
    get throws { try parts.isCurrent(entry.object, above: table) }
  }

  /// Moves to the next place; false when there is none.
  mutating func advance() throws -> Bool {
    guard remaining > 0 else { return false }
    remaining -= 1
    var row = isAscending ? entry.row + 1 : entry.row - 1
    if row < 0 || row == blocks[block].rowCount {
      block += isAscending ? 1 : -1
      row = isAscending ? 0 : blocks[block].rowCount - 1
      objects = try blocks[block].indexedObjects
    }
    entry = try IndexEntry(block: blocks[block], row: row, index, objects)
    return true
  }
}

extension Block {
  /// The column of the objects that entries of an index are of.
  package var indexedObjects: Column {
    get throws {
      guard let objects = try column(LayoutColumn.Number.object) else {
        throw BlockError.badColumn(LayoutColumn.Number.object, "An index has one.")
      }
      return objects
    }
  }
}

extension IndexEntry {
  fileprivate init(
    block: Block, row: Int, _ index: IndexLayout, _ objects: Column
  ) throws(BlockError) {
    let object = try objects.objectNumber(at: row)
    self.init(block: block, row: row, entity: index.entityNumber, object: object)
  }

  /// The object.
  package var key: ObjectKey { ObjectKey(entity: entity, number: object) }

  /// Whether another entry has the same values.
  package func hasSameValues(as other: IndexEntry, in index: IndexLayout) throws -> Bool {
    try index.order(self, other) == .equal
  }
}

extension IndexLayout {
  /// Whether one entry comes before another, perhaps of another run.
  fileprivate func comesFirst(_ left: IndexEntry, _ right: IndexEntry) throws -> Bool {
    let order = try order(left, right)
    return order == .equal ? left.key < right.key : order == .less
  }

  /// How the values of two entries are ordered.
  fileprivate func order(_ left: IndexEntry, _ right: IndexEntry) throws -> Comparison {
    for column in columns {
      let one = try left.block.column(column.number, as: column.kind)
      let other = try right.block.column(column.number, as: column.kind)
      let order = Comparison(of: one, left.row, other, right.row)
      if order != .equal { return order }
    }
    return .equal
  }
}
