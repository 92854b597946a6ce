import CommandInterface
import Comparison
import Documents
import JSONText
import StoreInterface

/// The command `quire undo`.
enum UndoCommand {
  static let steps = Option(
    "steps", value: "COUNT", "The number of versions to take back. The default is 1.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "undo", "takes back the last version of a document",
      discussion: """
        The command adds a version with the content of the version before the last one, so nothing is lost: \
        'quire revert' returns to any version. It prints the changes that this makes, in the form of 'quire \
        diff'; attachments have lines of their own.

        Undo again takes back the version before that one. It never takes back an undo: 'quire history' marks \
        the versions that undo made, as 'undone to NUMBER', and undo continues from that number. After any \
        other save, also by 'quire revert', undo takes back that save first. If a version was removed, undo \
        restores the newest version before it that is left. A migration can't be taken back. 'quire redo' \
        restores what undo has taken back.
        """,
      arguments: [.document],
      options: [steps, FetchCommand.all, .dryRun, .message, .author, .format],
      changing: [.document],
      examples: [
        Example("quire undo Trip.quire", "Takes back the last version."),
        Example(
          "quire undo Trip.quire --steps 3 --dry-run",
          "Shows the changes that taking back three versions would make."),
      ]
    ) { invocation in
      try run(
        invocation, reader, done: "The version is taken back.",
        target: { try $0.versionBeforeUndo(steps: $1) },
        change: { try $0.undo(steps: $1, author: $2.author, message: $2.message) })
    }
  }

  /// Makes a version with the content of another one, and prints the changes that this makes.
  ///
  /// - Parameters:
  ///   - done: The sentence about the version, for an error after it is saved.
  ///   - target: Returns the version with the content after so many steps.
  ///   - change: Makes the version.
  static func run(
    _ invocation: Invocation, _ reader: StoreReader, done: String,
    target: (Document, Int) throws -> Manifest.VersionEntry,
    change make: (Document, Int, SaveOrigin) throws -> Int64
  ) throws -> ExitCode {
    let path = invocation[.document]
    let origin = try invocation.saveOrigin()
    let count = try invocation.number(of: steps, atLeast: 1) ?? 1
    let isTrial = invocation.has(.dryRun)
    let document = try reader.document(path, access: isTrial ? .readOnly : .exclusive)
    defer { try? document.close() }
    let target = try target(document, count)
    try checkModel(of: target, in: document, path)
    let before = document.manifest
    let change = try VersionHistory(document).change(from: before.number, to: target.number)
    if !isTrial {
      invocation.console.outcome.willChange("Nothing was saved.")
      _ = try make(document, count, origin)
      try invocation.console.outcome.didChange(done)
    }
    let report = Report(
      path: path, from: before.number, to: target.number, origin: target.origin,
      version: isTrial ? nil : document.manifest.number, change: change,
      attachments: AttachmentChange.all(in: before, from: before.number, to: target.number),
      showsAll: invocation.has(FetchCommand.all))
    try report.write(invocation)
    return .done
  }

  private static func checkModel(
    of target: Manifest.VersionEntry, in document: Document, _ path: String
  ) throws(CommandError) {
    guard target.model != document.manifest.model else { return }
    throw CommandError(
      .modelMismatch,
      "Version \(target.number) of '\(oneLine(path))' has the model '\(oneLine(target.model))', and the "
        + "document has the model '\(oneLine(document.manifest.model))'. A migration can't be taken back.",
      hint: SaveAsCommand.hint(forVersion: target.number, of: path))
  }

  /// The result of an undo.
  private struct Report {
    let path: String
    /// The number of the version before the undo.
    let from: Int64
    /// The number of the version with the restored content.
    let to: Int64
    /// The number of the version that has made this content, as 'quire history' shows it.
    let origin: Int64
    /// The number of the new version; `nil` for a dry run.
    let version: Int64?
    let change: VersionChange
    let attachments: [AttachmentChange]
    /// Whether a terminal gets all changes, and not a screenful.
    let showsAll: Bool

    func write(_ invocation: Invocation) throws {
      switch invocation.format {
      case .text: try writeText(invocation.console)
      case .json: try writeJSON(invocation.console.output)
      }
    }

    private func writeText(_ console: Console) throws {
      let output = console.output
      let text = DiffText(output, width: console.width)
      var lines = ScreenfulOfLines(console, showsAll: showsAll)
      var store: String?
      try change.forEachObject { object, name in
        if let name, name != store { try output.writeLine("store \(oneLine(name))") }
        store = name
        try lines.write { text.line(object) }
      }
      for one in attachments { try lines.write { one.line(output) } }
      if lines.count == 0 { try output.writeLine("No differences.") }
      try lines.noteRest(of: "change")
      let content = "the content of version \(origin)"
      try output.writeLine(
        version.map { "\n\(oneLine(path)) is at version \($0), with \(content)." }
          ?? "\n\(oneLine(path)) would have \(content).")
    }

    private func writeJSON(_ output: Console.Stream) throws {
      var changes: [JSON] = []
      try change.forEachObject { changes.append(DiffJSON.json($0, $1)) }
      try output.writeLine(
        .object([
          "path": .string(path), "from": .number("\(from)"), "to": .number("\(to)"),
          "version": version.map { .number("\($0)") }, "saved": .boolean(version != nil),
          "changes": .array(changes),
          "attachments": attachments.isEmpty ? nil : .array(attachments.map(\.json)),
        ]))
    }
  }
}
