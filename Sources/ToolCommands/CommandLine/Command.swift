/// One command of the tool: its arguments and options, its help, and its action.
///
///     static let command = Command(
///       "hash", "prints the version hashes of a model's entities",
///       arguments: [path], options: [digest, .format],
///       examples: [Example("quire hash Trips.xcdatamodeld", "one line an entity")]
///     ) { invocation in
///       let model = try readModel(invocation[path])
///       …
///       return .done
///     }
struct Command: Sendable {
  let name: String
  /// The effect of the command, as the rest of a sentence that begins with the command's name.
  let summary: String
  /// Help beyond the summary: paragraphs with a blank line between them.
  let discussion: String
  let arguments: [Argument]
  let options: [Option]
  let examples: [Example]
  let run: @Sendable (Invocation) throws -> ExitCode

  init(
    _ name: String, _ summary: String, discussion: String = "", arguments: [Argument] = [],
    options: [Option] = [], examples: [Example] = [],
    run: @escaping @Sendable (Invocation) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.run = run
  }
}

/// A value that a command takes by its position.
struct Argument: Sendable, Hashable {
  /// The name in capitals, as the usage line shows it.
  let name: String
  let help: String
  let isRequired: Bool
  /// Whether the argument takes all remaining words. Only the last argument may.
  let isRepeating: Bool
  /// The command's use of the value, if the value is a path.
  let role: PathRole

  init(
    _ name: String, _ help: String, isRequired: Bool = true, isRepeating: Bool = false,
    role: PathRole = .none
  ) {
    self.name = name
    self.help = help
    self.role = role
    self.isRequired = isRequired
    self.isRepeating = isRepeating
  }
}

/// An option that the command line sets by its name: `--digest`, or with a value `--diff OTHER`.
struct Option: Sendable, Hashable {
  /// The name without its dashes.
  let name: String
  /// The name of the value in capitals; `nil` for an option without a value.
  let valueName: String?
  /// The accepted values; empty if the option accepts any value.
  let choices: [String]
  let help: String
  /// The command's use of the value, if the value is a path.
  let role: PathRole

  init(
    _ name: String, value: String? = nil, choices: [String] = [], role: PathRole = .none,
    _ help: String
  ) {
    self.name = name
    self.role = role
    valueName = value
    self.choices = choices
    self.help = help
  }

  /// The option in the form of a command line: `--diff OTHER`, `--format text|json`.
  var spelling: String {
    guard let valueName else { return "--\(name)" }
    return "--\(name) \(choices.isEmpty ? valueName : choices.joined(separator: "|"))"
  }
}

/// A command line as an example, and its effect.
struct Example: Sendable, Hashable {
  let line: String
  let explanation: String

  init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}
