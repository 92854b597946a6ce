import DurableFiles
package import JSONText

/// The reason why a command failed: an exit code for scripts, a sentence for readers and, if there is one, a hint about a
/// remedy.
package struct CommandError: Error, Hashable {
  package let exitCode: ExitCode
  package private(set) var message: String
  package var hint: String?
  /// The file that the error is about; `nil` if there is none, or if only the message names it.
  package var file: String?
  /// The place in the file, such as a line and a column.
  package var place: String?

  package init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.message = message
    self.hint = hint
  }

  /// The same error with the paths of the command line in place of temporary paths.
  package var namingTargets: CommandError {
    var error = self
    error.message = StandardFiles.named(TemporaryFiles.namingTargets(in: message))
    error.hint = hint.map {
      StandardFiles.named(TemporaryFiles.namingTargets(in: $0), by: StandardFiles.word)
    }
    error.file = file.map { StandardFiles.named(TemporaryFiles.namingTargets(in: $0)) }
    return error
  }

  /// Returns the error with further lines at the end of its message.
  package func adding(_ lines: [String]) -> CommandError {
    var error = self
    error.message = ([message] + lines).joined(separator: "\n")
    return error
  }

  /// The error as JSON, in the form of `spec/tool-output.schema.json`.
  package var json: JSON {
    .object([
      "error": .object([
        "code": .string(exitCode.name), "exitCode": .number(Int(exitCode.rawValue)),
        "message": .string(message), "file": file.map(JSON.string),
        "place": place.map(JSON.string), "hint": hint.map(JSON.string),
      ])
    ])
  }

  /// Returns an error for a command line that can't be understood.
  package static func wrongUsage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.wrongUsage, message, hint: hint)
  }

  /// Throws several errors as one error, with each message on its own line. Throws a single error unchanged, and nothing
  /// if there are no errors.
  ///
  /// The exit code is `wrongUsage` if any of the errors has it, and otherwise the code of the first error.
  package static func throwAll(_ errors: [CommandError]) throws(CommandError) {
    var known: Set<CommandError> = []
    let errors = errors.filter { known.insert($0).inserted }
    guard let first = errors.first else { return }
    guard errors.count > 1 else { throw first }
    let lines = errors.map { error in
      // A message may consist of several lines, such as the place of a fault in a predicate.
      ([error.message] + (error.hint.map { [$0] } ?? [])).joined(
        separator: error.message.contains("\n") ? "\n" : " "
      ).replacing("\n", with: "\n  ")
    }
    let isMisused = errors.contains { $0.exitCode == .wrongUsage }
    throw CommandError(
      isMisused ? .wrongUsage : first.exitCode,
      (["\(errors.count) errors were found."] + lines).joined(separator: "\n  "))
  }

  /// Returns an error for an unknown word, with a hint that names a known word of similar spelling, or else `otherwise`.
  package static func unknown(
    _ kind: String, _ word: String, in place: String, known: [String], otherwise: String
  ) -> CommandError {
    let hint = suggestion(for: word, among: known) ?? otherwise
    return wrongUsage("Unknown \(kind) '\(oneLine(word))' \(place).", hint: hint)
  }
}
