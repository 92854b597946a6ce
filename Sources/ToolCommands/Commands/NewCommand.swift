import CommandInterface
import Documents
import DurableFiles
import Foundation
import Interchange
import JSONText
import ModelNotations
import ObjectModel
import ObjectQuery
import StoreInterface

/// The command `quire new`.
enum NewCommand {
  static let document = Argument(
    "DOC", "The path of the new document, a folder. By convention its name is NAME.quire.",
    role: .output)
  static let files = Argument(
    "FILE", "Further files for --from.", isRequired: false, isRepeating: true, role: .stream)
  static let model = Option(
    "model", value: "MODEL", role: .input,
    "The model of the document: .model, .json, .xcdatamodeld, .xcdatamodel, a compiled model, or a document "
      + "or a store that contains its model.")
  static let source = Option(
    "from", value: "FILE", role: .stream,
    "Infers the model from files of comma-separated values or JSON, or from the tables of an SQLite database, and "
      + "imports their objects; - is standard input, and a folder stands for its files.")
  static let template = Option(
    "template", value: "NAME", choices: ModelTemplate.allCases.map(\.rawValue),
    "Uses a model for a usual kind of document.")
  static let modelOutput = Option(
    "model-output", value: "PATH", role: .output,
    "With --from or --template, writes the model as text to this path, a name that ends in .model.")
  static let stores = Option(
    "store", value: "TYPES", kind: .storeType,
    "The type of the store: binary, compressed, xml, or a type of a plug-in; the default is "
      + "binary. For several stores give NAME=TYPE or NAME=TYPE:CONFIGURATION, separated by commas. For a store "
      + "on a server give its address: NAME=postgresql://… or NAME=postgresql://…#CONFIGURATION."
  )
  static let types = Option(
    "type", value: "TYPES",
    "With --from, the types of columns that are not to be inferred: zip=String,visits.day=Date.")
  static let unique = Option(
    "unique", value: "COLUMNS",
    "With --from, the unique columns, separated by commas, or none.")
  static let title = Option("title", value: "TEXT", "The title of the document.")
  static let force = Option(Option.forceName, "Replaces an existing document.")

  /// Returns the command. It opens stores through `reader` and reads models through `models`.
  static func command(_ reader: StoreReader, _ models: ModelReader) -> Command {
    Command(
      "new", "creates a document from a model, a template or files",
      discussion: """
        The document contains the model, so other programs need no model to open it. Each of several stores \
        contains the entities of one configuration of the model. 'quire model' describes models, and shows how \
        to write one as text.

        With --from each file of comma-separated values becomes an entity, and each column an attribute or a \
        relationship. The first line contains the names of the columns. A type is the narrowest one that all \
        values of a column have. A column without an empty cell is required. A column is unique if all its \
        values differ, and it has a name such as id, code or email, or other columns refer to it. A column such as trip \
        or trip_id, beside a file trips.csv, is a relationship if each of its values occurs in a unique column \
        of that file. --map gives an entity or a property another name than its table or column.

        In JSON, an object within an object and each object of an array becomes an object of an entity with the name \
        of the member, and refers to the object that contains it.

        In an SQLite database each table becomes an entity. Foreign keys, and columns such as trip_id, become \
        relationships, and a table of two foreign keys becomes a relationship with many objects at both ends. Unique \
        columns, indexes, defaults and simple conditions (CHECK) go into the model. The command notes what it leaves \
        out. The same option copies a database of Core Data, a store, or a document with the model that it contains.

        The command prints the model. To change it, write it with --model-output, edit it, and create the document \
        with --model and 'quire import'.

        The command creates DOC completely, with all objects, or not at all. The memory for --from is about \
        100 bytes for each object.
        """,
      arguments: [document, files],
      options: [
        model, source, template, types, unique, .names, .delimiter, .decimal, .encoding,
        modelOutput,
        stores, title,
        force, .format,
      ],
      examples: [
        Example("quire new Trip.quire --model Trips.model", "Creates a document with one store."),
        Example(
          "quire new Trip.quire --from trips.csv stops.csv",
          "Creates a document with the objects of two files."),
        Example(
          "quire new Trip.quire --from trips.json",
          "Creates a document with the objects of a file of JSON, and of the objects within them."),
        Example(
          "quire new Shop.quire --from shop.db",
          "Creates a document with the rows of an SQLite database."),
        Example(
          "quire new Trip.quire --from trips.csv --map 'trips=Tour,name=title,budget='",
          "Gives the entity and a property other names, and leaves out a column."),
        Example("quire new Todo.quire --template todo", "Creates a document for a list of tasks."),
        Example(
          "quire new Trip.quire --model Trips.xcdatamodeld --store main=binary,places=xml:Places",
          "Creates a document with two stores; one is for the entities of a configuration."),
      ]
    ) { invocation in
      let sources = [model, source, template].filter { invocation.has($0) }
      guard sources.count == 1 else {
        throw CommandError.wrongUsage(
          sources.isEmpty
            ? "'new' needs a model."
            : "'new' needs one model, not \(sources.map { "--\($0.name)" }.joined(separator: " and ")).",
          hint: "Give --model MODEL, --from FILE or --template NAME.")
      }
      if !invocation.has(source), let file = invocation.values(of: files).first {
        throw CommandError.wrongUsage(
          "Unexpected argument '\(oneLine(file))'.", hint: "Files need --from.")
      }
      if !invocation.has(source) {
        try refuse(aboutTables, invocation, "is for the files of --from.")
      }
      if invocation.has(model), invocation.has(modelOutput) {
        throw CommandError.wrongUsage(
          "--model-output is for --from and --template.",
          hint: "Run 'quire model DOC --output NAME.model'.")
      }
      let place = try invocation.output(document, on: reader.disk)!
      try OutputEnding.checkDocument(place.path, from: "DOC")
      try place.checkFree()
      let written = try invocation.output(modelOutput, on: reader.disk)
      if let written {
        guard written.path.lowercased().hasSuffix("." + ModelText.pathExtension) else {
          throw CommandError.wrongUsage("The name of a model must end in .model.")
        }
        try written.checkFree()
      }
      let plan = try plan(place, reader, models, invocation)
      let made = try create(plan, place, reader, invocation)
      defer { try? made.close() }
      if let written {
        try written.writeFile { try $0.write(ModelText.write(plan.model)) }
      }
      try write(made, plan, place.path, invocation)
      return .done
    }
  }

  /// The options about the columns of files.
  private static let aboutTables: [Option] = [
    types, unique, .names, .delimiter, .decimal, .encoding,
  ]

  /// Throws an error if the command line has one of the options, which would have no effect.
  private static func refuse(
    _ options: [Option], _ invocation: Invocation, _ reason: String
  ) throws(CommandError) {
    if let option = options.first(where: invocation.has) {
      throw .wrongUsage("Option '--\(option.name)' \(reason)")
    }
  }

  /// The model of a new document, and its first objects.
  private struct Plan {
    var model: Model
    var modelName: String
    /// The first objects; `nil` if the document has none.
    var contents: Contents?
  }

  /// The first objects of a new document.
  private enum Contents {
    case files([ImportFile])
    case store(any StoreSnapshot)
  }

  private static func plan(
    _ place: Output, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> Plan {
    if let path = invocation.value(of: model) {
      let version = try models.model(at: path)
      try invocation.writeWarnings(about: version.model)
      return Plan(model: version.model, modelName: version.name)
    }
    let name = place.path.trimmingSlashes.lastPathComponent
    let stem = name.lowercased().hasSuffix(".quire") ? String(name.dropLast(6)) : name
    if let template = invocation.value(of: template).flatMap(ModelTemplate.init) {
      return Plan(model: try template.model, modelName: template.rawValue)
    }
    let paths = [invocation.value(of: source)!] + invocation.values(of: files)
    if let store = try paths.first(where: { try reader.isStore($0) }) {
      guard paths.count == 1 else {
        throw CommandError.wrongUsage(
          "A document takes its first objects from one store, or from files: '\(oneLine(store))' is a store.",
          hint: "Create the document from the store, and add the files with 'quire import'.")
      }
      try refuse(
        aboutTables, invocation,
        "is for files: '\(oneLine(store))' is a store, which contains a model or determines it.")
      return try plan(copying: store, stem, reader, models, invocation)
    }
    var inputs = try ImportInputs(invocation, reader.disk, beside: place.path)
    let opened = try paths.flatMap { try inputs.tables($0) }
    let line = ProgressLine(
      invocation.console.messages, "reading",
      byteCount: try opened.reduce(0) { try $0 + $1.byteCount })
    defer { line.end() }
    let inferred: InferredModel
    let choices = try choices(invocation)
    do { inferred = try InferredModel(from: opened, choices) { line.show($0) } } catch let error
      as ModelError
    {
      throw CommandError(
        .unreadable, "The names of the columns make no model.\n\(error)",
        hint: "Give other names with --map, or create the document with --model.")
    }
    line.end()
    try invocation.write(notes: inferred.notes + reservedNames(inferred.model))
    return Plan(model: inferred.model, modelName: stem, contents: .files(inferred.files))
  }

  /// Returns what the command line says about columns.
  private static func choices(_ invocation: Invocation) throws -> InferenceChoices {
    var choices = InferenceChoices()
    if let text = invocation.value(of: unique) {
      choices.unique = text == "none" ? [] : Set(text.split(separator: ",").map(String.init))
    }
    for part in invocation.value(of: types)?.split(separator: ",") ?? [] {
      let (column, name) = split(part, at: "=")
      let chosen = name.flatMap { ModelText.attribute("", ofTypeNamed: $0) }
      guard let type = chosen?.type, type != .transformable, type != .objectID else {
        throw CommandError.wrongUsage(
          "'\(oneLine(String(part)))' is not a column with a type.",
          hint:
            "Write --type COLUMN=TYPE, for example --type start=Date; 'quire model --help' lists the types."
        )
      }
      choices.types[String(column)] = type
      if chosen?.validation.isDay == true { choices.days.insert(String(column)) }
    }
    return choices
  }

  private static func plan(
    copying store: String, _ name: String, _ reader: StoreReader, _ models: ModelReader,
    _ invocation: Invocation
  ) throws -> Plan {
    let snapshot = try reader.open(store, invocation, models).snapshot()
    let notes = try snapshot.metadata.modelNotes
    try invocation.write(notes: notes + reservedNames(snapshot.model))
    return Plan(model: try snapshot.model, modelName: name, contents: .store(snapshot))
  }

  /// Returns sentences about properties with the name of a keyword of predicates.
  private static func reservedNames(_ model: Model) -> [String] {
    model.entities.flatMap { entity in
      entity.declaredProperties.compactMap { property in
        let written = "\(QueryExpression.path(property.name))"
        return written == property.name
          ? nil
          : "The property '\(property.name)' of \(entity.name) has the name of a word of predicates. "
            + "Predicates and columns write it as \(written)."
      }
    }
  }

  private static func create(
    _ plan: Plan, _ place: Output, _ reader: StoreReader, _ invocation: Invocation
  ) throws -> Document {
    do { return try make(plan, place, reader, invocation) } catch let error as DocumentError
      where error.code == .notSupported
    {
      throw CommandError(
        explaining: error,
        hint:
          "Leave out --store, and make a store of this type of the document with 'quire convert'."
      )
    }
  }

  private static func make(
    _ plan: Plan, _ place: Output, _ reader: StoreReader, _ invocation: Invocation
  ) throws -> Document {
    try place.making {
      try Document.create(
        place.path, model: plan.model, modelName: plan.modelName,
        stores: try descriptions(invocation.value(of: stores), reader),
        title: invocation.value(of: title), in: reader.places, overwriting: place.overwrites
      ) { store in
        switch plan.contents {
        case nil: break
        case .files(let files): try fill(store, from: files, invocation)
        case .store(let snapshot): try fill(store, from: snapshot, invocation)
        }
      }
    }
  }

  private static func fill(
    _ store: any Store, from files: [ImportFile], _ invocation: Invocation
  ) throws {
    let line = ProgressLine(
      invocation.console.messages, "importing",
      byteCount: try files.reduce(0) { try $0 + $1.byteCount })
    defer { line.end() }
    var objects = ObjectImport(into: store, files)
    objects.options.author = "quire"
    _ = try objects.run { line.show($0) }
  }

  private static func fill(
    _ store: any Store, from snapshot: any StoreSnapshot, _ invocation: Invocation
  ) throws {
    let line = ProgressLine(invocation.console.messages, "copying")
    defer { line.end() }
    let report = try StoreCopy(from: snapshot, to: store).run { ConvertCommand.show($0, line) }
    line.end()
    try ConvertCommand.noteLosses(report, invocation)
  }

  private static func write(
    _ made: Document, _ plan: Plan, _ path: String, _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    let isInferred = plan.contents != nil
    let count = try isInferred ? objectCount(of: made) : 0
    switch invocation.format {
    case .text:
      if isInferred { try output.write(Wording.text(plan.model, on: output) + "\n") }
      let objects = isInferred ? ", \(Wording.count(count, "object"))" : ""
      try output.writeLine("\(oneLine(path)): \(Wording.stores(of: made))\(objects)")
    case .json:
      try output.writeLine(
        JSON.object([
          "path": .string(path), "uuid": .string(made.manifest.uuid.uuidString),
          "stores": Wording.storesJSON(of: made),
          "objects": isInferred ? .number(count) : nil,
          "model": isInferred ? ModelJSON.json(plan.model) : nil,
        ]))
    }
  }

  private static func objectCount(of document: Document) throws -> Int {
    try InfoCommand.counts(in: document).reduce(0) { $0 + $1.count }
  }

  /// Returns the descriptions of the stores that an option names.
  static func descriptions(
    _ text: String?, _ reader: StoreReader
  ) throws -> [DocumentStoreDescription] {
    guard let text else { return [DocumentStoreDescription()] }
    let parts = parts(of: text, reader)
    return try parts.map { part in
      let (name, rest) = split(part, at: "=")
      guard let rest else {
        guard parts.count == 1 else {
          throw CommandError.wrongUsage(
            "'\(part)' is not a store.", hint: "Write each of several stores as NAME=TYPE.")
        }
        return DocumentStoreDescription(type: try ConvertCommand.type(part, reader))
      }
      if let backend = reader.backends.backend(ofAddress: String(rest)) {
        let (address, configuration) = split(rest, at: "#")
        return DocumentStoreDescription(
          String(name), type: backend.type, configuration: configuration.map(String.init),
          address: String(address))
      }
      let (typeName, configuration) = split(rest, at: ":")
      return DocumentStoreDescription(
        String(name), type: try ConvertCommand.type(typeName, reader),
        configuration: configuration.map(String.init))
    }
  }

  /// Returns the parts of a list of stores. An address may name several servers, separated by commas too.
  private static func parts(of text: String, _ reader: StoreReader) -> [Substring] {
    var parts: [Substring] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let (name, type) = split(part, at: "=")
      let isName = type != nil && !name.contains { "/?@:".contains($0) }
      if !isName, let last = parts.last, let before = split(last, at: "=").1,
        reader.backends.backend(ofAddress: String(before)) != nil
      {
        parts[parts.count - 1] = text[last.startIndex..<part.endIndex]
      } else {
        parts.append(part)
      }
    }
    return parts
  }

  private static func split(
    _ text: Substring, at separator: Character
  ) -> (Substring, Substring?) {
    guard let place = text.firstIndex(of: separator) else { return (text, nil) }
    return (text[..<place], text[text.index(after: place)...])
  }
}
