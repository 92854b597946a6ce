import Foundation
import ObjectGraph
import Testing

/// Runs `body` in a save, after the save has prepared its changes and before it commits them.
///
/// - Parameter times: The number of attempts in which `body` runs.
/// - Returns: The number of attempts.
func overtaking(
  _ context: ManagedObjectContext, times: Int = 1, by body: () throws -> Void,
  during save: () throws -> Void
) throws -> Int {
  try withoutActuallyEscaping(body) { body in
    // Sendable: a confined context posts on this thread.
    nonisolated(unsafe) var attempts = 0
    nonisolated(unsafe) var failure: (any Error)?
    nonisolated(unsafe) let body = body
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextWillSave, object: context, queue: nil
    ) { _ in
      attempts += 1
      guard attempts <= times else { return }
      do { try body() } catch { failure = error }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try save()
    if let failure { throw failure }
    return attempts
  }
}
