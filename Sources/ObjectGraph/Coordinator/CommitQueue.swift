import Foundation

/// The order of the commits to the stores of one coordinator (decision 0019).
///
/// Several saves prepare their changes at the same time. Then each save takes a turn: the save rebases its changes and
/// commits them, and the other saves wait. The turn ends with the commit, even if the save must prepare again before.
/// Without turns, each commit would make all other saves start again, and quick saves could overtake a slow save
/// without end.
///
/// A wait for a turn has a limit, because a hook of the save that has the turn may itself wait for the save of another
/// context. The other save then goes on without a turn. Saves of another process do not wait.
///
/// The commit itself runs ``together(with:_:)`` with other commits to its store or ``alone(with:_:)``. These waits have no
/// limit: a commit runs no code of the program.
final class CommitQueue: @unchecked Sendable {
  // Sendable: the condition guards all mutable state.
  private let condition = NSCondition()
  private var current: SaveTurn?
  /// The commits to each store that run. Other stores are not listed.
  private var commits: [ObjectIdentifier: Commits] = [:]
  /// The number of threads that wait to commit.
  private var waitingCount = 0

  /// The callers that wait to be alone, in their order. Each comes before later callers with a store in common.
  private var waiting: [Waiting] = []

  private struct Commits {
    var togetherCount = 0
    var isAlone = false

    var isIdle: Bool { togetherCount == 0 && !isAlone }
  }

  private final class Waiting {
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
      let end = Date(timeIntervalSinceNow: patience)
      while current === other { guard condition.wait(until: end) else { return } }
    }
    if current == nil { current = turn }
  }

  /// Records that another save came first, and how long the attempt took. The other saves wait longer for a slow save.
  func noteOvertaken(_ turn: SaveTurn, after attempt: TimeInterval) {
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
    if waitingCount == 0 { condition.signal() } else { condition.broadcast() }
  }

  // MARK: - Commits

  /// Calls `body`, which commits to a store. Other such saves may commit meanwhile, in the order of the store.
  ///
  /// - Throws: `StoreError` if another store has replaced this store; the error of `body`.
  func together<R>(with store: PersistentStore, _ body: () throws -> R) throws -> R {
    let key = ObjectIdentifier(store)
    enter(
      whenTrue: {
        !(commits[key]?.isAlone ?? false) && !waiting.contains { $0.stores.contains(key) }
      }, { commits[key, default: Commits()].togetherCount += 1 })
    defer { leave([key]) { $0.togetherCount -= 1 } }
    try store.checkIsThere()
    return try body()
  }

  /// Calls `body` while no other save of the coordinator commits to any of the stores.
  ///
  /// - Throws: `StoreError` if another store has replaced one of the stores; the error of `body`.
  func alone<R>(with stores: [PersistentStore], _ body: () throws -> R) throws -> R {
    let keys = stores.map { ObjectIdentifier($0) }
    let place = Waiting(Set(keys))
    condition.lock()
    waiting.append(place)
    condition.unlock()
    enter(
      whenTrue: {
        keys.allSatisfy { commits[$0]?.isIdle ?? true }
          && waiting.prefix { $0 !== place }.allSatisfy { $0.stores.isDisjoint(with: place.stores) }
      },
      {
        waiting.removeAll { $0 === place }
        for key in keys { commits[key, default: Commits()].isAlone = true }
      })
    defer { leave(keys) { $0.isAlone = false } }
    for store in stores { try store.checkIsThere() }
    return try body()
  }

  /// Waits until a condition holds, and calls `body`, both with the lock.
  private func enter(whenTrue mayEnter: () -> Bool, _ body: () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    while !mayEnter() {
      waitingCount += 1
      condition.wait()
      waitingCount -= 1
    }
    body()
  }

  private func leave(_ keys: [ObjectIdentifier], _ body: (inout Commits) -> Void) {
    condition.lock()
    defer { condition.unlock() }
    for key in keys {
      body(&commits[key]!)
      if commits[key]!.isIdle { commits[key] = nil }
    }
    if waitingCount > 0 { condition.broadcast() }
  }
}

/// One running save. Used by its thread, and by its coordinator's ``CommitQueue`` under the queue's lock.
final class SaveTurn {
  let thread = Thread.current
  fileprivate(set) var longestAttempt: TimeInterval = 0
}
