import CommandInterface
import DurableFiles
import Interchange
import ObjectModel
import StoreInterface

/// The command `quire export`.
enum ExportCommand {
  static let entities = Option(
    "entity", value: "ENTITIES", kind: .entities,
    "The entities to export, separated by commas, each with its subentities. The default is all "
      + "entities."
  )
  static let form = Option(
    "format", value: "FORMAT", choices: ["jsonl", "csv", "arrow", "sql"],
    "The format of the objects. The default follows from the name of the output, or is jsonl.")
  static let output = Option(
    "output", value: "PATH", role: .printed(canBeFolder: false),
    "Writes a file instead of standard output. For csv and arrow with several entities the path is a "
      + "folder of files.")
  static let ids = Option(
    "ids",
    "With csv, begins each line with the identifier of its object, also for entities to which no relationship leads."
  )
  static let force = Option(Option.forceName, "Replaces existing files.")

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "export", "writes objects as text that 'quire import' can read, or as columns of Arrow",
      discussion: """
        With jsonl each object is one line of JSON, with its entity as @entity, its identifier as @id, and \
        its properties. Relationships contain identifiers or lists of identifiers, in the order of an \
        ordered relationship. A composite attribute is an object with its parts. Decimals, NaN and \
        infinities are text, so no digit is lost. Dates are ISO 8601 with all digits, and bytes are base64. \
        Properties without a value are omitted.

        With csv there is one file for each entity, and its first line contains the column names, in the order of the model. \
        The first column is @id for an entity to which a relationship leads, because other objects contain its \
        identifiers, and for every entity with --ids. An empty \
        cell is a missing value, and "" is empty text. A list contains identifiers separated by spaces. Each part \
        of a composite attribute has its own column, such as place.latitude.

        With arrow there is one file for each entity, for data frames and databases: pandas, Polars and DuckDB read it \
        in place. Dates are timestamps in UTC, days are dates without times, decimals have the digits that the column needs, and \
        relationships are numbers as in @id, to-many ones in lists. 'quire import' does not read such files.

        With sql the output is a text that makes a database of ordinary tables: 'quire export Trips.quire --format sql | \
        sqlite3 trips.db'. Each entity has a table with the key _id, relationships are foreign keys and tables of \
        links, and 'quire new' and 'quire import' read the database.

        On a terminal, control characters are escaped. Files and pipes receive the text unchanged. For each \
        million objects the command takes about 60 MB of memory.
        """,
      arguments: [.store],
      options: [entities, form, output, ids, force, .version, .storeName, .storeModel, .damaged],
      examples: [
        Example("quire export Trips.store > Trips.jsonl", "Writes all objects, one on each line."),
        Example(
          "quire export Trips.store --entity Trip --format csv --output Trip.csv",
          "Writes a table for other programs."),
        Example(
          "quire export Trips.store --format csv --output tables",
          "Writes one file for each entity into a folder."),
        Example(
          "quire export Trips.store --entity Trip --output trips.arrow",
          "Writes a table with the types of its columns."),
      ]
    ) { invocation in
      let made = try invocation.output(output, on: reader.disk)
      let format = format(invocation, made?.path)
      if let path = made?.path, !invocation.has(form) {
        try OutputEnding.checkText(path, from: invocation[.store])
      }
      let store = try reader.open(invocation[.store], invocation, models)
      let snapshot = try store.snapshot()
      var export = try ObjectExport(of: snapshot, as: format)
      export.writesIdentifiers = invocation.has(ids)
      let names = try names(invocation, snapshot.model, export)
      if format.hasTables, names.count > 1, made == nil {
        throw CommandError.wrongUsage(
          "With \(format.rawValue) each of the \(names.count) entities needs its own file.",
          hint: "Give a folder with --output, or one entity with --entity.")
      }
      if format == .arrow, made == nil, invocation.console.output.isTerminal {
        throw notForTerminals
      }
      let run = try ExportRun(export, names, invocation.console)
      if let made {
        if export.needsFolder(for: names, at: made.path) {
          let ending = "." + format.rawValue
          try made.writeFiles(names.map { $0 + ending }) { file, writer in
            try run.write(String(file.dropLast(ending.count))) { bytes in try writer.write(bytes) }
          }
        } else {
          try made.checkFree()
          try made.writeFile { writer in
            for name in names { try run.write(name) { bytes in try writer.write(bytes) } }
          }
        }
      } else {
        let output = invocation.console.output
        for name in names {
          try run.write(name, isPipe: true) { bytes in
            guard output.isTerminal else { return try output.write(bytes: bytes) }
            // Every piece ends with a line break, so no piece ends within a character.
            try output.write(
              bytes: format == .csv ? TerminalText.shown(bytes) : TerminalText.shownJSON(bytes))
          }
        }
      }
      try run.finish(writesReport: made != nil)
      return .done
    }
  }

  /// The error of an output of bytes to a terminal.
  static let notForTerminals = CommandError.wrongUsage(
    "Columns of Arrow are bytes, which a terminal can't show.",
    hint: "Send them into a file or to a program.")

  private static func format(_ invocation: Invocation, _ path: String?) -> ExportFormat {
    if let name = invocation.value(of: form) { return ExportFormat(rawValue: name)! }
    return path.flatMap(ExportFormat.init(path:)) ?? .jsonl
  }

  /// Returns the entities to write, in the order of the export.
  private static func names(
    _ invocation: Invocation, _ model: Model, _ export: ObjectExport
  ) throws -> [String] {
    guard let wanted = try FetchCommand.families(of: entities, model, invocation) else {
      return export.entities
    }
    return export.entities.filter { wanted.contains($0) }
  }
}

/// One run of an export, with its progress messages.
private final class ExportRun {
  private let export: ObjectExport
  private let console: Console
  private let line: ProgressLine
  private let total: Int
  private var report = ObjectExport.Report()

  init(_ export: ObjectExport, _ names: [String], _ console: Console) throws {
    self.export = export
    self.console = console
    line = ProgressLine(console.messages, "exporting")
    // Objects are counted only if a terminal shows the progress.
    total =
      console.messages.isTerminal ? try names.reduce(0) { try $0 + export.count(of: $1) } : 0
  }

  func write(
    _ entity: String, isPipe: Bool = false, to sink: ([UInt8]) throws -> Void
  ) throws {
    let before = report.objectCount
    let part = try export.write(entity, isPipe: isPipe) { done in
      line.show(Double(before + done) / Double(max(1, total)))
    } to: { bytes in
      if !bytes.isEmpty { try sink(bytes) }
    }
    report.add(part)
  }

  func finish(writesReport: Bool) throws {
    line.end()
    if report.lostReferenceCount > 0 {
      try console.messages.writeLine(
        "note: \(Wording.count(report.lostReferenceCount, "reference")) to missing objects "
          + (report.lostReferenceCount == 1 ? "was omitted." : "were omitted."))
    }
    if writesReport {
      try console.messages.writeLine(
        "\(Wording.count(report.objectCount, "object")) exported.")
    }
  }
}
