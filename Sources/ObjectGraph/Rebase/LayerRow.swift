import ObjectModel
import Rows

/// One row of a layer: the kind of its entry, and its values.
struct LayerRow: Equatable {
  enum Kind { case absent, put, changed, removed }

  private(set) var kind: Kind
  /// The values by column; `nil` for a value that the entry does not contain.
  private var values: [Value?]

  init(_ layer: Layer, _ key: ObjectKey, _ layout: Layout) throws {
    let entry = try layer.entry(of: key)
    kind =
      switch entry {
      case .absent: .absent
      case .put: .put
      case .changed: .changed
      case .removed: .removed
      }
    values = try layout.columns.map { column in
      guard let given = entry.given else { return nil }
      return try given.block.value(column, row: given.row)
    }
  }

  /// Returns the row without the repairs that nothing has changed since; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - repaired: The row after the repair.
  ///   - before: The row before the repair.
  ///   - toOnes: The references of the row. The place of a reference that has changed since stays.
  func reverting(
    from repaired: LayerRow, to before: LayerRow, _ toOnes: [GraphProperty.ToOne]
  ) -> LayerRow? {
    if self == repaired { return before }
    guard kind == repaired.kind, kind == before.kind || kind == .changed && before.kind == .absent
    else { return nil }
    var row = self
    for column in values.indices where values[column] == repaired.values[column] {
      row.values[column] = before.values[column]
    }
    for toOne in toOnes where values[toOne.column] != repaired.values[toOne.column] {
      if let order = toOne.order { row.values[order] = values[order] }
    }
    return row == self ? nil : row
  }

  /// Adds the row to a layer that is being built.
  ///
  /// - Parameter base: The rows below the layer.
  func add(_ key: ObjectKey, to builder: LayerBuilder, above base: View) throws {
    let basis = try base.row(of: key)?.version ?? 0
    switch kind {
    case .absent: return
    case .removed: builder.remove(key, basis: basis)
    case .put: builder.insert(key)
    case .changed: break
    }
    for (column, value) in values.enumerated() {
      if let value { builder.set(value, column: column, of: key, basis: basis) }
    }
  }
}

extension Layer {
  /// Returns a layer with the given rows of this layer.
  func rows(
    of keys: Set<ObjectKey>, above base: View, _ schema: Schema
  ) throws -> Layer {
    if keys.isEmpty { return Layer() }
    let builder = LayerBuilder(schema)
    for key in keys {
      guard let layout = schema[key.entity] else { continue }
      try LayerRow(self, key, layout).add(key, to: builder, above: base)
    }
    return builder.freeze()
  }

  /// Returns the layer with each change and removal based on the version that the row below has.
  func based(on base: View, _ schema: Schema) throws -> Layer {
    var moved: Set<ObjectKey> = []
    for changes in entities {
      for one in try changes.entries() {
        switch one.entry {
        case .changed(let row), .removed(let row):
          let key = ObjectKey(entity: changes.entityNumber, number: one.key)
          if try row.basis != base.row(of: key)?.version ?? 0 { moved.insert(key) }
        case .put, .absent: continue
        }
      }
    }
    if moved.isEmpty { return self }
    return try without(moved, schema: schema)
      .merged(with: rows(of: moved, above: base, schema), schema: schema)
  }

  /// Whether this layer and another layer contain the same change of a row.
  func hasSameEntry(
    as other: Layer, of key: ObjectKey, _ schema: Schema
  ) throws -> Bool {
    guard let layout = schema[key.entity] else { return false }
    return try LayerRow(self, key, layout) == LayerRow(other, key, layout)
  }
}
