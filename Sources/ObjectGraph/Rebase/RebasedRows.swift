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
  /// The rows below the changes.
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

  /// Returns the row of a key with all frozen edits, or `nil`.
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

  /// Reverts the repairs of an earlier rebase. Values that were changed after the repair stay.
  ///
  /// - Parameter discarded: The keys of rows with discarded changes.
  /// - Returns: The keys of the reverted rows.
  func revert(_ repairs: Repairs, except discarded: Set<ObjectKey>) throws -> Set<ObjectKey> {
    let builder = LayerBuilder(graph.schema)
    var reverted: Set<ObjectKey> = []
    for key in try repairs.repaired.allKeys() where !discarded.contains(key) {
      guard let layout = graph.schema[key.entity] else { continue }
      let now = try LayerRow(layer, key, layout)
      let repaired = try LayerRow(repairs.repaired, key, layout)
      let before = try LayerRow(repairs.before, key, layout)
      let toOnes = graph[key.entity]?.toOnes ?? []
      guard let row = now.reverting(from: repaired, to: before, toOnes) else { continue }
      try row.add(key, to: builder, above: base)
      reverted.insert(key)
    }
    if reverted.isEmpty { return [] }
    try drop(reverted)
    layer = try layer.merged(with: builder.freeze(), schema: graph.schema)
    return reverted
  }

  /// Makes the repairs of an earlier rebase again that follow from a deletion, if the changes still delete the object.
  ///
  /// - Parameters:
  ///   - keys: The keys of the rows whose repairs were reverted.
  ///   - before: The rows before the repairs.
  /// - Returns: The merged rows that were removed again.
  func repeatRepairs(
    _ repairs: Repairs, of keys: Set<ObjectKey>, _ before: View
  ) throws -> [ObjectKey: ViewRow] {
    var removed: [ObjectKey: ViewRow] = [:]
    var removals = try keys.sorted().filter(repairs.hasRemoved)
    // A removal may follow from another one. Each round ends with fewer removals, or is the last.
    while true {
      let reached = try removals.filter(isReachedByDeletion)
      if reached.isEmpty { break }
      for key in reached {
        removed[key] = try row(key)
        try remove(key)
      }
      removals.removeAll(where: reached.contains)
    }
    for key in keys.sorted() {
      guard let cleared = try repairs.repaired.entry(of: key).given else { continue }
      for toOne in graph[key.entity]?.toOnes ?? [] {
        guard let column = graph[key.entity]?.layout.columns[toOne.column],
          toOne.inverse?.deleteRule != .deny,
          case .null? = try cleared.block.value(column, row: cleared.row),
          try refersToDeleted(key, toOne),
          try before.row(of: key)?.reference(column) == reference(key, toOne.column)
        else { continue }
        try clear(toOne, of: key)
      }
    }
    try seal()
    return removed
  }

  /// Whether a row refers to an object that the changes delete, and that deletes the row by its delete rule.
  func isReachedByDeletion(_ key: ObjectKey) throws -> Bool {
    try graph[key.entity]?.toOnes.contains { toOne in
      try toOne.inverse?.deleteRule == .cascade && refersToDeleted(key, toOne)
    } ?? false
  }

  /// Whether a reference of a row contains an object that the changes delete.
  private func refersToDeleted(_ key: ObjectKey, _ toOne: GraphProperty.ToOne) throws -> Bool {
    guard try isAlive(key), let target = try reference(key, toOne.column) else { return false }
    return try !isAlive(target) && base.row(of: target) != nil
  }
}
