package import ObjectModel
import Synchronization

/// The objects of a view, found by what they are sorted by.
///
///     let indexed = IndexedView(snapshot.view, schema)
///     let range = IndexRange(equalTo: IndexBound([.object(company)]))
///     let people = try indexed.keys(index, in: range)
///
/// Stores keep sorted entries for most of what they hold. For the rest, such as changes that are not
/// saved yet, they are made when they are first asked for, and kept as long as this is.
public final class IndexedView: Sendable {
  /// What is looked through.
  public let view: View
  private let schema: Schema
  private let made = Mutex<[Key: IndexRun]>([:])

  private struct Key: Hashable {
    var table: Int
    var index: IndexLayout

    func hash(into hasher: inout Hasher) {
      hasher.combine(table)
      hasher.combine(index.number)
      hasher.combine(index.entityNumber)
    }

    static func == (left: Key, right: Key) -> Bool {
      guard left.table == right.table, left.index.number == right.index.number else { return false }
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
    guard let other else { return }
    let common = zip(view.tables, other.view.tables).prefix { $0.isSame(as: $1) }.count
    let known = other.made.withLock { $0 }
    made.withLock { $0 = known.filter { $0.key.table < common } }
  }

  /// The entries of one of the view's tables.
  private func run(_ index: IndexLayout, ofTable position: Int) throws -> IndexRun {
    let key = Key(table: position, index: index)
    if let known = made.withLock({ $0[key] }) { return known }
    let table = view.tables[position]
    let run: IndexRun
    if let kept = try table.entries(of: index) {
      run = kept
    } else {
      // Made outside the lock: it may read much, and making it twice does no harm.
      guard let layout = schema[index.entityNumber] else { return IndexRun(index, []) }
      run = try IndexRun(
        index, of: table.changes(ofEntity: index.entityNumber), layout: layout,
        above: View(Array(view.tables[..<position])))
    }
    made.withLock { $0[key] = run }
    return run
  }

  /// What one of the view's tables has in a range of an index: at least one entry.
  private struct Part {
    let run: IndexRun
    let places: Range<Int>
    let table: Int
  }

  private func parts(_ index: IndexLayout, in range: IndexRange) throws -> [Part] {
    try view.tables.indices.compactMap { table in
      let run = try run(index, ofTable: table)
      let places = try run.places(range)
      return places.isEmpty ? nil : Part(run: run, places: places, table: table)
    }
  }

  /// At most how many objects are in a range: those that were moved out of it since count too.
  public func mostKeys(_ index: IndexLayout, in range: IndexRange) throws -> Int {
    try parts(index, in: range).reduce(0) { $0 + $1.places.count }
  }

  /// The numbers of the objects in a range of an index, in its order.
  public func keys(_ index: IndexLayout, in range: IndexRange) throws -> [UInt64] {
    let parts = try parts(index, in: range)
    if parts.count == 1, parts[0].table == view.tables.count - 1 {
      // Nothing can be above them.
      return try parts[0].run.objects(at: parts[0].places)
    }
    return try entries(parts).map(\.object)
  }

  /// The entries in a range of an index that still hold, in its order.
  package func entries(_ index: IndexLayout, in range: IndexRange) throws -> [IndexEntry] {
    try entries(parts(index, in: range))
  }

  private func entries(_ parts: [Part]) throws -> [IndexEntry] {
    var found: [IndexEntry] = []
    try forEach(parts, isAscending: true) { entry in
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
    try forEach(indexes.flatMap { try parts($0, in: range) }, isAscending: isAscending, body)
  }

  private func forEach(
    _ parts: [Part], isAscending: Bool, _ body: (IndexEntry) throws -> Bool
  ) throws {
    guard let order = parts.first?.run.index else { return }
    var cursors = try parts.map { part in
      try IndexCursor(part.run, part.places, isAscending, table: part.table)
    }
    while !cursors.isEmpty {
      var next = 0
      for other in cursors.indices.dropFirst()
      where try order.comesFirst(cursors[other].entry, cursors[next].entry) == isAscending {
        next = other
      }
      let entry = cursors[next].entry
      if try isCurrent(entry, cursors[next].index, above: cursors[next].table), try !body(entry) {
        return
      }
      if try !cursors[next].advance() { cursors.remove(at: next) }
    }
  }

  /// Whether nothing above a table says otherwise than an entry of it.
  private func isCurrent(
    _ entry: IndexEntry, _ index: IndexLayout, above position: Int
  ) throws -> Bool {
    let key = ObjectKey(entity: index.entityNumber, number: entry.object)
    for table in view.tables[(position + 1)...].reversed() {
      switch try table.entry(of: key) {
      case .absent: continue
      case .put, .removed: return false
      case .changed(let location):
        // Whoever gives one of the columns has an entry of its own.
        for column in index.columns {
          if let values = try location.block.column(column.number), values.isGiven(location.row) {
            return false
          }
        }
      }
    }
    return true
  }
}

/// A place in the run of one table, moving up or down.
private struct IndexCursor {
  let index: IndexLayout
  let table: Int
  private(set) var entry: IndexEntry
  private let blocks: [Block]
  private let isAscending: Bool
  private var block: Int
  private var objects: Column
  /// How many entries are left behind this one.
  private var remaining: Int

  /// The first of the given places, or the last. There is at least one.
  init(_ run: IndexRun, _ places: Range<Int>, _ isAscending: Bool, table: Int) throws {
    var row = isAscending ? places.lowerBound : places.upperBound - 1
    var block = 0
    while row >= run.blocks[block].rowCount {
      row -= run.blocks[block].rowCount
      block += 1
    }
    index = run.index
    self.table = table
    self.block = block
    self.isAscending = isAscending
    blocks = run.blocks
    remaining = places.count - 1
    objects = try run.blocks[block].objects
    entry = try IndexEntry(block: run.blocks[block], row: row, run.index, objects)
  }

  /// Moves to the next place; false when there is none.
  mutating func advance() throws -> Bool {
    guard remaining > 0 else { return false }
    remaining -= 1
    var row = isAscending ? entry.row + 1 : entry.row - 1
    if row < 0 || row == blocks[block].rowCount {
      block += isAscending ? 1 : -1
      row = isAscending ? 0 : blocks[block].rowCount - 1
      objects = try blocks[block].objects
    }
    entry = try IndexEntry(block: blocks[block], row: row, index, objects)
    return true
  }
}

extension IndexRun {
  /// The numbers of the objects at the given places.
  fileprivate func objects(at places: Range<Int>) throws -> [UInt64] {
    var numbers: [UInt64] = []
    numbers.reserveCapacity(places.count)
    var start = 0
    for block in blocks {
      let here = places.clamped(to: start..<start + block.rowCount)
      if !here.isEmpty {
        let objects = try block.objects
        for place in here { numbers.append(try objects.objectNumber(at: place - start)) }
      }
      start += block.rowCount
    }
    return numbers
  }
}

extension Block {
  /// The column of the objects that entries of an index are of.
  fileprivate var objects: Column {
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

extension Column {
  /// The number of the object that an entry of an index is of.
  fileprivate func objectNumber(at row: Int) throws(BlockError) -> UInt64 {
    let object = UInt64(bitPattern: integer(at: row))
    // A file may say anything, and numbers beyond these make no key (spec §4.5.6).
    guard object >= 1, object <= ObjectKey.highestNumber else {
      throw .badValue(LayoutColumn.Number.object, "No object has the number \(object).")
    }
    return object
  }
}
