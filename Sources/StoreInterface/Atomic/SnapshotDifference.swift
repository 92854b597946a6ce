import Foundation
import ObjectModel
import Rows

/// What two states of one store differ by.
enum SnapshotDifference {
  /// The changes that lead from one state to another, each based on the version of the row in the
  /// first.
  ///
  /// - Throws: What a damaged block throws.
  static func changes(from old: View, to new: View, schema: Schema) throws -> Layer {
    let builder = LayerBuilder(schema)
    for layout in schema.layouts {
      let number = layout.entityNumber
      let (before, after) = (try old.keys(ofEntity: number), try new.keys(ofEntity: number))
      var index = 0
      for key in after {
        while index < before.count, before[index] < key {
          try remove(ObjectKey(entity: number, number: before[index]), old, builder)
          index += 1
        }
        let isThere = index < before.count && before[index] == key
        if isThere { index += 1 }
        let key = ObjectKey(entity: number, number: key)
        guard let row = try new.row(of: key) else { continue }
        if isThere, let earlier = try old.row(of: key) {
          try change(key, earlier, row, layout, builder)
        } else {
          builder.insert(key)
          for (position, column) in layout.columns.enumerated() {
            builder.set(try row.value(column), column: position, of: key)
          }
        }
      }
      for key in before[index...] {
        try remove(ObjectKey(entity: number, number: key), old, builder)
      }
    }
    for table in schema.linkTables { try addLinks(table, from: old, to: new, builder) }
    return builder.freeze()
  }

  /// The changes of links. A link is known by what it leads from and to: the file has no number for it.
  private static func addLinks(
    _ table: LinkTable, from old: View, to new: View, _ builder: LayerBuilder
  ) throws {
    let layout = table.layout
    func links(_ view: View) throws -> [[Value]: (key: ObjectKey, row: ViewRow)] {
      var links: [[Value]: (ObjectKey, ViewRow)] = [:]
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        links[try layout.columns.prefix(2).map { try row.value($0) }] = (key, row)
      }
      return links
    }
    let (before, after) = (try links(old), try links(new))
    // New ones are numbered from the top down, below all that are there.
    var lowest = before.values.map(\.key.number).filter { $0 > 1 << 47 }.min() ?? 1 << 48
    for (pair, link) in after.sorted(by: { $0.value.key < $1.value.key }) {
      if let known = before[pair] {
        try change(known.key, known.row, link.row, layout, builder)
        continue
      }
      lowest -= 1
      let key = ObjectKey(entity: layout.entityNumber, number: lowest)
      builder.insert(key)
      for (position, column) in layout.columns.enumerated() {
        builder.set(try link.row.value(column), column: position, of: key)
      }
    }
    for (pair, link) in before where after[pair] == nil {
      builder.remove(link.key, basis: try link.row.version)
    }
  }

  private static func remove(_ key: ObjectKey, _ old: View, _ builder: LayerBuilder) throws {
    builder.remove(key, basis: try old.row(of: key)?.version ?? 0)
  }

  private static func change(
    _ key: ObjectKey, _ earlier: ViewRow, _ row: ViewRow, _ layout: Layout, _ builder: LayerBuilder
  ) throws {
    var version: Int64?
    for (position, column) in layout.columns.enumerated() {
      let value = try row.value(column)
      guard try !isSame(value, earlier.value(column)) else { continue }
      if version == nil { version = try earlier.version }
      builder.set(value, column: position, of: key, basis: version!)
    }
  }

  /// Whether two values are the same bits: "not a number" is itself, and zeros have signs.
  private static func isSame(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
    case (.date(let one), .date(let other)):
      one.timeIntervalSinceReferenceDate.bitPattern
        == other.timeIntervalSinceReferenceDate.bitPattern
    case (.decimal(let one), .decimal(let other)): one == other || (one.isNaN && other.isNaN)
    // Strings compare by what they show; bytes are meant here.
    case (.string(let one), .string(let other)), (.uri(let one), .uri(let other)):
      one.utf8.elementsEqual(other.utf8)
    default: one == other
    }
  }
}
