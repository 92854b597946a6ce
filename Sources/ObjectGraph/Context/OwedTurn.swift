import Dispatch
import Synchronization

/// The end of a turn that a context of the main actor owes its child contexts.
///
/// It is owed once the context was changed outside of `perform`. The child contexts see the change only when the main
/// queue ends the turn. A child context that reads meanwhile waits, so that it sees every change made before its call.
/// The wait has a limit, because the main thread may itself be waiting for the child.
final class OwedTurn: Sendable {
  private struct State {
    /// Whether a wait for this turn has reached the limit. No context waits for the same turn again.
    var hasTimedOut = false
    var waiters: [DispatchSemaphore] = []
  }

  /// The longest wait for one turn. The main queue usually ends a turn within a millisecond.
  private let longestWait: Atomic<Double>
  private let isOwed = Atomic(false)
  /// Whether a turn is scheduled on the main queue.
  private let isScheduled = Atomic(false)
  private let state = Mutex(State())

  init(longestWait: Double = 10) { self.longestWait = Atomic(longestWait) }

  func setLongestWait(_ seconds: Double) { longestWait.store(seconds, ordering: .relaxed) }

  /// Records that a turn is scheduled on the main queue.
  ///
  /// - Returns: Whether no turn was scheduled before.
  func schedule() -> Bool { !isScheduled.exchange(true, ordering: .relaxed) }

  /// Records that the scheduled turn begins.
  func beginTurn() { isScheduled.store(false, ordering: .relaxed) }

  /// Records that the context was changed outside of `perform`.
  func begin() { isOwed.store(true, ordering: .releasing) }

  /// Records that child contexts see all changes, and ends all waits.
  func end() {
    guard isPending else { return }
    let waiters = state.withLock { state in
      isOwed.store(false, ordering: .releasing)
      defer { state = State() }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  /// Whether child contexts do not see some changes yet.
  var isPending: Bool { isOwed.load(ordering: .acquiring) }

  /// Waits until child contexts see all changes, at most ``longestWait`` seconds.
  func wait() {
    guard isPending else { return }
    let waiter = DispatchSemaphore(value: 0)
    let mustWait = state.withLock { state in
      guard isPending, !state.hasTimedOut else { return false }
      state.waiters.append(waiter)
      return true
    }
    let limit = longestWait.load(ordering: .relaxed)
    guard mustWait, waiter.wait(timeout: .now() + limit) == .timedOut else { return }
    state.withLock { state in
      if isPending { state.hasTimedOut = true }
    }
  }
}
