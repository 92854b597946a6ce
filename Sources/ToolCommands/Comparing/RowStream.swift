import ObjectModel
import Rows

/// The rows of one entity, or the links of one table, in the order of their keys. Memory holds a few columns of a
/// few blocks at a time.
final class RowStream {
  let layout: Layout
  private var waiting: [RowBatch]
  private var active: [Cursor] = []
  private var blockCount = 0
  /// The columns of blocks that have been read.
  private var columns: [Int: [Column?]] = [:]

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
  struct Place {
    fileprivate let block: Block
    fileprivate let number: Int
    fileprivate let row: Int
    /// The object's number within its entity.
    let key: UInt64
  }

  init(_ view: View, _ layout: Layout) throws {
    self.layout = layout
    // The array is a stack, so the block with the lowest key is at its end.
    waiting = try view.batches(of: layout).sorted { $0.block.minimumKey > $1.block.minimumKey }
  }

  /// Returns the place of the next row; `nil` after the last.
  func next() throws -> Place? {
    while let batch = waiting.last,
      active.isEmpty || active.contains(where: { batch.block.minimumKey < $0.key })
    {
      waiting.removeLast()
      // A copy, so that the columns are released with the stream and not with the store.
      let block = batch.block.withoutLoadedColumns()
      var cursor = Cursor(batch: batch, block: block, keys: try block.keys, number: blockCount)
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

  /// Returns the value of a row in the column at the given position of the layout.
  func value(_ column: Int, _ place: Place) throws -> Value {
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

/// One row of a side, read in a walk through all rows or found by its key.
struct ComparedRow {
  let key: ObjectKey
  private let place: Place

  private enum Place {
    case stream(RowStream, RowStream.Place)
    case found(ViewRow, Layout)
  }

  init(_ place: RowStream.Place, in stream: RowStream) {
    key = ObjectKey(entity: stream.layout.entityNumber, number: place.key)
    self.place = .stream(stream, place)
  }

  /// Finds a row by its key; `nil` if there is none.
  init?(_ number: UInt64, _ layout: Layout, in view: View) throws {
    key = ObjectKey(entity: layout.entityNumber, number: number)
    guard let row = try view.row(of: key) else { return nil }
    place = .found(row, layout)
  }

  /// Returns the value in the column at the given position of the layout. A row of a walk must be read before the walk
  /// continues.
  func value(_ column: Int) throws -> Value {
    switch place {
    case .stream(let stream, let place): try stream.value(column, place)
    case .found(let row, let layout): try row.value(layout.columns[column])
    }
  }
}
