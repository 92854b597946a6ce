import Foundation

/// The order of the saves into the stores of one coordinator (decision 0019).
///
/// Several saves prepare their changes at the same time. Then each save takes a turn: the save rebases its changes and
/// commits them, and the other saves wait. The turn ends with the commit, even if the save must prepare again before.
/// Without turns, each commit would make all other saves start again, and quick saves could overtake a slow save
/// without end.
///
/// A wait has a limit, because a hook of the save that has the turn may itself wait for the save of another context.
/// The other save then goes on without a turn. Saves of another process do not wait.
final class SaveTurns: @unchecked Sendable {
  // Sendable: the condition guards all mutable state.
  private let condition = NSCondition()
  private var current: SaveTurn?

  /// The shortest and the longest time that a save waits for another save.
  static let patience: ClosedRange<TimeInterval> = 1...30

  /// Waits while another save has its turn, and then gives it to this save.
  ///
  /// Returns at once if this save has the turn already, or if the save that has it runs on the same thread.
  func take(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    while let other = current, other !== turn, other.thread !== turn.thread {
      let patience = min(
        max(2 * other.longestAttempt, SaveTurns.patience.lowerBound), SaveTurns.patience.upperBound)
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
    condition.signal()
  }
}

/// One running save. Used by its thread, and by its coordinator's ``SaveTurns`` under their lock.
final class SaveTurn {
  let thread = Thread.current
  fileprivate(set) var longestAttempt: TimeInterval = 0
}
