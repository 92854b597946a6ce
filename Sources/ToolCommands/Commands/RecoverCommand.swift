import Archives
import Documents
import DurableFiles
import JSONText
import ObjectModel
import Recovery
import StoreInterface

/// The command `quire recover`.
enum RecoverCommand {
  static let file = Argument(
    "FILE", "The damaged file, or the document with damaged parts.", role: .input)
  static let output = Option(
    "output", value: "PATH", role: .output, "The new store, or the new document.")
  static let model = Option(
    "model", value: "MODEL", role: .input, "The model, for a file that has lost its own.")
  static let keepInvalid = Option(
    "keep-invalid", "Keeps objects that lack what they must have; the result is not valid then.")

  /// Returns the command. It opens stores through `reader` and reads models through `models`.
  static func command(_ reader: StoreReader, _ models: ModelReader) -> Command {
    Command(
      "recover", "gets what can be read out of a damaged file, into a new store",
      discussion: """
        Of a block file, plain or compressed, every block counts that matches its checksums: those of the \
        last commit whose record can be read, what was saved behind it, and older blocks in the place of \
        ones that can't be read. Of an XML document everything up to the first damage counts.

        An object of which nothing lay in the damaged bytes is there as the last save left it. Any other \
        that is there has values that it had once. What led to an object that is lost leads nowhere, and \
        objects that can't be without it are left out, so that 'quire validate' finds nothing in the result \
        that it would not have found before.

        Of a document each store is recovered by itself, and attachments whose bytes are what they were go \
        along; the result is a document that begins its versions anew. If the manifest can't be read, the \
        newest file of each store is taken.

        FILE is not written to. The exit code is 1 when something is lost or may be older than it was, \
        and 4 when nothing can be got out of the file.
        """,
      arguments: [file],
      options: [
        output, ConvertCommand.store, model, keepInvalid, ConvertCommand.force, .format,
      ],
      examples: [
        Example(
          "quire recover Trips.store --output Trips.new", "Says what is lost, and saves the rest."),
        Example(
          "quire recover Trips.store --output Trips.xml --model Trips.momd",
          "Writes a document to look into, with the model that the file has lost."),
      ]
    ) { invocation in
      guard let made = try invocation.output(output, on: reader.disk) else {
        throw CommandError.wrongUsage(
          "'recover' needs --output.", hint: "Say where the new store is to be.")
      }
      let path = made.path
      if reader.isDocument(invocation[file]) {
        return try recover(document: invocation[file], into: made, reader, models, invocation)
      }
      if reader.isDatabase(invocation[file]) {
        throw CommandError(
          .unreadable,
          "'\(invocation[file])' is an SQLite database, which 'quire recover' does not mend.",
          hint: "SQLite's own tool gets out what it can: sqlite3 FILE .recover")
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
        let report = try recovery.copy(to: store) { ConvertCommand.show($0, line) }
        try store.close()
        return report
      }
      line.end()
      let console = invocation.console
      switch invocation.format {
      case .text: try console.output.write(printable(text(report, path)))
      case .json: try console.output.writeLine(json(report, path))
      }
      return report.isComplete ? .done : .no
    }
  }

  /// Recovers the readable objects from the stores of a damaged document into a new document.
  private static func recover(
    document folder: String, into output: Output, _ reader: StoreReader, _ models: ModelReader,
    _ invocation: Invocation
  ) throws -> ExitCode {
    let path = output.path
    guard !invocation.has(ConvertCommand.store) else {
      throw CommandError.wrongUsage(
        "The stores of a document stay of their types.", hint: "'quire save-as' changes them.")
    }
    try OutputEnding.checkDocument(path, from: folder)
    try output.checkFree()
    let given = try invocation.value(of: model).map { try models.model(at: $0).model }
    // The stores of a packed document are read inside the archive, without a check of the archive's checksums.
    let isPacked = try reader.disk.status(of: folder).kind == .file
    let disk: any Disk = isPacked ? PackedDisk(try Archive(folder, on: reader.disk)) : reader.disk
    let remains = try DocumentRemains(folder, on: disk)
    let console = invocation.console
    if let fault = remains.fault {
      try console.messages.writeLine(
        (remains.manifest == nil
          ? "note: The manifest can't be read, so its names are lost: "
          : "note: The manifest is damaged, so names and values in it may be wrong: ")
          + CommandError(explaining: fault).message
      )
    }
    let line = ProgressLine(console.messages, "recovering")
    defer { line.end() }
    var isComplete = remains.fault == nil
    var reports: [String: RecoveryReport] = [:]
    var rescued: [RescuedStore] = []
    for (number, found) in remains.stores.enumerated() {
      let name = found.entry?.name ?? "store \(number + 1)"
      let recovery: StoreRecovery
      do {
        recovery = try StoreRecovery(
          of: found.path, on: disk, model: given ?? remains.model,
          keepsInvalid: invocation.has(keepInvalid), progress: line.show)
      } catch let error as RecoveryError {
        isComplete = false
        try console.messages.writeLine("note: \(oneLine(name)): \(error)")
        continue
      }
      let metadata = try recovery.snapshot.metadata
      rescued.append(
        RescuedStore(
          name: name, type: found.entry?.type ?? metadata.type ?? .binary,
          configuration: found.entry?.configuration, creation: recovery.creation,
          model: try recovery.snapshot.model
        ) { store in
          reports[name] = try recovery.copy(to: store) { ConvertCommand.show($0, line) }
        })
    }
    let lost = try output.making {
      try remains.rebuild(
        at: path, rescued, overwriting: output.overwrites, in: reader.places)
    }
    line.end()
    for name in lost {
      try console.messages.writeLine("note: The attachment \"\(oneLine(name))\" is lost.")
    }
    isComplete = isComplete && lost.isEmpty && reports.values.allSatisfy(\.isComplete)
    switch invocation.format {
    case .text:
      for (name, report) in reports.sorted(by: { $0.key < $1.key }) {
        if reports.count > 1 { try console.output.writeLine("\(oneLine(name)):") }
        try console.output.write(printable(text(report, path)))
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

  private static func text(_ report: RecoveryReport, _ path: String) -> String {
    var table = Table()
    table.add("recovered", "\(Wording.count(report.objectCount, "object")), into \(path)")
    for (name, count) in report.objectCounts.sorted(by: { $0.key < $1.key }) {
      table.add("", "\(name): \(count)")
    }
    switch report.commit {
    case let commit? where report.isNewest: table.add("state", "of the last commit, \(commit)")
    case let commit?: table.add("state", "of commit \(commit), and what was found behind it")
    case nil: table.add("state", "of no commit: blocks were taken one by one")
    }
    var text = table.text()
    if report.isComplete { return text + "\nNothing is lost.\n" }
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
      lost.add("behind the commit", "\(Wording.count(report.laterRowCount, "row")) taken")
    }
    if report.olderRowCount > 0 {
      lost.add("older blocks", "\(Wording.count(report.olderRowCount, "row")) taken")
    }
    for (name, count) in report.lostValueCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "\(Wording.count(count, "value")) lost")
    }
    if report.lostValueCount > 0 {
      lost.add("large values", "\(report.lostValueCount) lost")
    }
    for (name, count) in report.cutCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "\(Wording.count(count, "reference")) cut, to what is not there")
    }
    for (name, count) in report.droppedCounts.sorted(by: { $0.key < $1.key }) {
      lost.add(name, "\(Wording.count(count, "object")) left out, lacking what they must have")
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
