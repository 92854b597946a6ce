import BlockFileFormat
package import ObjectModel
import PropertyLists
package import Rows
package import StoreInterface
import XMLEvents

/// How models, schemas and metadata cross (spec §9.5): as bytes that a store keeps as they are.
package enum PluginDescriptions {
  /// A model as XML, as Apple's model editor writes it.
  package static func bytes(of model: Model) throws -> [UInt8] { try ModelSource.write(model) }

  /// A schema, as block files keep it.
  package static func bytes(of schema: Schema) -> [UInt8] { SchemaSection.bytes(schema) }

  /// Metadata as a property list: in XML, or in Apple's binary form where XML can't hold them.
  package static func bytes(of metadata: StoreMetadata) throws -> [UInt8] {
    let list = PropertyList.dictionary(metadata.values)
    guard XMLPropertyList.canHold(list) else { return BinaryPropertyList.write(list) }
    var writer = XMLWriter()
    writer.declaration()
    try XMLPropertyList.write(list, into: &writer)
    return writer.finish()
  }

  /// The model of some bytes.
  package static func model(_ bytes: [UInt8], path: String?) throws -> Model {
    try reading("model", path) { try Model(ModelSource.read(bytes, path: path ?? "model")) }
  }

  /// The schema of some bytes.
  package static func schema(_ bytes: [UInt8], path: String?) throws -> Schema {
    try reading("schema", path) { try SchemaSection.read(bytes, at: 0) }
  }

  /// The metadata of some bytes.
  package static func metadata(_ bytes: [UInt8], path: String?) throws -> StoreMetadata {
    try reading("metadata", path) {
      let list =
        bytes.starts(with: "bplist".utf8)
        ? try BinaryPropertyList.read(bytes) : try XMLPropertyList.read(bytes)
      guard case .dictionary(let values) = list else {
        throw StoreError(.damaged, "The metadata are no dictionary.", path: path)
      }
      return StoreMetadata(values: values)
    }
  }

  private static func reading<R>(
    _ what: String, _ path: String?, _ body: () throws -> R
  ) throws -> R {
    do { return try body() } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "The \(what) can't be read: \(error)", path: path, cause: error)
    }
  }
}
