import Synchronization

/// A line on a terminal that says how far a command is; nothing elsewhere.
///
/// It appears only when the command takes a while, and is gone before anything else is written.
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

  /// Shows the share of the work that is done, from 0 to 1.
  func show(_ share: Double) {
    guard stream.isTerminal else { return }
    let percent = Int(max(0, min(share, 1)) * 100)
    state.withLock { state in
      guard state.shown != percent, state.shown != nil || .now - state.start > .seconds(1) else {
        return
      }
      state.shown = percent
      // Progress that can't be shown is no reason to stop.
      try? stream.write("\r\(words): \(percent) %")
    }
  }

  /// Takes the line away.
  func end() {
    let isShown = state.withLock { $0.shown != nil }
    if isShown { try? stream.write("\r\u{1B}[K") }
  }
}
