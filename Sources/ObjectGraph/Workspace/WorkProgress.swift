/// The operations that a context has under way.
struct WorkProgress {
  /// Whether a turn is under way.
  var isInTurn = false
  /// Whether an operation is under way that no merge may interrupt.
  private(set) var isWorking = false
  /// The first error of an operation that can't throw. The next save throws it.
  var readFailure: (any Error)?

  /// Begins an operation that no merge may interrupt.
  ///
  /// - Returns: Whether another such operation is under way, for ``endWork(_:)``.
  mutating func beginWork() -> Bool {
    defer { isWorking = true }
    return isWorking
  }

  /// Ends an operation.
  ///
  /// - Parameter wasWorking: The result of ``beginWork()``.
  mutating func endWork(_ wasWorking: Bool) { isWorking = wasWorking }
}
