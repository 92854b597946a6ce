/// The format of a command's results.
package enum OutputFormat: String, CaseIterable {
  case text
  case json
}

extension Option {
  /// The option for the format of the results. Every command that prints results has this option.
  package static let format = Option(
    "format", value: "FORMAT", choices: OutputFormat.allCases.map(\.rawValue),
    "The format of the results; the default is text.")
}
