import Synchronization

/// The changes that one run of the tool has made. The message of an error ends with sentences about them.
///
///     outcome.willChange("Nothing was saved.")
///     try context.save()
///     try outcome.didChange("The change is saved.")
///     try printResult()  // An error here says that the change is saved.
package final class Outcome: Sendable {
  private struct State {
    var pending: String?
    var done: [String] = []
    var completion: (@Sendable () throws -> Void)?
  }
  private let state = Mutex(State())

  /// Removes the changes of the previous run.
  package func reset() {
    state.withLock { ($0.pending, $0.done) = (nil, []) }
    EndingSignals.setLastWords(nil)
  }

  /// Records the sentence that is true if the next step fails.
  package func willChange(_ sentence: String) { state.withLock { $0.pending = sentence } }

  /// Sets a step that each change needs before it counts, such as the packing of a packed document.
  package func setCompletion(_ completion: (@Sendable () throws -> Void)?) {
    state.withLock { $0.completion = completion }
  }

  /// Takes the step that a change needs before it counts.
  ///
  /// - Throws: The error of the step. The change is not saved then.
  package func complete() throws { try state.withLock(\.completion)?() }

  /// Completes the change, and records the sentence that is true from now on, even if a later step fails.
  ///
  /// - Throws: The error of ``complete()``.
  package func didChange(_ sentence: String) throws {
    try complete()
    let done = state.withLock {
      $0.pending = nil
      $0.done.append(sentence)
      return $0.done
    }
    EndingSignals.setLastWords(done.joined(separator: " "))
  }

  /// Returns the error with the sentences about the changes of the command.
  ///
  /// - Parameter isUncertain: Whether the message of the error itself shows whether the change counts.
  package func completing(_ error: CommandError, isUncertain: Bool) -> CommandError {
    var state = state.withLock { $0 }
    if isUncertain { state.pending = nil }
    var lines = state.done
    // An error with another exit code says in its own message that a value is refused, or that there is a conflict.
    if let pending = state.pending, error.exitCode == .inputOutput { lines.append(pending) }
    guard !lines.isEmpty else { return error }
    return error.adding(lines)
  }
}
