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
  /// What the context's rule is called in messages.
  let concurrency: ContextConcurrency
  /// Set when the context is gone: its objects may be read anywhere then.
  private let isAnywhere = Atomic(false)
  private let contextName = Mutex<String>("")

  init(_ concurrency: ContextConcurrency) {
    self.concurrency = concurrency
    unsafe turn = .allocate(capacity: 1)
    unsafe turn.initialize(to: Atomic(0))
    if concurrency == .confined { thread = ContextPlace.currentThread }
    if concurrency == .mainActor { _ = ContextPlace.mainQueueMark }
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

  /// Whether whoever asks is on the main actor.
  static var isMainActor: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueMark) != nil
  }

  /// Whether whoever asks has the turn.
  @inline(__always)
  var isCurrent: Bool { thread == ContextPlace.currentThread }

  /// Takes the turn and gives who had it.
  func enter() -> UInt {
    defer { thread = ContextPlace.currentThread }
    return thread
  }

  /// Gives the turn back.
  func leave(_ before: UInt) { thread = before }

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
      // The main actor may go from one thread to another: which one it is on is seen when it is there.
      thread = ContextPlace.currentThread
      return
    }
    let name = contextName.withLock { $0 }
    preconditionFailure(
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
