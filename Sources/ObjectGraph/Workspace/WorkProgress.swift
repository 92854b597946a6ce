/// The steps that a context has under way.
struct WorkProgress {
  /// The number of turns under way, one within the other.
  var turnDepth = 0
  /// The number of steps under way, one within the other, that no merge may interrupt.
  var workDepth = 0
  /// Whether the main queue is about to end a turn.
  var isTurnComing = false
  /// The first error of an operation that can't throw. The next save throws it.
  var readFailure: (any Error)?
}

extension Workspace {
  /// The number of steps under way that no merge may interrupt.
  var workDepth: Int {
    get { progress.workDepth }
    set { progress.workDepth = newValue }
  }
}
