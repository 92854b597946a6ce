/// The format of a command's results.
package enum OutputFormat: String, CaseIterable {
  /// Text for a reader.
  case text
  /// JSON for other programs.
  case json
}

extension Option {
  /// The option for the format of the results. Every command that prints results has this option.
  package static let format = Option(
    "format", value: "FORMAT", choices: OutputFormat.allCases.map(\.rawValue),
    "The format of the results; the default is text.")
}
