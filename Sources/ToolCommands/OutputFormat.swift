/// The form of a command's results.
enum OutputFormat: String, CaseIterable {
  /// For people.
  case text
  /// For programs.
  case json
}

extension Option {
  /// The form of the results. Every command that prints has it.
  static let format = Option(
    "format", value: "FORMAT", choices: OutputFormat.allCases.map(\.rawValue),
    "The form of the results; text unless said otherwise.")
}
