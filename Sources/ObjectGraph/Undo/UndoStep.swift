import ObjectModel
import ObjectQuery
import Rows

/// What is undone as one.
final class UndoGroup {
  /// What the state is called that the context is in once the group is done.
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

  /// The objects that are held because they were changed.
  var objects: [ManagedObject] {
    steps.flatMap { step -> [ManagedObject] in
      switch step {
      case .layer(let layer): layer.objects
      case .group(let group): group.objects
      case .transient, .action: []
      }
    }
  }
}

/// One thing that was done.
enum UndoStep {
  /// Changes were sealed.
  case layer(UndoableLayer)
  /// A value in memory only was another.
  case transient(ObjectID, property: Int, Value?)
  /// Whatever the program does.
  case action(() throws -> Void)
  /// A group within the group.
  case group(UndoGroup)
}

/// What takes a layer back.
struct UndoableLayer {
  let store: PersistentStore
  /// The objects and links that were put in, by entity: ranges of keys and not their rows.
  private var insertions: [(entity: UInt16, keys: [ClosedRange<UInt64>])] = []
  private var others: Others = .none
  /// Whom it has changed. They stay what they were as of, so that taking back is in conflict with what others have
  /// saved since: whoever is let go is looked up where others may have saved already.
  let objects: [ManagedObject]

  /// Of more objects that were put in at once none is held.
  static let mostHeldInsertions = 256

  private enum Others {
    case none
    /// Changes and removals with what lies beneath them, not looked at yet.
    case lying(Layer, above: View)
    /// What takes them back.
    case inverse(Layer)
  }

  /// Up to so many rows are inverted at once: that costs little, and lets go of what lies beneath other objects.
  private static let leastLying = 256

  /// The layer that takes back one that was just sealed.
  ///
  /// - Parameters:
  ///   - view: What lies beneath it: no row that it puts in whole.
  ///   - objects: Whom it has changed.
  init(
    _ layer: Layer, above view: View, _ store: PersistentStore, holding objects: [ManagedObject]
  ) throws {
    self.store = store
    self.objects = objects
    var rest: [Layer.EntityChanges] = []
    for changes in layer.entities {
      if !changes.put.isEmpty {
        insertions.append((changes.entityNumber, try changes.put.keyRanges()))
      }
      if !changes.changed.isEmpty || !changes.removed.isEmpty {
        rest.append(
          Layer.EntityChanges(
            entityNumber: changes.entityNumber, changed: changes.changed,
            removed: changes.removed))
      }
    }
    guard !rest.isEmpty else { return }
    let kept = Layer(rest)
    others =
      kept.count > UndoableLayer.leastLying
      ? .lying(kept, above: view)
      : .inverse(try kept.inverted(above: view, schema: store.graph.schema))
  }

  /// The changes that take everything back.
  func inverse() throws -> Layer {
    let schema = store.graph.schema
    let back: Layer
    switch others {
    case .none: back = Layer()
    case .lying(let layer, let view): back = try layer.inverted(above: view, schema: schema)
    case .inverse(let layer): back = layer
    }
    guard !insertions.isEmpty else { return back }
    var changes = Dictionary(
      uniqueKeysWithValues: back.entities.map { ($0.entityNumber, $0) })
    var writer = BlockWriter()
    for (entity, ranges) in insertions {
      guard let layout = schema[entity] else { continue }
      var drafts: [Draft] = []
      for key in ranges.joined() {
        if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .changes)) }
        drafts[drafts.count - 1].append(key: key)
      }
      // Nothing that was put in was changed or taken out by the same layer.
      let others = changes[entity]
      changes[entity] = Layer.EntityChanges(
        entityNumber: entity, put: others?.put ?? BlockRun(),
        changed: others?.changed ?? BlockRun(),
        removed: BlockRun(Draft.freeze(drafts, flags: .removals, &writer)))
    }
    return Layer(Array(changes.values))
  }
}

extension BlockRun {
  /// The keys of all rows, as ranges in ascending order.
  fileprivate func keyRanges() throws -> [ClosedRange<UInt64>] {
    var ranges: [ClosedRange<UInt64>] = []
    func append(_ range: ClosedRange<UInt64>) {
      if let last = ranges.last, last.upperBound + 1 == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound...range.upperBound
      } else {
        ranges.append(range)
      }
    }
    for block in blocks {
      if block.maximumKey - block.minimumKey == UInt64(block.rowCount - 1) {
        append(block.minimumKey...block.maximumKey)
        continue
      }
      let keys = try block.keys
      for row in 0..<block.rowCount {
        let key = UInt64(bitPattern: keys.integer(at: row))
        append(key...key)
      }
    }
    return ranges
  }
}
