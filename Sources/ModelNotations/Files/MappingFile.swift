import Foundation
package import ObjectModel
import PropertyLists

/// The content of a mapping file between two versions of a model: text, or the data of Apple's tools.
package enum MappingFile: Sendable {
  /// A mapping in Quire's text form.
  case text(String)
  /// A mapping from Apple's mapping editor or its compiler.
  case entities([EntityPart], sourcePath: String?, destinationPath: String?)

  /// The mapping of the objects of one entity.
  package struct EntityPart: Sendable {
    /// The mapping's name, if it has one.
    package var name: String?
    /// Core Data's number for the kind of the mapping; 0 if the file omits it.
    package var kind = 0
    /// The source entity, whose objects are read.
    package var source: String?
    /// The destination entity, whose objects are created.
    package var destination: String?
    /// The class of the policy.
    package var policy: String?
    /// The predicate that selects source objects, in the predicate language.
    package var predicate: String?
    /// The version hashes of the two entities.
    package var sourceHash: VersionHash?
    package var destinationHash: VersionHash?
    /// Whether properties without an expression stay empty.
    package var isExact = false
    /// The expressions of properties, in the predicate language.
    package var properties: [(name: String, expression: String)] = []
  }

  /// Reads a `.cdm` file, an `.xcmappingmodel` folder or its `xcmapping.xml`, or a text file.
  ///
  /// - Throws: ``ModelFileError``.
  package static func read(_ path: String) throws(ModelFileError) -> MappingFile {
    var url = URL(fileURLWithPath: path)
    if url.pathExtension == "xcmappingmodel" { url.appendPathComponent("xcmapping.xml") }
    return try read(ModelFile.bytes(url), path: url.relativePath)
  }

  /// Reads the bytes of a mapping file.
  package static func read(
    _ bytes: [UInt8], path: String
  ) throws(ModelFileError) -> MappingFile {
    if bytes.starts(with: "bplist".utf8) { return try compiled(bytes, path) }
    let start = bytes.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    if start.starts(with: "<".utf8) {
      return try MappingDocument(path: path, root: XMLTree.read(bytes, path: path)).file()
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ModelFileError(
        .unknownFormat, path: path, message: "The file is not a mapping: it is not text.")
    }
    return .text(text)
  }

  // MARK: - Compiled mappings

  private static func compiled(
    _ bytes: [UInt8], _ path: String
  ) throws(ModelFileError) -> MappingFile {
    let archive: KeyedArchive
    do { archive = try KeyedArchive(bytes) } catch {
      throw ModelFileError(
        .damaged, path: path, message: "The compiled mapping can't be read: \(error)", cause: error)
    }
    guard archive.root.classNames.contains("NSMappingModel"),
      let mappings = archive.root["NSEntityMappings"]?.array
    else {
      throw ModelFileError(
        .unknownFormat, path: path,
        message: "The archive contains \(archive.root.className ?? "no object"), not a mapping.")
    }
    return .entities(mappings.map(entity), sourcePath: nil, destinationPath: nil)
  }

  private static func entity(_ archived: ArchivedObject) -> EntityPart {
    var part = EntityPart(name: archived["NSMappingName"]?.string)
    part.kind = archived["NSMappingType"]?.integer.flatMap { Int(exactly: $0) } ?? 0
    part.source = archived["NSSourceEntityName"]?.string
    part.destination = archived["NSDestinationEntityName"]?.string
    part.policy = archived["NSEntityMigrationPolicyClassName"]?.string
    part.sourceHash = archived["NSSourceEntityVersionHash"]?.data.flatMap {
      VersionHash(bytes: $0)
    }
    part.destinationHash = archived["NSDestinationEntityVersionHash"]?.data.flatMap {
      VersionHash(bytes: $0)
    }
    // FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", name, text), …)
    let request = archived["NSSourceExpression"]?["NSFRExpression"]?["NSArguments"]?.array ?? []
    if request.count == 2, let text = request[1]["NSConstantValue"]?.string,
      text != "TRUEPREDICATE"
    {
      part.predicate = text
    }
    part.isExact = true
    for list in ["NSAttributeMappings", "NSRelationshipMappings"] {
      for property in archived[list]?.array ?? [] {
        guard let name = property["NSDestinationPropertyName"]?.string,
          let expression = property["NSValueExpression"]
        else { continue }
        part.properties.append((name, ArchivedPredicate.expression(expression)))
      }
    }
    return part
  }
}

/// The document of Apple's mapping editor: a Core Data store in XML, whose objects are mappings.
private struct MappingDocument {
  let path: String
  private let objects: [XMLTree]

  init(path: String, root: XMLTree) throws(ModelFileError) {
    self.path = path
    guard root.name == "database" else {
      throw ModelFileError(
        .unknownFormat, path: path, place: root.place,
        message: "The root element is <\(root.name)>, not <database>.")
    }
    objects = root.children.filter { $0.name == "object" }
  }

  func file() throws(ModelFileError) -> MappingFile {
    let byID = Dictionary(
      objects.compactMap { object in object.attributes["id"].map { ($0, object) } },
      uniquingKeysWith: { first, _ in first })
    guard let model = objects.first(where: { type(of: $0).hasSuffix("MAPPINGMODEL") }) else {
      throw ModelFileError(
        .unknownFormat, path: path, message: "The document contains no mapping model.")
    }
    var parts: [(number: Int, part: MappingFile.EntityPart)] = []
    let members = Set(references("entitymappings", of: model))
    for object in objects where type(of: object).hasSuffix("ENTITYMAPPING") {
      // The editor leaves removed mappings in the file, so skip each mapping that is not a member of the mapping model.
      let isMember =
        object.attributes["id"].map(members.contains) ?? false
        || model.attributes["id"].map(references("mappingmodel", of: object).contains) ?? false
      guard isMember else { continue }
      var part = MappingFile.EntityPart()
      part.source = value("sourcename", of: object)
      part.destination = value("destinationname", of: object)
      part.policy = value("migrationpolicyclassname", of: object)
      part.name = value("name", of: object)
      part.predicate = value("sourcepredicate", of: object)
      for list in ["attributemappings", "relationshipmappings"] {
        for id in references(list, of: object) {
          guard let property = byID[id], let name = value("name", of: property) else { continue }
          if let data = value("valueexpressiondata", of: property) {
            part.properties.append((name, try expression(data, name, property)))
          } else if let expression = keyPathExpression(of: property, name) {
            part.properties.append((name, expression))
          } else if value("autogenerateexpression", of: property) == "0" {
            // The author has removed the expression. The compiler does not generate another, so the property stays NULL.
            part.properties.append((name, "NULL"))
          }
        }
      }
      parts.append((value("mappingnumber", of: object).flatMap { Int($0) } ?? 0, part))
    }
    return .entities(
      parts.sorted { $0.number < $1.number }.map(\.part),
      sourcePath: value("sourcemodelpath", of: model),
      destinationPath: value("destinationmodelpath", of: model))
  }

  private func type(of object: XMLTree) -> String { object.attributes["type"]?.uppercased() ?? "" }

  private func value(_ name: String, of object: XMLTree) -> String? {
    let text = object.children.first { $0.name == "attribute" && $0.attributes["name"] == name }?
      .text
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func references(_ name: String, of object: XMLTree) -> [String] {
    object.children.first { $0.name == "relationship" && $0.attributes["name"] == name }?
      .attributes["idrefs"]?.split(separator: " ").map(String.init) ?? []
  }

  /// Returns the expression of a property mapping without its own expression. It is the source key path, or
  /// the objects that another mapping creates from the objects at the path. Returns `nil` if the property mapping
  /// names neither.
  private func keyPathExpression(of property: XMLTree, _ name: String) -> String? {
    let mapping = value("sourcemappingname", of: property)
    var path = value("sourcekeypath", of: property)
    for prefix in ["$source.", "source."] where path?.hasPrefix(prefix) ?? false {
      path?.removeFirst(prefix.count)
    }
    guard mapping != nil || path != nil else { return nil }
    let source = "$source.\(path ?? name)"
    guard let mapping else { return source }
    let quoted = mapping.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return """
      FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "\(quoted)", \
      \(source))
      """
  }

  private func expression(
    _ data: String, _ name: String, _ object: XMLTree
  ) throws(ModelFileError) -> String {
    guard let bytes = Base64.bytes(data.utf8.span) else {
      throw ModelFileError(
        .damaged, path: path, place: object.place,
        message: "The expression of '\(name)' is not in base 64.")
    }
    do { return ArchivedPredicate.expression(try KeyedArchive(bytes).root) } catch {
      throw ModelFileError(
        .damaged, path: path, place: object.place,
        message: "The expression of '\(name)' can't be read: \(error)", cause: error)
    }
  }
}
