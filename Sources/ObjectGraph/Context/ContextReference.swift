// SAFETY: A context clears the reference in its workspace before it ends.

/// A reference from a workspace to its context, which is not retained.
@safe
struct ContextReference {
  private var reference: Unmanaged<ManagedObjectContext>?

  /// Makes a reference to no context.
  init() { unsafe reference = nil }

  /// Makes a reference to a context. The context must clear the reference before it ends.
  init(_ context: ManagedObjectContext) { unsafe reference = Unmanaged.passUnretained(context) }

  /// The context; `nil` when it is gone.
  var context: ManagedObjectContext? { unsafe reference?.takeUnretainedValue() }
}

/// A weak reference to a context, for use by other contexts.
struct WeakContext: Sendable {
  weak var context: ManagedObjectContext?

  /// Calls `body` with the workspace of the context, and retains the context until `body` returns.
  ///
  /// Does nothing if the context is gone.
  func withWorkspace(_ body: (Workspace) -> Void) {
    guard let context else { return }
    withExtendedLifetime(context) { body(context.workspace) }
  }
}

extension Workspace {
  /// Returns a new context for the same stores with the same settings. It is confined to the calling thread.
  func makeBatchContext() -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.name = settings.name
    context.transactionAuthor = settings.transactionAuthor
    context.transactionMessage = settings.transactionMessage
    context.mergePolicy = settings.mergePolicy
    context.workspace.set(\.storesForNewObjects, to: settings.storesForNewObjects)
    return context
  }
}
