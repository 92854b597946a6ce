/// The operations that a context has under way.
struct WorkProgress {
  /// The number of nested turns under way.
  var turnDepth = 0
  /// The number of nested operations under way that no merge may interrupt.
  var workDepth = 0
  /// Whether a turn is scheduled on the main queue.
  var isTurnComing = false
  /// The first error of an operation that can't throw. The next save throws it.
  var readFailure: (any Error)?
}

extension Workspace {
  /// The number of nested operations under way that no merge may interrupt.
  var workDepth: Int {
    get { progress.workDepth }
    set { progress.workDepth = newValue }
  }
}
