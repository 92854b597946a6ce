import CommandInterface
import DurableFiles
import JSONText
import ObjectModel
import StoreInterface
import Validation

/// The command `quire report`.
enum ReportCommand {
  static let entities = Option(
    "entity", value: "ENTITIES", kind: .entities,
    "The entities with a table of rows, separated by commas, each with its subentities. The default "
      + "is all entities.")
  static let limit = Option(
    "limit", value: "COUNT",
    "The maximum number of rows of each entity; the default is "
      + "\(HTMLText.number(ReportPage.usualRowCount)). If there are more rows, the page shows a sample."
  )
  static let unchecked = Option(
    "unchecked", "Leaves out the findings of the validator, which take the longest time.")
  static let output = Option(
    "output", value: "FILE", role: .printed(canBeFolder: false),
    "The file for the page. The default, and -, is the standard output.")
  static let force = Option(Option.forceName, "Replaces an existing file.")

  /// Returns the command. It opens documents and stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "report", "writes a page about a document or a store for a browser",
      discussion: """
        The page is one file of HTML that needs no network. It shows the kind and the identity, the model as a \
        drawing, the numbers of objects and the sizes as bars, the versions over time, the findings of \
        the validator, a table of the rows of each entity to sort and filter, and the attachments.

        If an entity has more rows than --limit, the page shows a sample in which each row has the same \
        chance. The same document gives the same page. Texts above \
        \(HTMLText.number(ReportTable.mostCharacters)) characters are cut. A to-many relationship is the \
        number of its objects, and a to-one relationship is a link if the other object is on the page. \
        Pictures above 2 MB, and above 100 kB in rows, are shown as their sizes.

        The page contains data of the document. It is as confidential as the document.

        The exit code is 1 if the validator finds errors, and 4 if rows of a damaged store can't be read. The \
        page is written in both cases. The validator takes about 150 MB of memory for each million objects; \
        the page takes about as much.
        """,
      arguments: [.store],
      options: [
        output, entities, limit, unchecked, force, .version, .storeName, .storeModel, .damaged,
        .format,
      ],
      examples: [
        Example(
          "quire report Trips.quire --output Trips.html", "Writes a page to open in a browser."),
        Example(
          "quire report Trips.quire --output old.html --version 3 --entity Trip",
          "Shows version 3 of a document, with the rows of one entity."),
      ]
    ) { invocation in
      let made = try made(on: reader.disk, invocation)
      let most = try invocation.number(of: limit) ?? ReportPage.usualRowCount
      let source = try ReportSource(reader, models, invocation)
      defer { source.close() }
      let names = try FetchCommand.families(of: entities, source.model, invocation)
      try made?.checkFree()
      let findings =
        invocation.has(unchecked)
        ? nil
        : try ValidateCommand.report(
          on: invocation[.store], by: Validator(backends: reader.backends), on: reader.disk,
          invocation.console)
      let page = ReportPage(source, findings, of: names, mostRows: most)
      let line = ProgressLine(invocation.console.messages, "writing the page")
      defer { line.end() }
      let summary: ReportPage.Summary
      if let made {
        summary = try made.writeFile { writer in
          try page.write(progress: line.show) { bytes in try writer.write(bytes) }
        }
        line.end()
        try write(summary, findings, made.path, invocation)
      } else {
        let output = invocation.console.output
        summary = try page.write(progress: line.show) { try output.write(bytes: $0) }
        line.end()
      }
      return try exitCode(summary, findings, invocation)
    }
  }

  /// Returns the file for the page; `nil` for the standard output.
  private static func made(on disk: any Disk, _ invocation: Invocation) throws -> Output? {
    if let made = try invocation.output(output, on: disk) {
      try OutputEnding.checkPage(made.path, from: invocation[.store])
      return made
    }
    guard !invocation.console.output.isTerminal else {
      throw CommandError.wrongUsage(
        "A page of HTML is not written to a terminal.", hint: "Give a file with --output.")
    }
    if invocation.format == .json {
      throw CommandError.wrongUsage(
        "--format json describes the written file, but the page goes to the standard output.",
        hint: "Give a file with --output.")
    }
    return nil
  }

  // MARK: - Results

  private static func write(
    _ summary: ReportPage.Summary, _ findings: ValidationReport?, _ path: String,
    _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    let findingCount = findings.map { $0.counts.values.reduce(0, +) }
    switch invocation.format {
    case .text:
      let entities =
        summary.entityCount == 1 ? "1 entity" : "\(summary.entityCount) entities"
      let found = findingCount.map {
        $0 == 0 ? ", no findings" : ", " + Wording.count($0, "finding")
      }
      try output.writeLine(
        "\(oneLine(path)): \(entities), \(Wording.count(summary.rowCount, "row")), "
          + "\(Wording.count(summary.byteCount, "byte"))\(found ?? "")")
    case .json:
      try output.writeLine(
        JSON.object([
          "path": .string(path), "byteCount": .number(summary.byteCount),
          "entityCount": .number(summary.entityCount), "rowCount": .number(summary.rowCount),
          "findingCount": findingCount.map { .number($0) },
        ]))
    }
  }

  /// Returns the exit code, and writes a message about each damage that the page states.
  private static func exitCode(
    _ summary: ReportPage.Summary, _ findings: ValidationReport?, _ invocation: Invocation
  ) throws -> ExitCode {
    for (entity, error) in summary.faults {
      let cause = CommandError(explaining: error, words: [invocation[.store]])
      invocation.console.report(
        CommandError(
          cause.exitCode,
          "The rows of '\(oneLine(entity))' can't be read completely: \(cause.message)",
          hint: cause.hint ?? CommandError.recoverHint(invocation[.store], [])),
        asJSON: invocation.format == .json)
    }
    if let fault = summary.faults.first { return CommandError(explaining: fault.error).exitCode }
    return findings?.verdict == .invalid ? .no : .done
  }
}
