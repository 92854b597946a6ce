import Foundation
import ObjectModel
import PropertyLists
import XMLEvents

/// The elements of a document of the grammar, read without the store's own reader.
struct DocumentText {
  struct Object {
    var entity = ""
    var attributes: [String: (type: String, text: String)] = [:]
    var relationships: [String: Relation] = [:]
  }

  struct Relation {
    var type = ""
    var destination = ""
    var references: [String] = []
  }

  private(set) var version = ""
  private(set) var uuid = ""
  private(set) var metadata: PropertyList?

  /// The metadata without the place of the file, which a writer records.
  var metadataWithoutPlace: PropertyList? {
    guard case .dictionary(var values)? = metadata else { return metadata }
    values["QuirePlace"] = nil
    return .dictionary(values)
  }

  private(set) var objects: [String: Object] = [:]

  init(_ bytes: [UInt8]) throws {
    let handler = try XMLPushParser.parse(bytes.span, handler: Handler())
    self = handler.document
    metadata = handler.list.list
  }

  private struct Handler: XMLEventHandler {
    var document = DocumentText()
    var list = XMLPropertyListBuilder()
    var isInMetadata = false
    var depth = 0
    var id = ""
    var name = ""
    var type = ""
    var element = ""
    var text = ""

    mutating func start(_ tag: borrowing XMLStartTag) throws {
      if isInMetadata {
        depth += 1
        return try list.start(tag)
      }
      element = tag.nameString
      text = ""
      var values: [String: String] = [:]
      for index in 0..<tag.attributeCount {
        values[tag.attributeNameString(index)] = tag.attributeString(index)
      }
      name = values["name"] ?? ""
      type = values["type"] ?? ""
      switch element {
      case "metadata": isInMetadata = true
      case "object":
        id = values["id"] ?? ""
        document.objects[id] = Object(entity: type)
      case "relationship":
        document.objects[id]?.relationships[name] = Relation(
          type: type, destination: values["destination"] ?? "",
          references: (values["idrefs"] ?? "").split(separator: " ").map(String.init))
      default: break
      }
    }

    mutating func text(_ bytes: Span<UInt8>) throws {
      if isInMetadata, depth > 0 { return try list.text(bytes) }
      var copy: [UInt8] = []
      for index in bytes.indices { copy.append(bytes[index]) }
      text += String(decoding: copy, as: UTF8.self)
    }

    mutating func end(_ name: XMLNameID) throws {
      if isInMetadata {
        if depth == 0 {
          isInMetadata = false
          return
        }
        depth -= 1
        return try list.end()
      }
      switch element {
      case "version": document.version = text
      case "UUID": document.uuid = text
      case "attribute": document.objects[id]?.attributes[self.name] = (type, text)
      default: break
      }
      element = ""
    }
  }

  private init() {}

  /// Returns the value of an attribute: a number, bytes, or its text.
  static func value(_ attribute: (type: String, text: String)) -> Value {
    switch attribute.type {
    case "date", "double", "float": Double(attribute.text).map { .double($0) } ?? .null
    case "binary":
      Data(base64Encoded: attribute.text, options: .ignoreUnknownCharacters).map { .binary($0) }
        ?? .null
    default: .string(attribute.text)
    }
  }

  // MARK: - A model made from the document

  /// A relationship, by the names of its entity and of itself.
  private struct End: Hashable {
    let entity: String
    let name: String
  }

  /// The inverse of each relationship, as far as the objects show it.
  private var inverses: [End: End] {
    var links: [End: Set<[String]>] = [:]
    for (id, object) in objects {
      for (name, relation) in object.relationships {
        let end = End(entity: object.entity, name: name)
        for target in relation.references { links[end, default: []].insert([id, target]) }
      }
    }
    var inverses: [End: End] = [:]
    for (end, pairs) in links {
      let back = Set(pairs.map { [$0[1], $0[0]] })
      let found = links.filter {
        $0.key != end && $0.value.intersection(back).count * 2 > pairs.count
      }
      inverses[end] = found.keys.min { ($0.entity, $0.name) < ($1.entity, $1.name) }
    }
    return inverses
  }

  /// Returns the references listed at this end and missing at the other end.
  func oneSided(_ id: String, _ name: String, _ relation: Relation) -> Set<String> {
    let inverse = inverses[End(entity: objects[id]?.entity ?? "", name: name)]
    guard let inverse else { return [] }
    return Set(
      relation.references.filter {
        !(objects[$0]?.relationships[inverse.name]?.references.contains(id) ?? false)
      })
  }

  /// Returns a model that the document fits.
  ///
  /// - Parameter superentities: The superentity of each subentity, which the document does not show.
  func model(superentities: [String: String]) throws -> Model {
    let inverses = inverses
    var entities: [String: Entity] = [:]
    func declare(_ name: String) {
      if entities[name] == nil {
        entities[name] = Entity(name, superentity: superentities[name])
        if let parent = superentities[name] { declare(parent) }
      }
    }
    func add(_ property: Property, to name: String) {
      declare(name)
      if entities[name]![property.name] == nil {
        entities[name]!.declaredProperties.append(property)
      }
    }
    for (_, object) in objects.sorted(by: { $0.key < $1.key }) {
      declare(object.entity)
      for (name, attribute) in object.attributes {
        let types: [String: AttributeType] = [
          "bool": .boolean, "int16": .int16, "int32": .int32, "float": .float, "date": .date,
          "binary": .binary,
        ]
        add(.attribute(Attribute(name, types[attribute.type] ?? .string)), to: object.entity)
      }
      for (name, relation) in object.relationships {
        declare(relation.destination)
        let counts = relation.type.split(separator: "/").compactMap { Int($0) }
        let inverse = inverses[End(entity: object.entity, name: name)]
        // The inverse names the entity that owns this relationship.
        let owner = inverse.flatMap { inverse in
          objects.values.first { $0.entity == inverse.entity }?
            .relationships[inverse.name]?.destination
        }
        add(
          .relationship(
            Relationship(
              name, to: relation.destination, inverse: inverse?.name,
              count: .init(minimum: counts[0], maximum: counts[1]))),
          to: owner ?? object.entity)
      }
    }
    return try Model(entities: entities.values.sorted { $0.name < $1.name })
  }
}
