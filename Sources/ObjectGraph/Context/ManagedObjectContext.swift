import ObjectModel

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
  // Sendable: the state is the workspace's, which every entrance checks to be used in a turn.

  /// The state behind the context.
  let workspace: Workspace
  /// The context that changes are saved into; `nil` when they are saved into the stores.
  public let parent: ManagedObjectContext?
  /// Whatever belongs to the context.
  public var userInfo: [String: any Sendable] = [:]

  /// A context that saves into the stores of a coordinator.
  public init(
    _ coordinator: PersistentStoreCoordinator, concurrency: ContextConcurrency = .privateQueue
  ) {
    parent = nil
    workspace = Workspace(coordinator, concurrency)
    register()
  }

  /// A context that saves into another one.
  public init(
    parent: ManagedObjectContext, concurrency: ContextConcurrency = .privateQueue
  ) {
    self.parent = parent
    workspace = Workspace(parent: parent.workspace, concurrency)
    register()
    // What the parent has not published yet is published now, if that is possible without waiting.
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
  /// What the context's stores belong to.
  public var coordinator: PersistentStoreCoordinator { workspace.coordinator }
  /// Where the context and its objects may be used.
  public var concurrency: ContextConcurrency { workspace.concurrency }

  /// A name for messages, notifications and the history.
  public var name: String? {
    get { workspace.settings.name }
    set {
      workspace.settings.name = newValue
      workspace.place.setName(newValue ?? "")
    }
  }
  /// Who the changes are said to be by, in the history.
  public var transactionAuthor: String? {
    get { workspace.settings.transactionAuthor }
    set { workspace.settings.transactionAuthor = newValue }
  }
  /// What happens when somebody else has changed what is to be saved.
  public var mergePolicy: MergePolicy {
    get { workspace.settings.mergePolicy }
    set { workspace.settings.mergePolicy = newValue }
  }
  /// Asked between two blocks of a search; the search ends with `CancellationError` at the answer no.
  package var mayGoOnSearching: (@Sendable () -> Bool)? {
    get { workspace.settings.mayGoOnSearching }
    set { workspace.settings.mayGoOnSearching = newValue }
  }
  /// Whether registered objects follow what is saved into the parent, or into the stores, by others.
  ///
  /// A child follows what its parent saves, and what that itself follows, merges or does as a batch.
  ///
  /// Nobody on another thread can reach a confined context: it follows what is saved there when it is used next,
  /// that is when it fetches, processes its changes or saves.
  public var automaticallyMergesChangesFromParent: Bool {
    get { workspace.automaticallyMergesChangesFromParent }
    set { workspace.automaticallyMergesChangesFromParent = newValue }
  }
  /// Whether objects stay in memory that nobody else holds and that have no changes.
  public var retainsRegisteredObjects: Bool {
    get { workspace.settings.retainsRegisteredObjects }
    set { workspace.settings.retainsRegisteredObjects = newValue }
  }
  /// Whether saving asks nothing of objects, because whoever saves looks at all of them in the end: while
  /// they are made step by step, what they must have is not there yet.
  package var defersValidation: Bool {
    get { workspace.settings.defersValidation }
    set { workspace.settings.defersValidation = newValue }
  }
  /// What takes changes back; `nil` when nothing is recorded. What was changed before it is set stays.
  public var undoManager: UndoStack? {
    get { workspace.undoManager }
    set { workspace.undoManager = newValue }
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
    try await ContextExecutor(workspace).perform(body)
  }

  /// Runs `body` where the context belongs, and waits for it.
  ///
  /// Changes are processed when it ends. Called from within another turn of the context it runs at once.
  public func performAndWait<R>(_ body: () throws -> R) rethrows -> R {
    try workspace.performAndWait(body)
  }

  /// Runs `body` later, where the context belongs.
  public func schedule(_ body: @escaping @Sendable () -> Void) { workspace.schedule(body) }

  /// Does what changes entail, and lets others see them: deletions reach the objects they concern,
  /// inverses agree, child contexts see the new state, and observers are told.
  ///
  /// Happens by itself before fetching and saving, and at the end of every `perform`.
  ///
  /// - Throws: What a damaged store throws.
  public func processPendingChanges() throws { try workspace.processPendingChanges() }
}

// MARK: - What there is

extension ManagedObjectContext {
  /// Whether there are changes that are not saved.
  public var hasChanges: Bool {
    workspace.hasChanges
  }

  /// The objects that were inserted and not saved.
  public var insertedObjects: Set<ManagedObject> {
    Set(workspace.processedObjects.filter { $0.isInserted && !$0.isDeleted })
  }

  /// The objects that were changed and not saved.
  public var updatedObjects: Set<ManagedObject> {
    Set(workspace.processedObjects.filter(\.isUpdated))
  }

  /// The objects that are to be deleted by the next save.
  public var deletedObjects: Set<ManagedObject> {
    Set(workspace.processedObjects.filter { $0.isDeleted && !$0.isInserted })
  }

  /// The objects that the context knows: those that somebody uses, and those with changes.
  public var registeredObjects: Set<ManagedObject> { workspace.registeredObjects }
}
