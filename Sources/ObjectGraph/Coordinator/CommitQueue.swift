import Foundation
import Threads

/// The order of the saves of one coordinator (decision 0019). The queue gives turns to saves, and lets commits run.
///
/// **Turns.** Several saves prepare their changes at the same time. Then one save after another has the turn: it rebases
/// its changes, and commits them. The turn ends with the commit, even if the save must prepare again before. Without
/// turns, each commit would make all other saves start again, and a slow save might never come to an end.
///
/// A save waits for its turn for a limited time and then goes on without one, because a hook of the save that has the turn
/// may itself wait for the other save. Saves of another process do not wait.
///
/// **Commits.** Commits to a store that can share one sync run at the same time (``together(with:_:)``). Any other commit
/// runs on its own (``alone(with:_:)``). These waits have no limit, because a commit calls no hook.
final class CommitQueue: @unchecked Sendable {
  // Sendable: the condition guards all mutable state.
  private let condition = Condition()
  private var current: SaveTurn?
  /// The commits that run, by store. A store without any is not listed.
  private var commits: [ObjectIdentifier: Commits] = [:]
  /// The callers of ``alone(with:_:)`` that wait, in their order. Each comes before later callers with a store in common.
  private var aloneWaiting: [AloneCaller] = []
  /// The number of threads that wait for commits to end.
  private var sleepingCount = 0

  private struct Commits {
    var togetherCount = 0
    var isAlone = false

    var isIdle: Bool { togetherCount == 0 && !isAlone }
  }

  private final class AloneCaller {
    let stores: Set<ObjectIdentifier>
    init(_ stores: Set<ObjectIdentifier>) { self.stores = stores }
  }

  /// The shortest and the longest time that a save waits for another save.
  static let patience: ClosedRange<TimeInterval> = 1...30

  // MARK: - Turns

  /// Waits while another save has its turn, and then gives it to this save.
  ///
  /// Returns at once if this save has the turn already, or if the save that has it runs on the same thread.
  func take(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    while let other = current, other !== turn, other.thread !== turn.thread {
      let patience = min(
        max(2 * other.longestAttempt, CommitQueue.patience.lowerBound),
        CommitQueue.patience.upperBound)
      let end = Threads.now + .seconds(patience)
      while current === other { guard condition.wait(atMost: end - Threads.now) else { return } }
    }
    if current == nil { current = turn }
  }

  /// Records that another save came first, and how long the attempt took. The other saves wait longer for a slow save.
  func recordOvertaken(_ turn: SaveTurn, after attempt: TimeInterval) {
    condition.lock()
    defer { condition.unlock() }
    turn.longestAttempt = max(turn.longestAttempt, attempt)
  }

  /// Records that a save has committed or was abandoned.
  func end(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    guard current === turn else { return }
    current = nil
    // One save has the next turn. A thread that waits to commit would lose the signal.
    if sleepingCount == 0 { condition.signal() } else { condition.broadcast() }
  }

  // MARK: - Commits

  /// Calls `body`, which commits to a store. Other such saves may commit meanwhile, in the order of the store.
  ///
  /// - Throws: `StoreError` if another store has replaced this store; the error of `body`.
  func together<R>(with store: PersistentStore, _ body: () throws -> R) throws -> R {
    let key = ObjectIdentifier(store)
    condition.withLock {
      sleep { commits[key]?.isAlone ?? false || aloneWaiting.contains { $0.stores.contains(key) } }
      commits[key, default: Commits()].togetherCount += 1
    }
    defer { leave([key]) { $0.togetherCount -= 1 } }
    try store.checkIsThere()
    return try body()
  }

  /// Calls `body` while no other save of the coordinator commits to any of the stores.
  ///
  /// - Throws: `StoreError` if another store has replaced one of the stores; the error of `body`.
  func alone<R>(with stores: [PersistentStore], _ body: () throws -> R) throws -> R {
    let caller = AloneCaller(Set(stores.map { ObjectIdentifier($0) }))
    condition.withLock {
      aloneWaiting.append(caller)
      sleep {
        caller.stores.contains { !(commits[$0]?.isIdle ?? true) }
          || aloneWaiting.prefix { $0 !== caller }
            .contains { !$0.stores.isDisjoint(with: caller.stores) }
      }
      aloneWaiting.removeAll { $0 === caller }
      for key in caller.stores { commits[key, default: Commits()].isAlone = true }
    }
    defer { leave(caller.stores) { $0.isAlone = false } }
    for store in stores { try store.checkIsThere() }
    return try body()
  }

  /// Waits while a condition holds. The caller has the lock.
  private func sleep(while mustWait: () -> Bool) {
    while mustWait() {
      sleepingCount += 1
      condition.wait()
      sleepingCount -= 1
    }
  }

  /// Records that a commit to some stores has ended.
  private func leave(_ keys: Set<ObjectIdentifier>, _ body: (inout Commits) -> Void) {
    condition.withLock {
      for key in keys {
        body(&commits[key]!)
        if commits[key]!.isIdle { commits[key] = nil }
      }
      if sleepingCount > 0 { condition.broadcast() }
    }
  }
}

/// One running save. Used by its thread, and by its coordinator's ``CommitQueue`` under the queue's lock.
final class SaveTurn {
  let thread = Thread.current
  fileprivate(set) var longestAttempt: TimeInterval = 0
}
