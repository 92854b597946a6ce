// SAFETY: The word is allocated with the place and freed with it.

import CProcessor
import Foundation
import Synchronization

/// Where a context and its objects may be used: which thread is in its turn.
///
/// A private queue's turn is taken by whatever thread runs it; the main actor's and a confined context's
/// thread stay the same.
@safe
final class ContextPlace: @unchecked Sendable {
  // Sendable: what changes is atomic. The thread is a word that is read by whoever uses an object and
  // written only by who has the turn. Whoever has no right to it reads a number that is not its own,
  // whichever moment it reads, so that no order is asked for but that of one word.
  // Sources have a copy of the pointer, and keep this alive.
  let turn: UnsafeMutablePointer<Atomic<UInt>>
  private var thread: UInt {
    get { unsafe turn.pointee.load(ordering: .relaxed) }
    set { unsafe turn.pointee.store(newValue, ordering: .relaxed) }
  }
  /// Whether the thread was noted as it used the context, and took no turn: it may do something else by now.
  private let isNoted = Atomic(false)
  /// The rule for the place.
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

  /// A number of the thread that asks.
  @inline(__always)
  static var currentThread: UInt { quire_thread() }

  /// Marks the queue that the main actor's work runs on.
  private static let mainQueueMark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// The thread that does work of the main actor's within a queue that this waits for.
  private static let lent = Atomic<UInt>(0)

  /// Whether the caller is on the main actor.
  static var isMainActor: Bool {
    Thread.isMainThread || lent.load(ordering: .relaxed) == currentThread
      || DispatchQueue.getSpecific(key: mainQueueMark) != nil
  }

  /// Runs `body` on a queue and waits for it. Work that the main actor waits for counts as work of the main actor.
  static func wait<R>(for queue: DispatchQueue, _ body: () throws -> R) rethrows -> R {
    if Thread.isMainThread || !isMainActor { return try queue.sync(execute: body) }
    // The waiting main actor lends its rights to the thread of the queue.
    let before = lent.exchange(currentThread, ordering: .relaxed)
    defer { lent.store(before, ordering: .relaxed) }
    return try queue.sync(execute: body)
  }

  /// Whether whoever asks has the turn, as far as its thread tells: one that the main actor was on and has left may be
  /// mistaken for it, until the main queue goes on.
  @inline(__always)
  var isCurrent: Bool { thread == ContextPlace.currentThread }

  /// Whether the caller has the turn.
  var isHeld: Bool {
    // A turn on another thread sets the thread before it clears the note.
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

  /// Gives the turn back.
  func leave(_ before: Holder) {
    // Where the main actor was, it is not any more.
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

  /// Fails when a context or one of its objects is used where it must not be.
  func check(_ what: @autoclosure () -> String) {
    if isCurrent { return }
    refuse(what())
  }

  @inline(never)
  private func refuse(_ what: String) {
    if isAnywhere.load(ordering: .acquiring) { return }
    if concurrency == .mainActor, ContextPlace.isMainActor {
      // The main actor may go from one thread to another: which one it is on is seen when it is there, and holds until
      // it goes on.
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
      \(what) was used outside of its context\(name.isEmpty ? "" : " \"\(name)\"")'s turn. \
      \(concurrency.rule) To hand an object over, hand over its objectID and ask the other context \
      for the object with it.
      """)
  }
}

/// Where a context does its work, and where its objects may be used.
public enum ContextConcurrency: Sendable, Hashable {
  /// On a queue of its own: within `perform` and `performAndWait`.
  case privateQueue
  /// On the main actor.
  case mainActor
  /// On the thread that made the context and on no other. Nobody can reach it from elsewhere: what others save
  /// or hand over waits for it to be used.
  case confined

  /// The rule in a sentence.
  var rule: String {
    switch self {
    case .privateQueue:
      "The context has a queue of its own: use it and its objects within perform or performAndWait."
    case .mainActor:
      "The context belongs to the main actor: use it and its objects there, or within perform."
    case .confined:
      "The context is confined to the thread that made it: use it and its objects there."
    }
  }
}
