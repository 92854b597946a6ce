import ModelNotations
package import ObjectModel
import PropertyLists
package import Rows
package import StoreInterface
import XMLEvents

/// The form in which models, schemas and metadata pass through the interface (spec §9.5): bytes that a store keeps
/// unchanged.
package enum PluginDescriptions {
  /// Returns a model as XML, as Apple's model editor writes it.
  package static func bytes(of model: Model) throws -> [UInt8] { try ModelSource.write(model) }

  /// Returns a schema in the form of block files.
  package static func bytes(of schema: Schema) -> [UInt8] { SchemaCoding.bytes(schema) }

  /// Returns metadata as a property list: in XML, or in Apple's binary form if XML can't represent the values.
  package static func bytes(of metadata: StoreMetadata) throws -> [UInt8] {
    try bytes(of: PropertyList.dictionary(metadata.values))
  }

  /// Returns a property list as bytes: in XML, or in Apple's binary form if XML can't represent the values.
  static func bytes(of list: PropertyList) throws -> [UInt8] {
    guard XMLPropertyList.canHold(list) else { return BinaryPropertyList.write(list) }
    var writer = XMLWriter()
    writer.declaration()
    try XMLPropertyList.write(list, into: &writer)
    return writer.finish()
  }

  /// Parses the bytes of a model.
  package static func model(_ bytes: [UInt8], path: String?) throws -> Model {
    try reading("model", path) { try Model(contents: bytes, path: path ?? "model") }
  }

  /// Parses the bytes of a schema.
  package static func schema(_ bytes: [UInt8], path: String?) throws -> Schema {
    try reading("schema", path) { try SchemaCoding.read(bytes, at: 0) }
  }

  /// Parses the bytes of metadata.
  package static func metadata(_ bytes: [UInt8], path: String?) throws -> StoreMetadata {
    StoreMetadata(values: try dictionary(bytes, "metadata", path: path))
  }

  /// Parses the bytes of a property list with names.
  static func dictionary(
    _ bytes: [UInt8], _ what: String, path: String?
  ) throws -> [String: PropertyList] {
    try reading(what, path) {
      let list =
        bytes.starts(with: "bplist".utf8)
        ? try BinaryPropertyList.read(bytes) : try XMLPropertyList.read(bytes)
      guard case .dictionary(let values) = list else {
        throw StoreError(.damaged, "The \(what) is not a dictionary.", path: path)
      }
      return values
    }
  }

  static func reading<R>(
    _ what: String, _ path: String?, _ body: () throws -> R
  ) throws -> R {
    do { return try body() } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "The \(what) can't be read: \(error)", path: path, cause: error)
    }
  }
}
