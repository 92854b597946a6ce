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
  let source: any StoreSnapshot
  let target: any Store
  /// What becomes which rows; `nil` when both stores have the same model.
  private let origins: [RowOrigin]?
  private let keepsKeys: Bool

  /// How far a copy is.
  public struct Progress: Sendable, Hashable {
    /// How many objects and links are copied.
    public var done: Int
    /// How many there are.
    public var total: Int

    /// So many of so many.
    public init(done: Int, total: Int) {
      self.done = done
      self.total = total
    }
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
    self.init(from: source, to: target, nil, keepingKeys: false)
  }

  /// A copy into a store of another model.
  ///
  /// - Parameters:
  ///   - origins: What the rows of the target come from; `nil` when both have the same model.
  ///   - keepsKeys: Whether objects keep their numbers, which no object of the target may have. Objects of a family that
  ///     share numbers get others if the target can't hold them (``renumberedEntities(_:in:)``).
  package init(
    from source: any StoreSnapshot, to target: any Store, _ origins: [RowOrigin]?,
    keepingKeys keepsKeys: Bool
  ) {
    self.source = source
    self.target = target
    self.origins = origins
    self.keepsKeys = keepsKeys
  }

  /// Copies.
  ///
  /// - Parameter progress: Is told now and then how far the copy is. What it throws ends the copy.
  /// - Throws: ``StoreError``; what `progress` throws; what a damaged block throws. The target may hold
  ///   a part of the objects then: throw it away.
  @discardableResult
  public func run(_ progress: (Progress) throws -> Void = { _ in }) throws -> Report {
    var base = try target.snapshot()
    let origins = try self.origins ?? alike(base.schema)
    let view = source.view
    // First where every object will be: what leads to it may come before it.
    var places: [UInt16: KeyPlaces] = [:]
    let renumbered = keepsKeys ? try renumberedEntities(origins, in: base.model) : []
    var own: [KeyPlaces?] = []
    var state = Progress(done: 0, total: 0)
    for origin in origins {
      let keys = try view.keys(ofEntity: origin.source.entityNumber)
      guard !keys.isEmpty else {
        own.append(nil)
        continue
      }
      let isKept =
        keepsKeys && !origin.makesLinks && !renumbered.contains(origin.target.entityNumber)
      let first =
        isKept
        ? nil
        : try target.leaseKeys(ofEntity: origin.target.entityNumber, count: keys.count).lowerBound
      let place = KeyPlaces(keys: keys, entity: origin.target.entityNumber, first: first)
      own.append(place)
      if !origin.isLinks { places[origin.source.entityNumber] = place }
      state.total += keys.count
    }
    // Setting keys aside may have been a commit.
    base = try target.snapshot()
    var report = Report()
    let isIncremental = target.capabilities.contains(.incremental)
    var pending = PendingRows()
    for (origin, own) in zip(origins, own) {
      guard let own else { continue }
      var rows = RowCopy(origin, own, places)
      for batch in try view.batches(of: origin.source) {
        try rows.append(batch)
        try progress(Progress(done: state.done + rows.count, total: state.total))
        guard isIncremental, rows.isLarge else { continue }
        pending.add(rows.take())
        base = try target.commit(CommitRequest(pending.takeLayer(), basedOn: base))
      }
      pending.add(rows.take())
      state.done += rows.count
      report.lostReferenceCount += rows.lostCount
      if !origin.isLinks { report.objectCount += rows.count }
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
  private func alike(_ schema: Schema) throws -> [RowOrigin] {
    var origins: [RowOrigin] = []
    for layout in source.schema.layouts {
      guard let other = schema[layout.entity], let origin = RowOrigin(layout, alike: other) else {
        throw unlike(layout.entity)
      }
      origins.append(origin)
    }
    for entity in source.schema.layouts {
      for name in (source.schema.relationshipNumbers[entity.entity] ?? [:]).keys.sorted() {
        guard let side = source.schema.links(of: entity.entity, name), side.isForward,
          !origins.contains(where: { $0.source.entityNumber == side.table.layout.entityNumber })
        else { continue }
        guard let other = schema.links(of: entity.entity, name),
          let origin = RowOrigin(side, alike: other)
        else { throw unlike("\(entity.entity).\(name)") }
        origins.append(origin)
      }
    }
    return origins
  }

  private func unlike(_ name: String) -> StoreError {
    StoreError(
      .incompatibleModel, "The store that is copied to has another model: '\(name)' differs.",
      path: target.path)
  }
}

extension StoreMetadata {
  /// These metadata, and those of the application that the others have.
  package func adding(applicationValuesOf others: StoreMetadata) -> StoreMetadata {
    var metadata = self
    let own = [
      Key.uuid, Key.type, Key.versionHashes, Key.versionIdentifiers, Key.versionHashesDigest,
      // The other store has commits of its own.
      Key.namedCommits,
    ]
    for (key, value) in others.values where !own.contains(key) { metadata.values[key] = value }
    return metadata
  }
}

/// Rows of several entities that are committed together.
private struct PendingRows {
  private var changes: [Layer.EntityChanges] = []

  var rowCount: Int { changes.reduce(0) { $0 + $1.count } }

  mutating func add(_ one: Layer.EntityChanges) {
    guard one.count > 0 else { return }
    // Several entities may become rows of the same, one after another.
    guard let place = changes.firstIndex(where: { $0.entityNumber == one.entityNumber }) else {
      return changes.append(one)
    }
    changes[place] = Layer.EntityChanges(
      entityNumber: one.entityNumber,
      put: BlockRun(
        (changes[place].put.blocks + one.put.blocks).sorted { $0.minimumKey < $1.minimumKey }))
  }

  mutating func takeLayer() -> Layer {
    defer { changes = [] }
    return Layer(changes)
  }
}
