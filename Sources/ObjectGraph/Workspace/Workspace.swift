import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Synchronization

/// The state behind one context: its view of each store, the registered objects and the unsaved changes.
///
/// ``ManagedObjectContext`` is the interface of a workspace and keeps it alive. A workspace does not retain its
/// context, and objects retain neither. Every function runs in a turn of the context unless it says otherwise.
final class Workspace: @unchecked Sendable {
  // Sendable: state without a lock is used only in a turn of the context. Every entry point to it checks that, except for
  // the undo stack, which the program sets in a turn or before other threads use the context.

  /// The context of this workspace.
  var face = ContextReference()
  let coordinator: PersistentStoreCoordinator
  /// The workspace of the parent context; `nil` if changes are saved into the stores.
  let parent: Workspace?
  /// The settings, which the program sets on any thread.
  var settings: ContextSettings { storedSettings.withLock { $0 } }
  private let storedSettings = Mutex(ContextSettings())

  /// The stack that records changes for undo; `nil` if changes are not recorded.
  var undoStack: UndoStack? {
    willSet {
      do { try sealForUndo() } catch { record(error) }
    }
    didSet { undoStack?.attach(to: self) }
  }

  /// The place where the context and its objects may be used.
  var place: ContextPlace { mail.place }
  /// The kind of the place.
  var concurrency: ContextConcurrency { place.concurrency }
  /// Whether registered objects are updated by the saves of other contexts.
  var automaticallyMergesChangesFromParent: Bool {
    get { mail.isFollowing.load(ordering: .relaxed) }
    set { mail.isFollowing.store(newValue, ordering: .relaxed) }
  }
  /// The part of the context that other contexts use.
  let mail: ContextMail
  /// The operations under way in this turn.
  var progress = WorkProgress()
  /// The state of each store that the context has read, and the changed objects.
  var drafts = ContextDrafts()
  /// The objects that the next save requires to be unchanged.
  var marks = Marks()
  @exclusivity(unchecked) private var storedRelationships = RelationshipState()
  /// The state of relationships that is in no row. Read whenever a reference is followed.
  var relationships: RelationshipState {
    // SAFETY: No method of the state calls code that reads it.
    _read { yield unsafe storedRelationships }
    _modify { yield unsafe &storedRelationships }
  }
  /// The values of transient properties.
  var transients = TransientValues()
  /// The registered objects as a whole.
  var objects = RegisteredObjects()
  /// The observers, and the changes that have not been posted to them yet.
  var observation = Observation()

  /// Makes a workspace above the stores of a coordinator.
  init(_ coordinator: PersistentStoreCoordinator, _ concurrency: ContextConcurrency) {
    self.coordinator = coordinator
    parent = nil
    mail = ContextMail(ContextPlace(concurrency), parent: nil)
  }

  /// Makes a workspace above the workspace of a parent.
  init(parent: Workspace, _ concurrency: ContextConcurrency) {
    self.parent = parent
    coordinator = parent.coordinator
    mail = ContextMail(ContextPlace(concurrency), parent: parent)
  }

  /// Removes the objects from their tables, because the context is being released. May run on any thread.
  func end() {
    face = ContextReference()
    mail.end()
    place.open()
    // Objects leave their tables in a turn, whichever thread releases the context.
    let before = place.enter()
    defer { place.leave(before) }
    for state in drafts.states {
      for entity in state.knownEntities {
        entity.resolveHeldFaults(in: state.tables)
        entity.detach()
      }
    }
  }
}

extension Workspace {
  func set<V: Sendable>(_ setting: WritableKeyPath<ContextSettings, V>, to value: V) {
    // The old value ends outside of the lock, because its deinitializer may read a setting.
    _ = storedSettings.withLock { settings in
      let old = settings
      settings[keyPath: setting] = value
      return old
    }
  }

  /// The moment that the context is pinned to; `nil` if the context is not pinned.
  var pinned: QueryGeneration? {
    get { mail.published.withLock { $0.pinned } }
    set { mail.published.withLock { $0.pinned = newValue } }
  }
}

// MARK: - Failures

extension Workspace {
  /// Records an error of an operation that can't throw. The next save throws it.
  func record(_ error: any Error) {
    if progress.readFailure == nil { progress.readFailure = error }
  }

  /// Throws the error that was recorded first since the last call.
  func throwReadFailure() throws {
    guard let failure = progress.readFailure else { return }
    progress.readFailure = nil
    if let own = failure as? ContextError, own.code == .notSupported {
      throw ContextError(own.code, "\(own.message) Nothing was saved.", cause: own)
    }
    throw ContextError(
      .unreadable, "The context could not read a value: \(failure). Nothing was saved.",
      cause: failure)
  }
}

// MARK: - Stores

extension Workspace {
  /// Returns the state of a store, made if needed.
  ///
  /// - Parameter key: The object that is about to be read.
  func state(of store: PersistentStore, reading key: ObjectKey? = nil) throws -> StoreState {
    if let known = drafts.state(of: store) { return known }
    let made = StoreState(store, try newestBase(of: store, reading: key))
    if place.concurrency == .mainActor {
      made.whenChanged = { [unowned self] in ContextExecutor(self).endTurnSoon() }
    }
    drafts.add(made)
    return made
  }

  /// Returns the newest state of the parent or the store, which the context's changes are to be put on.
  ///
  /// - Parameter key: The object that is about to be read. The store may read it at once.
  func newestBase(of store: PersistentStore, reading key: ObjectKey? = nil) throws -> StoreBase {
    ContextExecutor(self).catchUpWithMainActor()
    // A save calls this on any thread.
    var generation = mail.published.withLock { $0.pinned }
    var next = parent
    while let ancestor = next {
      // An ancestor that has not read the store shows the state of its own parent or of the store.
      let (base, pinned) = ancestor.mail.published.withLock { ($0.bases[store.tag], $0.pinned) }
      if let base { return base }
      generation = generation ?? pinned
      next = ancestor.parent
    }
    if let snapshot = generation?.snapshot(of: store.tag) {
      return StoreBase(snapshot: snapshot)
    }
    let snapshot =
      try key.map { try store.store.snapshot(reading: $0) } ?? store.store.snapshot()
    // The coordinator's model does not fit the rows of a store that was migrated meanwhile.
    try coordinator.checkModel(of: snapshot, in: store)
    return StoreBase(snapshot: snapshot)
  }

  /// Returns the state of the store with a tag; `nil` if the coordinator has no such store.
  ///
  /// - Parameter key: The object that is about to be read.
  func state(of tag: StoreTag, reading key: ObjectKey? = nil) throws -> StoreState? {
    if let known = drafts.state(of: tag) { return known }
    return try coordinator.store(of: tag).map { try state(of: $0, reading: key) }
  }

  /// Returns the states of the stores that have objects of an entity.
  func states(holding entity: String, among wanted: [UUID]? = nil) throws -> [StoreState] {
    try coordinator.stores.filter { store in
      store.graph[entity] != nil && (wanted?.contains(store.uuid) ?? true)
    }.map { try state(of: $0) }
  }

  func recordOpenChanges(of store: PersistentStore) {
    drafts.state(of: store)?.hasOpenChanges = true
  }

  /// Advances to the newest base of a store, and updates the registered objects.
  ///
  /// - Parameter key: The object that is about to be read.
  func advance(_ state: StoreState, reading key: ObjectKey? = nil) throws {
    if pinned != nil || state.persistent.isGone { return }
    let newest = try newestBase(of: state.persistent, reading: key)
    if newest.isSame(as: state.base) { return }
    try Advance(self, state).run(to: newest)
    // Children see the new base at once. If work is under way, they see it when the work is done.
    if !progress.isWorking { publish() }
  }
}

// MARK: - Processing

extension Workspace {
  func processPendingChanges() throws {
    checkPlace()
    takeWaiting()
    try propagateDeletionsOrThrow()
    try sealAll()
    undoStack?.endTurn()
    publish()
    announceChanges()
    updateFollowers()
    sweepIfNeeded()
  }

  /// Freezes all drafts.
  func sealAll() throws {
    for state in drafts.states where state.hasOpenChanges {
      let beneath = viewToUndo(in: state)
      let replaced = beneath == nil ? nil : replacedRows(in: state)
      let layer = try state.seal()
      if !layer.isEmpty { recordSealed(layer, above: beneath, replaced, in: state) }
    }
  }

  /// Records changes of the context that were just put on top of its frozen changes.
  ///
  /// - Parameters:
  ///   - view: The rows below the changes; `nil` if undo did not record when they were frozen.
  ///   - replaced: The values that changed rows had before, if they are known.
  ///   - isExact: Whether undoing the changes restores the rows that were shown before.
  func recordSealed(
    _ layer: Layer, above view: View?, _ replaced: ReplacedRows? = nil, in state: StoreState,
    isExact: Bool = true
  ) {
    observation.recordFrozen(layer, in: state.tag)
    guard let undoStack else { return }
    do {
      try undoStack.record(layer, above: view, replaced, in: state, isExact: isExact, transients)
    } catch { record(error) }
  }

  /// Publishes the state that child contexts see.
  func publish() {
    mail.published.withLock { $0.publish(drafts.states) }
    if !hasUnprocessedChanges { mail.owedTurn.end() }
  }
}

// MARK: - Changes and objects

extension Workspace {
  var hasChanges: Bool {
    checkPlace()
    return !drafts.changedObjects.isEmpty || drafts.hasChanges
  }

  /// The objects with unsaved changes, after all deletions have been propagated.
  var processedObjects: [ManagedObject] {
    checkPlace()
    propagateDeletions()
    return drafts.changedObjects
  }
}
