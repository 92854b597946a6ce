// SAFETY: The draft being filled is kept by the last source of `insertions`.

import Rows

/// The rows of one entity that a context writes, and the rows it wrote that are not saved yet.
@safe
struct EntityDrafts {
  /// The drafts of new rows. The last one is being filled.
  private var insertions: [RowSource] = [] {
    didSet { if insertions.isEmpty { unsafe current = nil } }
  }
  /// The last draft of new rows, to be used without being retained.
  private var current: (source: Unmanaged<RowSource>, draft: Unmanaged<Draft>)?
  /// The drafts of changed rows. The last one is being filled.
  private var changes: [RowSource] = []
  /// The drafts of the keys that are removed.
  private var removals: [Draft] = []
  /// The drafts that were frozen and are not saved yet.
  private(set) var frozen: [RowSource] = []
  /// The rows that count as saved though no save has written them so: what many saves gave, or what was read.
  private var savedRows: RowSource?

  /// Whether there are drafts that are not frozen.
  var isOpen: Bool { !insertions.isEmpty || !changes.isEmpty || !removals.isEmpty }

  /// The drafts of changed rows and of removed keys.
  var changedOrRemoved: [Draft] { changes.map { $0.draft! } + removals }

  // MARK: Writing

  /// The draft for new rows; `nil` if it has no room or there is none.
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
    entity.noteOpenChanges()
    let made = unsafe (
      source: Unmanaged.passUnretained(source), draft: source.draftReference.unsafelyUnwrapped
    )
    unsafe current = unsafe made
    return unsafe made
  }

  /// Returns a draft of changed rows with room for one more.
  mutating func openChanges(for entity: EntityState) -> RowSource {
    if let last = changes.last, !last.draft!.isFull { return last }
    let source = RowSource(entity, role: .changes)
    changes.append(source)
    entity.noteOpenChanges()
    return source
  }

  /// Removes a key.
  mutating func remove(_ number: UInt64, basis: Int64, for entity: EntityState) {
    if removals.last?.isFull ?? true {
      removals.append(Draft(entity.graph.layout, role: .changes))
      entity.noteOpenChanges()
    }
    removals[removals.count - 1].append(key: number, basis: basis)
  }

  /// Returns a draft with room for one more row that counts as saved with a version.
  mutating func savedRows(of version: Int64?, for entity: EntityState) -> RowSource {
    if let savedRows, savedRows.version == version, !savedRows.draft!.isFull { return savedRows }
    let made = RowSource(entity, role: .changes)
    made.isOpen = false
    made.setSaved(version)
    savedRows = made
    return made
  }

  /// Releases the rows that count as saved.
  mutating func removeSavedRows() { savedRows = nil }

  // MARK: Saving

  /// Freezes the open drafts. They may be read as before, and written no more.
  mutating func freeze(ofEntity number: UInt16, _ writer: inout BlockWriter) -> Layer.EntityChanges
  {
    let result = Layer.EntityChanges(
      entityNumber: number,
      put: BlockRun(Draft.freeze(insertions.map { $0.draft! }, &writer)),
      changed: BlockRun(Draft.freeze(changes.map { $0.draft! }, &writer)),
      removed: BlockRun(Draft.freeze(removals, flags: .removals, &writer)))
    for source in insertions + changes {
      source.isOpen = false
      frozen.append(source)
    }
    insertions = []
    changes = []
    removals = []
    return result
  }

  /// Notes that the frozen drafts are saved.
  mutating func setSaved(_ version: Int64?) {
    for source in frozen { source.setSaved(version) }
    frozen = []
  }

  /// Drops all changes that are not saved.
  mutating func discard() {
    for source in insertions + changes { source.isOpen = false }
    insertions = []
    changes = []
    removals = []
    frozen = []
  }

  /// Releases the drafts, because the context is gone.
  mutating func removeAll() {
    insertions = []
    changes = []
    frozen = []
    savedRows = nil
  }
}
