import ObjectModel
import ObjectQuery
import Rows

/// Steps that are undone together.
final class UndoGroup {
  /// The number of the context's state after the group.
  let number: UInt64
  let isAutomatic: Bool
  var name: String?
  var steps: [UndoStep] = []

  init(_ number: UInt64, name: String? = nil, isAutomatic: Bool = false) {
    self.number = number
    self.name = name
    self.isAutomatic = isAutomatic
  }

  var isEmpty: Bool { steps.isEmpty }

  /// The number of the first recorded layer, if any.
  var firstStep: UInt64? {
    steps.lazy.compactMap { step in
      switch step {
      case .layer(let layer): layer.number
      case .group(let group): group.firstStep
      case .transient, .action: nil
      }
    }.first
  }
}

/// One recorded change.
enum UndoStep {
  /// A layer of frozen changes.
  case layer(UndoableLayer)
  /// The earlier value of a transient property.
  case transient(ObjectID, property: Int, TransientValue?)
  /// An action of the program.
  case action(() throws -> Void)
  /// A group within the group.
  case group(UndoGroup)
}

/// Rows that a context knows though no step has recorded them.
struct KnownRows {
  /// The position in the sequence of all recorded steps.
  let number: UInt64
  let store: PersistentStore
  var rows: Rows

  enum Rows {
    /// Rows that the context has changed without a record, or that a batch of the context has saved.
    case changed(Layer)
    /// Rows that the context has asked to see: the rows with the keys, or all rows if the keys are `nil`. The commit is
    /// `nil` if the view has changes that no commit contains. The context's own changes lay above the rows.
    case seen(View, keys: Set<ObjectKey>?, commit: Int64?, own: [Layer])
  }

  /// Adds rows that the context has asked to see.
  ///
  /// - Returns: Whether the rows are of the same commit as the known rows, and were added.
  mutating func addSeen(_ keys: Set<ObjectKey>, of state: StoreState, beneath own: [Layer]) -> Bool
  {
    guard store === state.persistent,
      case .seen(let view, var known?, let commit?, let earlier) = rows,
      commit == state.committedBase, own.isEmpty == earlier.isEmpty
    else { return false }
    // The set has only one owner here, so that it grows without a copy.
    rows = .seen(View(), keys: nil, commit: commit, own: [])
    known.formUnion(keys)
    rows = .seen(view, keys: known, commit: commit, own: own)
    return true
  }
}

/// The rows that a context shows before and after a step, each identified by a number. Equal numbers stand for equal
/// rows.
struct Moments {
  let before: UInt64
  var after: UInt64
  /// The commit below the step. It is `nil` if only a rebase can undo the step: the base has changes that no commit
  /// contains, or a change is in conflict or was repaired.
  let commit: Int64?
}

/// The numbers of recorded steps, and the moment that the context shows.
struct StepCounter {
  /// The number of the last step.
  private(set) var last: UInt64 = 0
  /// The number of the step that has led to the rows that the context shows.
  var moment: UInt64 = 0

  /// Returns the number of the next step, which leads to a new moment.
  mutating func next() -> UInt64 {
    last += 1
    moment = last
    return last
  }
}

/// A recorded layer, and the layer that undoes it.
struct UndoableLayer {
  let store: PersistentStore
  /// The position in the sequence of all recorded steps.
  let number: UInt64
  /// The changes that were recorded.
  let done: Layer
  /// The moments of the context before and after the step.
  private(set) var moments: Moments
  /// Whether the changes lie directly above saved rows, so that each names the version that it is based on.
  private let statesVersions: Bool
  /// The former values of changed rows; `nil` if the step does not keep them. Rows of other entities, and removed rows, are
  /// restored from ``below``.
  private let replaced: ReplacedRows?
  private var beneath: Beneath = .none

  /// The way back to the rows that the layer changes or removes. The rows that it inserts need no record.
  private enum Beneath {
    case none
    /// The changes and removals, which are not inverted yet, and the view of the rows below them.
    case notInverted(Layer, above: View)
    /// The inverse of the changes and removals.
    case inverse(Layer)
    /// The changes that this step undid exactly, its insertions too.
    case undone(Layer, statesVersions: Bool)
  }

  /// The maximum number of rows that are inverted immediately. Inverting few rows costs little, and releases the rows
  /// of unchanged objects in the view below.
  private static let maximumInvertedAtOnce = 256

  /// Records a layer that was just frozen, with its inverse.
  ///
  /// - Parameters:
  ///   - view: The rows below the layer, without the rows that the layer inserts.
  ///   - replaced: The values that changed rows had before, if they are known.
  ///   - statesVersions: Whether the changes lie directly above saved rows.
  init(
    _ layer: Layer, above view: View, _ replaced: ReplacedRows?, _ store: PersistentStore,
    number: UInt64, _ moments: Moments, statesVersions: Bool
  ) throws {
    self.store = store
    self.number = number
    self.moments = moments
    self.statesVersions = statesVersions
    done = layer
    self.replaced = replaced
    let rest = layer.entities.compactMap { part -> Layer.EntityChanges? in
      let changed = replaced?.has(part.entityNumber) ?? false ? BlockRun() : part.changed
      if changed.isEmpty && part.removed.isEmpty { return nil }
      return Layer.EntityChanges(
        entityNumber: part.entityNumber, changed: changed, removed: part.removed)
    }
    guard !rest.isEmpty else { return }
    let kept = Layer(rest)
    beneath =
      kept.count > UndoableLayer.maximumInvertedAtOnce
      ? .notInverted(kept, above: view)
      : .inverse(try kept.inverted(above: view, schema: store.graph.schema))
  }

  /// Returns this step as the exact inverse of another step.
  ///
  /// The other step's changes are the inverse of this step, so they need not be computed.
  func asInverse(of other: UndoableLayer) -> UndoableLayer {
    var step = self
    step.moments.after = other.moments.before
    step.beneath = .undone(other.done, statesVersions: other.statesVersions)
    return step
  }

  /// Whether the inverse names the version that each change is based on, if it lies directly above saved rows.
  var inverseStatesVersions: Bool {
    if case .undone(_, let statesVersions) = beneath { statesVersions } else { false }
  }

  /// Returns rows without references for the objects that the step has inserted, so that no relationship of these
  /// objects denies undoing their insertion.
  func noReferences() throws -> Layer {
    let builder = LayerBuilder(store.graph.schema)
    for part in done.entities {
      guard let graph = store.graph[part.entityNumber],
        graph.toOnes.contains(where: { $0.relationship.deleteRule == .deny })
      else { continue }
      for number in try part.put.numbers() {
        builder.insert(ObjectKey(entity: part.entityNumber, number: number))
      }
    }
    return builder.freeze()
  }

  /// Returns the changes that undo the whole step.
  func inverse() throws -> Layer {
    let schema = store.graph.schema
    let back: Layer
    switch beneath {
    case .none: back = Layer()
    case .notInverted(let layer, let view): back = try layer.inverted(above: view, schema: schema)
    case .inverse(let layer): back = layer
    case .undone(let layer, _): return layer
    }
    var changes = Dictionary(
      uniqueKeysWithValues: back.entities.map { ($0.entityNumber, $0) })
    var writer = BlockWriter()
    // `back` changes no row of an entity whose former values were kept, so no changes are replaced here.
    for (entity, run) in replaced?.restoring(schema, &writer) ?? [:] {
      changes[entity] = Layer.EntityChanges(
        entityNumber: entity, put: changes[entity]?.put ?? BlockRun(), changed: run,
        removed: changes[entity]?.removed ?? BlockRun())
    }
    for part in done.entities where !part.put.isEmpty {
      guard let layout = schema[part.entityNumber] else { continue }
      var drafts: [Draft] = []
      for key in try part.put.numbers() {
        if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .changes)) }
        drafts[drafts.count - 1].append(key: key)
      }
      // A layer neither changes nor removes a row that it inserts.
      let others = changes[part.entityNumber]
      changes[part.entityNumber] = Layer.EntityChanges(
        entityNumber: part.entityNumber, put: others?.put ?? BlockRun(),
        changed: others?.changed ?? BlockRun(),
        removed: BlockRun(Draft.freeze(drafts, flags: .removals, &writer)))
    }
    return Layer(Array(changes.values))
  }
}
