import Foundation
public import ObjectModel
import PropertyLists
public import Rows
import XMLEvents

/// What a file of an atomic store says before its objects, as texts and numbers that a format keeps however it likes.
///
///     let preamble = try AtomicPreamble(contents)                              // When a file is written.
///     let read = try preamble.contents(model: model, evolving: schema, path: file.path)   // When it is read.
///
/// A format that keeps these five need not know what is in them.
public struct AtomicPreamble: Sendable, Hashable {
  /// The model as XML, as Apple's model editor writes it.
  public var model: String
  /// The metadata as a property list in XML.
  public var metadata: String
  /// The number of each entity, by its name: what makes objects who they are, whatever becomes of the model.
  public var entityNumbers: [String: UInt16]
  /// The highest number that was ever given to an entity.
  public var highestEntityNumber: UInt16
  /// The lowest number that was never set aside for an object.
  public var nextKey: UInt64

  /// What a file says, as it was read.
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

  /// The name of the metadata that XML can't hold as they are, together in one binary list.
  private static let exactValues = "QuireValues"
}

// MARK: - Writing

extension AtomicPreamble {
  /// What a file of the given contents says before their objects.
  ///
  /// - Throws: What writing the model or the metadata throws.
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
  /// The metadata, for whoever wants to know of a store without its objects.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged``.
  public func storeMetadata(path: String) throws -> StoreMetadata {
    try StoreMetadata(values: values(path))
  }

  /// The contents of the file, without objects: their rows are put into ``AtomicRows`` of their schema.
  ///
  /// - Parameters:
  ///   - model: The model that ``AtomicFormat/read(_:model:evolving:)`` was given.
  ///   - schema: The schema that it was given.
  ///   - path: The file's path, for messages.
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` when the texts are none of a store, and
  ///   ``StoreError/Code/incompatibleModel`` when the model that was given is not the one the store was written with.
  public func contents(
    model given: Model?, evolving schema: Schema?, path: String
  ) throws -> AtomicContents {
    let metadata = try storeMetadata(path: path)
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
      throw StoreError(.damaged, "The entities' numbers: \(error)", path: path, cause: error)
    }
    // Objects are who the file says; the model may be another than it was.
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

  /// A schema that has the entities' numbers and nothing else.
  private func numbers() throws(SchemaError) -> Schema {
    try Schema(
      layouts: entityNumbers.map { Layout(entity: $0.key, entityNumber: $0.value, columns: []) },
      highestEntityNumber: highestEntityNumber, highestPropertyNumbers: [:])
  }

  private func values(_ path: String) throws -> [String: PropertyList] {
    do {
      guard case .dictionary(var values) = try XMLPropertyList.read(Array(metadata.utf8)) else {
        throw StoreError(.damaged, "The metadata are no dictionary.", path: path)
      }
      if let exact = values.removeValue(forKey: AtomicPreamble.exactValues) {
        guard case .data(let bytes) = exact,
          case .dictionary(let others) = try BinaryPropertyList.read(Array(bytes))
        else {
          throw StoreError(
            .damaged, "'\(AtomicPreamble.exactValues)' in the metadata is no list.", path: path)
        }
        values.merge(others) { _, exact in exact }
      }
      return values
    } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "The metadata can't be read: \(error)", path: path, cause: error)
    }
  }
}
