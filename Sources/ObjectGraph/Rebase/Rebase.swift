import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Replays changes on a newer base.
///
/// A pure function over rows: it knows no context and no managed objects, and takes no locks. Each pass applies one
/// rule of merging. A row that both sides have changed stays in conflict (``Changes/originals``). The conflict ends
/// when the merge policy of a save decides, or when the context asks to see the row.
struct Rebase {
  let changes: Changes
  /// The base to replay them on.
  let newBase: StoreBase
  let graph: GraphSchema
  let store: StoreTag
  /// The rows that the context has asked to see.
  var seen = SeenRows()
  /// The policy that decides about conflicts; `nil` to keep conflicts.
  var policy: MergePolicy?
  /// Whether the changes are older than their base, as the changes of an undo are. Every row is then compared.
  var isAged = false
  /// The keys of rows with discarded changes.
  var discarded: Set<ObjectKey> = []

  init(
    _ changes: Changes, onto newBase: StoreBase, graph: GraphSchema, store: StoreTag,
    seen: SeenRows = SeenRows(), policy: MergePolicy? = nil, isAged: Bool = false
  ) {
    self.changes = changes
    self.newBase = newBase
    self.graph = graph
    self.store = store
    self.seen = seen
    self.policy = policy
    self.isAged = isAged
  }

  /// Replays the changes.
  ///
  /// - Throws: ``ContextError`` with the conflicts, if the policy is ``MergePolicy/error``; the error of a custom
  ///   policy; the error of a damaged store.
  func callAsFunction() throws -> Rebased {
    let differences = try newBase.differences(from: changes.base)
    var rebased = Rebased(changes: changes, differences: differences)
    rebased.changes.base = newBase
    let isMoved = differences.contains { !$0.isEmpty }
    guard isMoved || isAged || !changes.originals.isEmpty || !discarded.isEmpty else {
      return rebased
    }
    if changes.layer.isEmpty {
      rebased.changes.originals = Layer()
      return rebased
    }
    let rows = RebasedRows(changes, newBase, graph, store)
    try rows.drop(discarded)
    let repaired = try rows.revert(changes.repairs, except: discarded)
    var given = changes
    given.layer = rows.layer
    var merge = ValueMerge(rows, given, newBase, differences, seen)
    try merge.collect(all: isAged, besides: discarded)
    if let policy { try merge.decide(policy) }
    let outcome = try merge.apply()
    let settled = outcome.settled.union(discarded)
    rebased.isConcerned =
      isAged || !settled.isEmpty || !repaired.isEmpty || reaches(differences)
    if rebased.isConcerned {
      let lost = LostReferences(
        rows, isAged ? nil : differences, settled: settled, restored: repaired)
      try lost.clear()
      try LinkMerge(rows).dropDoubles()
      let oneToOnes = OneToOneRepair(rows)
      try oneToOnes.giveBack(discarded, settled: settled, contested: outcome.contested)
      rows.beginRepairs()
      let removedAgain = try rows.repeatRepairs(
        changes.repairs, of: repaired, View(changes.originalTables + [changes.repairs.before]))
      rebased.cascaded = try propagateDeletions(rows, outcome, repaired, removedAgain)
      try lost.clearDeleted()
      try oneToOnes.run(settled)
      try OrderMerge(rows, before: View(changes.originalTables), reverted: repaired).run()
    }
    let layer = try rows.sealedLayer()
    rebased.changes.layer = layer
    rebased.changes.originals = try outcome.originals.keeping(layer, graph.schema)
    rebased.changes.lastReferences = try changes.lastReferences.keeping(layer, graph.schema)
    rebased.changes.repairs = try rows.repairs()
    // A row is unchanged if the same repair was made above the same row.
    let repairedAgain = try repaired.filter { key in
      try layer.hasSameEntry(as: changes.layer, of: key, graph.schema)
        && !differences.contains { try $0.mentions(key) }
    }
    rebased.touched = rows.touched.subtracting(repairedAgain)
    rebased.met = outcome.met
    rebased.isOvertaken = outcome.isOvertaken
    return rebased
  }

  /// Whether another save has changed rows of entities that the changes or their relationships concern.
  private func reaches(_ differences: [Layer]) -> Bool {
    let mine = graph.neighbors(of: changes.layer.entities.map(\.entityNumber))
    return differences.contains { layer in
      layer.entities.contains { mine.contains($0.entityNumber) }
    }
  }

  /// Applies the delete rules of deleted rows to rows that another save has related to them.
  ///
  /// - Parameters:
  ///   - repaired: The keys of rows with repairs of an earlier rebase, which were reverted.
  ///   - removedAgain: The merged rows of the objects that a rule has deleted again.
  /// - Returns: The keys of the objects that the rules delete.
  private func propagateDeletions(
    _ rows: RebasedRows, _ outcome: ValueMerge.Outcome, _ repaired: Set<ObjectKey>,
    _ removedAgain: [ObjectKey: ViewRow]
  ) throws -> [ObjectKey] {
    var cascaded: [ObjectKey] = []
    let before = View(changes.originalTables)
    var wave = try rows.removedKeys()
    var doomed = Set(wave)
    // The replay of a deletion propagates to new related rows only. A deletion by the policy or by a rule propagates to
    // all.
    var isReplayed = true
    // The loop ends because each wave deletes at least one more row, and the view has a finite number of rows.
    while !wave.isEmpty || isReplayed && !discarded.isEmpty {
      var next: [ObjectKey] = []
      let source = rows.source()
      for key in wave {
        let again = isReplayed ? removedAgain[key] : nil
        let row = try again ?? (isReplayed ? rows.base.row(of: key) : source.row(of: key))
        guard let row, let columns = graph[key.entity]?.layout.columns else { continue }
        let isNew = !isReplayed || again != nil || outcome.deleted.contains(key)
        let then = isNew ? nil : try before.row(of: key)
        func isMoved(_ column: Int) throws -> Bool {
          guard let then else { return true }
          return try then.reference(columns[column]) != row.reference(columns[column])
        }
        let propagation = DeletePropagation(graph, source)
        let effects = try propagation.effects(of: key) { column in
          if try !isMoved(column), case .put(let last) = try changes.lastReferences.entry(of: key) {
            return try ViewRow(locations: [last]).reference(columns[column])
          }
          return try row.reference(columns[column])
        } isReached: { toOne, other in
          if let isConnected = try propagation.isConnected(other, to: key, toOne) {
            return isConnected
          }
          // The deletion has reached the object in an earlier rebase, which this rebase has reverted.
          if repaired.contains(other), try changes.repairs.hasRemoved(other) { return true }
          return try isMoved(toOne.column)
        }
        for (other, toOne) in effects.cleared { try rows.clear(toOne, of: other) }
        for link in effects.links { try rows.remove(link) }
        next += effects.deleted.filter { doomed.insert($0).inserted }
      }
      if isReplayed {
        next += try discarded.sorted().filter {
          try rows.isReachedByDeletion($0) && doomed.insert($0).inserted
        }
      }
      try rows.seal()
      wave = next
      cascaded += next
      isReplayed = false
    }
    for key in doomed where try rows.isAlive(key) { try rows.remove(key) }
    try rows.seal()
    return cascaded + outcome.deleted.sorted()
  }
}

/// Changes after a rebase.
struct Rebased {
  var changes: Changes
  /// Layers that together mention every row that the two bases may show differently.
  var differences: [Layer]
  /// The keys of rows with different changes than before.
  var touched: Set<ObjectKey> = []
  /// The keys of rows that both sides have changed.
  var met: Set<ObjectKey> = []
  /// The keys of objects that the rebase deletes and the changes did not delete.
  var cascaded: [ObjectKey] = []
  /// Whether another save has changed rows that may affect the changes.
  var isConcerned = false
  /// Whether another save has written different values to a property that the changes change.
  var isOvertaken = false

  init(changes: Changes, differences: [Layer]) {
    self.changes = changes
    self.differences = differences
  }
}

extension Layer {
  /// Returns the rows of the layer that another layer mentions too.
  fileprivate func keeping(_ other: Layer, _ schema: Schema) throws -> Layer {
    if isEmpty { return self }
    let gone = try allKeys().filter { try !other.mentions($0) }
    return gone.isEmpty ? self : try without(Set(gone), schema: schema)
  }
}

extension ViewRow {
  /// Returns the key that a reference contains; `nil` if it is empty.
  func reference(_ column: LayoutColumn) throws -> ObjectKey? {
    if case .object(let key) = try value(column) { key } else { nil }
  }
}
