import CommandInterface
import Comparison
import Documents
import ObjectModel
import StoreInterface

/// The opening of the documents and stores that `quire diff` and `quire merge` compare, with the options of the command line.
enum DiffSides {
  /// Opens the two places of a comparison for reading.
  static func open(
    _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> PairedStores {
    let names = [invocation[DiffCommand.old], invocation[DiffCommand.new]]
    let places = try names.map { try VersionedPath($0, on: reader.disk) }
    let areDocuments = try places.map { try reader.isDocument($0.path) }
    if !areDocuments.contains(true), invocation.has(DiffCommand.store) {
      throw CommandError.wrongUsage(
        "--in names a store of a document, but no side is a document.", hint: "Leave out --in.")
    }
    if !areDocuments.contains(false), invocation.has(DiffCommand.model) {
      throw CommandError.wrongUsage(
        "--model is for a store that does not contain its model, but both sides are documents.",
        hint: "Leave out --model.")
    }
    let sides = try zip(names, places).map { name, place in
      try side(name, place, reader, models, invocation)
    }
    return try PairedStores(sides[0], sides[1], in: reader.places)
  }

  /// Opens a copy that takes part in a merge, for reading.
  ///
  /// - Parameter mayBeEmpty: Whether an empty file stands for a store without objects.
  static func source(
    _ name: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation,
    mayBeEmpty: Bool = false
  ) throws -> ComparedPlace {
    try source(
      name, at: VersionedPath(name, on: reader.disk), reader, models, invocation,
      mayBeEmpty: mayBeEmpty)
  }

  /// Opens a copy that has another name in messages.
  static func source(
    _ name: String, at place: VersionedPath, _ reader: StoreReader, _ models: ModelReader,
    _ invocation: Invocation, mayBeEmpty: Bool = false
  ) throws -> ComparedPlace {
    if mayBeEmpty, try place.isEmptyFile(on: reader.disk) {
      return ComparedPlace(emptyFile: name, at: place)
    }
    let isDocument = try reader.isDocument(place.path)
    return try side(
      name, place, reader, models,
      invocation.setting(isDocument ? DiffCommand.model : DiffCommand.store, to: nil))
  }

  /// Opens a place for reading. The reader closes a store that is not part of a document.
  private static func side(
    _ word: String, _ place: VersionedPath, _ reader: StoreReader, _ models: ModelReader,
    _ invocation: Invocation
  ) throws -> ComparedPlace {
    let invocation = invocation.setting(.version, to: place.version.map { "\($0)" })
    guard try reader.isDocument(place.path) else {
      let store = try store(place.path, reader, models, invocation)
      return ComparedPlace(word, at: place, nil, model: nil, stores: [("", store)])
    }
    let document = try reader.document(place.path, toRead: invocation)
    guard let name = invocation.value(of: DiffCommand.store) else {
      return ComparedPlace(
        word, at: place, document, model: try document.model,
        stores: document.stores.map { ($0.name, $0) })
    }
    let store = try StoreReader.store(name, of: document, at: place.path)
    return ComparedPlace(word, at: place, document, model: nil, stores: [(name, store)])
  }

  /// Opens a store with its own model, or with the model of the command line if it contains none.
  static func store(
    _ path: String, _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation,
    readOnly: Bool = true
  ) throws -> any Store {
    guard let model = invocation.value(of: DiffCommand.model) else {
      return try reader.open(path, invocation, models, readOnly: readOnly)
    }
    do {
      return try reader.open(path, invocation, models, readOnly: readOnly)
    } catch let error as CommandError where error.exitCode == .modelMismatch {
      return try reader.open(
        path, invocation.setting(.storeModel, to: model), models, readOnly: readOnly)
    }
  }
}
