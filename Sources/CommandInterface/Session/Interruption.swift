import Synchronization

/// The request of the user at the terminal to end the running command.
package final class Interruption: Sendable {
  private let requested = Atomic<Bool>(false)

  package init() {}

  /// Whether the command must end.
  package var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Asks for the end of the running command. Any thread may call this method.
  package func request() { requested.store(true, ordering: .relaxed) }

  /// Removes a request that was made before the next command began.
  package func reset() { requested.store(false, ordering: .relaxed) }

  /// Ends the command if the user has asked for its end.
  ///
  /// - Throws: `CancellationError`.
  package func check() throws {
    if isRequested { throw CancellationError() }
  }
}

extension Console {
  /// Returns this console with an output that throws `CancellationError` after an interruption.
  package func interruptible(by interruption: Interruption) -> Console {
    let all = output
    let output = Stream(
      isTerminal: all.isTerminal, usesColour: all.usesColour,
      byteSink: { bytes in
        try interruption.check()
        try all.write(bytes: bytes)
      },
      sink: { text in
        // A long table is written as one text, so Ctrl-C must end the output between two pieces of the text.
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
