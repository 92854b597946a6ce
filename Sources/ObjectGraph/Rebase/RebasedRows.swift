import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The rows that the passes of a rebase read and edit: the new base, the changes above it, and the edits of the running
/// pass.
///
/// A pass reads the rows as they were when the pass began, and freezes its edits at its end.
final class RebasedRows {
  let graph: GraphSchema
  /// The rows beneath the changes.
  let base: View
  /// The changes with all frozen edits.
  private(set) var layer: Layer
  /// The keys of rows with different changes than before the rebase.
  private(set) var touched: Set<ObjectKey> = []

  let store: StoreTag
  /// The changes before the repairs; `nil` before ``beginRepairs()``.
  private var unrepaired: Layer?
  private var repaired: Set<ObjectKey> = []
  private var edits: LayerBuilder
  private var edited: Set<ObjectKey> = []
  private var removed: Set<ObjectKey> = []
  private var cached: ViewSource?
  private var lastSource: ViewSource?

  init(_ changes: Changes, _ newBase: StoreBase, _ graph: GraphSchema, _ store: StoreTag) {
    self.graph = graph
    self.store = store
    base = View(newBase.tables)
    layer = changes.layer
    edits = LayerBuilder(graph.schema)
  }

  // MARK: Reading

  /// Returns a source for queries of the rows with all frozen edits.
  func source() -> ViewSource {
    if let cached { return cached }
    let made = ViewSource(
      base.pushing(layer), model: graph.model, schema: graph.schema, store: store,
      reusing: lastSource)
    cached = made
    lastSource = made
    return made
  }

  /// Returns the row of a key with all frozen edits; `nil` if there is none.
  func row(_ key: ObjectKey) throws -> ViewRow? { try source().view.row(of: key) }

  /// Whether the row exists and the pass has not removed it.
  func isAlive(_ key: ObjectKey) throws -> Bool { try !removed.contains(key) && row(key) != nil }

  /// Returns the key that a reference of a row contains, with the edits of the pass.
  func reference(_ key: ObjectKey, _ column: Int) throws -> ObjectKey? {
    if let edit = edits.value(column: column, of: key) {
      if case .object(let other) = edit { return other }
      return nil
    }
    guard let layout = graph.schema[key.entity] else { return nil }
    return try row(key)?.reference(layout.columns[column])
  }

  /// Returns the keys of all objects that the changes remove.
  func removedKeys() throws -> [ObjectKey] {
    try layer.allKeys([\.removed]).filter { graph[$0.entity] != nil }
  }

  // MARK: Editing

  /// Sets a value of a row.
  func set(_ value: Value, column: Int, of key: ObjectKey) throws {
    if removed.contains(key) { return }
    edits.set(value, column: column, of: key, basis: try base.row(of: key)?.version ?? 0)
    edited.insert(key)
  }

  /// Clears a reference of a row, and its place in the ordered relationship.
  func clear(_ toOne: GraphProperty.ToOne, of key: ObjectKey) throws {
    try set(.null, column: toOne.column, of: key)
    if let order = toOne.order { try set(.null, column: order, of: key) }
  }

  /// Removes a row.
  func remove(_ key: ObjectKey) throws {
    guard removed.insert(key).inserted else { return }
    edits.remove(key, basis: try base.row(of: key)?.version ?? 0)
    edited.insert(key)
  }

  /// Inserts a whole row that the base does not have.
  func insert(_ key: ObjectKey, _ values: [Value]) {
    edits.insert(key)
    for (column, value) in values.enumerated() { edits.set(value, column: column, of: key) }
    edited.insert(key)
  }

  /// Discards the changes of the given rows.
  func drop(_ keys: Set<ObjectKey>) throws {
    if keys.isEmpty { return }
    layer = try layer.without(keys, schema: graph.schema)
    touched.formUnion(keys)
    cached = nil
  }

  /// Freezes the edits of the pass, and merges them into the changes.
  func seal() throws {
    if edited.isEmpty { return }
    layer = try layer.merged(with: edits.freeze(), schema: graph.schema)
    touched.formUnion(edited)
    if unrepaired != nil { repaired.formUnion(edited) }
    edits = LayerBuilder(graph.schema)
    edited = []
    removed = []
    cached = nil
  }

  /// Returns the changes with all edits.
  func sealedLayer() throws -> Layer {
    try seal()
    return layer
  }

  // MARK: Repairs

  /// Records the edits of the following passes as repairs.
  func beginRepairs() { unrepaired = layer }

  /// Returns the repairs.
  func repairs() throws -> Repairs {
    guard let unrepaired else { return Repairs() }
    let schema = graph.schema
    let keys = try repaired.filter {
      try !layer.hasSameEntry(as: unrepaired, of: $0, schema)
    }
    return Repairs(
      repaired: try layer.rows(of: keys, above: base, schema),
      before: try unrepaired.rows(of: keys, above: base, schema))
  }

  /// Restores the changes that rows had before an earlier rebase repaired the rows.
  func takeBack(_ keys: Set<ObjectKey>, _ before: Layer) throws {
    if keys.isEmpty { return }
    try drop(keys)
    let others = Set(try before.allKeys()).subtracting(keys)
    let given = others.isEmpty ? before : try before.without(others, schema: graph.schema)
    layer = try layer.merged(with: given, schema: graph.schema)
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
      let basis = try base.row(of: key)?.version ?? 0
      let entry = try entry(of: key)
      switch entry {
      case .absent: continue
      case .removed: builder.remove(key, basis: basis)
      case .put: builder.insert(key)
      case .changed: break
      }
      for (column, value) in try entry.givenValues(layout).enumerated() {
        if let value { builder.set(value, column: column, of: key, basis: basis) }
      }
    }
    return builder.freeze()
  }

  /// Whether this layer and another layer contain the same change of a row.
  func hasSameEntry(
    as other: Layer, of key: ObjectKey, _ schema: Schema
  ) throws -> Bool {
    guard let layout = schema[key.entity] else { return false }
    let (mine, theirs) = (try entry(of: key), try other.entry(of: key))
    switch (mine, theirs) {
    case (.removed, .removed), (.absent, .absent): return true
    case (.put, .put), (.changed, .changed):
      return try mine.givenValues(layout) == theirs.givenValues(layout)
    default: return false
    }
  }
}

extension RowEntry {
  /// Returns the values of the entry by column; `nil` for a value that the entry does not contain.
  fileprivate func givenValues(_ layout: Layout) throws -> [Value?] {
    guard let given else { return [] }
    return try layout.columns.map { try given.block.value($0, row: given.row) }
  }
}
