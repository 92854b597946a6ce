import Dispatch
import ObjectModel
import Synchronization

/// The part of a context that other contexts use: its queue and its mailbox.
///
/// Does not retain the context. A context that another thread retains for a moment might end there, while its objects
/// are read where the program released it.
final class ContextMail: Sendable {
  let place: ContextPlace
  /// Where a context with a queue of its own does its work.
  let queue: DispatchQueue?
  /// The workspace of the context's parent, for as long as the context is there.
  let parent: ObjectIdentifier?
  /// Whether the context follows the saves of other contexts.
  let isFollowing = Atomic(false)
  /// Whether something was left that waits for the context to be used.
  let hasWaiting = Atomic(false)
  /// The end of a turn that the main actor owes the context's children.
  let owedTurn = OwedTurn()
  /// Set when the context is gone.
  let isGone = Atomic(false)
  /// The state that children see, and the changes that they have pushed.
  let published = Mutex(PublishedState())
  /// The saves of other contexts that the context merges when it is used next.
  private let toMerge = Mutex<[StoreTag: ObjectsToMerge]>([:])

  init(_ place: ContextPlace, parent: Workspace?) {
    self.place = place
    queue =
      place.concurrency == .privateQueue ? DispatchQueue(label: "ManagedObjectContext") : nil
    self.parent = parent.map { ObjectIdentifier($0) }
  }

  /// Whether the context is confined to another thread, so that this thread can have no turn of it.
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

  /// Empties the mailbox and releases the published state, because the context is gone.
  func end() {
    isGone.store(true, ordering: .relaxed)
    owedTurn.end()
    published.withLock { $0 = PublishedState() }
    _ = take()
  }

  /// Leaves a save for the context.
  func leave(_ parts: [ObjectsToMerge]) {
    toMerge.withLock { waiting in
      for part in parts { waiting[part.store, default: part].add(part) }
    }
    hasWaiting.store(true, ordering: .releasing)
  }

  /// Takes the saves that were left.
  func take() -> [ObjectsToMerge] {
    toMerge.withLock { waiting in
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }
}
