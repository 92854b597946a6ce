/// Why a command stopped: an exit code to branch on, a sentence to read and, where there is one, a
/// way on.
struct CommandError: Error, Hashable {
  let exitCode: ExitCode
  let message: String
  let hint: String?

  init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.message = message
    self.hint = hint
  }

  /// The command line could not be understood.
  static func wrongUsage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.wrongUsage, message, hint: hint)
  }

  /// The command line has a word that none of `known` is, spelled nearly like one of them or not.
  static func unknown(
    _ kind: String, _ word: String, in place: String, known: [String], otherwise: String
  ) -> CommandError {
    let hint = suggestion(for: word, among: known) ?? otherwise
    return wrongUsage("Unknown \(kind) '\(word)' \(place).", hint: hint)
  }
}
