package import ObjectModel
import Synchronization

/// The objects of a view, found through indexes.
///
///     let indexed = IndexedView(view, schema)
///     let range = IndexRange(equalTo: IndexBound([.object(company)]))
///     let people = try indexed.keys(index, in: range)
///
/// Stores keep sorted entries for most of their rows. For all other rows, such as unsaved changes, the entries are
/// created at their first use and kept for the lifetime of the indexed view.
public final class IndexedView: Sendable {
  /// The view that is searched.
  public let view: View
  private let schema: Schema
  private let made = Mutex<[Key: IndexParts]>([:])
  /// Entries of the lowest tables from another view. This view has the same tables at its bottom.
  private let kept: [Key: [IndexRun]]

  private struct Key: Hashable {
    let index: IndexLayout

    func hash(into hasher: inout Hasher) {
      hasher.combine(index.number)
      hasher.combine(index.entityNumber)
    }

    static func == (left: Key, right: Key) -> Bool {
      guard left.index.number == right.index.number else { return false }
      // The number identifies an index. An index that no store keeps has no number.
      return left.index.number != 0 || left.index == right.index
    }
  }

  /// Creates an indexed view of the given view's objects.
  ///
  /// - Parameter other: Another view. Its entries are reused for the lowest tables that both views share.
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

  /// Returns the entries of all of the view's tables.
  private func parts(_ index: IndexLayout) throws -> IndexParts {
    let key = Key(index: index)
    if let known = made.withLock({ $0[key] }) { return known }
    // The entries are created outside of the lock: they may read much, and creating them twice does no harm.
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

  /// Returns whether a search in an index reads less than all rows. A table that reads its rows from elsewhere on demand,
  /// and keeps no entries, would have to read all of them.
  package func isKept(_ index: IndexLayout) throws -> Bool {
    if made.withLock({ $0[Key(index: index)] != nil }) { return true }
    return try view.tables.allSatisfy {
      try !$0.readsOnDemand || $0.entries(of: index) != nil
    }
  }

  /// Returns the greatest number of objects that a range may contain. Objects that have since moved out of the
  /// range are counted too.
  public func mostKeys(_ index: IndexLayout, in range: IndexRange) throws -> Int {
    try parts(index).places(range).reduce(0) { $0 + $1.places.count }
  }

  /// Returns the numbers of the objects in a range of an index, in the order of the index.
  public func keys(_ index: IndexLayout, in range: IndexRange) throws -> [UInt64] {
    let parts = try parts(index)
    let places = try parts.places(range)
    // Where all values are equal, the order is the order of the objects, so entries need no comparison.
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
        // No table above can contradict these entries.
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

  /// Returns the blocks of the entries in a range and the rows of the entries, in the order of the index.
  ///
  /// - Returns: `nil` when the entries lie in several tables, or a table above may contradict them.
  package func stretches(
    _ index: IndexLayout, in range: IndexRange
  ) throws -> [(block: Block, rows: Range<Int>)]? {
    let parts = try parts(index)
    let found = try parts.places(range)
    guard let only = found.first else { return [] }
    guard found.count == 1, parts.isTop(only.table) else { return nil }
    return parts.runs[only.table].stretches(only.places)
  }

  /// Returns the current entries in a range of an index, in the order of the index.
  package func entries(_ index: IndexLayout, in range: IndexRange) throws -> [IndexEntry] {
    var found: [IndexEntry] = []
    let parts = try parts(index)
    try forEach(parts, parts.places(range), isAscending: true) { entry in
      found.append(entry)
      return true
    }
    return found
  }

  /// Calls `body` with the current entries in a range, in ascending or descending order, until `body` returns
  /// false.
  ///
  /// The indexes belong to different entities and sort by the same columns, such as the indexes of an entity and
  /// its subentity. Equal entries come in the order of keys. The cost depends on the entries that are visited, not
  /// on the size of the range.
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
  /// Returns whether all entries in the range have equal values in all columns. `count` is the number of the
  /// index's columns.
  fileprivate func isEqual(inColumns count: Int) -> Bool {
    guard let lower, let upper, !lower.isPrefix, !upper.isPrefix, lower.values.count == count,
      upper.values.count == count
    else { return false }
    return zip(lower.values, upper.values).allSatisfy { one, other in
      switch (one, other) {
      // Equal texts may differ in their bytes, and the index sorts by bytes.
      case (.string(let one), .string(let other)), (.uri(let one), .uri(let other)):
        one.utf8.elementsEqual(other.utf8)
      default: one == other
      }
    }
  }
}

/// A position in the run of one table, moving up or down.
private struct IndexCursor {
  let index: IndexLayout
  private let parts: IndexParts
  private let table: Int
  private(set) var entry: IndexEntry
  private let blocks: [Block]
  private let isAscending: Bool
  private var block: Int
  private var objects: Column
  /// The number of entries that follow this entry.
  private var remaining: Int

  /// Creates a cursor at the first or the last of the given places. There is at least one place.
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

  /// Whether no table above contradicts the entry.
  var isCurrent: Bool {
    get throws { try parts.isCurrent(entry.object, above: table) }
  }

  /// Moves to the next place; returns false when there is none.
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
  /// The column with the objects of index entries.
  package var indexedObjects: Column {
    get throws {
      guard let objects = try column(LayoutColumn.Number.object) else {
        throw BlockError.badColumn(
          LayoutColumn.Number.object, "The index does not have the column of objects.")
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

  package var key: ObjectKey { ObjectKey(entity: entity, number: object) }

  /// Returns whether another entry has the same values.
  package func hasSameValues(as other: IndexEntry, in index: IndexLayout) throws -> Bool {
    try index.order(self, other) == .equal
  }
}

extension IndexLayout {
  /// Returns whether one entry comes before another entry, perhaps of another run.
  fileprivate func comesFirst(_ left: IndexEntry, _ right: IndexEntry) throws -> Bool {
    let order = try order(left, right)
    return order == .equal ? left.key < right.key : order == .less
  }

  /// Compares the values of two entries.
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
