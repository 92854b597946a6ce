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
package struct Command: Sendable {
  package let name: String
  /// The effect of the command, as the rest of a sentence that begins with the command's name.
  package let summary: String
  /// Help beyond the summary: paragraphs with a blank line between them.
  package let discussion: String
  package let arguments: [Argument]
  package let options: [Option]
  /// The inputs that the command may change in place. They can't be standard input.
  package let changed: [Argument]
  package let examples: [Example]
  package let run: @Sendable (Invocation) throws -> ExitCode

  package init(
    _ name: String, _ summary: String, discussion: String = "", arguments: [Argument] = [],
    options: [Option] = [], changing changed: [Argument] = [], examples: [Example] = [],
    run: @escaping @Sendable (Invocation) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.changed = changed
    self.examples = examples
    self.run = run
  }
}

/// A value that a command takes by its position.
package struct Argument: Sendable, Hashable {
  /// The name in capitals, as the usage line shows it.
  package let name: String
  package let help: String
  package let isRequired: Bool
  /// Whether the argument takes all remaining words. Only the last argument may.
  package let isRepeating: Bool
  /// The command's use of the value, if the value is a path.
  package let role: PathRole
  /// The names that the value consists of.
  package let kind: ValueKind
  /// The words that the argument accepts; empty if it accepts any value.
  package let choices: [Choice]

  package init(
    _ name: String, _ help: String, isRequired: Bool = true, isRepeating: Bool = false,
    role: PathRole = .none, kind: ValueKind = .text, choices: [Choice] = []
  ) {
    self.name = name
    self.help = help
    self.role = role
    self.isRequired = isRequired
    self.isRepeating = isRepeating
    self.kind = kind
    self.choices = choices
  }

  /// Creates an argument that accepts a few words, with a help that lists the effects of the words.
  package init(_ name: String, _ purpose: String, oneOf choices: [Choice]) {
    var purpose = purpose
    for (place, choice) in choices.enumerated() {
      purpose += place == 0 ? ": " : place < choices.count - 1 ? ", " : ", and "
      purpose += "'\(choice.word)' \(choice.effect)"
    }
    self.init(name, purpose + ".", choices: choices)
  }
}

/// A word that an argument accepts: `list`, "shows the attachments".
package struct Choice: Sendable, Hashable {
  package let word: String
  /// The effect of the word, as the rest of a sentence that begins with the word.
  package let effect: String
  /// The options that belong to this word. An option that belongs to no word of a command belongs to all of them.
  package let options: [Option]
  /// The names that the words after this word consist of; `nil` for the names that the arguments themselves declare.
  package let kind: ValueKind?

  package init(_ word: String, _ effect: String, options: [Option] = [], kind: ValueKind? = nil) {
    self.word = word
    self.effect = effect
    self.options = options
    self.kind = kind
  }
}

/// An option that the command line sets by its name: `--digest`, or with a value `--diff OTHER`.
package struct Option: Sendable, Hashable {
  /// The name without its dashes.
  package let name: String
  /// A letter that stands for the name after a single dash, if any.
  package let shortName: Character?
  /// A name that the option had in earlier versions. Scripts may use it, and help does not show it.
  package let formerName: String?
  /// The name of the value in capitals; `nil` for an option without a value.
  package let valueName: String?
  /// The accepted values; empty if the option accepts any value.
  package let choices: [String]
  package let help: String
  /// The command's use of the value, if the value is a path.
  package let role: PathRole
  /// The names that the value consists of.
  package let kind: ValueKind

  package init(
    _ name: String, short: Character? = nil, formerly formerName: String? = nil,
    value: String? = nil, choices: [String] = [], role: PathRole = .none, kind: ValueKind = .text,
    _ help: String
  ) {
    self.name = name
    shortName = short
    self.formerName = formerName
    self.role = role
    self.kind = kind
    valueName = value
    self.choices = choices
    self.help = help
  }

  /// The option in the form of a command line: `--diff OTHER`, `--format text|json`, `-m, --message MESSAGE`.
  package var spelling: String {
    (shortName.map { "-\($0), " } ?? "") + usage
  }

  /// The option in the form of the usage line: `--diff OTHER`.
  package var usage: String {
    guard let valueName else { return "--\(name)" }
    return "--\(name) \(choices.isEmpty ? valueName : choices.joined(separator: "|"))"
  }
}

/// A command line as an example, and its effect.
package struct Example: Sendable, Hashable {
  package let line: String
  package let explanation: String

  package init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}
