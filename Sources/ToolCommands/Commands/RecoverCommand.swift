import CommandInterface
import Comparison
import Documents
import DurableFiles
import JSONText
import ModelNotations
import ObjectModel
import QuireTools
import Recovery
import StoreInterface

/// The command `quire recover`.
enum RecoverCommand {
  static let file = Argument(
    "FILE", "The damaged file, or a document with damaged parts.", role: .input)
  static let output = Option(
    "output", value: "PATH", role: .output, "The path of the new store or document.")
  static let model = Option(
    "model", value: "MODEL", role: .input, "The model, for a file without a readable model.")
  static let keepInvalid = Option(
    "keep-invalid", "Keeps objects without required values. The new store is then invalid.")

  /// Returns the command. It opens stores through `reader` and reads models through `models`.
  static func command(_ reader: StoreReader, _ models: ModelReader) -> Command {
    Command(
      "recover", "copies the readable objects of a damaged file into a new store",
      discussion: """
        In a block file, plain or compressed, the command reads every block with correct checksums: the \
        blocks of the last commit with a readable record, the blocks that were saved after it, and older \
        blocks in place of unreadable ones. In an XML file it reads everything before the first damage.

        An object outside the damaged bytes has its last saved values. Another recovered object has values \
        of some earlier save. References to lost objects are cleared, and objects that require a lost object \
        are omitted. So 'quire validate' reports no finding in the result that the file did not have before.

        In a document each store is recovered separately. Attachments with correct checksums are copied. The \
        new document contains only one version of one head: of 'main', or of the head that DOC@HEAD names. \
        If the manifest is unreadable, the command uses the newest file of each store.

        FILE is not changed. The exit code is 1 if something is lost or may be old, and 4 if nothing can be \
        recovered.
        """,
      arguments: [file],
      options: [
        output, ConvertCommand.store, model, keepInvalid, ConvertCommand.force, .format,
      ],
      examples: [
        Example(
          "quire recover Trips.store --output Trips.new",
          "Writes a new store, and reports the losses."),
        Example(
          "quire recover Trips.store --output Trips.xml --model Trips.momd",
          "Writes an XML file, with a model for a file that has lost its own."),
      ]
    ) { invocation in
      guard let made = try invocation.output(output, on: reader.disk) else {
        throw CommandError.wrongUsage(
          "'recover' needs --output.", hint: "Give the path of the new store.")
      }
      let path = made.path
      let place = try VersionedPath(invocation[file], on: reader.disk)
      if try reader.isDocument(place.path) {
        return try recover(document: place, into: made, reader, models, invocation)
      }
      if try reader.isDatabase(invocation[file]) {
        throw CommandError(
          .unreadable,
          "'\(invocation[file])' is an SQLite database. 'quire recover' can't repair it.",
          hint: "SQLite's own tool recovers the readable rows: sqlite3 FILE .recover")
      }
      if let type = (try? reader.places.backend(ofStoreAt: invocation[file]))?.type,
        !ConvertCommand.types.contains(where: { $0.value == type })
      {
        throw CommandError(
          .plugin,
          "'\(oneLine(invocation[file]))' is a store of type \(type.rawValue), which a plug-in implements. "
            + "'quire recover' can't repair it.",
          hint:
            "'quire convert \(CommandError.quoted(invocation[file])) \(CommandError.quoted(path))' copies the "
            + "objects if the plug-in can read them.")
      }
      let backend = try ConvertCommand.backend(
        forStoreAt: path, from: invocation[file], invocation, reader)
      try made.checkFree()
      let given = try invocation.value(of: model).map { try models.model(at: $0).model }
      let line = ProgressLine(invocation.console.messages, "recovering")
      defer { line.end() }
      let recovery = try StoreRecovery(
        of: invocation[file], on: reader.disk, model: given,
        keepsInvalid: invocation.has(keepInvalid), progress: line.show)
      let report = try made.makeStore(backend.type, in: reader.places) { temporary in
        let store = try backend.create(
          at: temporary, model: recovery.snapshot.model, on: reader.disk, recovery.creation)
        return try store.closing {
          try recovery.copy(to: store) { ConvertCommand.show($0, line) }
        }
      }
      line.end()
      let console = invocation.console
      switch invocation.format {
      case .text: try console.output.write(printable(text(report, path, isAll: true)))
      case .json: try console.output.writeLine(json(report, path))
      }
      return report.isComplete ? .done : .no
    }
  }

  /// Recovers the readable objects from the stores of a damaged document into a new document.
  private static func recover(
    document place: VersionedPath, into output: Output, _ reader: StoreReader,
    _ models: ModelReader,
    _ invocation: Invocation
  ) throws -> ExitCode {
    let (folder, path) = (place.path, output.path)
    let head = try reader.headPlace(invocation[file]).head ?? HeadName.main
    guard !invocation.has(ConvertCommand.store) else {
      throw CommandError.wrongUsage(
        "The recovered stores of a document keep their types.",
        hint: "'quire save-as' changes them.")
    }
    try OutputEnding.checkDocument(path, from: folder)
    try output.checkFree()
    let given = try invocation.value(of: model).map { try models.model(at: $0).model }
    let console = invocation.console
    let rescue = try DocumentRescue(of: folder, head: head, on: reader.disk)
    func note(_ finding: DocumentRescue.Finding) throws {
      try console.messages.writeLine("note: \(sentence(finding, folder))")
    }
    for finding in rescue.findings { try note(finding) }
    let line = ProgressLine(console.messages, "recovering")
    defer { line.end() }
    try rescue.read(
      model: given, keepsInvalid: invocation.has(keepInvalid), progress: line.show, note: note)
    if rescue.isEmpty {
      throw CommandError(
        .unreadable,
        "Nothing can be recovered from '\(oneLine(folder))': none of its stores can be read.",
        hint: "Look for a copy of the document, or for files of its stores in another folder.")
    }
    let lost = try output.making {
      try rescue.write(
        to: path, overwriting: output.overwrites, in: reader.places
      ) { ConvertCommand.show($0, line) }
    }
    line.end()
    for name in lost {
      try console.messages.writeLine("note: The attachment \"\(oneLine(name))\" is lost.")
    }
    let (reports, isComplete) = (rescue.reports, rescue.isComplete)
    switch invocation.format {
    case .text:
      for (name, report) in reports.sorted(by: { $0.key < $1.key }) {
        if reports.count > 1 { try console.output.writeLine("\(oneLine(name)):") }
        try console.output.write(printable(text(report, path, isAll: isComplete)))
      }
    case .json:
      try console.output.writeLine(
        JSON.object([
          "path": .string(path), "complete": .boolean(isComplete),
          "stores": .members(
            reports.sorted { $0.key < $1.key }.map {
              JSON.Member(name: $0.key, value: json($0.value, path))
            }), "lostAttachments": .strings(lost),
        ]))
    }
    return isComplete ? .done : .no
  }

  // MARK: - Messages

  private static func sentence(_ finding: DocumentRescue.Finding, _ folder: String) -> String {
    switch finding {
    case .manifest(let fault, let isReadable):
      return
        (isReadable
        ? "The manifest is damaged, so names and values in it may be wrong: "
        : "The manifest can't be read, so its names are lost: ")
        + CommandError(explaining: fault).message
    case .heads(let names):
      let commands = names.map {
        "'quire recover \(CommandError.quoted("\(folder)@\($0)")) --output PATH'"
      }
      return "The new document has no other heads. Recover each of them into another document: "
        + commands.joined(separator: ", ") + "."
    case .storeOnServer(let name, let address):
      return "The store \(oneLine(name)) lies on a server, and is not copied. "
        + "Copy its objects with 'quire convert \(oneLine(address ?? "ADDRESS")) FILE'."
    case .lostStore(let name, let error): return "\(oneLine(name)): \(error)"
    }
  }

  /// - Parameter isAll: Whether nothing else of the document is lost.
  private static func text(_ report: RecoveryReport, _ path: String, isAll: Bool) -> String {
    var table = Table()
    table.add("recovered", "\(Wording.count(report.objectCount, "object")), into \(path)")
    for (name, count) in report.objectCounts.sorted(by: { $0.key < $1.key }) {
      table.add("", "\(name): \(count)")
    }
    switch report.commit {
    case let commit? where report.isNewest: table.add("state", "of the last commit, \(commit)")
    case let commit?: table.add("state", "of commit \(commit), with rows found after it")
    case nil: table.add("state", "of no commit: blocks were read one by one")
    }
    var text = table.text()
    if report.isComplete {
      return text + (isAll ? "\nNothing is lost.\n" : "\nNo object of this store is lost.\n")
    }
    var lost = Table()
    for range in report.unreadRanges.prefix(20) {
      lost.add(
        "bytes \(range.lowerBound) to \(range.upperBound - 1)",
        "\(Wording.count(range.count, "byte")) that can't be read")
    }
    if report.unreadRanges.count > 20 {
      lost.add("and more", "\(report.unreadByteCount) bytes in all can't be read")
    }
    for (name, count) in report.lostCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "at least \(Wording.count(count, "object")) lost")
    }
    if report.lostRowCount > 0 {
      lost.add("elsewhere", "\(Wording.count(report.lostRowCount, "row")) lost")
    }
    for (name, count) in report.uncertainCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "at most \(Wording.count(count, "object")) older than the last save")
    }
    if report.laterRowCount > 0 {
      lost.add("after the commit", "\(Wording.count(report.laterRowCount, "row")) recovered")
    }
    if report.olderRowCount > 0 {
      lost.add("older blocks", "\(Wording.count(report.olderRowCount, "row")) recovered")
    }
    for (name, count) in report.lostValueCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "\(Wording.count(count, "value")) lost")
    }
    if report.lostValueCount > 0 {
      lost.add("large values", "\(report.lostValueCount) lost")
    }
    for (name, count) in report.cutCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "\(Wording.count(count, "reference")) to missing objects cleared")
    }
    for (name, count) in report.droppedCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(
        name, "\(Wording.count(count, "object")) omitted, without a required value or reference")
    }
    text += "\n" + lost.text()
    for note in report.notes { text += "note: \(note)\n" }
    return text
  }

  private static func json(_ report: RecoveryReport, _ path: String) -> JSON {
    func counts(_ counts: [String: Int]) -> JSON {
      .members(
        counts.sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0.key, value: .number($0.value))
        })
    }
    return .object([
      "path": .string(path), "complete": .boolean(report.isComplete),
      "commit": report.commit.map { .number(Int($0)) }, "newest": .boolean(report.isNewest),
      "byteCount": .number(report.byteCount), "unreadByteCount": .number(report.unreadByteCount),
      "unreadRanges": .array(
        report.unreadRanges.map {
          .object(["start": .number($0.lowerBound), "end": .number($0.upperBound)])
        }),
      "objects": counts(report.objectCounts), "lost": counts(report.lostCounts),
      "lostRows": .number(report.lostRowCount), "uncertain": counts(report.uncertainCounts),
      "laterRows": .number(report.laterRowCount), "olderRows": .number(report.olderRowCount),
      "lostValues": .number(report.lostValueCount),
      "lostPropertyValues": counts(report.lostValueCounts), "cut": counts(report.cutCounts),
      "dropped": counts(report.droppedCounts), "notes": .strings(report.notes),
    ])
  }
}
