import BlockFileFormat
import ObjectModel
import Rows
import StoreInterface

/// The check of the index entries of segments (spec §4.5.6) against the rows of the segments.
struct IndexCheck {
  let schema: Schema
  let findings: Findings
  /// The segments, the lowest first.
  let tables: [SegmentTable]

  init(_ tables: [SegmentTable], _ schema: Schema, _ findings: Findings) {
    self.tables = tables
    self.schema = schema
    self.findings = findings
  }

  /// The greatest number of segments for which indexes are checked, because changes are looked up in all segments
  /// below. Sound files have fewer.
  static let mostSegments = 256

  /// Checks every segment.
  ///
  /// - Returns: Whether the indexes were checked; `false` if there are too many segments.
  func run() throws -> Bool {
    guard tables.count <= IndexCheck.mostSegments else { return false }
    let unsound = tables.reduce(into: Set<UInt16>()) { $0.formUnion($1.unsound) }
    for index in schema.indexes {
      guard let layout = schema[index.entityNumber], !unsound.contains(index.entityNumber),
        !unsound.contains(index.number)
      else { continue }
      let rows = try tables.map { try GivenRows(changes: $0.changes(ofEntity: index.entityNumber)) }
      for position in tables.indices { try check(index, layout, position, rows) }
    }
    return true
  }

  /// The changes of one entity, as a table.
  private struct GivenRows: RowTable {
    let changes: Layer.EntityChanges?

    func entry(of key: ObjectKey) throws -> RowEntry {
      try changes?.entry(of: key.number) ?? .absent
    }

    func changes(ofEntity number: UInt16) throws -> Layer.EntityChanges? { changes }
  }

  private func check(
    _ index: IndexLayout, _ layout: Layout, _ position: Int, _ rows: [GivenRows]
  ) throws {
    let table = tables[position]
    let kept = try table.changes(ofEntity: index.number)
    let place = Place(
      "segment \(position)",
      entity: "\(layout.entity) by \(index.columns.map(\.name).joined(separator: ", "))")
    guard index.number <= table.highestIndex else {
      if kept != nil {
        findings.add(
          .segmentIndexes, place,
          "The segment has entries of index \(index.number), but gives \(table.highestIndex) as "
            + "its highest index.")
      }
      return
    }
    let expected = try IndexRun(
      index, of: rows[position].changes, layout: layout, above: View(Array(rows[..<position])))
    guard let kept, !kept.put.isEmpty else {
      if expected.count > 0 {
        findings.add(
          .segmentIndexes, place,
          "The segment has no entries of index \(index.number), although its highest index is not below it."
        )
      }
      return
    }
    try check(kept, expected.blocks, index, place)
  }

  private func check(
    _ kept: Layer.EntityChanges, _ expected: [Block], _ index: IndexLayout, _ place: Place
  ) throws {
    let found = kept.put.blocks
    let numbers = Set(index.columns.map(\.number) + [LayoutColumn.Number.object])
    let areSound = try found.allSatisfy { block in
      try numbers.isSubset(of: block.columnNumbers)
        && index.columns.allSatisfy { try block.column($0.number)?.kind == $0.kind }
    }
    guard areSound, kept.changed.isEmpty, kept.removed.isEmpty else {
      findings.add(
        .indexColumns, place,
        "The entries are not whole rows with the columns \(numbers.sorted()) in the kinds of the index."
      )
      return
    }
    let entries = try Entries(found, index)
    guard found.first?.minimumKey == 1, found.last?.maximumKey == UInt64(entries.count) else {
      findings.add(
        .indexPlaces, place,
        "The positions of \(entries.count) entries are from \(found[0].minimumKey) to "
          + "\(found[found.count - 1].maximumKey).")
      return
    }
    let rows = try Entries(expected, index)
    guard entries.objects.sorted() == rows.objects.sorted() else {
      findings.add(
        .indexObjects, place,
        "The \(entries.count) entries do not match the \(rows.count) rows of the segment.")
      return
    }
    for row in 1..<max(entries.count, 1)
    where entries.comparison(row - 1, entries, row) != .less {
      findings.add(.indexOrder, place, "Entry \(row + 1) does not come after entry \(row).")
      return
    }
    for row in 0..<entries.count where entries.comparison(row, rows, row) != .equal {
      findings.add(
        .indexValues, place,
        "The values of entry \(row + 1), of object \(entries.objects[row]), differ from the values of its row."
      )
      return
    }
  }
}

/// Entries of an index, in their order.
private struct Entries {
  private(set) var objects: [UInt64] = []
  private var places: [(block: Int, row: Int)] = []
  private let columns: [[Column?]]

  init(_ blocks: [Block], _ index: IndexLayout) throws {
    columns = try blocks.map { block in try index.columns.map { try block.column($0.number) } }
    for (position, block) in blocks.enumerated() {
      let column = try block.column(LayoutColumn.Number.object)
      for row in 0..<block.rowCount {
        objects.append(UInt64(bitPattern: column?.integer(at: row) ?? 0))
        places.append((position, row))
      }
    }
  }

  var count: Int { objects.count }

  /// Returns the order of an entry relative to an entry of the same or another list.
  func comparison(_ entry: Int, _ other: Entries, _ otherEntry: Int) -> Comparison {
    let (place, otherPlace) = (places[entry], other.places[otherEntry])
    for (one, two) in zip(columns[place.block], other.columns[otherPlace.block]) {
      let comparison = Comparison(of: one, place.row, two, otherPlace.row)
      if comparison != .equal { return comparison }
    }
    let (left, right) = (objects[entry], other.objects[otherEntry])
    return left < right ? .less : left == right ? .equal : .greater
  }
}
