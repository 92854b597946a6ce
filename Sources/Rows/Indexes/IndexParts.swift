import ObjectModel

/// The entries of one index in the tables of a view, and the test of whether an entry is current (spec §4.5.6).
struct IndexParts: Sendable {
  /// The entries of each table, the lowest first.
  let runs: [IndexRun]
  private let index: IndexLayout
  private let tables: [any RowTable]
  /// The covers of each table: the tables above that may contradict its entries, the highest first.
  private let covers: [[Cover]]

  /// A table with rows of objects that the index may contain, and the ranges of their keys.
  private struct Cover {
    let table: Int
    let ranges: [ClosedRange<UInt64>]
  }

  /// The places of a table's entries in a range of the index; at least one entry.
  struct Places {
    let table: Int
    let places: Range<Int>
  }

  init(_ runs: [IndexRun], _ view: View, _ index: IndexLayout) throws {
    self.runs = runs
    self.index = index
    tables = view.tables
    var covers: [[Cover]] = Array(repeating: [], count: runs.count)
    var above: [Cover] = []
    for table in runs.indices.reversed() {
      covers[table] = above
      // The lowest table covers no table, and neither does a table with no entries below it.
      guard table > 0, runs[..<table].contains(where: { $0.count > 0 }) else { continue }
      let keys = try view.tables[table].keyRanges(ofEntity: index.entityNumber)
      // A table's index run has an entry for each inserted row and for each row with a change of an indexed column.
      let ranges = (runs[table].count > 0 ? [keys.put, keys.changed] : []) + [keys.removed]
      if case let ranges = ranges.compactMap({ $0 }), !ranges.isEmpty {
        above.append(Cover(table: table, ranges: ranges))
      }
    }
    self.covers = covers
  }

  /// Returns the places of the entries in a range, table by table.
  func places(_ range: IndexRange) throws -> [Places] {
    var found: [Places] = []
    for table in runs.indices {
      let places = try runs[table].places(range)
      if !places.isEmpty { found.append(Places(table: table, places: places)) }
    }
    return found
  }

  /// Returns whether no table above may contradict a table's entries.
  func isTop(_ table: Int) -> Bool { covers[table].isEmpty }

  /// Returns whether no table above contradicts a table's entry of an object.
  func isCurrent(_ object: UInt64, above table: Int) throws -> Bool {
    for cover in covers[table] {
      // Most tables have rows of other objects, so no row is read.
      guard cover.ranges.contains(where: { $0.contains(object) }) else { continue }
      let key = ObjectKey(entity: index.entityNumber, number: object)
      switch try tables[cover.table].entry(of: key) {
      case .absent: continue
      case .put, .removed: return false
      case .changed(let location):
        // A change of one of the columns has its own entry in the index, so the older entry is out of date.
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
