import CommandInterface
import Documents
import JSONText
import ObjectModel
import StoreInterface

/// The command `quire save-as`.
enum SaveAsCommand {
  static let source = Argument("DOC", "A document, or a store of any type.", role: .input)
  static let target = Argument("DST", "The path of the new document.", role: .output)

  /// Returns the hint for an earlier version that the document itself can't return to, because its model has changed.
  static func hint(forVersion number: Int64, of path: String) -> String {
    let copy = CommandError.path(path, beside: " \(number)")
    return
      "'quire save-as \(CommandError.quoted(path)) \(CommandError.quoted(copy)) --version \(number)' "
      + "makes a document of the version."
  }

  /// Returns the command. It opens documents and stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "save-as", "copies a document, a version of one or a store into a new document",
      discussion: """
        Without options the copy of a document contains everything, all versions included, and objects keep \
        their identifiers. With --version the new document contains only this version, and with --store only \
        the newest. Its stores assign new identifiers then, and the stores of --version keep their types.

        The new document of a store contains its objects in one store. The default type is binary.

        DOC is not changed. The command creates DST completely or not at all.
        """,
      arguments: [source, target],
      options: [ConvertCommand.store, .version, .storeModel, ConvertCommand.force, .format],
      examples: [
        Example("quire save-as Trip.quire Copy.quire", "Writes an equal document."),
        Example(
          "quire save-as Trip.quire Before.quire --version 2",
          "Writes a document with the objects and attachments of version 2."),
        Example(
          "quire save-as Trip.quire Trip-xml.quire --store xml",
          "Writes a document with XML stores."),
        Example("quire save-as Trips.store Trips.quire", "Makes a document of a store."),
      ]
    ) { invocation in
      let place = try invocation.output(target, on: reader.disk)!
      let path = place.path
      let from = invocation[source]
      try OutputEnding.checkDocument(path, from: from)
      try place.checkFree()
      let type = try invocation.value(of: ConvertCommand.store).map {
        try ConvertCommand.type($0, reader)
      }
      let line = ProgressLine(invocation.console.messages, "writing")
      defer { line.end() }
      if try reader.isDocument(from) {
        let document = try reader.document(from, toRead: invocation)
        defer { try? document.close() }
        let makesStores = type != nil || invocation.has(.version)
        let others = try document.heads.names.filter { $0 != document.head }
        if makesStores, !others.isEmpty {
          try invocation.console.messages.writeLine(
            "note: The new document has one version of the head '\(document.head)', and no version of "
              + "\(others.map { "'\($0)'" }.joined(separator: ", ")).")
        }
        try place.making {
          if makesStores {
            let types = Dictionary(uniqueKeysWithValues: document.stores.map { ($0.name, $0.type) })
            try document.convert(
              to: path, overwriting: place.overwrites, type: { type ?? types[$0] ?? .binary }
            ) { ConvertCommand.show($0, line) }
          } else {
            try document.copy(to: path, overwriting: place.overwrites)
          }
        }
      } else {
        let snapshot = try reader.open(from, invocation, models).snapshot()
        try place.making {
          try Document.create(
            path, model: snapshot.model, stores: [DocumentStoreDescription(type: type ?? .binary)],
            in: reader.places, overwriting: place.overwrites
          ) { store in
            let report = try StoreCopy(from: snapshot, to: store).run {
              ConvertCommand.show($0, line)
            }
            try ConvertCommand.noteLosses(report, invocation)
          }.close()
        }
      }
      line.end()
      let made = try reader.document(path, access: .readOnly)
      defer { try? made.close() }
      let output = invocation.console.output
      switch invocation.format {
      case .text:
        try output.writeLine("\(oneLine(path)): \(Wording.stores(of: made))")
      case .json:
        try output.writeLine(
          JSON.object([
            "path": .string(path),
            "stores": Wording.storesJSON(of: made),
          ]))
      }
      return .done
    }
  }
}
