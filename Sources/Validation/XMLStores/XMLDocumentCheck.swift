import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import XMLEvents

/// Checks the events of a document against the grammar and the model, and gathers the objects in a layer. Errors are
/// reported, and the check continues.
final class XMLDocumentCheck: XMLEventHandler {
  /// The position of an element in the grammar.
  enum Element {
    case database, info, version, uuid, nextObjectID, metadata, list, object, attribute,
      relationship
    /// An element that the grammar does not have, or any element within it.
    case unknown
  }

  let findings: Findings
  private(set) var model: Model?
  private(set) var schema: Schema?
  var entities = EntityNames()
  var builder: LayerBuilder?
  var isWhole = true
  var unchecked: [String] = []

  private(set) var isDatabase = false
  private(set) var isNewer = false
  private(set) var uuid: UUID?
  /// The entity numbers of the objects, by object number.
  var objects: [UInt64: UInt16] = [:]
  var objectCount = 0
  var lists: [ReferenceList] = []
  /// The objects that got their owner from the owner's list, because they state no owner themselves.
  var claimed: Set<ObjectKey> = []

  private let names: Names
  private var open: [Element] = []
  private var text: [UInt8] = []
  private var seen: Set<String> = []
  private var line = 0
  private var listBuilder: XMLPropertyListBuilder?
  private var values: [String: PropertyList] = [:]
  private var highestNumber: UInt64 = 0
  private var mayHaveObjects = true
  /// The open object, if its entity is in the model.
  var object: OpenObject?

  /// The identifiers of the grammar's names.
  struct Names {
    let name, type, id, idrefs, destination: XMLNameID
    init(_ names: XMLNames) {
      (name, type, id) = (names.id("name"), names.id("type"), names.id("id"))
      (idrefs, destination) = (names.id("idrefs"), names.id("destination"))
    }
  }

  init(_ names: XMLNames, _ findings: Findings, _ given: Model?) {
    self.names = Names(names)
    self.findings = findings
    givenModel = given
  }

  private let givenModel: Model?

  var place: Place { Place("line \(line)") }

  func add(_ rule: Rule, _ message: @autoclosure () -> String) {
    var place = place
    if let object {
      place.entity = object.names.layout.entity
      place.object = object.key.number
      place.property = object.property?.name
    }
    findings.add(rule, place, message())
  }

  // MARK: - Events

  func start(_ tag: borrowing XMLStartTag) throws {
    line = tag.position.line
    text.removeAll(keepingCapacity: true)
    let element = element(tag)
    open.append(element)
    switch element {
    case .list:
      do { try listBuilder?.start(tag) } catch { spoilList(error) }
    case .object: beginObject(tag)
    case .attribute, .relationship: beginProperty(tag, isAttribute: element == .attribute)
    case .unknown: break
    default:
      if tag.attributeCount > 0 {
        add(
          .xmlElements,
          "The element '\(tag.nameString)' can't have the attribute '\(tag.attributeNameString(0).prefix(60))'."
        )
      }
    }
  }

  func end(_ name: XMLNameID) throws {
    let element = open.removeLast()
    switch element {
    case .version: endVersion()
    case .uuid:
      let words = String(decoding: text, as: UTF8.self)
      uuid = UUID(spelled: words.trimmingCharacters(in: .whitespacesAndNewlines))
      if uuid == nil {
        add(.xmlUUID, "'\(words.prefix(60))' is not a UUID.")
      }
    case .nextObjectID:
      if let number = XMLValues.integer(text), number >= 0 {
        highestNumber = UInt64(number)
      } else {
        add(
          .xmlNumbers,
          "'\(String(decoding: text.prefix(60), as: UTF8.self))' is not a valid number.")
      }
    case .list:
      do { try listBuilder?.end() } catch { spoilList(error) }
    case .info: endInfo()
    case .object:
      endObject()
      object = nil
    case .attribute: endAttribute(text)
    case .relationship: object?.property = nil
    default: break
    }
    text.removeAll(keepingCapacity: true)
  }

  func text(_ bytes: Span<UInt8>) throws {
    switch open.last {
    case .version?, .uuid?, .nextObjectID?, .attribute?:
      for index in bytes.indices { text.append(bytes[index]) }
    case .list?:
      do { try listBuilder?.text(bytes) } catch { spoilList(error) }
    case .unknown?: break
    default:
      for index in bytes.indices where ![0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) {
        add(.xmlWhiteSpace, "Text is where only white space is allowed.")
        return
      }
    }
  }

  // MARK: - Elements

  private func element(_ tag: borrowing XMLStartTag) -> Element {
    let name = tag.nameString
    switch (open.last, name) {
    case (nil, "database"):
      isDatabase = true
      return .database
    case (nil, _): return .unknown
    case (.database?, "databaseInfo"):
      if !seen.insert(name).inserted || objectCount > 0 {
        add(.xmlInfo, "'databaseInfo' occurs twice, or comes after an object.")
        return .unknown
      }
      return .info
    case (.database?, "object"):
      if !seen.contains("databaseInfo") {
        if mayHaveObjects {
          add(.xmlInfo, "An object comes before 'databaseInfo', or 'databaseInfo' is missing.")
        }
        mayHaveObjects = false
        return .unknown
      }
      return .object
    case (.info?, "version"), (.info?, "UUID"), (.info?, "nextObjectID"), (.info?, "metadata"):
      if !seen.insert(name).inserted {
        add(.xmlInfo, "'\(name)' occurs twice.")
        return .unknown
      }
      return name == "version"
        ? .version : name == "UUID" ? .uuid : name == "metadata" ? .metadata : .nextObjectID
    case (.metadata?, "plist"):
      if !seen.insert("plist").inserted {
        add(.xmlMetadata, "The metadata contain two property lists.")
        return .unknown
      }
      listBuilder = XMLPropertyListBuilder()
      return .list
    case (.list?, _): return .list
    case (.object?, "attribute"): return .attribute
    case (.object?, "relationship"): return .relationship
    case (.unknown?, _): return .unknown
    default:
      add(.xmlElements, "The element '\(name.prefix(60))' is not allowed here.")
      return .unknown
    }
  }

  private func beginObject(_ tag: borrowing XMLStartTag) {
    objectCount += 1
    var id: String?
    var type: String?
    for index in 0..<tag.attributeCount {
      switch tag.attributeName(index) {
      case names.id: id = tag.attributeString(index)
      case names.type: type = tag.attributeString(index)
      default:
        add(
          .xmlElements,
          "The element 'object' can't have the attribute '\(tag.attributeNameString(index).prefix(60))'."
        )
      }
    }
    beginObject(id, type)
  }

  private func beginProperty(_ tag: borrowing XMLStartTag, isAttribute: Bool) {
    var name: String?
    var references: String?
    for index in 0..<tag.attributeCount {
      switch tag.attributeName(index) {
      case names.name: name = tag.attributeString(index)
      case names.type: break
      case names.destination where !isAttribute: break
      case names.idrefs where !isAttribute: references = tag.attributeString(index)
      default:
        add(
          .xmlElements,
          "The element '\(tag.nameString)' can't have the attribute '\(tag.attributeNameString(index).prefix(60))'."
        )
      }
    }
    beginProperty(name, isAttribute: isAttribute)
    if let references, !isAttribute { record(references, line: line) }
  }

  // MARK: - Information

  private func spoilList(_ error: any Error) {
    if listBuilder != nil { add(.xmlMetadata, "\(error)") }
    listBuilder = nil
  }

  private func endVersion() {
    guard let version = XMLValues.integer(text) else {
      add(
        .xmlNumbers, "'\(String(decoding: text.prefix(60), as: UTF8.self))' is not a valid number.")
      return
    }
    if version > 0x08FF_FFFF {
      isNewer = true
      add(
        .newerFormat,
        "The document has version \(version), but this program knows version 134481920.")
    }
  }

  private func endInfo() {
    if !seen.contains("UUID") { add(.xmlUUID, "The element 'UUID' is missing.") }
    if let list = listBuilder?.list {
      if case .dictionary(let values) = list {
        self.values = values
      } else {
        add(.xmlMetadata, "The metadata are not a dictionary.")
      }
    }
    let metadata = XMLMetadataCheck(values, place, findings)
    guard let model = metadata.model(givenModel) else {
      if !metadata.hasModel {
        unchecked.append(
          "The objects were not checked, since the document does not contain its model. Give the model."
        )
      }
      return
    }
    guard let schema = metadata.schema(model) else { return }
    self.model = model
    self.schema = schema
    entities = EntityNames(model, schema)
    builder = LayerBuilder(schema)
  }

  /// Performs the checks that need all objects.
  func finish() {
    if !seen.contains("databaseInfo") {
      findings.add(.xmlInfo, Place(), "The element 'databaseInfo' is missing.")
    }
    object = nil
    let counted = StoreMetadata(values: values).lanes.countedNumbers
    let highest = objects.keys.filter(counted.contains).max() ?? 0
    if seen.contains("nextObjectID"), highest > highestNumber {
      findings.add(
        .xmlHighest, Place(),
        "The document gives \(highestNumber) as the highest number, but an object has the number \(highest)."
      )
    }
    resolve()
  }

  /// Returns the objects; `nil` if they can't be read without a model.
  func layer() -> Layer? { builder?.freeze(version: 1) }
}
