import CommandInterface
import JSONText
import ObjectModel
import PluginHost
import StoreInterface

/// The command `quire convert`.
enum ConvertCommand {
  static let source = Argument("SRC", "The file of a store of any type.", role: .input)
  static let target = Argument("DST", "The path of the new file.", role: .file)
  static let types: KeyValuePairs<String, StoreType> = [
    "binary": .binary, "compressed": .compressed, "xml": .xml,
  ]
  static let store = Option(
    "store", value: "TYPE", kind: .storeType,
    "The type of the new store: binary, compressed, xml, or a type of a plug-in. The default "
      + "follows from the extension (.store, .xml, .sqlite), or is binary.")
  static let force = Option(Option.forceName, "Replaces an existing file.")

  /// Returns the command. It opens stores through `reader` and reads models through `models`.
  static func command(_ reader: StoreReader, _ models: ModelReader) -> Command {
    Command(
      "convert", "copies the content of a store into a new store of another type",
      discussion: """
        The new store assigns new identifiers, in the order of the old ones, and adjusts all relationships. \
        The metadata of the application are copied. References to missing objects are omitted and counted on \
        standard error.

        SRC is not changed. The command creates DST completely or not at all. A store on a server is the \
        exception: --force removes it before the copy begins, so it is lost if the copy fails. Copy into \
        another schema ('?schema=NAME') to keep it. For a name such as e.jsonl or e.quire the command stops \
        and names the right command. For each million objects it takes about 100 MB of memory.
        """,
      arguments: [source, target],
      options: [store, .version, .storeName, .storeModel, force, .format],
      examples: [
        Example(
          "quire convert Trips.store Trips.xml",
          "Writes an XML file that people can read and compare."),
        Example(
          "quire convert Things.xml Things.store --model Things.momd --store compressed",
          "Reads a file of Core Data with its model, and writes a compressed store."),
      ]
    ) { invocation in
      let output = try invocation.output(target, on: reader.disk)!
      let path = output.path
      let backend = try backend(
        forStoreAt: path, from: invocation[source], invocation, reader)
      let type = backend.type
      let from = try reader.open(invocation[source], invocation, models)
      let snapshot = try from.snapshot()
      try output.checkFree()
      let line = ProgressLine(invocation.console.messages, "converting")
      defer { line.end() }
      var creation = StoreCreation(overwriting: true)
      creation.isForCopy = true
      let report = try output.makeStore(type, in: reader.places) { temporary in
        let made = try backend.create(
          at: temporary, model: snapshot.model, on: reader.disk, creation)
        return try made.closing {
          try StoreCopy(from: snapshot, to: made).run { progress in show(progress, line) }
        }
      }
      line.end()
      try write(report, type, path, invocation)
      return .done
    }
  }

  /// Returns the backend for a new store: the type that the command line names, or else the type that the file's name asks for.
  static func backend(
    forStoreAt path: String, from source: String, _ invocation: Invocation,
    _ reader: StoreReader
  ) throws -> any StoreBackend {
    let wanted =
      try invocation.value(of: store).map { try type($0, reader) }
      ?? reader.backends.backend(ofAddress: path)?.type
      ?? OutputEnding.storeType(of: path, from: source) ?? .binary
    return try reader.places.backend(of: wanted)
  }

  /// Returns the type of store that a name on the command line means: a built-in type, or a type of a plug-in.
  static func type(_ name: some StringProtocol, _ reader: StoreReader) throws -> StoreType {
    // 'quire info' prints the names of types with their capitals.
    let folded = name.lowercased()
    let isMeant = { (name: String, type: StoreType) in
      name == folded || type.rawValue.lowercased() == folded
    }
    if let known = types.first(where: { isMeant($0.key, $0.value) })?.value { return known }
    let others = reader.backends.types.filter { type in
      type != .memory && !types.contains { $0.value == type }
    }
    if let brought = others.first(where: { $0.rawValue.lowercased() == folded }) { return brought }
    let known =
      "The types are: \((types.map(\.key) + others.map(\.rawValue)).joined(separator: ", "))."
    // The type may belong to an installed plug-in that can't be used.
    let explanation = reader.backends.explanation(ofMissing: StoreType(rawValue: String(name)))
    if let refusal = explanation?.cause as? PluginRefusal, refusal.plugin != nil {
      throw CommandError(
        .plugin, refusal.message,
        hint: "\(known) Run 'quire plugin list' to see the searched folders.")
    }
    throw CommandError.wrongUsage("'\(name)' is not a type of store.", hint: known)
  }

  static func show(_ progress: StoreCopy.Progress, _ line: ProgressLine) {
    line.show(Double(progress.done) / Double(max(1, progress.total)))
  }

  /// Prints the number of references to missing objects, which a copy omits, and of references that it has added.
  static func noteLosses(_ report: StoreCopy.Report, _ invocation: Invocation) throws {
    let lost = report.lostReferenceCount
    if lost > 0 {
      try invocation.console.messages.writeLine(
        "note: \(Wording.count(lost, "reference")) to missing objects "
          + (lost == 1 ? "was omitted." : "were omitted."))
    }
    let filled = report.filledReferenceCount
    if filled > 0 {
      try invocation.console.messages.writeLine(
        "note: \(Wording.count(filled, "reference")) of one-to-one relationships "
          + (filled == 1 ? "was" : "were")
          + " set on one side alone. The copy has both sides.")
    }
  }

  private static func write(
    _ report: StoreCopy.Report, _ type: StoreType, _ path: String, _ invocation: Invocation
  ) throws {
    try noteLosses(report, invocation)
    let lost = report.lostReferenceCount
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      try output.writeLine(
        "\(oneLine(path)): \(type.rawValue), \(Wording.count(report.objectCount, "object"))")
    case .json:
      try output.writeLine(
        JSON.object([
          "path": .string(path), "type": .string(type.rawValue),
          "objectCount": .number(report.objectCount), "lostReferenceCount": .number(lost),
          "filledReferenceCount": .number(report.filledReferenceCount),
        ]))
    }
  }
}
