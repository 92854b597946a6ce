package import ObjectModel
package import Rows

/// Iterates over the rows of one entity, or over the links of one table, in the order of their keys, across all blocks.
package struct RowWalk {
  private var waiting: [RowBatch]
  private var active: [Cursor] = []

  private struct Cursor {
    let batch: RowBatch
    let block: Block
    let keys: Column
    let number: Int
    var row = 0
    var key: UInt64 { UInt64(bitPattern: keys.integer(at: row)) }

    /// Moves to the next visible row, and returns `false` after the last.
    mutating func settle() -> Bool {
      while row < block.rowCount, batch.hidden?.contains(row) ?? false { row += 1 }
      return row < block.rowCount
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
    // The array is a stack, so the block with the lowest key is at its end.
    waiting = try view.batches(of: layout).sorted { $0.block.minimumKey > $1.block.minimumKey }
  }

  /// Returns the place of the next row; `nil` after the last.
  package mutating func next() throws -> Place? {
    while let next = waiting.last,
      active.isEmpty || active.contains(where: { next.block.minimumKey < $0.key })
    {
      waiting.removeLast()
      // A copy, so that the columns are released with the walk and not with the store.
      let block = next.block.withoutLoadedColumns()
      var cursor = Cursor(batch: next, block: block, keys: try block.keys, number: blockCount)
      blockCount += 1
      if cursor.settle() { active.append(cursor) }
    }
    guard var least = active.indices.first else { return nil }
    for index in active.indices.dropFirst() where active[index].key < active[least].key {
      least = index
    }
    let cursor = active[least]
    active[least].row += 1
    if !active[least].settle() { active.remove(at: least) }
    return Place(block: cursor.block, number: cursor.number, row: cursor.row, key: cursor.key)
  }
}

/// The values of the rows of a walk. Memory holds the columns of a few blocks at a time.
package struct WalkValues {
  private let layout: Layout
  /// The columns of blocks that have been read.
  private var columns: [Int: [Column?]] = [:]

  package init(_ layout: Layout) { self.layout = layout }

  /// Returns the value of a row in the column at the given position of the layout.
  package mutating func value(_ column: Int, _ place: RowWalk.Place) throws -> Value {
    let wanted = layout.columns[column]
    // Each value in a section of its own is read separately, and not all values of the block at once.
    if wanted.kind == .binary, place.block.hasOutsideValues(in: wanted.number) {
      return try place.block.value(wanted, row: place.row) ?? wanted.defaultValue
    }
    if columns[place.number] == nil {
      // Only overlapping blocks are needed together, and few blocks overlap.
      if columns.count > 8 { columns.removeAll(keepingCapacity: true) }
      columns[place.number] = [Column?](repeating: nil, count: layout.columns.count)
    }
    if let known = columns[place.number]?[column] { return known.value(at: place.row) }
    guard let found = try place.block.column(wanted) else { return wanted.defaultValue }
    columns[place.number]![column] = found
    return found.value(at: place.row)
  }
}
