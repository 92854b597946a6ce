// SAFETY: A context clears the reference in its workspace before it goes.

/// The way from a workspace to its context. Does not retain the context.
@safe
struct ContextReference {
  private var reference: Unmanaged<ManagedObjectContext>?

  /// Leads to no context.
  init() { unsafe reference = nil }

  /// Leads to a context, which must clear this before it goes.
  init(_ context: ManagedObjectContext) { unsafe reference = Unmanaged.passUnretained(context) }

  /// The context; `nil` when it is gone.
  var context: ManagedObjectContext? { unsafe reference?.takeUnretainedValue() }
}

/// A context that other contexts may use if it is there. Does not retain the context.
struct WeakContext: Sendable {
  weak var context: ManagedObjectContext?

  /// Calls `body` with the workspace of the context, which stays until `body` returns.
  ///
  /// Nothing happens when the context is gone.
  func withWorkspace(_ body: (Workspace) -> Void) {
    guard let context else { return }
    withExtendedLifetime(context) { body(context.workspace) }
  }
}

extension Workspace {
  /// A new context above the same stores, with the same settings, that is confined to this thread.
  func makeBatchContext() -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.name = settings.name
    context.transactionAuthor = settings.transactionAuthor
    context.mergePolicy = settings.mergePolicy
    context.workspace.insertion.assignments = insertion.assignments
    return context
  }
}
