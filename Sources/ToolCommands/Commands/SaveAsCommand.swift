import Documents
import JSONText
import StoreInterface

/// The command `quire save-as`.
enum SaveAsCommand {
  static let target = Argument("DST", "The path of the new document.", role: .output)

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "save-as", "copies a document, or writes it with stores of another type",
      discussion: """
        Without --store the copy contains everything, all versions included, and objects keep their \
        identifiers. With --store the new stores assign new identifiers, and the new document contains only \
        the newest version.

        DOC is not changed. The command creates DST completely or not at all.
        """,
      arguments: [.document, target],
      options: [ConvertCommand.store, ConvertCommand.force, .format],
      examples: [
        Example("quire save-as Trip.quire Copy.quire", "Writes an equal document."),
        Example(
          "quire save-as Trip.quire Trip-xml.quire --store xml",
          "Writes a document with XML stores."),
      ]
    ) { invocation in
      let place = try invocation.output(target, on: reader.disk)!
      let path = place.path
      try OutputEnding.checkDocument(path, from: invocation[.document])
      try place.checkFree()
      let document = try reader.document(invocation[.document], access: .readOnly)
      defer { try? document.close() }
      let line = ProgressLine(invocation.console.messages, "writing")
      defer { line.end() }
      try place.making {
        if let name = invocation.value(of: ConvertCommand.store) {
          let type = try ConvertCommand.type(name, reader)
          try document.convert(to: path, overwriting: place.overwrites, type: { _ in type }) {
            line.show($0.total > 0 ? Double($0.done) / Double($0.total) : 1)
          }
        } else {
          try document.copy(to: path, overwriting: place.overwrites)
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
