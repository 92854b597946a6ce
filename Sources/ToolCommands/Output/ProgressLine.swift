import Synchronization

/// A line that shows the progress of a command on a terminal. Elsewhere, nothing is written.
///
/// The line appears only if the command takes longer than a second. The command removes the line before it writes other output.
final class ProgressLine: Sendable {
  private let stream: Console.Stream
  private let words: String
  private let state = Mutex(State())

  private struct State {
    let start = ContinuousClock.now
    var shown: Int?
  }

  init(_ stream: Console.Stream, _ words: String) {
    self.stream = stream
    self.words = words
  }

  /// Shows the completed share of the work, from 0 to 1.
  func show(_ share: Double) {
    guard stream.isTerminal else { return }
    let percent = Int(max(0, min(share, 1)) * 100)
    state.withLock { state in
      guard state.shown != percent, state.shown != nil || .now - state.start > .seconds(1) else {
        return
      }
      state.shown = percent
      // A failure to show progress does not stop the command.
      try? stream.write("\r\(words): \(percent) %")
    }
  }

  /// Removes the line.
  func end() {
    let isShown = state.withLock { $0.shown != nil }
    if isShown { try? stream.write("\r\u{1B}[K") }
  }
}
