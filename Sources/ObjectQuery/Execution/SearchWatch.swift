import Synchronization

/// An observer of a running search that may cancel it. Every search over many blocks calls it between two blocks.
package final class SearchWatch: Sendable {
  private struct State {
    var expected = 0
    var passed = 0
    var isCancelled = false
  }
  private let state = Mutex(State())
  private let report: @Sendable (_ passed: Int, _ expected: Int) -> Bool
  /// The journal of a search that is explained.
  let journal: QueryJournal?

  /// Creates an observer of one search.
  ///
  /// - Parameter report: Receives the number of rows examined so far and the number of rows to examine; returns
  ///   whether the search may continue.
  package init(_ report: @escaping @Sendable (_ passed: Int, _ expected: Int) -> Bool) {
    (self.report, journal) = (report, nil)
  }

  /// Creates an observer that keeps a journal and cancels nothing.
  init(_ journal: QueryJournal) { (report, self.journal) = ({ _, _ in true }, journal) }

  /// Cancels the search before the next block. May be called from any thread.
  package func cancel() { state.withLock { $0.isCancelled = true } }

  /// Adds to the number of rows to examine.
  func expect(_ rows: Int) { state.withLock { $0.expected += rows } }

  /// Adds to the number of examined rows.
  ///
  /// - Throws: `CancellationError` if the search was cancelled.
  package func pass(_ rows: Int) throws {
    let now = state.withLock { state in
      state.passed += rows
      return state
    }
    guard !now.isCancelled, report(now.passed, now.expected) else { throw CancellationError() }
  }
}
