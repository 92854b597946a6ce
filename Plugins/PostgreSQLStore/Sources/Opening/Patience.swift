import Foundation
import PostgreSQLConnection

/// The time in which a lost connection is made again. It begins with the loss, because a server may be silent for long
/// before the connection counts as lost.
struct Patience {
  private let duration: Duration
  private var deadline: ContinuousClock.Instant?

  init(_ duration: Duration) { self.duration = duration }

  /// Waits a moment, and returns whether to try again after an error.
  mutating func allowsRetry(after error: PostgreSQLError) -> Bool {
    guard error.isConnectionLost else { return false }
    let deadline = deadline ?? .now + duration
    self.deadline = deadline
    guard deadline > .now else { return false }
    Thread.sleep(forTimeInterval: 0.1)
    return true
  }
}
