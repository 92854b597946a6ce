// SAFETY: Flags are read while the scan that made them lends them.

import ObjectModel
import Rows

/// The rows that a scan found, by batch and row.
struct RowHits {
  /// The batches, each with the rows of one entity.
  var readers: [BatchReader] = []
  /// The rows found, in the order of their keys.
  var hits: [Hit] = []

  struct Hit: BitwiseCopyable {
    var reader: UInt32
    var row: UInt32
  }

  /// All rows of the given entities that a node keeps, or the first so many.
  init(_ node: ScanNode, _ layouts: [Layout], _ run: ScanRun, most: Int = .max) throws {
    readers = try BatchReader.all(of: layouts, in: run.source)
    let isOrdered = readers.areOrdered
    for (index, reader) in readers.enumerated() {
      if isOrdered, hits.count >= most { break }
      unsafe try run.select(node, reader) { flags in
        unsafe flags.forEachKept { hits.append(Hit(reader: UInt32(index), row: UInt32($0))) }
      }
    }
    if !isOrdered { try sortByKey() }
    if hits.count > most { hits.removeLast(hits.count - most) }
  }

  private mutating func sortByKey() throws {
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
