import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// The part of a document before its objects (spec §5.2.3).
struct DatabaseInfo {
  var version: Int?
  var uuid: UUID?
  /// The highest number that an object ever had.
  var highestKey: UInt64 = 0
  /// The metadata of the document; empty if it has none.
  var values: [String: PropertyList] = [:]
  /// The text of the model, if the document contains it.
  var modelText: String?
  /// The numbers of the entities; `nil` if they follow from the model.
  var entityNumbers: [String: PropertyList]?
  /// The highest number that an entity ever had.
  var highestEntityNumber: Int64?

  /// Sets the properties from the property list of the metadata (spec §5.5).
  mutating func take(_ list: PropertyList) throws {
    guard case .dictionary(var values) = list else {
      throw XMLStoreFault("The metadata are not a dictionary.")
    }
    if let text = values.removeValue(forKey: XMLStoreFormat.MetadataKey.model) {
      guard let text = text.string else {
        throw XMLStoreFault("The model in the metadata is not a text.")
      }
      modelText = text
    }
    if let exact = values.removeValue(forKey: XMLStoreFormat.MetadataKey.values) {
      guard let bytes = exact.data,
        case .dictionary(let others) = try BinaryPropertyList.read(Array(bytes))
      else {
        throw XMLStoreFault(
          "'\(XMLStoreFormat.MetadataKey.values)' in the metadata is not a property list of a dictionary."
        )
      }
      values.merge(others) { _, exact in exact }
    }
    if let numbers = values.removeValue(forKey: XMLStoreFormat.MetadataKey.entityNumbers) {
      entityNumbers = numbers.dictionary ?? [:]
    }
    highestEntityNumber =
      values.removeValue(forKey: XMLStoreFormat.MetadataKey.highestNumber)?.integer
    self.values = values
  }

  /// Returns a schema that contains only the entities with their numbers; `nil` if the numbers follow from the model
  /// (spec §5.5.4).
  func numbers() throws -> Schema? {
    guard let entityNumbers else { return nil }
    let layouts = try entityNumbers.map { name, value in
      guard let number = value.integer.flatMap({ UInt16(exactly: $0) }) else {
        throw XMLStoreFault("The number of the entity '\(name.prefix(60))' is not valid.")
      }
      return Layout(entity: name, entityNumber: number, columns: [])
    }
    do {
      return try Schema(
        layouts: layouts,
        highestEntityNumber: highestEntityNumber.flatMap { UInt16(exactly: $0) } ?? 0,
        highestPropertyNumbers: [:])
    } catch { throw XMLStoreFault("The numbers of the entities are wrong: \(error)") }
  }

  /// Returns the metadata of the store, under the names that all stores use.
  func metadata() throws -> StoreMetadata {
    guard let uuid else { throw XMLStoreFault("The document has no 'databaseInfo' with a UUID.") }
    var metadata = StoreMetadata(values: values)
    metadata.values[StoreMetadata.Key.uuid] = .string(uuid.uuidString)
    metadata.values[StoreMetadata.Key.type] = .string(StoreType.xml.rawValue)
    return metadata
  }

  /// Returns the model of the document: the given model, or the document's own.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/incompatibleModel``.
  func model(given: Model?, checksHashes: Bool, path: String) throws -> Model {
    let metadata = try metadata()
    if let given {
      if checksHashes { try metadata.checkModel(given, path: path) }
      return given
    }
    guard let modelText else {
      throw StoreError(
        .incompatibleModel,
        "The document does not contain its model. Give the model that it was written with.",
        path: path)
    }
    let model: Model
    do { model = try Model(contents: Array(modelText.utf8), path: path) } catch {
      throw StoreError(
        .damaged, "The model in the metadata can't be read: \(error)", path: path, cause: error)
    }
    if checksHashes {
      do { try metadata.checkModel(model, path: path) } catch let error as StoreError {
        throw StoreError(
          .damaged, "The metadata contradict the model that they contain. \(error.message)",
          path: path)
      }
    }
    return model
  }
}
