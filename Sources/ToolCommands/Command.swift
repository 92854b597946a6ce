/// One command of the tool: what it takes, what it says of itself, and what it does.
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
  /// What the command does, as the rest of a sentence that begins with its name.
  let summary: String
  /// What a reader of the help should know beyond the summary; paragraphs with a blank line between.
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
  /// Whether it takes all words that are left; only the last argument may.
  let isRepeating: Bool
  /// How the command uses the value, if it is a path.
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

/// A choice that a command takes by its name: `--digest`, or with a value `--diff OTHER`.
struct Option: Sendable, Hashable {
  /// The name without its dashes.
  let name: String
  /// The name of the value in capitals; `nil` for an option that takes none.
  let valueName: String?
  /// The values it accepts; empty for any.
  let choices: [String]
  let help: String
  /// How the command uses the value, if it is a path.
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

  /// The option as it is written: `--diff OTHER`, `--format text|json`.
  var spelling: String {
    guard let valueName else { return "--\(name)" }
    return "--\(name) \(choices.isEmpty ? valueName : choices.joined(separator: "|"))"
  }
}

/// A command line to learn from, and what it does.
struct Example: Sendable, Hashable {
  let line: String
  let explanation: String

  init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}
