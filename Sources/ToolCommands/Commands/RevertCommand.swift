import Documents
import JSONText

/// The command `quire revert`.
enum RevertCommand {
  static let version = Option(
    "to", value: "NUMBER", "The version that the document becomes, as 'quire history' lists it.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "revert", "makes a document what it was at an earlier version",
      discussion: """
        That is one more version: what came after is not forgotten, and can be gone back to.
        """,
      arguments: [.document], options: [version, .format],
      examples: [Example("quire revert Trip.quire --to 12", "Goes back to version 12.")]
    ) { invocation in
      guard let words = invocation.value(of: version) else {
        throw CommandError.wrongUsage(
          "Nothing says which version.", hint: "Give one with --to; 'quire history' lists them.")
      }
      let number = try StoreReader.versionNumber(words)
      let path = invocation[.document]
      let document = try reader.document(path, access: .exclusive)
      defer { try? document.close() }
      let before = document.manifest.number
      try document.revert(to: number)
      invocation.console.outcome.didChange("The document is reverted.")
      let now = document.manifest.number
      let output = invocation.console.output
      switch invocation.format {
      case .text:
        try output.writeLine(
          before == now
            ? "\(oneLine(path)) is as it was at version \(number) already."
            : "\(oneLine(path)) is at version \(now), as it was at version \(number).")
      case .json:
        try output.writeLine(
          JSON.object([
            "path": .string(path), "from": .number("\(before)"), "to": .number("\(number)"),
            "version": .number("\(now)"),
          ]))
      }
      return .done
    }
  }
}
