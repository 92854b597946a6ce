import DurableFiles

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

  /// This error with the paths that the person named in place of temporary paths.
  var namingTargets: CommandError {
    CommandError(
      exitCode, TemporaryFiles.namingTargets(in: message),
      hint: hint.map(TemporaryFiles.namingTargets))
  }

  /// The command line could not be understood.
  static func wrongUsage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.wrongUsage, message, hint: hint)
  }

  /// Throws all of several errors as one, with each on a line of its own; one alone as it is, and of none nothing.
  ///
  /// Where their exit codes differ, a command line that is wrong comes before what is not there.
  static func throwAll(_ errors: [CommandError]) throws(CommandError) {
    var known: Set<CommandError> = []
    let errors = errors.filter { known.insert($0).inserted }
    guard let first = errors.first else { return }
    guard errors.count > 1 else { throw first }
    let lines = errors.map { error in
      // A message may have lines of its own, such as the place in a predicate.
      ([error.message] + (error.hint.map { [$0] } ?? [])).joined(
        separator: error.message.contains("\n") ? "\n" : " "
      ).replacing("\n", with: "\n  ")
    }
    let isMisused = errors.contains { $0.exitCode == .wrongUsage }
    throw CommandError(
      isMisused ? .wrongUsage : first.exitCode,
      (["\(errors.count) things are wrong."] + lines).joined(separator: "\n  "))
  }

  /// The command line has a word that none of `known` is, spelled nearly like one of them or not.
  static func unknown(
    _ kind: String, _ word: String, in place: String, known: [String], otherwise: String
  ) -> CommandError {
    let hint = suggestion(for: word, among: known) ?? otherwise
    return wrongUsage("Unknown \(kind) '\(word)' \(place).", hint: hint)
  }
}
