import ObjectModel

/// A set of objects to fetch, change and save, with their unsaved changes.
///
///     let context = ManagedObjectContext(coordinator)
///     try await context.perform {
///       let trip = try context.insert(Trip.self)
///       trip.name = "Lisbon"
///       try context.save()
///     }
///
/// A program has one context for its user interface, and one for each piece of work that runs beside it. Two contexts never
/// share an object: each has its own, and the identifiers (``ManagedObject/objectID``) travel between them. A save of one
/// appears in the others when they are told to merge it, or at once if they follow the stores
/// (``automaticallyMergesChangesFromParent``).
///
/// Make a context without a parent for an import or a report: it saves to the stores, and its conflicts with other saves
/// are settled by its ``mergePolicy``. Make one with a parent for a form that can be cancelled: it saves into the parent, in
/// memory, and the parent decides when that reaches a disk. It reads the state that the parent has published, so it does not
/// wait for the parent.
///
/// A context and its objects belong to one place (``ContextConcurrency``), and the program stops if it uses them elsewhere.
/// For work in the background a ``ContextActor`` is the safest owner: the compiler keeps its objects inside of it. To hand
/// values to other code, read them as snapshots.
///
/// A context costs little: it copies no rows, and an object that is not read takes no memory beside its identifier.
public final class ManagedObjectContext: @unchecked Sendable {
  // Sendable: all state is in the workspace. The settings have a lock. The program sets the undo stack in a turn, or
  // before other threads use the context. Every other entry point checks that the caller is in a turn.

  /// The state behind the context.
  let workspace: Workspace
  /// The executor of an actor that works in the context.
  let turnExecutor: TurnExecutor
  /// The context that this context saves into; `nil` when it saves into the stores.
  public let parent: ManagedObjectContext?

  /// Makes a context that saves into the stores of a coordinator.
  public init(
    _ coordinator: PersistentStoreCoordinator, concurrency: ContextConcurrency = .privateQueue
  ) {
    parent = nil
    workspace = Workspace(coordinator, concurrency)
    turnExecutor = TurnExecutor(workspace)
    register()
  }

  /// Makes a context that saves into another context.
  public init(
    parent: ManagedObjectContext, concurrency: ContextConcurrency = .privateQueue
  ) {
    self.parent = parent
    workspace = Workspace(parent: parent.workspace, concurrency)
    turnExecutor = TurnExecutor(workspace)
    register()
    // The parent publishes its changes now if that is possible without waiting.
    if parent.workspace.place.isHeld { try? parent.processPendingChanges() }
  }

  private func register() {
    workspace.face = ContextReference(self)
    coordinator.register(workspace.mail, WeakContext(context: self))
  }

  deinit { workspace.end() }
}

// MARK: - Settings

extension ManagedObjectContext {
  /// The coordinator of the context's stores.
  public var coordinator: PersistentStoreCoordinator { workspace.coordinator }
  /// The place where the context and its objects may be used.
  public var concurrency: ContextConcurrency { workspace.concurrency }

  /// Values that the program keeps with the context. Any thread may read and set them.
  public var userInfo: [String: any Sendable] {
    get { workspace.settings.userInfo }
    set { workspace.set(\.userInfo, to: newValue) }
  }
  /// The context's name in messages, notifications and the history.
  public var name: String? {
    get { workspace.settings.name }
    set {
      workspace.set(\.name, to: newValue)
      workspace.place.setName(newValue ?? "")
    }
  }
  /// The author of the changes in the history.
  public var transactionAuthor: String? {
    get { workspace.settings.transactionAuthor }
    set { workspace.set(\.transactionAuthor, to: newValue) }
  }
  /// The author's message about the changes of the next saves. The history of documents and block files contains it.
  public var transactionMessage: String? {
    get { workspace.settings.transactionMessage }
    set { workspace.set(\.transactionMessage, to: newValue) }
  }
  /// The rule that decides a conflict between a change and a save of another context.
  public var mergePolicy: MergePolicy {
    get { workspace.settings.mergePolicy }
    set { workspace.set(\.mergePolicy, to: newValue) }
  }
  /// A function that a search calls between two blocks. If it returns `false`, the search throws `CancellationError`.
  package var mayGoOnSearching: (@Sendable () -> Bool)? {
    get { workspace.settings.mayGoOnSearching }
    set { workspace.set(\.mayGoOnSearching, to: newValue) }
  }
  /// Whether registered objects are updated by saves of other contexts into the parent, or into the stores.
  ///
  /// A child merges the saves of its parent, and the saves and batches that the parent itself merges. A context without
  /// a parent also merges the saves of other coordinators, if the store announces them (`AnnouncingStore`).
  ///
  /// Other threads can't run a turn of a confined context. It merges their saves when it next fetches, processes its
  /// changes or saves.
  public var automaticallyMergesChangesFromParent: Bool {
    get { workspace.automaticallyMergesChangesFromParent }
    set { workspace.automaticallyMergesChangesFromParent = newValue }
  }
  /// Whether unchanged objects stay registered although the program does not hold them.
  public var retainsRegisteredObjects: Bool {
    get { workspace.settings.retainsRegisteredObjects }
    set { workspace.set(\.retainsRegisteredObjects, to: newValue) }
  }
  /// Whether a save skips validation, because the caller validates all objects at the end.
  ///
  /// Use it for objects that are made step by step and lack required values until the end.
  package var defersValidation: Bool {
    get { workspace.settings.defersValidation }
    set { workspace.set(\.defersValidation, to: newValue) }
  }
  /// The stack that records changes for undo; `nil` if changes are not recorded. Earlier changes can't be undone.
  ///
  /// Set it in a turn of the context, or before other threads use the context.
  public var undoStack: UndoStack? {
    get { workspace.undoStack }
    set { workspace.undoStack = newValue }
  }
}

// MARK: - Turns

extension ManagedObjectContext {
  /// Runs `body` in a turn of the context and returns its result.
  ///
  /// Changes are processed when the turn ends. Within another turn of the context `body` runs at once. Asynchronous
  /// work may run on any thread, so that a confined context needs ``performAndWait(_:)`` on its thread.
  public func perform<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await ContextExecutor(workspace).perform(body)
  }

  /// Runs `body` in a turn of the context and returns its result.
  ///
  /// - Parameter schedule: `enqueued` for its own turn, after the work that waits already. `immediate` is as
  ///   `perform` without a schedule: within another turn of the context `body` runs at once.
  public func perform<R: Sendable>(
    schedule: ScheduledTaskType, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    if schedule == .immediate { return try await perform(body) }
    return try await withCheckedThrowingContinuation { continuation in
      workspace.schedule { continuation.resume(with: Result { try body() }) }
    }
  }

  /// The time at which `perform` runs its body.
  public enum ScheduledTaskType: Sendable, Hashable {
    /// At once within a turn of the context, and otherwise in its own turn.
    case immediate
    /// In its own turn, after the work that waits already.
    case enqueued
  }

  /// Runs `body` in a turn of the context, waits for it and returns its result.
  ///
  /// Changes are processed when the turn ends. Within another turn of the context `body` runs at once.
  public func performAndWait<R>(_ body: () throws -> R) rethrows -> R {
    try workspace.performAndWait(body)
  }

  /// Runs `body` in a later turn of the context, and does not wait for it.
  ///
  /// This is ``schedule(_:)`` for callers that are not asynchronous. In asynchronous code `perform` waits for the result.
  public func perform(_ body: @escaping @Sendable () -> Void) { schedule(body) }

  /// Runs `body` in a later turn of the context, and does not wait for it. A confined context runs `body` at once.
  public func schedule(_ body: @escaping @Sendable () -> Void) { workspace.schedule(body) }

  /// Applies delete rules and inverses, publishes the changes to child contexts and notifies observers.
  ///
  /// A fetch and a save do this first, and so does the end of every `perform`.
  ///
  /// - Throws: `StoreError` if a store is damaged.
  public func processPendingChanges() throws { try workspace.processPendingChanges() }
}

// MARK: - Changes and objects

extension ManagedObjectContext {
  /// Whether the context has unsaved changes.
  public var hasChanges: Bool {
    workspace.hasChanges
  }

  /// The inserted objects that are not saved.
  public var insertedObjects: Set<ManagedObject> {
    Set(workspace.processedObjects.filter { $0.isInserted && !$0.isDeleted })
  }

  /// The changed objects that are not saved.
  public var updatedObjects: Set<ManagedObject> {
    Set(workspace.processedObjects.filter(\.isUpdated))
  }

  /// The objects that the next save deletes.
  public var deletedObjects: Set<ManagedObject> {
    Set(workspace.processedObjects.filter { $0.isDeleted && !$0.isInserted })
  }

  /// The registered objects: the objects that the program holds, and the changed objects.
  public var registeredObjects: Set<ManagedObject> {
    workspace.checkPlace()
    if !retainsRegisteredObjects { workspace.sweep() }
    var all: Set<ManagedObject> = []
    for state in workspace.drafts.states {
      for entity in state.knownEntities { entity.objects.visit { all.insert($0) } }
    }
    return all
  }
}
