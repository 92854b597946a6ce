import Foundation
import ModelNotations
public import ObjectModel
import PropertyLists
public import Rows
import XMLEvents

/// The part of an atomic store's file before its objects, as texts and numbers that a format may store in any way.
///
///     let preamble = try AtomicPreamble(contents)                              // When a file is written.
///     let read = try preamble.contents(model: model, evolving: schema, path: file.path)   // When it is read.
///
/// A format that stores these five values need not understand them.
public struct AtomicPreamble: Sendable, Hashable {
  /// The model as XML, in the form of Apple's model editor.
  public var model: String
  /// The metadata as a property list in XML.
  public var metadata: String
  /// The number of each entity, by name. These numbers keep objects' identities when the model changes.
  public var entityNumbers: [String: UInt16]
  /// The highest number that any entity has had.
  public var highestEntityNumber: UInt16
  /// The lowest number that was never reserved for an object.
  public var nextKey: UInt64

  /// Creates a preamble from values that a format has read.
  public init(
    model: String, metadata: String, entityNumbers: [String: UInt16], highestEntityNumber: UInt16,
    nextKey: UInt64
  ) {
    self.model = model
    self.metadata = metadata
    self.entityNumbers = entityNumbers
    self.highestEntityNumber = highestEntityNumber
    self.nextKey = nextKey
  }

  /// The name of the entry that contains all metadata that XML can't represent, as one binary property list.
  private static let exactValues = "QuireValues"
}

// MARK: - Writing

extension AtomicPreamble {
  /// Creates the preamble of a file with the given contents.
  ///
  /// - Throws: The errors of writing the model or the metadata.
  public init(_ contents: AtomicContents) throws {
    self.init(
      model: String(decoding: try ModelSource.write(contents.model), as: UTF8.self),
      metadata: try AtomicPreamble.text(contents.metadata),
      entityNumbers: Dictionary(
        uniqueKeysWithValues: contents.schema.layouts.map { ($0.entity, $0.entityNumber) }),
      highestEntityNumber: contents.schema.highestEntityNumber, nextKey: contents.nextKey)
  }

  private static func text(_ metadata: StoreMetadata) throws -> String {
    let exact = metadata.values.filter {
      $0.key == exactValues || !XMLPropertyList.canHold(.dictionary([$0.key: $0.value]))
    }
    var values = metadata.values.filter { exact[$0.key] == nil }
    if !exact.isEmpty {
      values[exactValues] = .data(Data(BinaryPropertyList.write(.dictionary(exact))))
    }
    var writer = XMLWriter()
    writer.declaration()
    try XMLPropertyList.write(.dictionary(values), into: &writer)
    return String(decoding: writer.finish(), as: UTF8.self)
  }
}

// MARK: - Reading

extension AtomicPreamble {
  /// Returns the metadata, without a read of the objects.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged``.
  public func storeMetadata(path: String) throws -> StoreMetadata {
    try StoreMetadata(values: values(path)).withoutPlace
  }

  /// Returns the contents of the file without objects. The caller then adds the rows with ``AtomicRows`` of the same
  /// schema.
  ///
  /// - Parameters:
  ///   - given: The `model` argument of ``AtomicFormat/read(_:model:evolving:)``.
  ///   - schema: The `schema` argument of that method.
  ///   - path: The file's path, for messages.
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` if the texts are not valid, and
  ///   ``StoreError/Code/incompatibleModel`` if the store was not written with the given model.
  public func contents(
    model given: Model?, evolving schema: Schema?, path: String
  ) throws -> AtomicContents {
    let metadata = try StoreMetadata(values: values(path))
    guard metadata.uuid != nil else {
      throw StoreError(.damaged, "The metadata have no UUID.", path: path)
    }
    let model: Model
    if let given {
      try metadata.checkModel(given, path: path)
      model = given
    } else {
      model = try ownModel(metadata, path)
    }
    let own: Schema
    let earlier: Schema?
    do {
      own = try Schema(model, evolving: numbers(), of: model)
      earlier = try schema.map { try Schema(model, evolving: $0, of: model) }
    } catch let error as SchemaError {
      throw StoreError(
        .damaged, "The numbers of the entities can't be read: \(error)", path: path, cause: error)
    }
    // The file's entity numbers identify the objects; the model may have changed since the earlier schema.
    let isSame = earlier?.numbersEntities(as: own) ?? false
    return AtomicContents(
      model: model, schema: isSame ? earlier! : own, metadata: metadata, layers: [],
      nextKey: nextKey)
  }

  private func ownModel(_ metadata: StoreMetadata, _ path: String) throws -> Model {
    let model: Model
    do { model = try Model(ModelSource.read(Array(self.model.utf8), path: path)) } catch {
      throw StoreError(.damaged, "The model can't be read: \(error)", path: path, cause: error)
    }
    do { try metadata.checkModel(model, path: path) } catch let error as StoreError {
      throw StoreError(
        .damaged, "The metadata and the model contradict each other. \(error.message)", path: path)
    }
    return model
  }

  /// Returns a schema with the numbers of the entities and no columns.
  private func numbers() throws(SchemaError) -> Schema {
    try Schema(
      layouts: entityNumbers.map { Layout(entity: $0.key, entityNumber: $0.value, columns: []) },
      highestEntityNumber: highestEntityNumber, highestPropertyNumbers: [:])
  }

  private func values(_ path: String) throws -> [String: PropertyList] {
    do {
      guard case .dictionary(var values) = try XMLPropertyList.read(Array(metadata.utf8)) else {
        throw StoreError(.damaged, "The metadata are not a dictionary.", path: path)
      }
      if let exact = values.removeValue(forKey: AtomicPreamble.exactValues) {
        guard case .data(let bytes) = exact,
          case .dictionary(let others) = try BinaryPropertyList.read(Array(bytes))
        else {
          throw StoreError(
            .damaged, "'\(AtomicPreamble.exactValues)' in the metadata is not a list.", path: path)
        }
        values.merge(others) { _, exact in exact }
      }
      return values
    } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "The metadata can't be read: \(error)", path: path, cause: error)
    }
  }
}
