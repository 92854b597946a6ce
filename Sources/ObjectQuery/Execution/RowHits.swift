// SAFETY: The scan lends its flags to a closure for one call. The closure reads them only during that call.

import ObjectModel
import Rows

/// The rows that a scan found, as pairs of batch and row.
@usableFromInline
struct RowHits {
  /// The batches, each with the rows of one entity.
  var readers: [BatchReader] = []
  /// The rows found, in the order of their keys.
  var hits: [Hit] = []

  @usableFromInline
  struct Hit: BitwiseCopyable {
    @usableFromInline var reader: UInt32
    @usableFromInline var row: UInt32
  }

  /// Finds the rows of the given entities that a node keeps; at most the first `most` of them.
  init(_ node: ScanNode, _ layouts: [Layout], _ run: ScanRun, most: Int = .max) throws {
    readers = try BatchReader.all(of: layouts, in: run.source)
    let isOrdered = readers.areOrdered
    run.watch?.expect(readers.rowCount)
    run.watch?.journal?.recordScan(of: layouts, readers)
    for (index, reader) in readers.enumerated() {
      if isOrdered, hits.count >= most { break }
      run.watch?.journal?.recordRead(reader.batch.block)
      unsafe try run.select(node, reader) { flags in
        unsafe flags.forEachKept { hits.append(Hit(reader: UInt32(index), row: UInt32($0))) }
      }
      try run.watch?.pass(reader.batch.block.rowCount)
    }
    if !isOrdered { try sortByKey() }
    if hits.count > most { hits.removeLast(hits.count - most) }
  }

  /// Finds the rows of objects of an entity, in the given order.
  init(_ numbers: [UInt64], _ layout: Layout, in view: View) throws {
    let (blocks, rows) = try view.rows(of: numbers, layout)
    readers = blocks.map { BatchReader(RowBatch($0), entityNumber: layout.entityNumber) }
    hits = rows.map { Hit(reader: UInt32($0.block), row: UInt32($0.row)) }
  }

  init() {}

  /// Adds the given objects that meet a predicate, in their order, up to `most` of them.
  mutating func add(
    _ keys: [ObjectKey], of layouts: [Layout], in view: View, _ predicate: BoundPredicate?,
    _ interpreter: Interpreter, most: Int = .max
  ) throws {
    var places = [Hit?](repeating: nil, count: keys.count)
    for layout in layouts {
      let own = keys.indices.filter { keys[$0].entity == layout.entityNumber }
      if own.isEmpty { continue }
      let (blocks, rows) = try view.rows(of: own.map { keys[$0].number }, layout)
      let first = readers.count
      readers += blocks.map { BatchReader(RowBatch($0), entityNumber: layout.entityNumber) }
      for place in rows {
        places[own[place.key]] = Hit(
          reader: UInt32(first + place.block), row: UInt32(place.row))
      }
    }
    for case let hit? in places where hits.count < most {
      if let predicate, try !interpreter.holds(predicate, for: subject(hit)) { continue }
      hits.append(hit)
    }
  }

  mutating func sortByKey() throws {
    var keyed: [(key: ObjectKey, hit: Hit)] = []
    keyed.reserveCapacity(hits.count)
    for hit in hits { keyed.append((try key(hit), hit)) }
    keyed.sort { $0.key < $1.key }
    hits = keyed.map(\.hit)
  }

  @inline(__always)
  func key(_ hit: Hit) throws -> ObjectKey { try readers[Int(hit.reader)].key(Int(hit.row)) }

  func subject(_ hit: Hit) throws -> Subject {
    try readers[Int(hit.reader)].subject(Int(hit.row))
  }
}
