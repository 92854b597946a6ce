import ObjectModel
import Rows

/// Copies the whole contents of a store into another store of any type.
///
///     let copy = StoreCopy(from: snapshot, to: store)
///     let report = try copy.run { done in if isCancelled { throw CancellationError() } }
///
/// Copies block by block. An incremental target gets a commit for every few blocks, so memory holds only these blocks
/// and eight bytes for each object. A target that writes everything at each commit gets a single commit. Objects get
/// keys of the target, and references to them are adjusted. The application's metadata are copied too.
public struct StoreCopy {
  let source: any StoreSnapshot
  let target: any Store
  /// The origins of the target's rows; `nil` if both stores have the same model.
  private let origins: [RowOrigin]?
  private let keepsKeys: Bool
  /// The lanes of the target, if objects keep their numbers; `nil` for the source's.
  private let lanes: StoreLanes?

  /// The progress of a copy.
  public struct Progress: Sendable, Hashable {
    /// The number of objects and links that are copied already.
    public var done: Int
    /// The total number of objects and links.
    public var total: Int

    public init(done: Int, total: Int) {
      self.done = done
      self.total = total
    }
  }

  /// The result of a copy.
  public struct Report: Sendable, Hashable {
    /// The number of copied objects.
    public var objectCount = 0
    /// The number of references and links to objects that do not exist. They are not copied.
    public var lostReferenceCount = 0
    /// The number of references that the source has on one side of a one-to-one relationship alone. The copy has them
    /// on both sides.
    public var filledReferenceCount = 0

    /// Creates a report with the given counts.
    public init(
      objectCount: Int = 0, lostReferenceCount: Int = 0, filledReferenceCount: Int = 0
    ) {
      self.objectCount = objectCount
      self.lostReferenceCount = lostReferenceCount
      self.filledReferenceCount = filledReferenceCount
    }
  }

  /// The maximum number of rows in a commit, and the approximate maximum number of bytes.
  static let rowCount = 16 * Draft.maximumRowCount
  static let byteCount = 64 << 20

  /// Creates a copy of `source` into `target`, which must have the same model and no objects yet.
  public init(from source: any StoreSnapshot, to target: any Store) {
    (self.source, self.target) = (source, target)
    (origins, keepsKeys, lanes) = (nil, false, nil)
  }

  /// Creates a copy into a store of another model.
  ///
  /// - Parameters:
  ///   - origins: The origins of the target's rows; `nil` if both stores have the same model.
  ///   - keepsKeys: Whether objects keep their numbers, which no object of the target may have. In a family with
  ///     repeated numbers, objects get new numbers if the target requires it (``renumberedEntities(_:in:)``).
  ///   - lanes: The lanes of the target, if objects keep their numbers; `nil` for the source's. A target beside the source
  ///     needs a lane of its own: both would give the same numbers to new objects.
  package init(
    from source: any StoreSnapshot, to target: any Store, _ origins: [RowOrigin]?,
    keepingKeys keepsKeys: Bool, lanes: StoreLanes? = nil
  ) {
    self.source = source
    self.target = target
    self.origins = origins
    self.keepsKeys = keepsKeys
    self.lanes = lanes
  }

  /// Copies the contents, and commits them to the target.
  ///
  /// - Parameter progress: Called repeatedly with the progress. If it throws, the copy ends.
  /// - Throws: ``StoreError``; the errors of `progress` and of damaged blocks. The target may then contain a part of
  ///   the objects and should be removed. If it was made with ``StoreCreation/isForCopy``, it can't be opened.
  @discardableResult
  public func run(_ progress: (Progress) throws -> Void = { _ in }) throws -> Report {
    var base = try target.snapshot()
    let isIncremental = target.features.isIncremental
    let lanes = keepsKeys ? try self.lanes ?? source.metadata.lanes : nil
    if isIncremental, let lanes, !lanes.isEmpty {
      // The target must know whose the numbers are before it gets objects with these numbers.
      var metadata = try base.metadata
      metadata.lanes = lanes
      base = try target.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
    }
    var arrived = isIncremental && target.type.mayCheckReferences ? ArrivedObjects() : nil
    var origins = try self.origins ?? alike(base.schema)
    var report = Report()
    if self.origins == nil { report.filledReferenceCount = try fillInverses(&origins) }
    if arrived != nil { origins = try ordered(origins, in: base.model) }
    let view = source.view
    // Determine all new keys first, because a reference may be copied before its target.
    var places: [UInt16: KeyPlaces] = [:]
    let renumbered = keepsKeys ? try renumberedEntities(origins, in: base.model) : []
    var own: [KeyPlaces?] = []
    var state = Progress(done: 0, total: 0)
    for origin in origins {
      let keys = try view.keys(ofEntity: origin.source.entityNumber)
      if let lanes { try reserveUsedKeys(of: origin, lanes) }
      guard !keys.isEmpty else {
        own.append(nil)
        continue
      }
      let isKept =
        keepsKeys && !origin.needsKeys && !renumbered.contains(origin.target.entityNumber)
      let first =
        isKept
        ? nil
        : try target.leaseKeys(ofEntity: origin.target.entityNumber, count: keys.count).lowerBound
      let place = KeyPlaces(keys: keys, entity: origin.target.entityNumber, first: first)
      own.append(place)
      if !origin.isLinks { places[origin.source.entityNumber] = place }
      state.total += keys.count
    }
    // Leasing keys may have made a commit.
    base = try target.snapshot()
    var late: [LateReference] = []
    var pending = PendingRows()
    for (origin, own) in zip(origins, own) {
      guard let own else { continue }
      var rows = RowCopy(origin, own, places)
      for batch in try view.batches(of: origin.source) {
        try rows.append(batch, &arrived)
        try progress(Progress(done: state.done + rows.count, total: state.total))
        guard isIncremental, rows.isLarge else { continue }
        pending.add(rows.take())
        base = try target.commit(CommitRequest(pending.takeLayer(), basedOn: base))
      }
      pending.add(rows.take())
      late += rows.late
      state.done += rows.count
      report.lostReferenceCount += rows.lostCount
      if !origin.isLinks { report.objectCount += rows.count }
      if isIncremental, pending.rowCount >= StoreCopy.rowCount {
        base = try target.commit(CommitRequest(pending.takeLayer(), basedOn: base))
      }
    }
    if !late.isEmpty {
      base = try target.commit(CommitRequest(pending.takeLayer(), basedOn: base))
      base = try set(late, above: base)
    }
    // From this commit on the target counts.
    var metadata = try base.metadata.adding(applicationValuesOf: source.metadata)
    metadata.isUnfinishedCopy = false
    if let lanes { metadata.lanes = lanes }
    try target.commit(CommitRequest(pending.takeLayer(), basedOn: base, metadata: metadata))
    return report
  }

  /// Returns the origins of all entities and then all links, for stores of the same model.
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
      .incompatibleModel, "The target store has another model than the source: '\(name)' differs.",
      path: target.path)
  }
}

extension StoreMetadata {
  /// Returns these metadata with the application's values of `others` added.
  package func adding(applicationValuesOf others: StoreMetadata) -> StoreMetadata {
    var metadata = self
    let own = [
      Key.uuid, Key.type, Key.versionHashes, Key.versionIdentifiers, Key.versionHashesDigest,
      // Texts and numbers of commits, and the document, belong to the source store only.
      Key.namedCommits, Key.commitMessage, Key.versionBefore, Key.document,
      Key.unfinishedCopy, Key.modelNotes,
      // New numbers of a target count in its own lane, at its own place.
      Key.lanes, Key.lane, Key.place,
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
    // Rows of several source entities may be copied to the same target entity.
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
