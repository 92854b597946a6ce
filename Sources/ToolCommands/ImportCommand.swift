import DurableFiles
import Interchange
import JSONText
import ObjectModel
import StoreInterface

/// `quire import`
enum ImportCommand {
  static let files = Argument(
    "FILE", "Files with objects; - is standard input.", isRepeating: true, role: .input)
  static let entity = Option(
    "entity", value: "ENTITY",
    "The entity of objects that do not say theirs; with csv, unless said, the file's own name.")
  static let form = Option(
    "format", value: "FORMAT", choices: ["jsonl", "csv"],
    "The form of the files; what their names tell, or jsonl.")
  static let update = Option(
    "update",
    "An object with the unique values of one that is there changes that one; only what the file says "
      + "of it changes.")
  static let sameStore = Option(
    "same-store",
    "The files were exported from this very store: an @id is the object's identifier, and changes it."
  )
  static let batch = Option(
    "batch", value: "COUNT",
    "Saves so many objects at a time, in little memory; a failing disk leaves the batches before.")

  static let report = Option(
    "report", value: "FORMAT", choices: ["text", "json"],
    "The form of what is said of the import; text unless said otherwise.")

  /// The command, over stores from the given reader.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "import", "reads objects from text as 'quire export' writes it",
      discussion: """
        Objects lead to one another by their @id, forwards too and from one file to another, and to objects \
        of the store by their identifiers there (2/p17). They get identifiers of their own in the store. \
        It is enough that one end of a relationship says where it leads. An object without an @id is led \
        to by nobody.

        Everything is checked first, and all is saved at once or nothing. What is wrong is said with file, \
        line and property, up to twenty at a time. With csv the first line has the names; a cell without \
        anything is no value, and "" is empty text.

        Derived attributes are computed anew, whatever the file says.
        """,
      arguments: [.store, files],
      options: [
        entity, form, update, sameStore, batch, .dryRun, .storeName, .storeModel, .writesForeign,
        report,
      ],
      examples: [
        Example("quire import Trips.store Trips.jsonl", "Inserts the objects of a file."),
        Example(
          "quire import Trips.store Person.csv Trip.csv --update",
          "Inserts persons and trips, and changes those whose unique values are known."),
        Example(
          "quire export Old.store | quire import New.store -",
          "Brings all objects from one store into another."),
      ]
    ) { invocation in
      let store = try reader.open(
        invocation[.store], invocation, models, readOnly: invocation.has(.dryRun))
      var spooled: [String] = []
      defer { for path in spooled { try? reader.disk.remove(path) } }
      let model = try store.snapshot().model
      let opened = try invocation.values(of: files).map { path in
        try open(path, invocation, model, reader.disk, &spooled)
      }
      var objects = ObjectImport(into: store, opened)
      objects.options.updates = invocation.has(update)
      objects.options.updatesSameIdentifiers = invocation.has(sameStore)
      objects.options.isTrial = invocation.has(.dryRun)
      // A refused import leaves the database of another system as it was, to the byte.
      objects.options.checksFirst = invocation.has(.writesForeign)
      objects.options.batchSize = try batchSize(invocation)
      objects.options.author = "quire"
      let line = ProgressLine(invocation.console.messages, "importing")
      defer { line.end() }
      let outcome = invocation.console.outcome
      outcome.willChange(
        objects.options.batchSize == nil
          ? "Nothing was saved." : "The batches before the one that failed are saved.")
      let report = try objects.run { line.show($0) }
      if !objects.options.isTrial { outcome.didChange("The objects are saved.") }
      line.end()
      try invocation.close(store, saved: !objects.options.isTrial)
      try write(report, invocation)
      if report.readCount == 0, let name = try opened.first(where: { try $0.hasBytes })?.name {
        try invocation.console.messages.writeLine(
          "note: There is no object in '\(oneLine(name))': with csv the first line has names alone."
        )
        return .no
      }
      return .done
    }
  }

  private static func batchSize(_ invocation: Invocation) throws -> Int? {
    guard let text = invocation.value(of: batch) else { return nil }
    guard let count = Int(text), count > 0 else {
      throw CommandError.wrongUsage("--batch takes a whole number above 0, and not '\(text)'.")
    }
    guard !invocation.has(update), !invocation.has(sameStore) else {
      throw CommandError.wrongUsage(
        "What changes objects is saved at once: --batch is for new ones.")
    }
    return count
  }

  /// A file to read from, standard input in a file of its own: it is gone over more than once.
  private static func open(
    _ path: String, _ invocation: Invocation, _ model: Model, _ disk: any Disk,
    _ spooled: inout [String]
  ) throws -> ImportFile {
    let format =
      invocation.value(of: form).flatMap(ExchangeFormat.init(rawValue:))
      ?? ExchangeFormat(path: path) ?? .jsonl
    var name = invocation.value(of: entity)
    if let name { try FetchCommand.checkEntity(name, model, in: invocation[.store]) }
    do {
      guard path == "-" else {
        if name == nil, format == .csv {
          let file = path.split(separator: "/").last.map(String.init) ?? path
          let stem = file.lowercased().hasSuffix(".csv") ? String(file.dropLast(4)) : file
          if model[stem] != nil { name = stem }
        }
        return ImportFile(
          try disk.open(path, for: .read), name: path, format: format, entity: name)
      }
      guard spooled.isEmpty else {
        throw CommandError.wrongUsage("Standard input can be read once.")
      }
      let copy = disk.temporaryPath(for: invocation[.store].trimmingSlashes)
      let file = try disk.open(copy, for: .create)
      spooled.append(copy)
      while true {
        let bytes = try invocation.console.input.read(upTo: 1 << 18)
        if bytes.isEmpty { break }
        try file.append(bytes)
      }
      return ImportFile(file, name: "standard input", format: format, entity: name)
    } catch let error as DiskError {
      throw CommandError(.inputOutput, error.message)
    }
  }

  private static func write(_ report: ObjectImport.Report, _ invocation: Invocation) throws {
    let output = invocation.console.output
    let isTrial = invocation.has(.dryRun)
    switch invocation.value(of: Self.report) {
    case "json":
      try output.writeLine(
        JSON.object([
          "inserted": .number(report.insertedCount), "updated": .number(report.updatedCount),
          "saved": .boolean(!isTrial),
        ]).text)
    default:
      let would = isTrial ? "would be " : ""
      var text = "\(Wording.count(report.insertedCount, "object")) \(would)inserted"
      if report.updatedCount > 0 {
        text += ", \(report.updatedCount) \(would)changed"
      }
      try output.writeLine(text + ".")
    }
  }
}
