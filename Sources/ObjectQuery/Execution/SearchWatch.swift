import Synchronization

/// Follows a search while it runs, and may end it: asked between two blocks, wherever the search looks at
/// many.
package final class SearchWatch: Sendable {
  private struct State {
    var expected = 0
    var passed = 0
    var isCancelled = false
  }
  private let state = Mutex(State())
  private let report: @Sendable (_ passed: Int, _ expected: Int) -> Bool

  /// A watch of one search.
  ///
  /// - Parameter report: Is told of how many rows the search has looked at, and of how many it is going
  ///   to; answers whether it may go on.
  package init(_ report: @escaping @Sendable (_ passed: Int, _ expected: Int) -> Bool) {
    self.report = report
  }

  /// Has the search end before the next block. May be called from any thread.
  package func cancel() { state.withLock { $0.isCancelled = true } }

  /// Says that so many rows more are going to be looked at.
  func expect(_ rows: Int) { state.withLock { $0.expected += rows } }

  /// Says that so many rows were looked at.
  ///
  /// - Throws: `CancellationError` when the search is not wanted any more.
  package func pass(_ rows: Int) throws {
    let now = state.withLock { state in
      state.passed += rows
      return state
    }
    guard !now.isCancelled, report(now.passed, now.expected) else { throw CancellationError() }
  }
}
