import DurableFiles
import Foundation
import Interchange
import JSONText
import ObjectModel
import StoreInterface

/// The command `quire import`.
enum ImportCommand {
  static let files = Argument(
    "FILE", "Files or pipes with objects; - is standard input.", isRepeating: true, role: .input)
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

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "import", "reads objects from text as 'quire export' writes it",
      discussion: """
        Objects lead to one another by their @id, forwards too and from one file to another, and to objects \
        of the store by their identifiers there (2/p17). They get identifiers of their own in the store. \
        It is enough that one end of a relationship says where it leads. An object without an @id is led \
        to by nobody.

        Everything is checked first, and all is saved at once or nothing. Each problem is named with its file, \
        line and property, in the order of the files; behind twenty of them comes the number of the others. \
        Pipes and standard input, also as /dev/stdin, are copied to be read more than once. With csv the first line has the names; a cell without \
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
      let model = try store.snapshot().model
      var hasReadInput = false
      let opened = try invocation.values(of: files).map { path in
        try open(path, invocation, model, reader.disk, &hasReadInput)
      }
      var objects = ObjectImport(into: store, opened)
      objects.options.updates = invocation.has(update)
      objects.options.updatesSameIdentifiers = invocation.has(sameStore)
      objects.options.isTrial = invocation.has(.dryRun)
      // A refused import leaves the database of another system unchanged, to the byte.
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

  /// Opens a file for reading. A pipe is copied, because an import reads its files more than once.
  private static func open(
    _ path: String, _ invocation: Invocation, _ model: Model, _ disk: any Disk,
    _ hasReadInput: inout Bool
  ) throws -> ImportFile {
    let format =
      invocation.value(of: form).flatMap(ExchangeFormat.init(rawValue:))
      ?? ExchangeFormat(path: path) ?? .jsonl
    var entity = invocation.value(of: entity)
    if let entity { try FetchCommand.checkEntity(entity, model, in: invocation[.store]) }
    func file(_ file: DurableFile, _ name: String) -> ImportFile {
      ImportFile(file, name: name, format: format, entity: entity)
    }
    if isStandardInput(path, invocation.console, on: disk) {
      guard !hasReadInput else {
        throw CommandError.wrongUsage("Standard input can be read once.")
      }
      hasReadInput = true
      let name = path == "-" ? "standard input" : path
      return file(
        try copied(name, invocation, on: disk) { try invocation.console.input.read(upTo: $0) },
        name)
    }
    if entity == nil, format == .csv {
      let file = path.split(separator: "/").last.map(String.init) ?? path
      let stem = file.lowercased().hasSuffix(".csv") ? String(file.dropLast(4)) : file
      if model[stem] != nil { entity = stem }
    }
    do {
      guard try disk.status(of: path).kind == .special else {
        return file(try disk.open(path, for: .read), path)
      }
    } catch {
      throw CommandError(.inputOutput, error.message)
    }
    let pipe: FileHandle
    do { pipe = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
      throw CommandError(
        .inputOutput, "Can't read '\(oneLine(path))': \(Console.reason(of: error)).")
    }
    defer { try? pipe.close() }
    return file(
      try copied(path, invocation, on: disk) { most in
        do { return Array(try pipe.read(upToCount: most) ?? Data()) } catch {
          throw CommandError(
            .inputOutput, "Can't read '\(oneLine(path))': \(Console.reason(of: error)).")
        }
      }, path)
  }

  /// Returns whether a path means standard input and can't be opened as a file of its own.
  private static func isStandardInput(
    _ path: String, _ console: Console, on disk: any Disk
  ) -> Bool {
    if path == "-" { return true }
    guard ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) else { return false }
    return (try? disk.status(of: path).kind) != .file
  }

  /// Copies the bytes of a pipe into a file without a name, which the system removes when the process ends.
  private static func copied(
    _ name: String, _ invocation: Invocation, on disk: any Disk, _ read: (Int) throws -> [UInt8]
  ) throws -> DurableFile {
    let file = try scratchFile(name, invocation, on: disk)
    while true {
      let bytes = try read(1 << 18)
      if bytes.isEmpty { return file }
      do { try file.append(bytes) } catch {
        throw CommandError(
          .inputOutput, "'\(oneLine(name))' is copied to be read more than once. \(error.message)",
          hint: "Write it to a file, and name that.")
      }
    }
  }

  /// Creates a file next to the store, or else in the system's temporary folder, and removes its name at once.
  private static func scratchFile(
    _ name: String, _ invocation: Invocation, on disk: any Disk
  ) throws -> DurableFile {
    let system = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var failure: DiskError?
    for place in [
      invocation[.store].trimmingSlashes, system.appendingPathComponent("quire-import"),
    ] {
      let path = disk.temporaryPath(for: place)
      do throws(DiskError) {
        let file = try disk.open(
          path, for: .create, permissions: FilePermissions(rawValue: 0o600))
        try disk.remove(path)
        return file
      } catch {
        failure = failure ?? error
        try? disk.remove(path)
      }
    }
    throw CommandError(
      .inputOutput,
      "'\(oneLine(name))' is copied to be read more than once. \(failure?.message ?? "")",
      hint: "Write it to a file, and name that.")
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
        ]))
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
