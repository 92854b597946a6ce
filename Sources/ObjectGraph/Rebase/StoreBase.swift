import ObjectModel
import Rows
import StoreInterface

/// The base of changes: a snapshot of a store, and the layers that the ancestors of a context have published above it.
struct StoreBase: Sendable {
  var snapshot: any StoreSnapshot
  /// The published changes of all ancestors, the lowest first.
  var layers: [Layer] = []

  /// The tables of the snapshot and the layers, the bottom first.
  var tables: [any RowTable] { snapshot.tables + layers }
}

extension StoreBase {
  /// Whether the two bases are known to show the same rows.
  func isSame(as other: StoreBase) -> Bool {
    snapshot.commit == other.snapshot.commit && layers.count == other.layers.count
      && zip(layers, other.layers).allSatisfy { $0.isSame(as: $1) }
  }

  /// Returns layers that together mention every row that the two bases may show differently.
  func differences(from other: StoreBase) throws -> [Layer] {
    let common = zip(layers, other.layers).prefix { $0.isSame(as: $1) }.count
    var differences = Array(layers.dropFirst(common) + other.layers.dropFirst(common))
    if snapshot.commit != other.snapshot.commit {
      differences +=
        try snapshot.layersTouched(since: other.snapshot)
        ?? [snapshot.changes(since: other.snapshot)]
    }
    return differences
  }
}

extension Layer {
  /// Returns the keys of all rows that the given parts of the layer mention.
  func allKeys(
    _ parts: [KeyPath<EntityChanges, BlockRun>] = [\.put, \.changed, \.removed]
  ) throws -> [ObjectKey] {
    try entities.flatMap { changes in
      try parts.flatMap { part in
        try changes[keyPath: part].numbers().map {
          ObjectKey(entity: changes.entityNumber, number: $0)
        }
      }
    }
  }

  /// Whether the layer mentions the row of a key.
  func mentions(_ key: ObjectKey) throws -> Bool {
    if case .absent = try entry(of: key) { false } else { true }
  }
}

extension BlockRun {
  /// Returns the object numbers of all rows.
  func numbers() throws -> [UInt64] {
    try blocks.flatMap { block in
      let keys = try block.keys
      return (0..<block.rowCount).map { UInt64(bitPattern: keys.integer(at: $0)) }
    }
  }
}

extension ViewRow {
  /// Whether two rows have different values, apart from the ignored columns. A missing row differs from every row.
  static func differ(
    _ one: ViewRow?, _ other: ViewRow?, in columns: [LayoutColumn], besides ignored: Set<Int> = []
  ) throws -> Bool {
    guard let one, let other else { return (one == nil) != (other == nil) }
    if one.isSame(as: other) { return false }
    return try columns.indices.contains { index in
      try !ignored.contains(index)
        && !one.value(columns[index]).isIdentical(to: other.value(columns[index]))
    }
  }

  /// Whether the two rows are the same rows of the same blocks.
  func isSame(as other: ViewRow) -> Bool {
    locations.count == other.locations.count
      && zip(locations, other.locations).allSatisfy { $0.block === $1.block && $0.row == $1.row }
  }
}
