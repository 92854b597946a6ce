import Foundation

/// The fairness of the saves into the stores of one coordinator (decision 0019).
///
/// A save holds no lock while it prepares, and starts again if another save commits first. Quick saves could thus
/// overtake a slow save without end. After two overtakings every concurrent save waits before it commits. It waits
/// until the slow save is done, or for twice the time of the slow save's longest attempt. The wait has a limit because
/// a hook of the slow save may itself wait for the save of another context. Saves of another process do not wait.
final class SaveTurns: @unchecked Sendable {
  // Sendable: the condition guards all mutable state.
  private let condition = NSCondition()
  private var first: SaveTurn?

  /// The number of times that a save is overtaken before every concurrent save waits for it.
  static let mostOvertakings = 2
  /// The shortest and the longest time that another save waits.
  static let patience: ClosedRange<TimeInterval> = 1...30

  /// Waits until the overtaken save is done. Returns at once if the overtaken save is this save, or runs on the same
  /// thread.
  func giveWay(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    guard let other = first, other !== turn, other.thread !== turn.thread else { return }
    let patience = min(
      max(2 * other.longestAttempt, SaveTurns.patience.lowerBound), SaveTurns.patience.upperBound)
    let end = Date(timeIntervalSinceNow: patience)
    while first === other, condition.wait(until: end) {}
  }

  /// Records that another save has overtaken this save. After enough overtakings every concurrent save waits for this
  /// save.
  func noteOvertaken(_ turn: SaveTurn, after attempt: TimeInterval) {
    condition.lock()
    defer { condition.unlock() }
    turn.overtakings += 1
    turn.longestAttempt = max(turn.longestAttempt, attempt)
    if first == nil, turn.overtakings >= SaveTurns.mostOvertakings { first = turn }
  }

  /// Records that a save has ended or was abandoned.
  func end(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    guard first === turn else { return }
    first = nil
    condition.broadcast()
  }
}

/// One running save. Used by its thread, and by its coordinator's ``SaveTurns`` under their lock.
final class SaveTurn {
  let thread = Thread.current
  fileprivate(set) var overtakings = 0
  fileprivate(set) var longestAttempt: TimeInterval = 0
}
