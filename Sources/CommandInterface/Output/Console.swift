package import JSONText

/// The streams of a command: one for results, one for messages.
///
///     let console = Console.standard(environment: ThisProgram.environment)
///     let exitCode = Tool.quire.run(["model", "Trips.xcdatamodeld"], on: console)
///
/// Commands know nothing of terminals. A test passes streams that keep the written text.
package struct Console: Sendable {
  /// The stream of results, for scripts.
  package let output: Stream
  /// The stream of errors, hints and progress, for the user.
  package let messages: Stream
  /// The stream of errors and of questions to the user, which `--quiet` does not silence.
  package let alerts: Stream
  /// The stream for the bytes of a file that the command writes to standard output.
  package let file: Stream
  /// The maximum width of a line of text, in columns.
  package let width: Int
  /// The number of lines of the terminal; `nil` if the output is not a terminal.
  package let height: Int?
  /// The input that the user types, or that comes through a pipe.
  package let input: Input
  /// The environment variables of the process.
  package let environment: [String: String]
  /// The changes of the running command.
  package let outcome: Outcome

  /// Creates a console that writes to the given streams.
  package init(
    output: Stream, messages: Stream, width: Int = 80, height: Int? = nil, input: Input = .none,
    environment: [String: String] = [:]
  ) {
    self.output = output
    self.messages = messages
    alerts = messages
    file = output
    self.width = width
    self.height = height
    self.input = input
    self.environment = environment
    outcome = Outcome()
  }

  /// Creates a copy of a console with other streams.
  package init(_ console: Console, output: Stream? = nil, messages: Stream? = nil) {
    self.output = output ?? console.output
    self.messages = messages ?? console.messages
    alerts = console.alerts
    file = console.file
    width = console.width
    height = console.height
    input = console.input
    environment = console.environment
    outcome = console.outcome
  }

  /// The same console without notes and progress.
  package var quiet: Console { Console(self, messages: Stream { _ in }) }

  /// The same console without results.
  package var withoutOutput: Console { Console(self, output: Stream { _ in }) }

  /// One destination of text.
  package struct Stream: Sendable {
    /// Whether the stream is a terminal.
    package let isTerminal: Bool
    package let usesColour: Bool
    package let sink: @Sendable (String) throws -> Void
    private let byteSink: (@Sendable ([UInt8]) throws -> Void)?

    /// Creates a stream that passes each text to `sink`, and bytes to `byteSink` if there is one.
    package init(
      isTerminal: Bool = false, usesColour: Bool = false,
      byteSink: (@Sendable ([UInt8]) throws -> Void)? = nil,
      sink: @escaping @Sendable (String) throws -> Void
    ) {
      self.isTerminal = isTerminal
      self.usesColour = usesColour
      self.byteSink = byteSink
      self.sink = sink
    }

    /// Writes the bytes of a text. A piece may end within a character only if the stream has a `byteSink`.
    package func write(bytes: [UInt8]) throws {
      if let byteSink {
        try byteSink(bytes)
      } else {
        try sink(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// The styles of text on a terminal with colours.
  package enum Style: String {
    case heading = "1"
    case failure = "1;31"
    case advice = "1;36"
    case inserted = "32"
    case deleted = "31"
    case changed = "33"
  }
}

extension Console.Stream {
  /// Returns a stream that writes each text as `rewording` returns it, and bytes as they are.
  package func rewording(_ rewording: @escaping @Sendable (String) -> String) -> Console.Stream {
    Console.Stream(
      isTerminal: isTerminal, usesColour: usesColour, byteSink: { try write(bytes: $0) },
      sink: { try write(rewording($0)) })
  }

  /// Writes the text and a line break.
  package func writeLine(_ text: String = "") throws { try sink(text + "\n") }

  /// Writes the text without a line break.
  package func write(_ text: String) throws { try sink(text) }

  /// Returns the text in the given style, or unchanged if the stream shows no colours.
  package func styled(_ text: String, _ style: Console.Style) -> String {
    usesColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension Console.Stream {
  /// Writes a JSON value and a line break. On a terminal, characters that would control the terminal are escaped.
  package func writeLine(_ json: JSON) throws {
    try writeLine(isTerminal ? TerminalText.shownJSON(json.text) : json.text)
  }
}

extension Console {
  /// Writes the error and its hint as messages, or as JSON for a program.
  ///
  /// A failure to write them is ignored, because there is no other stream for the message.
  package func report(_ error: CommandError, asJSON: Bool = false) {
    let error = error.namingTargets
    if asJSON {
      try? alerts.writeLine(error.json)
      return
    }
    var text = "\(alerts.styled("error:", .failure)) \(printable(error.message))\n"
    if let hint = error.hint {
      text += "\(alerts.styled("hint:", .advice)) \(printable(hint))\n"
    }
    try? alerts.write(text)
  }
}
