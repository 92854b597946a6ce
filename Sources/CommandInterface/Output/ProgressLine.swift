import Synchronization

/// A line that shows the progress of a command on a terminal. Elsewhere, nothing is written.
///
/// The line appears only if the command takes longer than half a second. It contains the completed share, the rate if the
/// amount of work is known, and the time that is left. The command removes the line before it writes other output.
package final class ProgressLine: Sendable {
  private let stream: Console.Stream
  private let words: String
  private let byteCount: Int?
  private let state = Mutex(State())

  private struct State {
    let start = ContinuousClock.now
    var shown: ContinuousClock.Instant?
  }

  /// - Parameter byteCount: The number of bytes that the whole work reads; `nil` if it is unknown.
  package init(_ stream: Console.Stream, _ words: String, byteCount: Int? = nil) {
    self.stream = stream
    self.words = words
    self.byteCount = byteCount
  }

  /// Shows the completed share of the work, from 0 to 1.
  package func show(_ share: Double) {
    guard stream.isTerminal else { return }
    let share = max(0, min(share, 1))
    state.withLock { state in
      let now = ContinuousClock.now
      // Readable changes: five a second.
      guard now - (state.shown ?? state.start) > .milliseconds(state.shown == nil ? 500 : 200)
      else { return }
      state.shown = now
      let line = Self.line(words, share, after: (now - state.start) / .seconds(1), byteCount)
      // A failure to show progress does not stop the command.
      try? stream.write("\r\(line)\u{1B}[K")
    }
  }

  /// Returns the text of the line.
  package static func line(
    _ words: String, _ share: Double, after seconds: Double, _ byteCount: Int? = nil
  ) -> String {
    var line = "\(words): \(Int(share * 100)) %"
    guard share > 0, seconds > 0 else { return line }
    if let byteCount {
      let rate = Double(byteCount) * share / seconds / 1e6
      line += ", \(rate < 10 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate))") MB/s"
    }
    let left = seconds / share * (1 - share)
    // An estimate from less than a hundredth of the work means nothing.
    if share >= 0.01, left < 360_000 { line += ", \(duration(Int(left.rounded(.up)))) left" }
    return line
  }

  /// Returns a duration in words: `40 s`, `2 min 5 s`, `3 h 20 min`.
  private static func duration(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
    default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
    }
  }

  package func end() {
    let isShown = state.withLock { $0.shown != nil }
    if isShown { try? stream.write("\r\u{1B}[K") }
  }
}
