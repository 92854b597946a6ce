import Foundation

/// One run of the tool's executable in a terminal of its own: its exit code, and all that the terminal shows.
struct TerminalRun {
  let exitCode: Int32
  /// The text with the controls of the terminal, such as colours.
  let text: String

  /// Runs the tool with the given arguments in a folder.
  ///
  /// - Parameters:
  ///   - width: The number of columns of the terminal.
  ///   - kind: The value of `TERM`.
  ///   - answers: The prompts, and the keys that the user then presses.
  init(
    _ words: [String], in folder: URL, width: Int = 80, kind: String = "xterm",
    environment: [String: String] = [:], answers: [(prompt: String, keys: String)] = []
  ) throws {
    let pair = try TerminalPair()
    pair.resize(width: width, height: 24)
    let usual = [
      "HOME": folder.path, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "TERM": kind,
    ]
    let process = try pair.start(words, in: folder, usual.merging(environment) { $1 })

    var text = ""
    for (prompt, keys) in answers {
      text += try pair.read(until: prompt)
      try pair.type(keys)
    }
    text += try pair.readRest(of: process)
    self.text = text
    exitCode = process.terminationStatus
  }

  /// The lines of the text without colours.
  var lines: [String] {
    text.replacing(Self.colour, with: "").replacing("\r\n", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static var colour: Regex<Substring> { /\u{1B}\[[0-9;]*m/ }
}
