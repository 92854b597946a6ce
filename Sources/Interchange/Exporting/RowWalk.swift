package import ObjectModel
package import Rows

/// Iterates over the rows of one entity, or over the links of one table, in the order of their keys, across all blocks.
package struct RowWalk {
  /// The blocks that no row has come from. The array is a stack, so the block with the lowest key is at its end.
  private var waiting: [RowBatch]
  /// The lowest key of the waiting blocks; `nil` if none waits.
  private var lowestWaiting: UInt64?
  private var active: [Cursor] = []

  private struct Cursor {
    let batch: RowBatch
    let block: Block
    let keys: Column
    let number: Int
    var row = 0
    /// The key of the row.
    var key: UInt64 = 0

    /// Moves to the next visible row, and returns `false` after the last.
    mutating func settle() -> Bool {
      while row < block.rowCount, batch.hidden?.contains(row) ?? false { row += 1 }
      guard row < block.rowCount else { return false }
      key = UInt64(bitPattern: keys.integer(at: row))
      return true
    }
  }

  /// The place of one row.
  package struct Place {
    package let block: Block
    /// The index of the block in the walk.
    package let number: Int
    /// The index of the row in the block.
    package let row: Int
    /// The object's number within its entity.
    package let key: UInt64
  }

  private var blockCount = 0

  package init(_ view: View, _ layout: Layout) throws {
    waiting = try view.batches(of: layout).sorted { $0.block.minimumKey > $1.block.minimumKey }
    lowestWaiting = waiting.last?.block.minimumKey
  }

  /// Returns the place of the next row; `nil` after the last.
  package mutating func next() throws -> Place? {
    while let lowest = lowestWaiting, active.isEmpty || active.contains(where: { lowest < $0.key })
    {
      let next = waiting.removeLast()
      lowestWaiting = waiting.last?.block.minimumKey
      // A copy, so that the columns are released with the walk and not with the store.
      let block = next.block.withoutLoadedColumns()
      var cursor = Cursor(batch: next, block: block, keys: try block.keys, number: blockCount)
      blockCount += 1
      if cursor.settle() { active.append(cursor) }
    }
    guard !active.isEmpty else { return nil }
    var least = 0
    for index in 1..<active.count where active[index].key < active[least].key { least = index }
    let place = Place(
      block: active[least].block, number: active[least].number, row: active[least].row,
      key: active[least].key)
    active[least].row += 1
    if !active[least].settle() { active.remove(at: least) }
    return place
  }
}

/// The values of the rows of a walk. Memory holds the columns of a few blocks at a time.
package struct WalkValues {
  private let layout: Layout
  /// The columns of the block that was read last, and the index of the block in the walk.
  private var columns: [ReadColumn] = []
  private var number = -1
  /// The columns of other blocks that have been read. Only overlapping blocks are needed together, and few blocks
  /// overlap.
  private var others: [Int: [ReadColumn]] = [:]

  private enum ReadColumn {
    case unread
    /// The block has no such column, so each value is the default.
    case missing
    case column(Column)
    /// Some values have sections of their own. Each value is read separately, and not all values of the block at once.
    case outside
  }

  package init(_ layout: Layout) { self.layout = layout }

  /// Returns the value of a row in the column at the given position of the layout.
  package mutating func value(_ column: Int, _ place: RowWalk.Place) throws -> Value {
    if place.number != number { turn(to: place.number) }
    if case .unread = columns[column] { columns[column] = try read(column, of: place.block) }
    switch columns[column] {
    case .column(let found): return found.value(at: place.row)
    case .outside:
      let wanted = layout.columns[column]
      return try place.block.value(wanted, row: place.row) ?? wanted.defaultValue
    case .missing, .unread: return layout.columns[column].defaultValue
    }
  }

  private func read(_ column: Int, of block: Block) throws -> ReadColumn {
    let wanted = layout.columns[column]
    if wanted.kind == .binary, block.hasOutsideValues(in: wanted.number) { return .outside }
    return try block.column(wanted).map { .column($0) } ?? .missing
  }

  private mutating func turn(to next: Int) {
    if others.count > 8 { others.removeAll(keepingCapacity: true) }
    if number >= 0 { others[number] = columns }
    columns =
      others.removeValue(forKey: next)
      ?? [ReadColumn](repeating: .unread, count: layout.columns.count)
    number = next
  }
}
