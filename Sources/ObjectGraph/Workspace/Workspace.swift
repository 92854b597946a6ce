import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Synchronization

/// The state behind one context: its view of each store, the objects it knows and the changes it has not saved.
///
/// ``ManagedObjectContext`` is the interface of a workspace and keeps it alive. A workspace does not retain its
/// context, and objects retain neither. Every function runs in a turn of the context unless it says otherwise.
final class Workspace: @unchecked Sendable {
  // Sendable: all state that is not behind a lock is used in a turn of the context only, and every entrance checks
  // that.

  /// The context that this is the state of.
  var face = ContextReference()
  let coordinator: PersistentStoreCoordinator
  /// The workspace that changes are saved into; `nil` when they are saved into the stores.
  let parent: Workspace?
  /// The settings that a program makes.
  var settings = ContextSettings()

  /// What takes changes back; `nil` when nothing is recorded. What was changed before it is set stays.
  var undoManager: UndoStack? {
    willSet {
      do { try sealForUndo() } catch { note(error) }
    }
    didSet { undoManager?.attach(to: self) }
  }

  let place: ContextPlace
  /// What others leave here.
  let mail: ContextMail
  private var queue: DispatchQueue? { mail.queue }
  var concurrency: ContextConcurrency { place.concurrency }
  /// Whether registered objects follow the saves of other contexts.
  var automaticallyMergesChangesFromParent: Bool {
    get { mail.isFollowing.load(ordering: .relaxed) }
    set { mail.isFollowing.store(newValue, ordering: .relaxed) }
  }

  var storeStates: [StoreState] = []
  /// The objects with changes that are not saved, in the order in which they were first changed.
  var changedObjects: [ManagedObject] = []
  @exclusivity(unchecked) private var storedDeletionsToPropagate: [ManagedObject] = []
  /// Deleted objects whose relationships were not seen to yet. Asked for at every reference that is followed.
  var deletionsToPropagate: [ManagedObject] {
    // SAFETY: An array of objects calls nobody while it is being changed.
    _read { yield unsafe storedDeletionsToPropagate }
    _modify { yield unsafe &storedDeletionsToPropagate }
  }
  /// The values of transient properties.
  var transientValues: [ObjectID: [Int: Value]] = [:]
  /// Whose last whether anybody holds the object or not: what is set when it awakes is set again the next time.
  var lastingTransients: Set<ObjectID> = []
  /// Which of them were set since a parent was last given those of their object.
  var freshTransients: [ObjectID: Set<Int>] = [:]
  /// What stays where nothing else is kept of it: the ends of ordered relationships.
  var orderEnds: [OrderEnd: Int64] = [:]
  /// The first value that could not be read since the last save.
  private var readFailure: (any Error)?
  private var sweepThreshold = 4096
  var turnDepth = 0
  /// How many steps are under way, one within the other, that nothing may come in between of.
  var workDepth = 0
  /// Whether a turn is coming that ends what is being done on the main actor.
  var isTurnComing = false
  /// Who listens to what is changed and saved.
  let changeStreams = StreamHub<ContextChange>()
  var pinned: QueryGeneration? {
    didSet { mail.published.withLock { $0.pinned = pinned } }
  }
  /// The objects whose moment of saving was noted in the save that is under way.
  var momentsTaken: Set<ObjectID> = []
  /// Where the last object was inserted, for the next of its kind.
  var lastInsertion: EntityState?
  /// How often the coordinator's stores had changed then.
  var storesAtLastInsertion = 0
  /// Keys for new links that nobody else gets, by store and table.
  var linkKeys: [StoreTag: [UInt16: Range<UInt64>]] = [:]
  /// The stores that objects of some entities go to.
  var assignments: [String: PersistentStore] = [:]
  /// Objects that were inserted and merged into those that were there already, in the last save.
  var replacements: [ObjectID: ObjectID] = [:]
  /// Who follows what requests find here.
  var following: ResultsFollowing?
  /// Changes that were sealed, and objects that were read again, since observers were notified last.
  var unannounced = UnannouncedChanges()
  /// How often there were changes to seal.
  var sealCount = 0
  /// How often a store was moved to another base.
  var advanceCount = 0

  /// A workspace above the stores of a coordinator.
  init(_ coordinator: PersistentStoreCoordinator, _ concurrency: ContextConcurrency) {
    self.coordinator = coordinator
    parent = nil
    place = ContextPlace(concurrency)
    mail = ContextMail(place, parent: nil)
  }

  /// A workspace above another one.
  init(parent: Workspace, _ concurrency: ContextConcurrency) {
    self.parent = parent
    coordinator = parent.coordinator
    place = ContextPlace(concurrency)
    mail = ContextMail(place, parent: parent)
  }

  /// Takes the objects out of their tables. The context is going away, on any thread.
  func end() {
    face = ContextReference()
    mail.end()
    place.open()
    // Objects leave their tables in a turn, whichever thread releases the context.
    let before = place.enter()
    defer { place.leave(before) }
    for state in storeStates {
      for entity in state.knownEntities {
        entity.resolveHeldFaults(in: state.tables)
        entity.detach()
      }
    }
  }
}

// MARK: - Turns

extension Workspace {
  func perform<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    if place.isHeld { return try turn(body) }
    switch concurrency {
    case .confined: return try turn(body)
    case .mainActor: return try await MainActor.run { try self.turn(body) }
    case .privateQueue:
      return try await withCheckedThrowingContinuation { continuation in
        queue!.async { continuation.resume(with: Result { try self.turn(body) }) }
      }
    }
  }

  func performAndWait<R>(_ body: () throws -> R) rethrows -> R {
    if place.isHeld { return try turn(body) }
    switch concurrency {
    case .confined: return try turn(body)
    case .mainActor:
      if ContextPlace.isMainActor { return try turn(body) }
      // SAFETY: The main queue is no actor to the compiler: nothing else runs `body`, and this waits.
      nonisolated(unsafe) let body = body
      return try DispatchQueue.main.sync { try unsafe turn(body) }
    case .privateQueue:
      // The queue may be busy with work that waits for the main actor, which is about to wait for the queue.
      if ContextPlace.isMainActor { catchUpWithMainActor() }
      return try ContextPlace.wait(for: queue!) { try turn(body) }
    }
  }

  func schedule(_ body: @escaping @Sendable () -> Void) {
    mail.schedule { [context = face.context] in
      withExtendedLifetime(context) { self.turn(body) }
    }
  }

  func turn<R>(_ body: () throws -> R) rethrows -> R {
    if concurrency == .confined { checkPlace() }
    let before = place.enter()
    turnDepth += 1
    if turnDepth == 1 {
      takePushes()
      takeWaiting()
    }
    defer {
      turnDepth -= 1
      if turnDepth == 0 { endTurn() }
      place.leave(before)
    }
    return try body()
  }

  /// What happens when a turn is over.
  private func endTurn() {
    do { try processPendingChanges() } catch { note(error) }
  }

  /// Fails when the context is used where it must not be.
  func checkPlace() { place.check("The context") }

  /// Takes notice of a failure of something that can't throw. The next save throws it.
  func note(_ error: any Error) {
    if readFailure == nil { readFailure = error }
  }

  /// Throws what could not be read since the last time.
  func throwReadFailure() throws {
    guard let failure = readFailure else { return }
    readFailure = nil
    if let own = failure as? ContextError, own.code == .notSupported {
      throw ContextError(own.code, "\(own.message) Nothing was saved.", cause: own)
    }
    throw ContextError(
      .unreadable, "A value could not be read: \(failure). Nothing was saved.", cause: failure)
  }
}

// MARK: - Stores

extension Workspace {
  /// The context's view of a store.
  func state(of store: PersistentStore) throws -> StoreState {
    if let known = knownState(of: store) { return known }
    let made = StoreState(store, try newestBase(of: store))
    if concurrency == .mainActor { made.whenChanged = { [unowned self] in endTurnSoon() } }
    storeStates.append(made)
    return made
  }

  /// The view of a store that the context has looked at.
  func knownState(of store: PersistentStore) -> StoreState? {
    storeStates.first { $0.persistent === store }
  }

  /// The same, by the store's tag: of a store that was removed and added again the one that is there.
  func knownState(of tag: StoreTag) -> StoreState? {
    storeStates.first { $0.tag == tag && !$0.persistent.isGone }
      ?? storeStates.first { $0.tag == tag }
  }

  /// What lies beneath the context's changes by now.
  func newestBase(of store: PersistentStore) throws -> StoreBase {
    catchUpWithMainActor()
    // Whoever has saved asks too, wherever that is.
    var generation = mail.published.withLock { $0.pinned }
    var next = parent
    while let ancestor = next {
      // One that has not looked at the store shows what lies beneath it.
      let (base, pinned) = ancestor.mail.published.withLock { ($0.bases[store.tag], $0.pinned) }
      if let base { return base }
      generation = generation ?? pinned
      next = ancestor.parent
    }
    if let snapshot = generation?.snapshot(of: store.tag) {
      return StoreBase(snapshot: snapshot)
    }
    return StoreBase(snapshot: try store.store.snapshot())
  }

  /// The state of the store with the given tag.
  func state(of tag: StoreTag) throws -> StoreState? {
    if let known = knownState(of: tag) { return known }
    return try coordinator.store(of: tag).map { try state(of: $0) }
  }

  /// The states of the stores that hold objects of an entity.
  func states(holding entity: String, among wanted: [UUID]? = nil) throws -> [StoreState] {
    try coordinator.stores.filter { store in
      store.graph[entity] != nil && (wanted?.contains(store.uuid) ?? true)
    }.map { try state(of: $0) }
  }

  func noteOpenChanges(of store: PersistentStore) {
    knownState(of: store)?.hasOpenChanges = true
  }

  /// Moves on to the newest state beneath, and shows its objects as of then.
  func advance(_ state: StoreState) throws {
    if pinned != nil || state.persistent.isGone { return }
    let newest = try newestBase(of: state.persistent)
    if newest.isSame(as: state.base) { return }
    try Advance(self, state).run(to: newest)
    // Children look again where this context does. Work under way is shown when it is done.
    if workDepth == 0 { publish() }
  }
}

// MARK: - Processing

extension Workspace {
  func processPendingChanges() throws {
    checkPlace()
    takeWaiting()
    try propagateDeletionsOrThrow()
    try sealAll()
    undoManager?.endTurn()
    publish()
    announceChanges()
    updateFollowers()
    sweepIfNeeded()
  }

  /// Freezes all drafts.
  func sealAll() throws {
    for state in storeStates where state.hasOpenChanges {
      let beneath = viewToUndo(in: state)
      let layer = try state.seal()
      if !layer.isEmpty { noteSealed(layer, above: beneath, in: state) }
    }
  }

  /// Notes changes of the context that were just put on top of its sealed changes.
  ///
  /// - Parameter view: The rows beneath them; `nil` when nothing was recorded as they were sealed.
  func noteSealed(_ layer: Layer, above view: View?, in state: StoreState) {
    sealCount += 1
    unannounced.layers[state.tag, default: []].append(layer)
    following?.note(layer, in: state.tag)
    recordForUndo(layer, above: view, state.persistent)
  }

  /// Shows children what they may see.
  func publish() {
    var bases: [StoreTag: StoreBase] = [:]
    for state in storeStates { bases[state.tag] = state.shown }
    mail.published.withLock { $0.publish(bases) }
    if !hasUnprocessedChanges { mail.owedTurn.end() }
  }

  /// Lets go of what nobody holds once there is much of it.
  func sweepIfNeeded() {
    for state in storeStates {
      for entity in state.knownEntities { entity.forgetPassingSources() }
    }
    if settings.retainsRegisteredObjects { return }
    let count = storeStates.reduce(0) {
      $0 + $1.knownEntities.reduce(0) { $0 + $1.objects.count }
    }
    guard count > sweepThreshold else { return }
    sweep()
  }

  /// Lets go of the objects that nobody holds and that have no changes.
  func sweep() {
    var count = 0
    for state in storeStates {
      state.forgetLists()
      for entity in state.knownEntities {
        entity.objects.sweep()
        count += entity.objects.count
      }
    }
    sweepThreshold = max(4096, count * 2)
    // What is known of those who are not known any more.
    if !transientValues.isEmpty {
      transientValues = transientValues.filter {
        lastingTransients.contains($0.key) || isKnown($0.key)
      }
    }
    if !orderEnds.isEmpty { orderEnds = orderEnds.filter { isKnown($0.key.owner) } }
  }

  private func isKnown(_ id: ObjectID) -> Bool {
    knownState(of: id.store)?.entity(id.key.entity, self)?.known(id.key.number) != nil
  }
}

// MARK: - What there is

extension Workspace {
  var hasChanges: Bool {
    checkPlace()
    return !changedObjects.isEmpty || storeStates.contains { $0.hasChanges }
  }

  /// The objects with changes that are not saved, after deletions have reached the objects they concern.
  var processedObjects: [ManagedObject] {
    checkPlace()
    propagateDeletions()
    return changedObjects
  }

  var registeredObjects: Set<ManagedObject> {
    checkPlace()
    if !settings.retainsRegisteredObjects { sweep() }
    var all: Set<ManagedObject> = []
    for state in storeStates {
      for entity in state.knownEntities { entity.objects.visit { all.insert($0) } }
    }
    return all
  }
}
