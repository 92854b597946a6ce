import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Synchronization

/// Where objects are fetched, changed and saved: one coherent set of objects, and of changes to them that
/// are not saved yet.
///
///     let context = ManagedObjectContext(coordinator)
///     try await context.perform {
///       let trip = try context.insert(Trip.self)
///       trip.name = "Lisbon"
///       try context.save()
///     }
///
/// A context belongs to one place (``ContextConcurrency``), and so do its objects; whoever uses them
/// elsewhere is told at once. A context with a parent saves into it, and reads through what the parent
/// has published, so that it waits for nobody.
public final class ManagedObjectContext: @unchecked Sendable {
  // Sendable: everything below but what is behind a lock is used in the context's turn only, which every
  // entrance checks.

  /// What the context's stores belong to.
  public let coordinator: PersistentStoreCoordinator
  /// The context that changes are saved into; `nil` when they are saved into the stores.
  public let parent: ManagedObjectContext?
  /// Where the context and its objects may be used.
  public var concurrency: ContextConcurrency { place.concurrency }

  /// A name for messages, notifications and the history.
  public var name: String? {
    didSet { place.setName(name ?? "") }
  }
  /// Who the changes are said to be by, in the history.
  public var transactionAuthor: String?
  /// What happens when somebody else has changed what is to be saved.
  public var mergePolicy: MergePolicy = .error
  /// Asked between two blocks of a search; the search ends with `CancellationError` at the answer no.
  package var mayGoOnSearching: (@Sendable () -> Bool)?
  /// Whether registered objects follow what is saved into the parent, or into the stores, by others.
  ///
  /// A child follows what its parent saves, and what that itself follows, merges or does as a batch.
  ///
  /// Nobody on another thread can reach a confined context: it follows what is saved there when it is used next,
  /// that is when it fetches, processes its changes or saves.
  public var automaticallyMergesChangesFromParent: Bool {
    get { mail.isFollowing.load(ordering: .relaxed) }
    set { mail.isFollowing.store(newValue, ordering: .relaxed) }
  }
  /// Whether objects stay in memory that nobody else holds and that have no changes.
  public var retainsRegisteredObjects = false
  /// Whether saving asks nothing of objects, because whoever saves looks at all of them in the end: while
  /// they are made step by step, what they must have is not there yet.
  package var defersValidation = false
  /// Whatever belongs to the context.
  public var userInfo: [String: any Sendable] = [:]

  /// What takes changes back; `nil` when nothing is recorded. What was changed before it is set stays.
  public var undoManager: UndoStack? {
    willSet {
      do { try sealForUndo() } catch { note(error) }
    }
    didSet { undoManager?.attach(to: self) }
  }

  let place: ContextPlace
  /// What others leave here.
  let mail: ContextMail
  private var queue: DispatchQueue? { mail.queue }

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
  /// What deleted objects led to that were looked at again, or were deleted by a child, when their deletion
  /// reached that; by column.
  var reached: [ManagedObject: [Int: ObjectKey]] = [:]
  /// What objects showed before they were led to what a child, or undo, had read of them; none for those that
  /// others had deleted.
  var recalled: [ManagedObject: (source: RowSource, row: Int)?] = [:]
  /// Deletions that stand only if the objects at the other end go too.
  var denials: [DeletionDenial] = []
  /// Whom objects led to one to one before a layer was applied that is being applied.
  var displaced: [ObjectKey] = []
  /// The values of transient properties.
  var transientValues: [ObjectID: [Int: Value]] = [:]
  /// Whose last whether anybody holds the object or not: what is set when it awakes is set again the next time.
  var lastingTransients: Set<ObjectID> = []
  /// Which of them were set since a parent was last given those of their object.
  var freshTransients: [ObjectID: Set<Int>] = [:]
  /// What stays where nothing else is kept of it: the ends of ordered relationships.
  var orderEnds: [OrderEnd: Int64] = [:]
  /// The first value that could not be read since the last save.
  private(set) var readFailure: (any Error)?
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

  /// A context that saves into the stores of a coordinator.
  public init(
    _ coordinator: PersistentStoreCoordinator, concurrency: ContextConcurrency = .privateQueue
  ) {
    self.coordinator = coordinator
    parent = nil
    place = ContextPlace(concurrency)
    mail = ContextMail(place, parent: nil)
    coordinator.register(self)
  }

  /// A context that saves into another one.
  public init(
    parent: ManagedObjectContext, concurrency: ContextConcurrency = .privateQueue
  ) {
    self.parent = parent
    coordinator = parent.coordinator
    place = ContextPlace(concurrency)
    mail = ContextMail(place, parent: parent)
    coordinator.register(self)
    // What the parent has not published yet is published now, if that is possible without waiting.
    if parent.place.isHeld { try? parent.processPendingChanges() }
  }

  deinit {
    mail.end()
    place.open()
    // Objects leave their tables in a turn, whichever thread lets go of the context.
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

extension ManagedObjectContext {
  /// Runs `body` where the context belongs, and gives what it gives.
  ///
  /// Changes are processed when it ends. Called from within another turn of the context it runs at once. Asynchronous
  /// work may be on any thread, so that one confined to its thread is used with ``performAndWait(_:)`` there.
  public func perform<R: Sendable>(
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

  /// Runs `body` where the context belongs, and waits for it.
  ///
  /// Changes are processed when it ends. Called from within another turn of the context it runs at once.
  public func performAndWait<R>(_ body: () throws -> R) rethrows -> R {
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

  /// Runs `body` later, where the context belongs.
  public func schedule(_ body: @escaping @Sendable () -> Void) {
    mail.schedule { self.turn(body) }
  }

  func turn<R>(_ body: () throws -> R) rethrows -> R {
    if concurrency == .confined { checkPlace() }
    let before = place.enter()
    turnDepth += 1
    if turnDepth == 1 {
      takeHandedOver()
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

extension ManagedObjectContext {
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

  /// Moves on to what others have saved meanwhile.
  func advance(_ state: StoreState) throws {
    if pinned != nil || state.persistent.isGone { return }
    let newest = try newestBase(of: state.persistent)
    if newest.snapshot.commit == state.base.snapshot.commit,
      newest.layers.count == state.base.layers.count,
      zip(newest.layers, state.base.layers).allSatisfy({ $0.isSame(as: $1) })
    {
      return
    }
    move(state, to: newest)
    // Children look again where this does. What is being worked on is shown when it is done.
    if workDepth == 0 { publish() }
  }
}

extension ManagedObjectContext {
  /// Moves on to what lies beneath by now. Known objects stay what they are until they are looked at again.
  func move(_ state: StoreState, to base: StoreBase) {
    noteMove(state, to: base)
    state.setBase(base)
  }

  /// Notes that known objects may be as of what lay beneath before.
  func noteMove(_ state: StoreState, to base: StoreBase) {
    guard parent != nil else { return }
    let isKept = automaticallyMergesChangesFromParent
    mail.published.withLock {
      $0.moves[state.tag, default: BaseMoves()].note(state.base, base, isKept: isKept)
    }
  }
}

// MARK: - Processing

extension ManagedObjectContext {
  /// Does what changes entail, and lets others see them: deletions reach the objects they concern,
  /// inverses agree, child contexts see the new state, and observers are told.
  ///
  /// Happens by itself before fetching and saving, and at the end of every `perform`.
  ///
  /// - Throws: What a damaged store throws.
  public func processPendingChanges() throws {
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
      let beneath = try viewToUndo(in: state)
      let layer = try state.seal()
      if layer.isEmpty { continue }
      sealCount += 1
      unannounced.layers[state.tag, default: []].append(layer)
      following?.note(layer, in: state.tag)
      recordForUndo(layer, above: beneath, state.persistent)
    }
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
    if retainsRegisteredObjects { return }
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

extension ManagedObjectContext {
  /// Whether there are changes that are not saved.
  public var hasChanges: Bool {
    checkPlace()
    return !changedObjects.isEmpty || storeStates.contains { $0.hasChanges }
  }

  /// The objects that were inserted and not saved.
  public var insertedObjects: Set<ManagedObject> {
    processed { Set($0.filter { $0.isInserted && !$0.isDeleted }) }
  }

  /// The objects that were changed and not saved.
  public var updatedObjects: Set<ManagedObject> { processed { Set($0.filter(\.isUpdated)) } }

  /// The objects that are to be deleted by the next save.
  public var deletedObjects: Set<ManagedObject> {
    processed { Set($0.filter { $0.isDeleted && !$0.isInserted }) }
  }

  private func processed<R>(_ body: ([ManagedObject]) -> R) -> R {
    checkPlace()
    propagateDeletions()
    return body(changedObjects)
  }

  /// The objects that the context knows: those that somebody uses, and those with changes.
  public var registeredObjects: Set<ManagedObject> {
    checkPlace()
    if !retainsRegisteredObjects { sweep() }
    var all: Set<ManagedObject> = []
    for state in storeStates {
      for entity in state.knownEntities { entity.objects.visit { all.insert($0) } }
    }
    return all
  }
}
