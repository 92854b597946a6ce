import ObjectModel
import Rows

/// Copies everything a store holds into another, whatever their kinds.
///
///     let copy = StoreCopy(from: snapshot, to: store)
///     let report = try copy.run { done in if isCancelled { throw CancellationError() } }
///
/// Goes block by block. A store that writes what changed gets a commit for every few blocks, so that
/// memory holds little more than those and eight bytes an object; one that writes everything gets a
/// single commit. Objects get keys of the other store, and whatever leads to them follows. Metadata of
/// the application go along.
public struct StoreCopy {
  private let source: any StoreSnapshot
  private let target: any Store

  /// How far a copy is.
  public struct Progress: Sendable, Hashable {
    /// How many objects and links are copied.
    public var done: Int
    /// How many there are.
    public var total: Int
  }

  /// What was copied.
  public struct Report: Sendable, Hashable {
    /// How many objects.
    public var objectCount = 0
    /// How many references and links led to an object that is not there. They are left out.
    public var lostReferenceCount = 0

    /// A report of so many.
    public init(objectCount: Int = 0, lostReferenceCount: Int = 0) {
      self.objectCount = objectCount
      self.lostReferenceCount = lostReferenceCount
    }
  }

  /// How many rows are committed at a time, and about how many bytes at most.
  static let rowCount = 16 * Draft.maximumRowCount
  static let byteCount = 64 << 20

  /// A copy of what `source` shows into `target`, which has no objects yet and the same model.
  public init(from source: any StoreSnapshot, to target: any Store) {
    self.source = source
    self.target = target
  }

  /// Copies.
  ///
  /// - Parameter progress: Is told now and then how far the copy is. What it throws ends the copy.
  /// - Throws: ``StoreError``; what `progress` throws; what a damaged block throws. The target may hold
  ///   a part of the objects then: throw it away.
  @discardableResult
  public func run(_ progress: (Progress) throws -> Void = { _ in }) throws -> Report {
    var base = try target.snapshot()
    let pairs = try layoutPairs(base.schema)
    let view = source.view
    // First where every object will be: what leads to it may come before it.
    var places: [UInt16: KeyPlaces] = [:]
    var state = Progress(done: 0, total: 0)
    for pair in pairs {
      let keys = try view.keys(ofEntity: pair.source.entityNumber)
      guard !keys.isEmpty else { continue }
      let lease = try target.leaseKeys(
        ofEntity: pair.target.entityNumber, count: keys.count)
      places[pair.source.entityNumber] = KeyPlaces(
        keys: keys, entity: pair.target.entityNumber, first: lease.lowerBound)
      state.total += keys.count
    }
    // Setting keys aside may have been a commit.
    base = try target.snapshot()
    var report = Report()
    let isIncremental = target.capabilities.contains(.incremental)
    var pending = PendingRows()
    for pair in pairs {
      guard let own = places[pair.source.entityNumber] else { continue }
      var rows = RowCopy(pair, own, places)
      for batch in try view.batches(of: pair.source) {
        try rows.append(batch)
        try progress(Progress(done: state.done + rows.count, total: state.total))
        guard isIncremental, rows.isLarge else { continue }
        pending.add(rows.take())
        base = try target.commit(CommitRequest(pending.takeLayer(), basedOn: base))
      }
      pending.add(rows.take())
      state.done += rows.count
      report.lostReferenceCount += rows.lostCount
      if !pair.isLinks { report.objectCount += rows.count }
      if isIncremental, pending.rowCount >= StoreCopy.rowCount {
        base = try target.commit(CommitRequest(pending.takeLayer(), basedOn: base))
      }
    }
    try target.commit(
      CommitRequest(
        pending.takeLayer(), basedOn: base,
        metadata: try base.metadata.adding(applicationValuesOf: source.metadata)))
    return report
  }

  /// The layouts of both stores, of entities and then of links, that hold the same.
  private func layoutPairs(_ schema: Schema) throws -> [LayoutPair] {
    var pairs: [LayoutPair] = []
    for layout in source.schema.layouts {
      guard let other = schema[layout.entity], let pair = LayoutPair(layout, other) else {
        throw unlike(layout.entity)
      }
      pairs.append(pair)
    }
    for entity in source.schema.layouts {
      for name in (source.schema.relationshipNumbers[entity.entity] ?? [:]).keys.sorted() {
        guard let side = source.schema.links(of: entity.entity, name), side.isForward,
          !pairs.contains(where: { $0.source.entityNumber == side.table.layout.entityNumber })
        else { continue }
        guard let other = schema.links(of: entity.entity, name),
          let pair = LayoutPair(side, other)
        else { throw unlike("\(entity.entity).\(name)") }
        pairs.append(pair)
      }
    }
    return pairs
  }

  private func unlike(_ name: String) -> StoreError {
    StoreError(
      .incompatibleModel, "The store that is copied to has another model: '\(name)' differs.",
      path: target.path)
  }
}

extension StoreMetadata {
  /// These metadata, and those of the application that the others have.
  func adding(applicationValuesOf others: StoreMetadata) -> StoreMetadata {
    var metadata = self
    let own = [
      Key.uuid, Key.type, Key.versionHashes, Key.versionIdentifiers, Key.versionHashesDigest,
    ]
    for (key, value) in others.values where !own.contains(key) { metadata.values[key] = value }
    return metadata
  }
}

/// Which column of one store is which of another.
struct LayoutPair {
  let source: Layout
  let target: Layout
  let columns: [(source: LayoutColumn, target: Int)]
  let isLinks: Bool

  /// The layouts of one entity; `nil` when they are not alike.
  init?(_ source: Layout, _ target: Layout) {
    var columns: [(LayoutColumn, Int)] = []
    for column in source.columns {
      guard let index = target.index(of: column.name), target.columns[index].kind == column.kind
      else { return nil }
      columns.append((column, index))
    }
    (self.source, self.target, self.columns, isLinks) = (source, target, columns, false)
  }

  /// The links of one relationship; `nil` when they are not alike.
  init?(_ source: LinkTable.Side, _ target: LinkTable.Side) {
    var columns: [(LayoutColumn, Int)] = []
    // A store that numbered its entities in another order may have turned the table around.
    for (own, other) in [
      (source.owner, target.owner), (source.destination, target.destination),
    ] {
      columns.append((own, target.table.layout.index(ofNumber: other.number)!))
    }
    for (own, other) in [(source.order, target.order), (source.turned.order, target.turned.order)] {
      guard (own == nil) == (other == nil) else { return nil }
      if let own, let other {
        columns.append((own, target.table.layout.index(ofNumber: other.number)!))
      }
    }
    self.source = source.table.layout
    self.target = target.table.layout
    (self.columns, isLinks) = (columns, true)
  }
}

/// The keys that the objects of an entity get: one behind the other, in the order of those they had.
struct KeyPlaces {
  let keys: [UInt64]
  let entity: UInt16
  let first: UInt64

  /// The key of an object; `nil` when there was none.
  func key(of number: UInt64) -> ObjectKey? {
    guard let least = keys.first, let last = keys.last, number >= least, number <= last else {
      return nil
    }
    var place = Int(number - least)
    if last - least != UInt64(keys.count - 1) {
      place = keys.firstPosition { $0 >= number }
      guard keys[place] == number else { return nil }
    }
    return ObjectKey(entity: entity, number: first + UInt64(place))
  }
}

/// Rows of one entity on their way into another store.
private struct RowCopy {
  private let pair: LayoutPair
  private let own: KeyPlaces
  private let places: [UInt16: KeyPlaces]
  private var drafts: [Draft] = []
  private(set) var count = 0
  private(set) var pendingCount = 0
  private(set) var lostCount = 0

  init(_ pair: LayoutPair, _ own: KeyPlaces, _ places: [UInt16: KeyPlaces]) {
    (self.pair, self.own, self.places) = (pair, own, places)
  }

  /// Whether so much is gathered that it should go.
  var isLarge: Bool {
    pendingCount >= StoreCopy.rowCount
      || drafts.reduce(0) { $0 + $1.memoryByteCount } >= StoreCopy.byteCount
  }

  mutating func append(_ batch: RowBatch) throws {
    let keys = try batch.block.keys
    let columns = try pair.columns.map { try batch.block.column($0.source) }
    for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
      guard let key = own.key(of: UInt64(bitPattern: keys.integer(at: row))) else { continue }
      count += 1
      var references: [(Int, ObjectKey?)] = []
      for (index, column) in pair.columns.enumerated() where column.source.kind == .reference {
        guard let reference = columns[index]?.reference(at: row) else {
          references.append((column.target, nil))
          continue
        }
        let place = places[reference.entity]?.key(of: reference.number)
        if place == nil { lostCount += 1 }
        references.append((column.target, place))
      }
      // A link without one of its ends is none.
      if pair.isLinks, references.contains(where: { $0.1 == nil }) { continue }
      if drafts.last?.isFull ?? true { drafts.append(Draft(pair.target, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let new = draft.append(key: key.number)
      pendingCount += 1
      for (index, column) in pair.columns.enumerated() where column.source.kind != .reference {
        draft.set(columns[index]?.value(at: row) ?? .null, column: column.target, row: new)
      }
      for (column, place) in references {
        draft.set(place.map { .object($0) } ?? .null, column: column, row: new)
      }
    }
  }

  /// The rows so far, as changes of their entity.
  mutating func take() -> Layer.EntityChanges {
    defer { (drafts, pendingCount) = ([], 0) }
    var writer = BlockWriter()
    return Layer.EntityChanges(
      entityNumber: pair.target.entityNumber,
      put: BlockRun(Draft.freeze(drafts, version: nil, &writer)))
  }
}

/// Rows of several entities that are committed together.
private struct PendingRows {
  private var changes: [Layer.EntityChanges] = []

  var rowCount: Int { changes.reduce(0) { $0 + $1.count } }

  mutating func add(_ one: Layer.EntityChanges) { if one.count > 0 { changes.append(one) } }

  mutating func takeLayer() -> Layer {
    defer { changes = [] }
    return Layer(changes)
  }
}
