import CommandInterface
import Documents
import JSONText

/// The command `quire revert`.
enum RevertCommand {
  static let version = Option(
    "to", value: "NUMBER", kind: .version,
    "The version to return to: a number or a name that 'quire history' lists, a date, or --to=-1 for the version before the newest."
  )

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "revert", "returns a document to an earlier version",
      discussion: """
        The command adds a version with the old content. The versions in between stay, and 'quire revert' \
        can return to them too.
        """,
      arguments: [.document], options: [version, .message, .author, .format],
      changing: [.document],
      examples: [Example("quire revert Trip.quire --to 12", "Returns to version 12.")]
    ) { invocation in
      guard let words = invocation.value(of: version) else {
        throw CommandError.wrongUsage(
          "'revert' needs --to.", hint: "Give a number that 'quire history' lists.")
      }
      let path = invocation[.document]
      let origin = try invocation.saveOrigin()
      let document = try reader.document(path, access: .exclusive)
      defer { try? document.close() }
      let versions = document.versions
      let number: Int64
      if let named = versions.last(where: { $0.name == words }) {
        number = named.number
      } else {
        let reference = try StoreReader.versionReference(words)
        guard let found = reference.number(in: versions.map { ($0.number, $0.saved) }) else {
          throw StoreReader.noVersion(reference, of: path, known: versions.map(\.number))
        }
        number = found
      }
      let before = document.manifest.number
      do {
        try document.revert(
          to: number, author: origin.author,
          message: origin.message ?? "Returns to version \(number)")
      } catch let error as DocumentError where error.code == .incompatibleModel {
        throw CommandError(
          explaining: error, hint: SaveAsCommand.hint(forVersion: number, of: path))
      }
      try invocation.console.outcome.didChange("The document is reverted.")
      let now = document.manifest.number
      let output = invocation.console.output
      switch invocation.format {
      case .text:
        try output.writeLine(
          before == now
            ? "\(oneLine(path)) has the content of version \(number) already."
            : "\(oneLine(path)) is at version \(now), with the content of version \(number).")
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
