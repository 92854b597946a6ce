import CommandInterface
import DurableFiles
import JSONText
import ModelCode
import ModelNotations
import ObjectModel

/// The command `quire model`.
enum ModelCommand {
  static let path = Argument(
    "PATH",
    "A model (.model, .json, .xcdatamodeld, .xcdatamodel or its contents file), a compiled model "
      + "(.momd or .mom), or a document, packed document or store that contains its model.",
    role: .input)
  static let version = Option(
    "version", value: "NAME", kind: .modelVersion,
    "Uses this version instead of the current one.")
  static let versions = Option("versions", "Lists the versions. A star marks the current one.")
  static let diff = Option(
    "diff", value: "OTHER", role: .input,
    "Shows the differences from PATH to OTHER instead of a model.")
  static let fix = Option(
    "fix", "Rewrites the text of a model in the usual layout. Comments stay in their places.")

  static let form = Option(
    "format", value: "FORMAT", choices: Form.allCases.map(\.rawValue),
    "The format of the results; the default is text. The format swift writes the model as Swift "
      + "source with a class for each entity, and xcdatamodel as Apple's editor does. svg draws the "
      + "entities and relationships; mermaid and dot are for other programs that draw.")
  static let output = Option(
    "output", value: "PATH", role: .printed(canBeFolder: true),
    "With --format swift, writes a file for each class into this folder. With another format, "
      + "writes the model to this path.")
  static let force = Option(
    Option.forceName,
    "Replaces the output, and files in the output folder that Quire did not write.")
  static let access = Option(
    "access", value: "WHO", choices: CodeAccess.allCases.map(\.rawValue),
    "The access level of the classes; the default is public.")
  static let unmarked = Option(
    "unmarked", value: "KIND", choices: CodeKind.allCases.map(\.rawValue),
    "The Swift type for entities that do not specify one: a class, an extension of a class, or "
      + "nothing. The default is class.")
  static let module = Option(
    "module", value: "NAME",
    "The module that will contain the classes. The source imports the modules of classes by hand "
      + "that the model places in other modules.")

  /// A format of the command's results.
  enum Form: String, CaseIterable {
    case text, json, swift, xcdatamodel, mermaid, dot, svg

    /// The endings of files in the format. Only formats with an ending are written with `--output`.
    var endings: [String] {
      switch self {
      case .text: [ModelText.pathExtension]
      case .json: [ModelJSON.pathExtension]
      case .xcdatamodel: ["xcdatamodeld", "xcdatamodel"]
      case .mermaid: ["mmd", "mermaid", "md"]
      case .dot: ["dot", "gv"]
      case .svg: ["svg"]
      case .swift: []
      }
    }
  }

  /// Returns the command. It reads models through `reader`, and edits the models of documents through `stores`.
  static func command(
    _ reader: ModelReader, _ stores: StoreReader = .files(on: RealDisk())
  ) -> Command {
    Command(
      "model", "shows, converts and compares models",
      discussion: """
        The text of a model (chapter 12 of the specification) is the form to write by hand: an entity and its \
        properties take a line each. 'name: String' is an attribute, 'nights: Int16 = 1, min 0' has a default \
        value and a rule, 'start: Date?' may be empty, 'born: Day' has no time, 'price: Decimal, places 2' keeps \
        its zeros, 'stops: [Stop], inverse trip, delete cascade' is a relationship to many objects, and 'unique name' a constraint. 'quire new DOC --template todo \
        --model-output todo.model' writes an example. 'quire new DOC --model Trips.model' creates a document with such a model. \
        The text keeps everything that the other forms contain, also the data of Apple's editor. JSON keeps \
        everything too, for programs that make or change models: every command that reads a model reads the \
        object that --format json prints, and the model in it alone.

        'quire model edit DOC' opens the text of a document's model in the editor that VISUAL or EDITOR names. \
        It then shows the changes and the plan of the migration, asks, and migrates the document. A property \
        with another name needs ', was OLDNAME', so that its values stay.

        With --diff the exit code is 1 if the models differ, and 0 if they do not. A star marks the changes \
        that alter a version hash. After such a change stores need a migration.

        With --format swift the result is Swift source with typed classes for programs that use Quire. A \
        package can generate the source in each build: see docs/typed-classes.md. Quire writes the files \
        that have changed and prints their names. It removes the files of entities that the model no longer \
        has, and it replaces files, only if they begin with Quire's comment. --force replaces other files \
        too.
        """,
      arguments: [path, edited],
      options: [
        version, versions, diff, fix, form, output, force, yes, allowLoss, .message, .author,
        access, unmarked, module,
      ],
      changing: [edited],
      examples: [
        Example("quire model Trips.xcdatamodeld", "Shows the current version."),
        Example("quire model Trips.xcdatamodeld --versions", "Lists the versions of the model."),
        Example(
          "quire model Trips.quire --output Trips.model",
          "Writes the model of a document as text, to edit it."),
        Example(
          "quire model edit Trips.quire",
          "Edits the model of a document, and migrates the document."),
        Example("quire model Trips.model --fix", "Rewrites a text in the usual layout."),
        Example(
          "quire model Trips.model --format xcdatamodel --output Trips.xcdatamodeld",
          "Converts a text for Apple's editor."),
        Example(
          "quire model Trips.quire --format svg --output Trips.svg",
          "Draws the entities and relationships of a document."),
        Example(
          "quire model Trips.momd --version 'Trips 2' --format json",
          "Prints one version as JSON for another program."),
        Example(
          "quire model Trips.json --format xcdatamodel --output Trips.xcdatamodeld",
          "Converts a model that a program has written as JSON."),
        Example(
          "quire model Trips.xcdatamodeld --version Trips --diff Trips.xcdatamodeld",
          "Shows the changes since the first version."),
        Example(
          "quire model Trips.xcdatamodeld --format swift --output Sources/Trips/Model",
          "Writes a class for each entity, and a list of the classes."),
      ]
    ) { invocation in
      let form = invocation.value(of: form).flatMap(Form.init) ?? .text
      try checkOptions(invocation, form)
      if let document = invocation.value(of: edited) {
        guard invocation[path] == "edit" else {
          throw CommandError.wrongUsage("Unexpected argument '\(oneLine(document))'.")
        }
        return try edit(document, reader, stores, invocation)
      }
      if invocation.has(fix) {
        try rewrite(invocation)
        return .done
      }
      if invocation.has(versions) {
        try list(reader.read(invocation[path]), invocation)
        return .done
      }
      if form == .swift { return try writeCode(reader, invocation) }
      let chosen = try reader.model(at: invocation[path], version: invocation.value(of: version))
      if let other = invocation.value(of: diff) {
        return try compare(chosen, with: reader.model(at: other), invocation)
      }
      try invocation.writeWarnings(about: chosen.model)
      if let made = try invocation.output(output, on: RealDisk()) {
        try write(chosen, as: form, to: made, invocation)
      } else {
        try show(chosen, as: form, invocation)
      }
      return .done
    }
  }

  /// Throws an error for options that would have no effect.
  private static func checkOptions(
    _ invocation: Invocation, _ form: Form
  ) throws(CommandError) {
    func refuse(_ options: [Option], with other: String) throws(CommandError) {
      for option in options where invocation.has(option) {
        throw .wrongUsage("Option '--\(option.name)' can't be combined with '\(other)'.")
      }
    }
    if invocation.has(fix) {
      try refuse([version, versions, diff, Self.form, output], with: "--fix")
    }
    switch form {
    case .swift, .xcdatamodel, .mermaid, .dot, .svg:
      try refuse([versions, diff], with: "--format \(form.rawValue)")
    case .text, .json: break
    }
    if invocation.has(versions) || invocation.has(diff), invocation.has(output) {
      throw .wrongUsage(
        "Option '--output' needs a whole model.",
        hint: "Leave out --output, and redirect the output of the command.")
    }
    for option in [yes, allowLoss, Option.message, .author]
    where invocation.has(option) && invocation.value(of: edited) == nil {
      throw .wrongUsage("Option '--\(option.name)' is for 'quire model edit DOC'.")
    }
    guard form != .swift else { return }
    for option in [access, unmarked, module] where invocation.has(option) {
      throw .wrongUsage(
        "Option '--\(option.name)' needs '--format swift'.", hint: "Add '--format swift'.")
    }
  }

  /// Returns the format of results that are not source code.
  static func format(_ invocation: Invocation) -> OutputFormat {
    invocation.value(of: form).flatMap(OutputFormat.init) ?? .text
  }

  private static func list(_ list: ModelVersions, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch format(invocation) {
    case .text:
      for version in list.versions {
        try output.writeLine(
          (version.name == list.currentName ? "* " : "  ") + oneLine(version.name))
      }
      for version in list.oldVersions {
        try output.writeLine("  \(oneLine(version.name)) (not read: the format before Xcode 4)")
      }
    case .json:
      let versions = JSON.object([
        "current": .string(list.currentName),
        "versions": .strings(list.versions.map(\.name)),
        "notRead": list.oldVersions.isEmpty ? nil : .strings(list.oldVersions.map(\.name)),
      ])
      try output.writeLine(versions)
    }
  }

  /// Prints a model.
  static func show(
    _ version: ModelVersions.Version, as form: Form, _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    switch form {
    case .text, .swift: try output.write(Wording.text(version.model, on: output))
    case .json: try output.writeLine(ModelJSON.json(version.model, version: version.name))
    case .xcdatamodel, .mermaid, .dot, .svg:
      let text = try source(version, as: form)
      try output.write(output.isTerminal ? printable(text) : text)
    }
  }

  /// Returns the text of a file that contains a model.
  private static func source(
    _ version: ModelVersions.Version, as form: Form
  ) throws -> String {
    let model = version.model
    return switch form {
    case .xcdatamodel: String(decoding: try ModelSource.write(model), as: UTF8.self) + "\n"
    case .mermaid: ModelDiagram(model).mermaid
    case .dot: ModelDiagram(model).dot
    case .svg: DiagramSVG(ModelDiagram(model)).text
    case .json: ModelJSON.write(model, version: version.name)
    case .text, .swift: ModelText.write(model)
    }
  }

  /// Writes a model to a path. The ending of the path must be right for the format.
  private static func write(
    _ version: ModelVersions.Version, as form: Form, to made: Output, _ invocation: Invocation
  ) throws {
    let endings = form.endings
    let name = made.path.split(separator: "/").last.map(String.init) ?? ""
    guard let ending = endings.first(where: { name.lowercased().hasSuffix("." + $0) }),
      name.utf8.count > ending.utf8.count + 1
    else {
      throw CommandError.wrongUsage(
        "The name of the output must end in \(endings.map { "." + $0 }.joined(separator: " or ")).",
        hint: form == .text ? "Add '--format xcdatamodel' to write a model for Xcode." : nil)
    }
    try made.checkFree()
    let own = String(name.dropLast(ending.utf8.count + 1))
    let versions = ModelVersions(
      [.init(ending == "xcdatamodeld" ? own : version.name, model: version.model)],
      currentName: ending == "xcdatamodeld" ? own : version.name)
    if form == .xcdatamodel {
      try made.make { temporary in try versions.write(to: temporary) }
    } else {
      try made.writeFile { try $0.write(source(version, as: form)) }
    }
    let count = version.model.entities.count
    try invocation.console.messages.writeLine(
      "\(oneLine(made.path)): \(count) \(count == 1 ? "entity" : "entities")")
  }

  /// Rewrites a text in the usual layout, in its place.
  private static func rewrite(_ invocation: Invocation) throws {
    let path = invocation[path]
    let disk = RealDisk()
    let bytes = try disk.read(path, byteLimit: 256 << 20)
    guard ModelText.mayBegin(bytes) || bytes.isEmpty else {
      throw CommandError(
        .unreadable, "'\(oneLine(path))' is not the text of a model, so it has no usual layout.",
        hint: "'quire model \(oneLine(path)) --output NAME.model' writes a model as text.")
    }
    let text = Array(try ModelText.formatted(bytes, path: path).utf8)
    let messages = invocation.console.messages
    guard text != bytes else {
      try messages.writeLine("\(oneLine(path)): already in the usual layout")
      return
    }
    try disk.replace(path) { try $0.write(text) }
    try invocation.console.outcome.didChange("'\(oneLine(path))' is written.")
    try messages.writeLine("\(oneLine(path)): rewritten in the usual layout")
  }
}
