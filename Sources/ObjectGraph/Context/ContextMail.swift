import Dispatch
import ObjectModel
import Synchronization

/// What whoever saves knows of another context, and leaves for it, without holding it: a context that somebody else
/// holds for a moment might end there, while its objects are read where it was let go.
final class ContextMail: Sendable {
  let place: ContextPlace
  /// Where a context with a queue of its own does its work.
  let queue: DispatchQueue?
  /// The workspace of the context's parent, for as long as the context is there.
  let parent: ObjectIdentifier?
  /// Whether the context follows what is saved beneath it.
  let isFollowing = Atomic(false)
  /// Whether something was left that waits for the context to be used.
  let hasWaiting = Atomic(false)
  /// The end of a turn that the main actor owes the context's children.
  let owedTurn = OwedTurn()
  /// Set when the context is gone.
  let isGone = Atomic(false)
  /// What children get, and what they have handed over.
  let published = Mutex(PublishedState())
  /// What others have saved, where the context is to look at it when it is used next.
  private let toMerge = Mutex<[StoreTag: ObjectsToMerge]>([:])

  init(_ place: ContextPlace, parent: Workspace?) {
    self.place = place
    queue =
      place.concurrency == .privateQueue ? DispatchQueue(label: "ManagedObjectContext") : nil
    self.parent = parent.map { ObjectIdentifier($0) }
  }

  /// Whether nobody here can have a turn of the context, which is confined to another thread.
  var isOutOfReach: Bool { place.concurrency == .confined && !place.isCurrent }

  /// Runs `body` later, where the context belongs, if it is there by then.
  func schedule(
    _ context: WeakContext, _ body: @escaping @Sendable (Workspace) -> Void
  ) {
    schedule {
      context.withWorkspace { workspace in workspace.turn { body(workspace) } }
    }
  }

  /// Runs `body` later, where the context belongs, and in no turn of it yet.
  func schedule(_ body: @escaping @Sendable () -> Void) {
    switch place.concurrency {
    case .confined: body()
    case .mainActor: DispatchQueue.main.async(execute: body)
    case .privateQueue: queue!.async(execute: body)
    }
  }

  /// Nobody reads what is left from now on, and nothing that the context has shown is held.
  func end() {
    isGone.store(true, ordering: .relaxed)
    owedTurn.end()
    published.withLock { $0 = PublishedState() }
    _ = take()
  }

  /// Leaves what others have saved.
  func leave(_ parts: [ObjectsToMerge]) {
    toMerge.withLock { waiting in
      for part in parts { waiting[part.store, default: part].add(part) }
    }
    hasWaiting.store(true, ordering: .releasing)
  }

  /// Takes what was left.
  func take() -> [ObjectsToMerge] {
    toMerge.withLock { waiting in
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }
}
