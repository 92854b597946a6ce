import Foundation
import PluginSupport

/// The format of the files of JSON stores. `AtomicStore` does the rest of a store's work.
///
///     {"quire-json": 1,
///     "nextKey": 104,
///     "objects": {
///     "Trip": [
///     {"#": 103, "days": 4, "name": "Along the Douro"}
///     ]},
///     ...
struct JSONFormat: AtomicFormat {
  var type: StoreType { .json }
  var version: String { String(JSONFormat.version) }

  /// The version that this plug-in writes, and the highest version that it reads.
  static let version = 1
  /// The first bytes of every file.
  static let beginning = "{\"quire-json\""

  func read(_ file: DurableFile, model: Model?, evolving schema: Schema?) throws -> AtomicContents {
    let stored = try JSONFormat.decode(StoredFile.self, from: file)
    var contents = try stored.preamble.contents(
      model: model, evolving: schema, path: file.path)
    let reader = RowReader(contents.schema, path: file.path)
    for (entity, objects) in stored.objects {
      for (index, object) in objects.enumerated() {
        try reader.insert(object, entity, "objects.\(entity)[\(index)]")
      }
    }
    for (name, links) in stored.links {
      for (index, link) in links.enumerated() {
        try reader.link(link, name, "links.\(name)[\(index)]")
      }
    }
    contents.layers = [reader.rows.layer()]
    return contents
  }

  func write(_ contents: AtomicContents, to writer: inout FileWriter) throws {
    let preamble = try AtomicPreamble(contents)
    try writer.write("\(JSONFormat.beginning): \(JSONFormat.version),\n")
    try writer.write("\"nextKey\": \(preamble.nextKey),\n")
    try writer.write("\"highestEntityNumber\": \(preamble.highestEntityNumber),\n")
    let numbers = preamble.entityNumbers.sorted { $0.value < $1.value }
      .map { "\(JSONText.quoted($0.key)): \($0.value)" }
    try writer.write("\"entityNumbers\": {\(numbers.joined(separator: ", "))},\n")
    try RowWriter(contents).write(to: &writer)
    // Readers rarely look at the metadata and the model, so both come last.
    try writer.write("\"metadata\": \(JSONText.lines(preamble.metadata)),\n")
    try writer.write("\"model\": \(JSONText.lines(preamble.model))}\n")
  }

  /// Reads the part of a file before its objects.
  func preamble(_ file: DurableFile) throws -> AtomicPreamble {
    try JSONFormat.decode(StoredPreamble.self, from: file).preamble
  }

  /// Decodes a file, and throws an error with the place of the first fault in the JSON.
  private static func decode<T: Decodable>(_ type: T.Type, from file: DurableFile) throws -> T {
    let bytes = try file.read(byteCount: file.byteCount(), at: 0)
    guard bytes.starts(with: beginning.utf8) else {
      throw StoreError(
        .notAStore, "The file does not begin with \(beginning).", path: file.path)
    }
    let decoder = JSONDecoder()
    do {
      // The objects of a newer version may have other members, so the version is decoded first.
      let found = try decoder.decode(StoredVersion.self, from: Data(bytes)).version
      guard found <= version else {
        throw StoreError(
          .newerFormat,
          "The file is of version \(found), and this plug-in reads version \(version).",
          path: file.path)
      }
      return try decoder.decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw StoreError(.damaged, text(error, Data(bytes)), path: file.path, cause: error)
    }
  }

  /// Returns the message of a decoding error: the place in the file, and the fault.
  private static func text(_ error: DecodingError, _ bytes: Data) -> String {
    let context: DecodingError.Context
    switch error {
    case .dataCorrupted(let found), .keyNotFound(_, let found), .typeMismatch(_, let found),
      .valueNotFound(_, let found):
      context = found
    @unknown default: return "\(error)"
    }
    if context.codingPath.isEmpty, let words = invalidity(of: bytes) { return words }
    var place = ""
    for key in context.codingPath {
      place += key.intValue.map { "[\($0)]" } ?? (place.isEmpty ? "" : ".") + key.stringValue
    }
    return "\(place.isEmpty ? "The file" : place): \(context.debugDescription)"
  }

  /// Returns a message with the place of the first syntax error, or `nil` if the bytes are valid JSON. `JSONDecoder` does not
  /// report the place.
  private static func invalidity(of bytes: Data) -> String? {
    do {
      _ = try JSONSerialization.jsonObject(with: bytes)
      return nil
    } catch {
      let words = (error as NSError).userInfo["NSDebugDescription"] as? String
      return "The file is no JSON. \(words ?? "\(error)")"
    }
  }
}
