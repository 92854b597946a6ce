/// A command of a session as the user types it, in one line or several.
package enum SessionLine: Hashable {
  /// The words of a command, and the place for its output.
  case command([String], Destination)
  /// A command line for the shell, which follows `!`.
  case shell(String)

  /// A place for the output of a command.
  package enum Destination: Hashable {
    /// The output of the session.
    case session
    /// A new file; `>|` also replaces a file.
    case file(String, replaces: Bool)
    case end(ofFile: String)
    /// A command line for the shell, which reads the output.
    case program(String)
  }

  /// Reads a command.
  ///
  /// - Throws: ``CommandError`` for an open quote, or a place for the output that can't be read.
  package init(_ text: String) throws(CommandError) {
    let line = text.drop(while: \.isWhitespace)
    if line.hasPrefix("!") {
      let command = line.dropFirst().trimmingSpaces
      guard !command.isEmpty else {
        throw .wrongUsage("No command follows '!'.", hint: "'!ls' runs 'ls' in the shell.")
      }
      self = .shell(command)
      return
    }
    let (words, rest) = try ShellWords.split(text, before: ">|")
    self = .command(words, try Self.destination(rest))
    if words.isEmpty, !rest.isEmpty {
      throw .wrongUsage("No command is before '\(rest.prefix(1))'.")
    }
  }

  private static func destination(_ rest: Substring) throws(CommandError) -> Destination {
    if rest.isEmpty { return .session }
    if rest.hasPrefix("|") {
      let command = rest.dropFirst().trimmingSpaces
      guard !command.isEmpty else { throw .wrongUsage("No program follows '|'.") }
      return .program(command)
    }
    let mark = [">>", ">|"].first { rest.hasPrefix($0) } ?? ">"
    let words = try ShellWords.split(String(rest.dropFirst(mark.count)))
    guard words.count == 1, let path = words.first, !path.isEmpty else {
      throw .wrongUsage(
        words.count < 2 ? "No file follows '\(mark)'." : "Only one file may follow '\(mark)'.",
        hint: "The output comes last. A '>' of a predicate is within quotes.")
    }
    return mark == ">>" ? .end(ofFile: path) : .file(path, replaces: mark == ">|")
  }
}

/// A command of a session that grows line by line until it is complete.
package struct GrowingCommand {
  /// The lines so far, separated by line breaks.
  package private(set) var text = ""
  private var end = ShellWords.LineEnd()

  package init() {}

  /// Whether the command has begun and goes on in the next line.
  package var isOpen: Bool { end.isOpen }

  /// Adds a line.
  ///
  /// - Returns: The whole command if the line completes it; `nil` otherwise.
  package mutating func add(_ line: String) -> String? {
    text += end.isOpen ? "\n" + line : line
    end = ShellWords.end(of: line, after: end)
    guard !end.isOpen || text.drop(while: \.isWhitespace).hasPrefix("!") else { return nil }
    return finish()
  }

  /// Returns the lines so far, and begins the next command.
  package mutating func finish() -> String {
    defer { self = GrowingCommand() }
    return text
  }
}

extension Substring {
  /// The text without the spaces at its beginning and its end.
  fileprivate var trimmingSpaces: String {
    let tail = drop(while: \.isWhitespace)
    return String(
      tail.prefix(
        upTo: tail.lastIndex { !$0.isWhitespace }.map(tail.index(after:)) ?? tail.startIndex))
  }
}
