import CommandInterface
import DurableFiles
import Foundation
import Interchange
import JSONText
import ObjectModel
import StoreInterface

/// The command `quire import`.
enum ImportCommand {
  static let files = Argument(
    "FILE",
    "Files or pipes with objects; - is standard input. Also JSON, an SQLite database, a store or a document.",
    isRepeating: true, role: .stream)
  static let entity = Option(
    "entity", value: "ENTITY", kind: .entity,
    "The entity of objects without an @entity. For csv the default follows from the name of the file."
  )
  static let form = Option(
    "format", value: "FORMAT", choices: ["jsonl", "csv"],
    "The format of the files. The default follows from their names, or is jsonl.")
  static let update = Option(
    "update",
    "Updates an existing object with the same unique values instead of inserting another. "
      + "Properties that the file omits stay unchanged.")
  static let sameStore = Option(
    "same-store",
    "Treats each @id as the identifier of an existing object, and updates that object. Use it for "
      + "files that were exported from this store."
  )
  static let storedReferences = Option(
    "stored-references",
    "Lets exported objects refer to objects of this store that the files don't contain. In the "
      + "store of the export, the same identifiers may name other objects.")
  static let batch = Option(
    "batch", value: "COUNT",
    "Saves after this number of objects, which needs little memory. After a failure the earlier "
      + "batches stay saved.")

  static let report = Option(
    "report", value: "FORMAT", choices: ["text", "json"],
    "The format of the report; the default is text.")

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "import", "reads objects from text in the format of 'quire export'",
      discussion: """
        Relationships refer to other objects of the files by their @id, also forwards and across files, and \
        to existing objects of the store by their identifiers (2/p17). The imported objects receive new \
        identifiers. A relationship may be given at one of its ends. An object without an @id can't be \
        referred to.

        The command checks all objects first, and then saves all or none. It reports each error with the \
        file, line and property, in the order of the files, and after twenty errors the number of the \
        others. It copies pipes and standard input, because it reads them twice. With csv the first line \
        contains the column names; an empty cell is a missing value, and "" is empty text.

        A table trips.csv contains objects of Trip, and a column 'Start Date' the property startDate. A column such \
        as trip.name refers to the stored trip with this unique name. If no file has a column @id, it may also refer to a \
        trip of the files, and the columns trip and trip_id mean the same.

        A file that ends in .json is split into tables, as 'quire new --from' does, and an SQLite database, a store or \
        a document gives a table for each entity. Tables and columns go to the entities and properties of the same \
        names, and --map gives names that differ.

        An export of another store may refer to objects that its files don't contain. Such a reference is an error, \
        because the identifier may name another object here.

        Derived attributes are computed, and their values in the file are ignored.
        """,
      arguments: [.store, files],
      options: [
        entity, form, .names, .delimiter, .decimal, .encoding, update, sameStore, storedReferences,
        batch,
        .dryRun, .message, .author,
        .storeName, .storeModel,
        .writesForeign, report,
      ],
      changing: [.store],
      examples: [
        Example("quire import Trips.store Trips.jsonl", "Inserts the objects of a file."),
        Example(
          "quire import Trips.store people.csv --update",
          "Inserts persons, and updates the persons with the same unique values."),
        Example(
          "quire import Trips.store Person.csv Trip.csv --same-store",
          "Updates persons and trips from edited files that were exported from this store."),
        Example(
          "quire import Trips.store guides.json --map 'guides=Person,called=fullName,rating='",
          "Inserts persons from JSON with other names, without their ratings."),
        Example(
          "quire export Old.store | quire import New.store -",
          "Copies all objects from one store into another."),
      ]
    ) { invocation in
      let store = try reader.open(
        invocation[.store], invocation, models, readOnly: invocation.has(.dryRun))
      try reader.checkMessage(for: store, at: invocation[.store], invocation)
      let origin = try invocation.saveOrigin()
      let model = try store.snapshot().model
      let given = invocation.value(of: entity)
      if let given { try FetchCommand.checkEntity(given, model, in: invocation[.store]) }
      let opened = try opened(model, entity: given, reader, invocation)
      var objects = ObjectImport(into: store, opened)
      objects.options.updates = invocation.has(update)
      objects.options.updatesSameIdentifiers = invocation.has(sameStore)
      objects.options.acceptsStoredReferences = invocation.has(storedReferences)
      objects.options.isTrial = invocation.has(.dryRun)
      // A refused import leaves the database of another system unchanged, to the byte.
      objects.options.checksFirst = invocation.has(.writesForeign)
      objects.options.batchSize = try batchSize(invocation)
      objects.options.author = origin.author
      objects.options.message = origin.message
      let line = ProgressLine(
        invocation.console.messages, "importing",
        byteCount: try opened.reduce(0) { try $0 + $1.byteCount })
      defer { line.end() }
      let outcome = invocation.console.outcome
      outcome.willChange(
        objects.options.batchSize == nil
          ? "Nothing was saved." : "The batches before the failed batch are saved.")
      let report = try objects.run { line.show($0) }
      if !objects.options.isTrial { try outcome.didChange("The objects are saved.") }
      line.end()
      try invocation.close(store, saved: !objects.options.isTrial)
      try write(report, invocation)
      if report.readCount == 0, let name = try opened.first(where: { try $0.hasBytes })?.name {
        try invocation.console.messages.writeLine(
          "note: '\(oneLine(name))' contains no object: with csv the first line contains only the "
            + "column names."
        )
        return .no
      }
      return .done
    }
  }

  private static func opened(
    _ model: Model, entity: String?, _ reader: StoreReader, _ invocation: Invocation
  ) throws -> [ImportFile] {
    let form = invocation.value(of: form).flatMap(ExchangeFormat.init(rawValue:))
    var inputs = try ImportInputs(invocation, reader.disk, beside: invocation[.store])
    return try invocation.values(of: files).flatMap { path -> [ImportFile] in
      var tables: [ImportFile]
      if try form == nil && reader.isStore(path) {
        tables = try inputs.tables(ofStore: path, in: reader.places)
      } else {
        let kind = ImportFile.kind(
          ofFileAt: path, format: form, entity: entity, in: model, names: inputs.names)
        let file = try inputs.open(path, kind.format, entity: kind.entity)
        let isNested =
          try form == nil && path.lowercased().hasSuffix(".json") && !JSONTables.isExport(file)
        tables = try isNested ? inputs.tables(in: file) : [file]
      }
      for index in tables.indices {
        if tables[index].table != nil { tables[index].setEntity(in: model) }
      }
      return tables
    }
  }

  private static func batchSize(_ invocation: Invocation) throws -> Int? {
    guard let count = try invocation.number(of: batch, atLeast: 1) else { return nil }
    guard !invocation.has(update), !invocation.has(sameStore) else {
      throw CommandError.wrongUsage(
        "--batch is only for new objects: updates are saved together.")
    }
    return count
  }

  private static func write(_ report: ObjectImport.Report, _ invocation: Invocation) throws {
    let output = invocation.console.output
    let isTrial = invocation.has(.dryRun)
    switch invocation.value(of: Self.report) {
    case "json":
      try output.writeLine(
        JSON.object([
          "inserted": .number(report.insertedCount), "updated": .number(report.updatedCount),
          "unchanged": .number(report.unchangedCount),
          "saved": .boolean(!isTrial && report.hasChanges),
        ]))
    default:
      let would = isTrial ? "would be " : ""
      var text = "\(Wording.count(report.insertedCount, "object")) \(would)inserted"
      if report.updatedCount > 0 || report.unchangedCount > 0 {
        text += ", \(report.updatedCount) \(would)changed"
      }
      if report.unchangedCount > 0 { text += ", \(report.unchangedCount) unchanged" }
      text += "."
      if !isTrial, report.unchangedCount > 0, !report.hasChanges { text += " Nothing was saved." }
      try output.writeLine(text)
    }
  }
}

extension ObjectImport.Report {
  /// Whether the import has inserted or changed an object.
  fileprivate var hasChanges: Bool { insertedCount > 0 || updatedCount > 0 }
}
