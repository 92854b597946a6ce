import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import XMLEvents

/// Writes a document: the part before the objects, then the objects one by one.
struct DatabaseWriter {
  private let contents: AtomicContents
  private let options: XMLStoreOptions

  init(_ contents: AtomicContents, _ options: XMLStoreOptions) {
    self.contents = contents
    self.options = options
  }

  /// Returns the error for an object with a reference to a missing object (spec §5.3.5).
  static func dangling(
    _ number: UInt64, _ entity: String, _ name: String, _ target: ObjectKey
  ) -> StoreError {
    StoreError(
      .badChange,
      "The relationship '\(name)' of object z\(number) (\(entity)) refers to z\(target.number), "
        + "which does not exist. A store of type XML can't contain such a reference.")
  }

  func write(to writer: inout FileWriter) throws {
    var output = OutputBuffer()
    output.append(try head())
    output.append("\n")
    let entities = try EntityWriter.all(contents, options)
    switch options.form {
    case .readable:
      for index in entities.indices {
        for place in entities[index].rows.keys.indices {
          try entities[index].append(place, to: &output)
          try output.flushIfFull(to: &writer)
        }
      }
    case .coreData:
      var order: [(number: UInt64, entity: Int, place: Int)] = []
      for (index, entity) in entities.enumerated() {
        for (place, number) in entity.rows.keys.enumerated() {
          order.append((number, index, place))
        }
      }
      order.sort { $0.number < $1.number }
      for one in order {
        try entities[one.entity].append(one.place, to: &output)
        try output.flushIfFull(to: &writer)
      }
    }
    output.append("</database>")
    if options.form == .readable { output.append("\n") }
    try output.flush(to: &writer)
  }

  /// Returns the part before the objects: the declaration, and `databaseInfo` (spec §5.2.3).
  private func head() throws -> [UInt8] {
    let metadata = contents.metadata
    var values = metadata.values
    values[StoreMetadata.Key.uuid] = nil
    values[StoreMetadata.Key.type] = nil
    guard let uuid = metadata.uuid else {
      throw StoreError(.badChange, "The metadata have no UUID.")
    }
    // Values that an XML property list would change go into a binary property list, which changes nothing.
    let exact = values.filter {
      !XMLPropertyList.canHold(.dictionary([$0.key: $0.value]))
        || XMLStoreFormat.MetadataKey.all.contains($0.key)
    }
    values = values.filter { exact[$0.key] == nil }
    if !exact.isEmpty {
      values[XMLStoreFormat.MetadataKey.values] = .data(
        Data(BinaryPropertyList.write(.dictionary(exact))))
    }
    if options.embedsModel {
      values[XMLStoreFormat.MetadataKey.model] = .string(
        String(decoding: try ModelSource.write(contents.model), as: UTF8.self))
    }
    try addNumbers(to: &values)
    var writer = XMLWriter()
    try writer.start("database")
    try writer.start("databaseInfo")
    for (name, text) in [
      ("version", String(XMLStoreFormat.version)), ("UUID", uuid.uuidString),
      ("nextObjectID", String(contents.nextKey - 1)),
    ] {
      try writer.start(name)
      try writer.text(text)
      writer.end()
    }
    try writer.start("metadata")
    try XMLPropertyList.write(.dictionary(values), into: &writer)
    writer.end()
    writer.end()
    writer.end()
    let declaration = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">


      """
    return Array(declaration.utf8) + writer.finish().dropLast("\n</database>".utf8.count)
  }

  /// Adds the entities' numbers, if a reader can't derive them from the model alone (spec §5.5.4).
  private func addNumbers(to values: inout [String: PropertyList]) throws {
    func numbers(_ schema: Schema) -> [String: UInt16] {
      Dictionary(uniqueKeysWithValues: schema.layouts.map { ($0.entity, $0.entityNumber) })
    }
    let own = numbers(contents.schema)
    guard try own != numbers(Schema(contents.model)) else { return }
    values[XMLStoreFormat.MetadataKey.entityNumbers] = .dictionary(
      own.mapValues { .integer(Int64($0)) })
    values[XMLStoreFormat.MetadataKey.highestNumber] = .integer(
      Int64(contents.schema.highestEntityNumber))
  }
}
