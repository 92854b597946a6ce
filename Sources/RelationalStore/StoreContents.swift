package import ObjectModel
import PropertyLists
package import Rows
package import SQLTranslation
package import StoreInterface

/// The description of a store in its database: the metadata, the model, and the tables of the model's objects.
package struct StoreContents: Sendable {
  /// The metadata, as the database contains them.
  package var metadata: StoreMetadata
  /// The property list of the metadata, to detect changes of them and to keep them in the history.
  package var list: [UInt8]
  /// The model of the objects.
  package var model: Model
  /// The numbers of entities and properties in rows.
  package var schema: Schema
  /// The tables and columns of the objects.
  package var map: TableMap
  /// Whether Quire has made the tables, so that they contain a history and numbers of commits.
  package var isOwn: Bool
  /// The commit that set the model; 0 if it is unknown.
  package var modelCommit: Int64
  /// The commit that set the metadata; 0 if the database does not record it.
  package var metadataCommit: Int64

  /// The most bytes of a model, and of metadata, that are read.
  package static let maximumModelByteCount = 1 << 26

  /// Creates a description from its parts.
  package init(
    _ metadata: StoreMetadata, _ list: [UInt8], _ model: Model, _ schema: Schema, _ map: TableMap,
    isOwn: Bool, modelCommit: Int64, metadataCommit: Int64 = 0
  ) {
    (self.metadata, self.list, self.model) = (metadata, list, model)
    (self.schema, self.map, self.isOwn) = (schema, map, isOwn)
    (self.modelCommit, self.metadataCommit) = (modelCommit, metadataCommit)
  }

  /// Returns the metadata after a commit; `nil` if the commit does not change them.
  package func metadata(after request: CommitRequest) -> StoreMetadata? {
    guard request.metadata != nil || request.model != nil else { return nil }
    var metadata = request.metadata ?? self.metadata
    if let model = request.model { metadata.setModel(model) }
    metadata.values[StoreMetadata.Key.uuid] = self.metadata.values[StoreMetadata.Key.uuid]
    return metadata
  }

  /// Returns the property list of metadata, without the UUID, which has its own column.
  package static func list(_ metadata: StoreMetadata) -> [UInt8] {
    var values = metadata.values
    values[StoreMetadata.Key.uuid] = nil
    return BinaryPropertyList.write(.dictionary(values))
  }

  /// Returns metadata from their property list.
  ///
  /// - Parameters:
  ///   - type: The type of a store that other systems may have made: the list may be empty, or may not name the type.
  ///   - place: The column with the list, for messages.
  package static func metadata(
    _ list: [UInt8], uuid: String?, type: StoreType? = nil, in place: String, _ path: String
  ) throws -> StoreMetadata {
    do {
      guard
        case .dictionary(var values) = try list.isEmpty && type != nil
          ? .dictionary([:]) : BinaryPropertyList.read(list)
      else { throw StoreError(.damaged, "\(place) is not a dictionary.", path: path) }
      values[StoreMetadata.Key.uuid] = uuid.map { .string($0) }
      if let type, values[StoreMetadata.Key.type] == nil {
        values[StoreMetadata.Key.type] = .string(type.rawValue)
      }
      return StoreMetadata(values: values)
    } catch let error as PropertyListError {
      throw StoreError(.damaged, "\(place) can't be read: \(error)", path: path, cause: error)
    }
  }

  /// Returns the numbers of a model's entities and properties from their stored form.
  ///
  /// - Parameter table: The table with the model and the numbers, for messages.
  /// - Throws: `StoreError` also if the numbers belong to another model. Each property of the model must have a number.
  package static func schema(
    _ bytes: [UInt8], of model: Model, in table: String, _ path: String
  ) throws -> Schema {
    let schema: Schema
    do { schema = try SchemaCoding.read(bytes, at: 0) } catch {
      throw StoreError(
        .damaged, "The schema in \(table) can't be read: \(error)", path: path, cause: error)
    }
    // The numbers belong to this model only if numbering the model again changes none of them.
    guard let own = try? Schema(model, evolving: schema, of: model),
      own.relationshipNumbers == schema.relationshipNumbers, own.layouts == schema.layouts,
      own.linkTables == schema.linkTables
    else {
      throw StoreError(
        .damaged, "The schema in \(table) does not fit the model in \(table).", path: path)
    }
    return schema
  }

  /// Returns the map of a model's tables, or throws the store's error if there is none.
  package static func map(
    _ path: String, _ make: @autoclosure () throws(TableMap.Mismatch) -> TableMap
  ) throws(StoreError) -> TableMap {
    do throws(TableMap.Mismatch) { return try make() } catch {
      throw StoreError(.incompatibleModel, error.description, path: path)
    }
  }
}
