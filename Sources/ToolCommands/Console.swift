import JSONText

/// Where a command writes: results to one stream, messages to the other.
///
///     let exitCode = Tool.quire.run(["model", "Trips.xcdatamodeld"], on: .standard())
///
/// Commands know no terminal. A test gives them streams that keep what is written.
public struct Console: Sendable {
  /// Results: what a script reads.
  public let output: Stream
  /// Errors, hints and progress: what a person reads.
  public let messages: Stream
  /// How many columns a line of text may take.
  public let width: Int
  /// What is typed, or comes through a pipe.
  public let input: Input
  /// The changes of the running command.
  let outcome: Outcome

  /// A console that writes to the given streams.
  public init(output: Stream, messages: Stream, width: Int = 80, input: Input = .none) {
    self.output = output
    self.messages = messages
    self.width = width
    self.input = input
    outcome = Outcome()
  }

  /// This console with another output.
  init(_ console: Console, output: Stream) {
    self.output = output
    messages = console.messages
    width = console.width
    input = console.input
    outcome = console.outcome
  }

  /// One place to write to.
  public struct Stream: Sendable {
    /// Whether a person reads along.
    public let isTerminal: Bool
    /// Whether styles are written.
    public let usesColour: Bool
    let sink: @Sendable (String) throws -> Void
    private let byteSink: (@Sendable ([UInt8]) throws -> Void)?

    /// A stream that hands every text to `sink`, and what is bytes already to `byteSink` if there is one.
    public init(
      isTerminal: Bool = false, usesColour: Bool = false,
      byteSink: (@Sendable ([UInt8]) throws -> Void)? = nil,
      sink: @escaping @Sendable (String) throws -> Void
    ) {
      self.isTerminal = isTerminal
      self.usesColour = usesColour
      self.byteSink = byteSink
      self.sink = sink
    }

    /// Writes text that is bytes already. A piece may end within a character only where bytes are taken.
    func write(bytes: [UInt8]) throws {
      if let byteSink {
        try byteSink(bytes)
      } else {
        try sink(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// What a piece of text is, for a reader who sees colours.
  enum Style: String {
    case heading = "1"
    case failure = "1;31"
    case advice = "1;36"
  }
}

extension Console.Stream {
  /// Writes the text and a line break.
  func writeLine(_ text: String = "") throws { try sink(text + "\n") }

  /// Writes the text as it is.
  func write(_ text: String) throws { try sink(text) }

  /// The text in the given style, or as it is where no colours are shown.
  func styled(_ text: String, _ style: Console.Style) -> String {
    usesColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension Console.Stream {
  /// Writes a value of JSON and a line break. On a terminal, characters that would steer it are escaped.
  func writeLine(_ json: JSON) throws {
    try writeLine(isTerminal ? TerminalText.shownJSON(json.text) : json.text)
  }
}

extension Console {
  /// Writes the error and its hint as messages.
  ///
  /// A message that cannot be written has nowhere else to go, so a failure to write it is dropped.
  func report(_ error: CommandError) {
    let error = error.namingTargets
    var text = "\(messages.styled("error:", .failure)) \(printable(error.message))\n"
    if let hint = error.hint {
      text += "\(messages.styled("hint:", .advice)) \(printable(hint))\n"
    }
    try? messages.write(text)
  }
}
