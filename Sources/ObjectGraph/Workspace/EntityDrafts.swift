// SAFETY: The last source of `insertions` retains the draft being filled.

import Rows

/// The rows of one entity that a context is writing, and the unsaved rows that it has written.
@safe
struct EntityDrafts {
  /// The drafts of new rows. The last one is being filled.
  private var insertions: [RowSource] = [] {
    didSet { if insertions.isEmpty { unsafe current = nil } }
  }
  /// The last draft of new rows, for use without retaining it.
  private var current: (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>)?
  /// The drafts of changed rows. The last one is being filled.
  private var changes: [RowSource] = []
  /// The drafts of the keys that are removed.
  private var removals: [Draft] = []
  /// The row sources of the drafts that are frozen and not saved yet.
  private(set) var sealed: [RowSource] = []
  /// The row sources of blocks of unsaved changes that arrived as a layer, by block.
  private var pendingSources: [ObjectIdentifier: RowSource] = [:]
  /// The last draft of rows that join an object's own changes with changes from a layer.
  private var joined: RowSource?

  /// Whether there are drafts that are not frozen.
  var isOpen: Bool { !insertions.isEmpty || !changes.isEmpty || !removals.isEmpty }

  // MARK: Writing

  /// The draft for new rows; `nil` if there is none or it is full.
  @inline(__always)
  @unsafe var filling: (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>)? {
    if let current = unsafe current, unsafe !current.draft._withUnsafeGuaranteedRef({ $0.isFull }) {
      return unsafe current
    }
    return nil
  }

  /// Opens a draft for new rows.
  @inline(never)
  @unsafe mutating func beginInsertions(
    for entity: EntityState
  ) -> (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>) {
    let source = RowSource(entity, role: .insertions)
    insertions.append(source)
    entity.recordOpenChanges()
    let made = unsafe (
      source: Unmanaged.passUnretained(source), draft: source.draftReference.unsafelyUnwrapped
    )
    unsafe current = unsafe made
    return unsafe made
  }

  /// Returns a draft of changed rows that has room for one more row.
  mutating func openChanges(for entity: EntityState) -> RowSource {
    if let last = changes.last, !last.draft!.isFull { return last }
    let source = RowSource(entity, role: .changes)
    changes.append(source)
    entity.recordOpenChanges()
    return source
  }

  /// Records the removal of a row.
  mutating func remove(_ number: UInt64, basis: Int64, for entity: EntityState) {
    if removals.last?.isFull ?? true {
      removals.append(Draft(entity.graph.layout, role: .changes))
      entity.recordOpenChanges()
    }
    removals[removals.count - 1].append(key: number, basis: basis)
  }

  // MARK: Changes from layers

  /// Returns the source of a block of unsaved changes.
  mutating func pendingSource(
    of block: Block, isSparse: Bool, for entity: EntityState
  ) -> RowSource {
    let identifier = ObjectIdentifier(block)
    if let known = pendingSources[identifier] { return known }
    let made = RowSource(entity, pending: block, isSparse: isSparse)
    pendingSources[identifier] = made
    sealed.append(made)
    return made
  }

  /// Returns a closed draft with room for one more row that joins own changes with changes from a layer.
  mutating func joinedRows(isSparse: Bool, for entity: EntityState) -> RowSource {
    if let joined, !joined.draft!.isFull, joined.isSparse == isSparse { return joined }
    let made = RowSource(entity, role: isSparse ? .changes : .insertions)
    made.isOpen = false
    joined = made
    sealed.append(made)
    return made
  }

  // MARK: Saving

  /// The number of rows in open drafts of changes.
  var openChangeCount: Int { changes.reduce(0) { $0 + $1.draft!.rowCount } }

  /// Returns the values that the open changes replace.
  func replacedRows() -> [ReplacedRow] { changes.flatMap { $0.replacedValues() } }

  /// Freezes the open drafts. They can still be read, and are never written again.
  mutating func freeze(ofEntity number: UInt16, _ writer: inout BlockWriter) -> Layer.EntityChanges
  {
    let result = Layer.EntityChanges(
      entityNumber: number,
      put: BlockRun(freezeInsertions(&writer)),
      changed: BlockRun(Draft.freeze(changes.map { $0.draft! }, &writer)),
      removed: BlockRun(Draft.freeze(removals, flags: .removals, &writer)))
    for source in changes { source.forgetReplaced() }
    for source in insertions + changes {
      source.isOpen = false
      sealed.append(source)
    }
    insertions = []
    changes = []
    removals = []
    return result
  }

  /// Freezes the drafts of new rows. Each that becomes its own block leaves its memory before the next one is frozen.
  private mutating func freezeInsertions(_ writer: inout BlockWriter) -> [Block] {
    unsafe current = nil
    guard Draft.freezeApart(insertions.map { $0.draft! }) else {
      return Draft.freeze(insertions.map { $0.draft! }, &writer)
    }
    var blocks: [Block] = []
    for source in insertions {
      let made = Draft.freeze([source.draft!], &writer)
      blocks += made
      if made.count == 1, source.draft!.removedCount == 0 { source.take(made[0]) }
    }
    return blocks
  }

  /// Records that the frozen changes are saved.
  mutating func setSaved(_ version: Int64?) {
    for source in sealed { source.setSaved(version) }
    removeSealed()
  }

  /// Drops all unsaved changes. Their objects may still be read, and nothing writes them any more.
  mutating func discard() {
    for source in changes { source.forgetReplaced() }
    for source in insertions + changes { source.isOpen = false }
    insertions = []
    changes = []
    removals = []
    removeSealed()
  }

  private mutating func removeSealed() {
    sealed = []
    pendingSources = [:]
    joined = nil
  }
}
