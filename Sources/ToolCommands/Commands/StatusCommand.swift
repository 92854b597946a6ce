import CommandInterface
import DocumentExchange
import Documents
import JSONText

/// The command `quire status`.
enum StatusCommand {
  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "status", "shows what an exchange with each remote would do",
      discussion: """
        Shows the current head, the versions that each remote lacks, the newest versions of other devices that the \
        document has not taken in, and the heads with versions in conflict. Writes nothing.

        JSON is an object with the 'head', its 'version', and the 'remotes', each with 'name', 'path', 'toSend' (a \
        number of versions), 'toReceive' (versions), 'conflicts' (names of heads), 'skipped' (files that can't be read) \
        and 'problem' if the remote can't be read. The exit code is 1 if a version is in conflict or a remote can't be read.
        """,
      arguments: [.document], options: [.format], changing: [],
      examples: [Example("quire status Trip.quire", "Shows the state of all remotes.")]
    ) { invocation in
      let document = try reader.document(invocation[.document], access: .readOnly)
      defer { try? document.close() }
      var lines: [JSON] = []
      var isClean = true
      var texts = ["head '\(document.head)', version \(document.manifest.number)"]
      for (name, path) in try document.remoteFolders {
        do {
          let status = try Exchange(document, with: name).status()
          try ExchangeOutput.warn(of: status.skipped, invocation)
          isClean = isClean && status.conflictedHeads.isEmpty
          texts += text(name, path, status)
          lines.append(json(name, path, status))
        } catch let error as ExchangeError {
          isClean = false
          texts.append("\(name): \(oneLine(error.message))")
          lines.append(
            .object([
              "name": .string(name), "path": .string(path), "problem": .string(error.message),
            ]))
        }
      }
      if lines.isEmpty { texts.append("The document has no remote.") }
      let output = invocation.console.output
      switch invocation.format {
      case .text: for line in texts { try output.writeLine(line) }
      case .json:
        try output.writeLine(
          JSON.object([
            "head": .string(document.head), "version": .number("\(document.manifest.number)"),
            "remotes": .array(lines),
          ]))
      }
      return isClean ? .done : .no
    }
  }

  private static func text(_ name: String, _ path: String, _ status: Exchange.Status) -> [String] {
    var lines = [
      "\(name): \(oneLine(path))",
      "  versions to send: \(status.toSend)",
      "  new versions of other devices: \(status.toReceive.count)",
    ]
    lines += status.toReceive.map { "    \(ExchangeOutput.text($0))" }
    lines += status.conflictedHeads.map { "  in conflict: the head '\($0)'" }
    return lines
  }

  private static func json(_ name: String, _ path: String, _ status: Exchange.Status) -> JSON {
    .object([
      "name": .string(name), "path": .string(path), "toSend": .number(status.toSend),
      "toReceive": .array(status.toReceive.map(ExchangeOutput.json)),
      "conflicts": .strings(status.conflictedHeads), "skipped": ExchangeOutput.json(status.skipped),
    ])
  }
}
