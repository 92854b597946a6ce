import StoreInterface
import Synchronization

/// The changes of one run of the tool. The message of an error says from them whether the change counts.
///
///     outcome.willChange("Nothing was saved.")
///     try context.save()
///     outcome.didChange("The change is saved.")
///     try printResult()  // An error here says that the change is saved.
final class Outcome: Sendable {
  private struct State {
    var pending: String?
    var done: [String] = []
  }
  private let state = Mutex(State())

  /// Forgets the run before.
  func reset() { state.withLock { $0 = State() } }

  /// Notes the sentence that is true if the next step fails.
  func willChange(_ sentence: String) { state.withLock { $0.pending = sentence } }

  /// Notes the sentence that is true from now on, whatever fails.
  func didChange(_ sentence: String) {
    state.withLock {
      $0.pending = nil
      $0.done.append(sentence)
    }
  }

  /// Returns the error with the sentences that say what the command has changed.
  ///
  /// - Parameter cause: The error of the module below, which may say by itself that the change is uncertain.
  func completing(_ error: CommandError, of cause: any Error) -> CommandError {
    var state = state.withLock { $0 }
    if (cause as? StoreError)?.code == .uncertain { state.pending = nil }
    var lines = state.done
    // The message of another error says by itself that a value is refused, or that there is a conflict.
    if let pending = state.pending, error.exitCode == .inputOutput { lines.append(pending) }
    guard !lines.isEmpty else { return error }
    return CommandError(
      error.exitCode, ([error.message] + lines).joined(separator: "\n"), hint: error.hint)
  }
}
