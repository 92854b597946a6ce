// SAFETY: The bytes of a text are read while the span lends them; a separate property retains the draft that is lent.

import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import XMLEvents

/// Handles the events of a document, and stores the values of its objects in drafts without creating a string or an
/// object for each value.
@safe
struct DatabaseReader: XMLEventHandler {
  /// The identifiers of the grammar's names.
  struct Names {
    let database, databaseInfo, version, uuid, nextObjectID, metadata: XMLNameID
    let object, attribute, relationship, name, type, id, idrefs, destination: XMLNameID

    init(_ names: XMLNames) {
      (database, databaseInfo) = (names.id("database"), names.id("databaseInfo"))
      (version, uuid) = (names.id("version"), names.id("UUID"))
      (nextObjectID, metadata) = (names.id("nextObjectID"), names.id("metadata"))
      (object, attribute) = (names.id("object"), names.id("attribute"))
      relationship = names.id("relationship")
      (name, type, id) = (names.id("name"), names.id("type"), names.id("id"))
      (idrefs, destination) = (names.id("idrefs"), names.id("destination"))
    }
  }

  /// The position of the reader in the grammar.
  enum Place {
    case outside, database, info, infoText, metadata, propertyList, object, attribute, relationship
  }

  let names: Names
  let path: String
  let given: Model?
  /// An earlier schema, to continue its numbers; `nil` to continue the numbers of the document.
  let earlierSchema: Schema?
  let checksHashes: Bool
  let endsWithMetadata: Bool

  var place = Place.outside
  var line = 1
  var info = DatabaseInfo()
  var hasInfo = false
  var seenInfo: Set<XMLNameID> = []
  /// The part of `databaseInfo` that is being read.
  var infoPart: XMLNameID?
  var listBuilder = XMLPropertyListBuilder()
  var listDepth = 0

  /// The text of the open element.
  var text: [UInt8] = []

  var model: Model?
  var schema: Schema?
  var plans: [EntityPlan] = []
  var entityNames = NameTable([], in: .upper)
  var places = ObjectPlaces()
  /// The lists of to-many relationships.
  var lists: [ReferenceList] = []
  var listed: [UInt64] = []

  /// The open object: its entity, its row, and the open property.
  var entity = 0
  var number: UInt64 = 0
  var row = 0
  var draft: Draft?
  /// The same draft, not retained for every value.
  var lentDraft: Unmanaged<Draft>?
  var property = 0
  /// The property before the open one, counted from 1; 0 if there is none.
  var previous = 0
  /// For each property of an entity, the last object that gave it.
  var givenBy: [Int] = []
  var objectCount = 0
  /// The number of bytes in the texts of the open object.
  var objectByteCount = 0
  /// The counter of references that lead nowhere, if the reader skips them; `nil` if they are faults.
  var lost: LostReferences?

  init(
    _ names: XMLNames, path: String, given: Model? = nil, evolving schema: Schema? = nil,
    checksHashes: Bool = true, endsWithMetadata: Bool = false
  ) {
    self.names = Names(names)
    self.path = path
    self.given = given
    earlierSchema = schema
    self.checksHashes = checksHashes
    self.endsWithMetadata = endsWithMetadata
  }

  func fault(_ words: String) -> XMLStoreFault { XMLStoreFault(line: line, words) }

  // MARK: - Events

  mutating func start(_ tag: borrowing XMLStartTag) throws {
    line = tag.position.line
    switch place {
    case .object:
      if tag.name == names.attribute { return try beginAttribute(tag) }
      if tag.name == names.relationship { return try beginRelationship(tag) }
      throw unexpected(tag, in: "object", "'attribute' or 'relationship'")
    case .database:
      if tag.name == names.object { return try beginObject(tag) }
      guard tag.name == names.databaseInfo, !hasInfo else {
        throw unexpected(tag, in: "database", hasInfo ? "'object'" : "'databaseInfo'")
      }
      hasInfo = true
      place = .info
    case .outside:
      guard tag.name == names.database else {
        throw XMLStoreFault(
          "line \(line): The document is not a store: its root is '\(tag.nameString.prefix(60))' "
            + "instead of 'database'.", code: .notAStore)
      }
      place = .database
    case .info: try beginInfoPart(tag)
    case .metadata:
      place = .propertyList
      listDepth = 1
      try listBuilder.start(tag)
    case .propertyList:
      listDepth += 1
      try listBuilder.start(tag)
    case .infoText, .attribute, .relationship:
      throw fault("The element '\(tag.nameString.prefix(60))' is where text is expected.")
    }
  }

  mutating func text(_ bytes: Span<UInt8>) throws {
    switch place {
    case .attribute, .infoText:
      unsafe bytes.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    case .propertyList: try listBuilder.text(bytes)
    default:
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        guard byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D else {
          throw fault("Text is where an element is expected.")
        }
        index &+= 1
      }
    }
  }

  mutating func end(_ name: XMLNameID) throws {
    switch place {
    case .attribute:
      try setAttribute()
      place = .object
    case .relationship: place = .object
    case .object:
      endObject()
      place = .database
    case .infoText:
      try endInfoPart()
      place = .info
    case .propertyList:
      try listBuilder.end()
      listDepth -= 1
      if listDepth == 0 { place = .metadata }
    case .metadata:
      if let list = listBuilder.list { try info.take(list) }
      place = .info
    case .info:
      try endInfo()
      place = .database
    case .database, .outside:
      if !hasInfo { throw fault("The document has no 'databaseInfo'.") }
      place = .outside
    }
  }

  private func unexpected(
    _ tag: borrowing XMLStartTag, in parent: String, _ expected: String
  ) -> XMLStoreFault {
    fault(
      "The element '\(tag.nameString.prefix(60))' is not allowed here in '\(parent)'. Expected: \(expected)."
    )
  }

  // MARK: - Elements before the objects

  private mutating func beginInfoPart(_ tag: borrowing XMLStartTag) throws {
    guard seenInfo.insert(tag.name).inserted else {
      throw fault("'\(tag.nameString.prefix(60))' occurs twice.")
    }
    text.removeAll(keepingCapacity: true)
    switch tag.name {
    case names.version, names.uuid, names.nextObjectID:
      infoPart = tag.name
      place = .infoText
    case names.metadata: place = .metadata
    default:
      throw unexpected(
        tag, in: "databaseInfo", "'version', 'UUID', 'nextObjectID' and 'metadata'")
    }
  }

  private mutating func endInfoPart() throws {
    let words = String(decoding: text, as: UTF8.self)
    switch infoPart {
    case names.uuid:
      guard let uuid = IdentifierParsing.uuid(text.span) else {
        throw fault("'\(words.prefix(60))' is not a UUID.")
      }
      info.uuid = uuid
    case names.version:
      guard let version = NumberParsing.integer(text.span), version >= 0 else {
        throw fault("'\(words.prefix(60))' is not a version.")
      }
      guard version <= XMLStoreFormat.highestVersion else {
        throw XMLStoreFault(
          line: line,
          "The document has version \(version), but this program reads versions up to "
            + "\(XMLStoreFormat.highestVersion).", code: .newerFormat)
      }
      info.version = Int(version)
    default:
      guard let number = NumberParsing.integer(text.span), number >= 0,
        number <= ObjectKey.highestNumber
      else { throw fault("'\(words.prefix(60))' is not the number of an object.") }
      info.highestKey = UInt64(number)
    }
  }

  private mutating func endInfo() throws {
    guard info.uuid != nil else { throw fault("'databaseInfo' has no UUID.") }
    if endsWithMetadata { throw MetadataRead(metadata: try info.metadata()) }
    let model = try info.model(given: given, checksHashes: checksHashes, path: path)
    let schema: Schema
    do {
      // The document uses the names of its own model, so renaming identifiers do not apply.
      let own = try Schema(model, evolving: info.numbers(), of: model)
      let earlier = try earlierSchema.map { try Schema(model, evolving: $0, of: model) }
      // The document determines the numbers of entities and thus the identity of objects. The earlier schema is used
      // only if it has the same numbers, because the model may have changed since.
      schema = earlier.flatMap { $0.numbersEntities(as: own) ? $0 : nil } ?? own
    } catch let error as SchemaError {
      throw StoreError(.incompatibleModel, "\(error)", path: path, cause: error)
    }
    var families: [String: Set<UInt16>] = [:]
    for entity in model.entities {
      families[entity.name] = Set(
        model.family(of: entity.name).compactMap { schema[$0.name]?.entityNumber })
    }
    plans = schema.layouts.compactMap { layout in
      model[layout.entity].map { EntityPlan($0, layout, model, schema, families: families) }
    }
    entityNames = NameTable(plans.map(\.name), in: .upper)
    givenBy = Array(repeating: 0, count: plans.map(\.properties.count).max() ?? 0)
    self.model = model
    self.schema = schema
  }
}
