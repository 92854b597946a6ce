import Foundation

/// Lets some commits of a store run together, and others alone.
///
/// A caller that waits to be alone comes before later callers.
final class CommitGate: @unchecked Sendable {
  // Sendable: the condition guards all mutable state.
  private let condition = NSCondition()
  private var togetherCount = 0
  private var waitingCount = 0
  private var isAlone = false

  /// Calls `body` while no other caller is alone.
  func together<R>(_ body: () throws -> R) rethrows -> R {
    condition.lock()
    while isAlone || waitingCount > 0 { condition.wait() }
    togetherCount += 1
    condition.unlock()
    defer {
      condition.lock()
      togetherCount -= 1
      if togetherCount == 0, waitingCount > 0 { condition.broadcast() }
      condition.unlock()
    }
    return try body()
  }

  /// Calls `body` while no other caller runs.
  func alone<R>(_ body: () throws -> R) rethrows -> R {
    condition.lock()
    waitingCount += 1
    while isAlone || togetherCount > 0 { condition.wait() }
    waitingCount -= 1
    isAlone = true
    condition.unlock()
    defer {
      condition.lock()
      isAlone = false
      condition.broadcast()
      condition.unlock()
    }
    return try body()
  }
}
