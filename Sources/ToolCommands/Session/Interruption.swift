import Synchronization

/// Whether the person at the terminal has asked for the end of the running command.
final class Interruption: Sendable {
  private let requested = Atomic<Bool>(false)

  /// Whether the command must end.
  var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Asks for the end of the running command. Any thread may call it.
  func request() { requested.store(true, ordering: .relaxed) }

  /// Forgets a request that came before the next command began.
  func reset() { requested.store(false, ordering: .relaxed) }

  /// Ends the command if somebody has asked for it.
  ///
  /// - Throws: `CancellationError`.
  func check() throws {
    if isRequested { throw CancellationError() }
  }
}

extension Console {
  /// Returns this console, whose output ends with `CancellationError` after an interruption.
  func interruptible(by interruption: Interruption) -> Console {
    let all = output
    let output = Stream(
      isTerminal: all.isTerminal, usesColour: all.usesColour,
      byteSink: { bytes in
        try interruption.check()
        try all.write(bytes: bytes)
      },
      sink: { text in
        // A long table is one text: Ctrl-C ends it between two pieces.
        var rest = text[...]
        repeat {
          try interruption.check()
          let piece = rest.prefix(4096)
          try all.write(String(piece))
          rest = rest[piece.endIndex...]
        } while !rest.isEmpty
      })
    return Console(self, output: output)
  }
}
