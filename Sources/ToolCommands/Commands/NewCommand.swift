import Documents
import Foundation
import JSONText
import ObjectModel
import StoreInterface

/// The command `quire new`.
enum NewCommand {
  static let document = Argument(
    "DOC", "The path of the new document, a folder. By convention its name is NAME.quire.",
    role: .output)
  static let model = Option(
    "model", value: "MODEL", role: .input,
    "The model of the document: .model, .xcdatamodeld, .xcdatamodel, a compiled model, or a document "
      + "or a store that contains its model.")
  static let stores = Option(
    "store", value: "TYPES",
    "The type of the store: binary, compressed, xml, or a type of a plug-in; the default is "
      + "binary. For several stores give NAME=TYPE or NAME=TYPE:CONFIGURATION, separated by commas."
  )
  static let title = Option("title", value: "TEXT", "The title of the document.")
  static let force = Option(Option.forceName, "Replaces an existing document.")

  /// Returns the command. It opens stores through `reader` and reads models through `models`.
  static func command(_ reader: StoreReader, _ models: ModelReader) -> Command {
    Command(
      "new", "creates a document",
      discussion: """
        The document contains the model, so other programs need no model to open it. Each of several stores \
        contains the entities of one configuration of the model.

        The command creates DOC completely or not at all.
        """,
      arguments: [document], options: [model, stores, title, force, .format],
      examples: [
        Example(
          "quire new Trip.quire --model Trips.xcdatamodeld", "Creates a document with one store."),
        Example(
          "quire new Trip.quire --model Trips.xcdatamodeld --store trips=binary:Trips,people=xml:People",
          "Creates a document with two stores, each for the entities of one configuration."),
      ]
    ) { invocation in
      guard let source = invocation.value(of: model) else {
        throw CommandError.wrongUsage("'new' needs --model.", hint: "Give one with --model.")
      }
      let place = try invocation.output(document, on: reader.disk)!
      let path = place.path
      try OutputEnding.checkDocument(path, from: "DOC")
      try place.checkFree()
      let version = try models.model(at: source)
      let made = try place.making {
        try Document.create(
          path, model: version.model, modelName: version.name,
          stores: try descriptions(invocation.value(of: stores), reader),
          title: invocation.value(of: title), in: reader.places,
          overwriting: place.overwrites)
      }
      defer { try? made.close() }
      let output = invocation.console.output
      switch invocation.format {
      case .text:
        try output.writeLine("\(oneLine(path)): \(Wording.stores(of: made))")
      case .json:
        try output.writeLine(
          JSON.object([
            "path": .string(path), "uuid": .string(made.manifest.uuid.uuidString),
            "stores": Wording.storesJSON(of: made),
          ]))
      }
      return .done
    }
  }

  /// Returns the descriptions of the stores that an option names.
  static func descriptions(
    _ text: String?, _ reader: StoreReader
  ) throws -> [DocumentStoreDescription] {
    guard let text else { return [DocumentStoreDescription()] }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    return try parts.map { part in
      let (name, rest) = split(part, at: "=")
      guard let rest else {
        guard parts.count == 1 else {
          throw CommandError.wrongUsage(
            "'\(part)' is not a store.", hint: "Write each of several stores as NAME=TYPE.")
        }
        return DocumentStoreDescription(type: try ConvertCommand.type(part, reader))
      }
      let (typeName, configuration) = split(rest, at: ":")
      return DocumentStoreDescription(
        String(name), type: try ConvertCommand.type(typeName, reader),
        configuration: configuration.map(String.init))
    }
  }

  private static func split(
    _ text: Substring, at separator: Character
  ) -> (Substring, Substring?) {
    guard let place = text.firstIndex(of: separator) else { return (text, nil) }
    return (text[..<place], text[text.index(after: place)...])
  }
}
