// SAFETY: The word is allocated with the place and freed with it.

import CProcessor
import Foundation
import Synchronization
import Threads

/// The place where a context and its objects may be used: the thread that holds the turn.
///
/// The turn of a private queue is held by the thread that runs it at the moment. The thread of the main actor and the
/// thread of a confined context stay the same.
@safe
final class ContextPlace: @unchecked Sendable {
  // Sendable: all mutable state is atomic. Every use of an object reads the thread's number, and only the holder of the
  // turn writes it. A thread without the turn never reads its own number here, so relaxed ordering of this one word is
  // enough. Sources have a copy of the pointer, and keep the place alive.
  let turn: UnsafeMutablePointer<Atomic<UInt>>
  private var thread: UInt {
    get { unsafe turn.pointee.load(ordering: .relaxed) }
    set { unsafe turn.pointee.store(newValue, ordering: .relaxed) }
  }
  /// Whether `thread` was recorded because it used the context without taking a turn. By now that thread may do other
  /// work.
  private let isNoted = Atomic(false)
  /// The kind of the place.
  let concurrency: ContextConcurrency
  /// Whether the context is gone, so that its objects may be read on any thread.
  private let isAnywhere = Atomic(false)
  private let contextName = Mutex<String>("")

  init(_ concurrency: ContextConcurrency) {
    self.concurrency = concurrency
    unsafe turn = .allocate(capacity: 1)
    unsafe turn.initialize(to: Atomic(0))
    if concurrency == .confined { thread = ContextPlace.currentThread }
    _ = ContextPlace.mainQueueMark
  }

  deinit { unsafe turn.deallocate() }

  /// The number of the calling thread.
  @inline(__always)
  static var currentThread: UInt { quire_thread() }

  /// The key that marks the main queue, which runs the work of the main actor.
  private static let mainQueueMark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// The thread that does work of the main actor inside another queue; 0 if there is none.
  private static let lent = Atomic<UInt>(0)

  /// Whether the caller is on the main actor.
  static var isMainActor: Bool {
    Thread.isMainThread || lent.load(ordering: .relaxed) == currentThread
      || DispatchQueue.getSpecific(key: mainQueueMark) != nil
  }

  /// Runs `body` on a queue and waits for it. Work that the main actor waits for counts as work of the main actor.
  static func wait<R>(for queue: SerialQueue, _ body: () throws -> R) rethrows -> R {
    if Thread.isMainThread || !isMainActor { return try queue.sync(body) }
    // The main queue's mark is not visible inside the other queue, so the thread is recorded.
    let before = lent.exchange(currentThread, ordering: .relaxed)
    defer { lent.store(before, ordering: .relaxed) }
    return try queue.sync(body)
  }

  /// Whether the calling thread has the turn, by its number. A thread that the main actor has left may still count as
  /// the holder, until the main queue runs its next work.
  @inline(__always)
  var isCurrent: Bool { thread == ContextPlace.currentThread }

  /// Whether the caller has the turn.
  var isHeld: Bool {
    // A turn on another thread stores its thread before it clears the flag.
    let isNoted = isNoted.load(ordering: .acquiring)
    return isCurrent && (!isNoted || ContextPlace.isMainActor)
  }

  /// The former holder of the turn.
  struct Holder {
    fileprivate let thread: UInt
    fileprivate let isNoted: Bool
  }

  /// Takes the turn and returns the former holder.
  func enter() -> Holder {
    let before = Holder(thread: thread, isNoted: isNoted.load(ordering: .relaxed))
    thread = ContextPlace.currentThread
    isNoted.store(false, ordering: .releasing)
    return before
  }

  func leave(_ before: Holder) {
    // Any thread may read the objects of a context that is gone. The holder of the turn keeps what it reads, so no
    // thread may hold it any more, not even the thread of a confined context.
    if isAnywhere.load(ordering: .acquiring) { return forgetThread() }
    // The main actor has moved away from the thread that was recorded before this turn.
    if before.isNoted, before.thread != ContextPlace.currentThread { return forgetThread() }
    isNoted.store(before.isNoted, ordering: .releasing)
    thread = before.thread
  }

  private func forgetThread() {
    thread = 0
    isNoted.store(false, ordering: .releasing)
  }

  func open() { isAnywhere.store(true, ordering: .releasing) }

  func setName(_ name: String) { contextName.withLock { $0 = name } }

  /// Stops the program if a context or one of its objects is used at the wrong place.
  func check(_ what: @autoclosure () -> String) {
    if isCurrent { return }
    refuse(what())
  }

  @inline(never)
  private func refuse(_ what: String) {
    if isAnywhere.load(ordering: .acquiring) { return }
    if concurrency == .mainActor, ContextPlace.isMainActor {
      // The main actor may move to another thread. Its thread is recorded here, and the record is valid until the main
      // queue runs its next work.
      isNoted.store(true, ordering: .releasing)
      thread = ContextPlace.currentThread
      if !Thread.isMainThread {
        DispatchQueue.main.async { [self] in
          if isNoted.load(ordering: .relaxed) { forgetThread() }
        }
      }
      return
    }
    let name = contextName.withLock { $0 }
    misuse(
      """
      \(what) was used on the wrong thread\(name.isEmpty ? "" : " for the context \"\(name)\""). \
      \(concurrency.rule) To use an object in another context, pass its objectID and ask the other \
      context for the object.
      """)
  }
}

/// The places where a context does its work and where its objects may be used.
public enum ContextConcurrency: Sendable, Hashable {
  /// On its own queue: within `perform` and `performAndWait`.
  case privateQueue
  case mainActor
  /// On the thread that made the context and on no other thread. Saves and pushes of other contexts wait until that
  /// thread uses the context.
  case confined

  /// The rule for the place, in a sentence.
  var rule: String {
    switch self {
    case .privateQueue:
      "The context has a private queue: use it and its objects within perform or performAndWait."
    case .mainActor:
      "The context belongs to the main actor: use it and its objects on the main actor, or within perform."
    case .confined:
      "The context is confined to the thread that created it: use it and its objects on that thread."
    }
  }
}
