import Synchronization
import Threads

/// The moves of a document's stores from one version to the next. The stores move one after another, so a reader of several
/// stores must not read in between.
final class StoreMoves: Sendable {
  private let counts = Mutex((begun: 0, ended: 0))

  /// Records that the first of the stores is about to show a new version.
  func begin() { counts.withLock { $0.begun += 1 } }

  /// Records that all stores show the new version.
  func end() { counts.withLock { $0.ended += 1 } }

  /// Returns the result of `body`, called again until no store has moved meanwhile.
  ///
  /// A move shows commits that are durable already, so the wait for it is short.
  func reading<R>(_ body: () throws -> R) rethrows -> R {
    while true {
      let before = counts.withLock { $0 }
      if before.begun == before.ended {
        let result = try body()
        if counts.withLock({ $0.begun }) == before.begun { return result }
      }
      Threads.sleep(for: .microseconds(100))
    }
  }
}
