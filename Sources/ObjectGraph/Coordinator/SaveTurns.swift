import Foundation

/// The fairness of the saves into the stores of one coordinator (decision 0019).
///
/// A save holds no lock while it prepares, and starts again when another save commits first. Quick saves would overtake
/// a slow one without end. So after a save was overtaken twice, the other saves wait before they commit until that
/// save is done, or for twice as long as its longest attempt. The wait has a limit because a hook of the slow save may
/// itself wait for the save of another context. Saves of other processes do not wait.
final class SaveTurns: @unchecked Sendable {
  // Sendable: the condition guards what may change.
  private let condition = NSCondition()
  private var first: SaveTurn?

  /// How often a save is overtaken before others give way.
  static let mostOvertakings = 2
  /// Who gives way waits so long at the least, and at the most.
  static let patience: ClosedRange<TimeInterval> = 1...30

  /// Waits until the save that others give way to is done, unless it is this one or one that this one is part of.
  func giveWay(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    guard let other = first, other !== turn, other.thread !== turn.thread else { return }
    let patience = min(
      max(2 * other.longestAttempt, SaveTurns.patience.lowerBound), SaveTurns.patience.upperBound)
    let end = Date(timeIntervalSinceNow: patience)
    while first === other, condition.wait(until: end) {}
  }

  /// Notes that others came before a save. Others give way to it from now on, if it was too often.
  func noteOvertaken(_ turn: SaveTurn, after attempt: TimeInterval) {
    condition.lock()
    defer { condition.unlock() }
    turn.overtakings += 1
    turn.longestAttempt = max(turn.longestAttempt, attempt)
    if first == nil, turn.overtakings >= SaveTurns.mostOvertakings { first = turn }
  }

  /// Notes that a save is done, or given up.
  func end(_ turn: SaveTurn) {
    condition.lock()
    defer { condition.unlock() }
    guard first === turn else { return }
    first = nil
    condition.broadcast()
  }
}

/// One save on its way into stores. Used by its thread, and by its coordinator's ``SaveTurns`` under their lock.
final class SaveTurn {
  let thread = Thread.current
  fileprivate(set) var overtakings = 0
  fileprivate(set) var longestAttempt: TimeInterval = 0
}
