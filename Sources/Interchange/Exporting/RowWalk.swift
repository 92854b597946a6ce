import ObjectModel
import Rows

/// Iterates over the objects of one entity in the order of their keys, across all blocks.
struct RowWalk {
  private var waiting: [RowBatch]
  private var active: [Cursor] = []

  private struct Cursor {
    let batch: RowBatch
    let keys: Column
    let number: Int
    var row = 0
    var key: UInt64 { UInt64(bitPattern: keys.integer(at: row)) }

    /// Moves to the next visible row, and returns `false` after the last.
    mutating func settle() -> Bool {
      while row < batch.block.rowCount, batch.hidden?.contains(row) ?? false { row += 1 }
      return row < batch.block.rowCount
    }
  }

  /// The place of one object: its block, the index of the block in the walk, its row and its number.
  struct Place {
    let block: Block
    let number: Int
    let row: Int
    let key: UInt64
  }

  private var blockCount = 0

  init(_ view: View, _ layout: Layout) throws {
    // The array is a stack, so the block with the lowest key is at its end.
    waiting = try view.batches(of: layout).sorted { $0.block.minimumKey > $1.block.minimumKey }
  }

  /// Returns the place of the next object; `nil` after the last.
  mutating func next() throws -> Place? {
    while let next = waiting.last,
      active.isEmpty || active.contains(where: { next.block.minimumKey < $0.key })
    {
      waiting.removeLast()
      var cursor = Cursor(batch: next, keys: try next.block.keys, number: blockCount)
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
    return Place(
      block: cursor.batch.block, number: cursor.number, row: cursor.row, key: cursor.key)
  }
}
