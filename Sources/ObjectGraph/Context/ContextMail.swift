import Dispatch
import ObjectModel
import Synchronization
import Threads

/// The part of a context that other contexts use: its queue and its mailbox.
///
/// Does not retain the context. If another thread retained the context, that thread might release it last, while the
/// program still reads the context's objects in their own place.
final class ContextMail: Sendable {
  let place: ContextPlace
  /// The queue of a context with a private queue; `nil` for any other context.
  let queue: SerialQueue?
  /// The identifier of the parent's workspace, valid as long as the context exists.
  let parent: ObjectIdentifier?
  /// Whether the context merges the saves of other contexts automatically.
  let isFollowing = Atomic(false)
  /// Whether the mailbox has something to take when the context is next used.
  let hasWaiting = Atomic(false)
  /// The end of a turn that the main actor owes the child contexts.
  let owedTurn = OwedTurn()
  /// Whether the context is gone.
  let isGone = Atomic(false)
  /// The state that children see, and the changes that they have pushed.
  let published = Mutex(PublishedState())
  /// The saves of other contexts to merge when the context is next used.
  private let toMerge = Mutex<[StoreTag: ObjectsToMerge]>([:])

  init(_ place: ContextPlace, parent: Workspace?) {
    self.place = place
    queue =
      place.concurrency == .privateQueue ? SerialQueue(label: "ManagedObjectContext") : nil
    self.parent = parent.map { ObjectIdentifier($0) }
  }

  /// Whether the context is confined to another thread, so that this thread can't run a turn of it.
  var isOutOfReach: Bool { place.concurrency == .confined && !place.isCurrent }

  /// Runs `body` in a later turn of the context, unless the context is gone by then. A confined context runs `body` at
  /// once.
  func schedule(
    _ context: WeakContext, _ body: @escaping @Sendable (Workspace) -> Void
  ) {
    schedule {
      context.withWorkspace { workspace in workspace.turn { body(workspace) } }
    }
  }

  /// Runs `body` later at the context's place, outside of a turn. A confined context runs `body` at once.
  func schedule(_ body: @escaping @Sendable () -> Void) {
    switch place.concurrency {
    case .confined: body()
    case .mainActor: DispatchQueue.main.async(execute: body)
    case .privateQueue: queue!.async(body)
    }
  }

  /// Empties the mailbox and releases the published state, because the context is gone.
  func end() {
    isGone.store(true, ordering: .relaxed)
    owedTurn.end()
    published.withLock { $0 = PublishedState() }
    _ = take()
  }

  /// Adds a save to the mailbox.
  func leave(_ parts: [ObjectsToMerge]) {
    toMerge.withLock { waiting in
      for part in parts { waiting[part.store, default: part].add(part) }
    }
    hasWaiting.store(true, ordering: .releasing)
  }

  /// Removes the saves from the mailbox and returns them.
  func take() -> [ObjectsToMerge] {
    toMerge.withLock { waiting in
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }
}
