// SAFETY: The scan lends its flags to a closure for one call. The closure reads them only during that call.

import ObjectModel
import Rows

/// The rows that a scan finds, in the order of their keys. The columns of only a few blocks are in memory at a time.
///
/// ``RowHits`` finds all rows before a caller gets the first one. A walk scans a block when it reaches the block's
/// first key, and releases the block after its last row.
struct HitWalk {
  private let node: ScanNode
  private let run: ScanRun
  /// The batches that are not scanned yet. The one with the lowest keys is last.
  private var waiting: [BatchReader]
  /// The batches that the walk has begun but not finished.
  private var active: [Cursor] = []

  private struct Cursor {
    let reader: BatchReader
    let rows: [UInt32]
    var index = 0
    var key: ObjectKey

    init?(_ reader: BatchReader, _ rows: [UInt32]) throws {
      guard let first = rows.first else { return nil }
      (self.reader, self.rows) = (reader, rows)
      key = try reader.key(Int(first))
    }

    /// Moves to the next row; returns false after the last.
    mutating func advance() throws -> Bool {
      index += 1
      guard index < rows.count else { return false }
      key = try reader.key(Int(rows[index]))
      return true
    }
  }

  /// Creates a walk over all rows of the given entities that a node keeps.
  init(_ node: ScanNode, _ layouts: [Layout], _ run: ScanRun) throws {
    self.node = node
    self.run = run
    let readers = try BatchReader.all(of: layouts, in: run.source)
    run.watch?.expect(readers.rowCount)
    waiting = readers.reversed()
  }

  /// Adds the next rows, at most `most`, to `hits`, which must be empty.
  mutating func next(_ most: Int, into hits: inout RowHits) throws {
    var places: [ObjectIdentifier: UInt32] = [:]
    while hits.hits.count < most {
      // The caller gets the rows of one batch before the next is scanned, because a scan may take long.
      if active.isEmpty, !hits.hits.isEmpty { return }
      try scanBatches()
      guard var least = active.indices.first else { return }
      for index in active.indices.dropFirst() where active[index].key < active[least].key {
        least = index
      }
      let reader = active[least].reader
      let place = places[ObjectIdentifier(reader)] ?? UInt32(hits.readers.count)
      if place == hits.readers.count {
        places[ObjectIdentifier(reader)] = place
        hits.readers.append(reader)
      }
      // Rows below the lowest key of all other batches need no comparison.
      let limit = limit(besides: least)
      var goesOn = true
      repeat {
        hits.hits.append(
          RowHits.Hit(reader: place, row: active[least].rows[active[least].index]))
        goesOn = try active[least].advance()
      } while goesOn && hits.hits.count < most && active[least].key < limit
      if !goesOn { active.remove(at: least) }
    }
  }

  /// Returns the lowest key of all other batches, active or waiting.
  private func limit(besides index: Int) -> ObjectKey {
    var limit = waiting.last?.lowestKey ?? ObjectKey(rawValue: .max)
    for other in active.indices where other != index { limit = min(limit, active[other].key) }
    return limit
  }

  /// Scans each batch whose first key is below the current key of an active batch.
  private mutating func scanBatches() throws {
    while let next = waiting.last,
      active.isEmpty || active.contains(where: { next.lowestKey < $0.key })
    {
      waiting.removeLast()
      // The store keeps its own block, and every column loaded into that block. So the scan uses a copy without
      // columns.
      let batch = RowBatch(
        next.batch.block.withoutLoadedColumns(), hidden: next.batch.hidden)
      let reader = BatchReader(batch, entityNumber: next.entityNumber)
      var rows: [UInt32] = []
      unsafe try run.select(node, reader) { flags in
        unsafe flags.forEachKept { rows.append(UInt32($0)) }
      }
      try run.watch?.pass(batch.block.rowCount)
      if let cursor = try Cursor(reader, rows) { active.append(cursor) }
    }
  }
}
