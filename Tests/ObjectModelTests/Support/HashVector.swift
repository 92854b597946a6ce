import AppleFixtures
import Checksums
import Foundation
import SpecVectors
import Testing

@testable import ObjectModel

/// An entity and its hashes from a real store or the specification.
struct HashVector: Sendable, CustomTestStringConvertible {
  var entity: Entity
  var superentityHash: VersionHash?
  /// The hashes of the stored properties by name, inherited properties included.
  var digests: [String: VersionHash] = [:]
  var hash: VersionHash
  var testDescription: String

  /// Returns the hash that Quire computes, with all properties taken as declared by the entity.
  var computed: VersionHash {
    let stored = entity.declaredProperties.filter { !$0.isTransient }
      .sorted { $0.name.precedesInHashes($1.name) }
    return VersionHashes.hash(
      of: entity, superentity: superentityHash, properties: stored.map { hash(of: $0) })
  }

  /// Returns the hash of one property that Quire computes.
  func hash(of property: Property) -> VersionHash {
    var isOwnInverse = false
    if case .relationship(let relationship) = property {
      isOwnInverse =
        relationship.inverse == relationship.name && relationship.destination == entity.name
    }
    return VersionHashes.hash(of: property, leavesOutInverse: isOwnInverse) { _ in [] }
  }
}

extension HashVector {
  /// Reads a vector of the kind `version-hash` (spec §2.4.9).
  init(_ vector: SpecVector) throws {
    var entity = Entity(try #require(vector["entity"], "\(vector)"))
    entity.isAbstract = vector["abstract"] == "yes"
    entity.versionHashModifier = vector["modifier"]
    entity.uniquenessConstraints = vector[all: "unique"].map(Self.list)
    for line in vector[all: "property"] {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      let words = Self.list(try #require(parts.last))
      entity.declaredProperties.append(try Self.property(try #require(parts.first), words))
    }
    self.entity = entity
    superentityHash = vector.bytes("superentity").flatMap { VersionHash(bytes: $0) }
    hash = try #require(vector.bytes("hash").flatMap { VersionHash(bytes: $0) }, "\(vector)")
    for line in vector[all: "digest"] {
      let parts = Self.list(line, separator: " ")
      let digest = try #require(VersionHash(hex: parts[1]), "\(vector)")
      digests[parts[0]] = digest
    }
    testDescription = vector.description
  }

  /// Returns a property from its name and the words after it. The first word is a type, `to ENTITY` or `derived
  /// EXPRESSION`, and the options follow.
  private static func property(_ name: String, _ words: [String]) throws -> Property {
    func argument(_ word: String) -> String? {
      words.first { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
    }
    let isOptional = words.contains("optional")
    if let destination = argument("to") {
      return .relationship(
        Relationship(
          name, to: destination, inverse: argument("inverse"),
          count: .init(
            minimum: argument("at least").flatMap { Int($0) } ?? 0,
            maximum: argument("at most").flatMap { Int($0) } ?? 0),
          isOrdered: words.contains("ordered"), isOptional: isOptional,
          versionHashModifier: argument("modifier")))
    }
    var attribute = Attribute(
      name, .undefined, isOptional: isOptional, isTransient: words.contains("transient"),
      versionHashModifier: argument("modifier"))
    if words.contains("external") { attribute.options.insert(.allowsExternalStorage) }
    if words.contains("preserved") { attribute.options.insert(.preservesValueOnDeletion) }
    if let expression = argument("derived") {
      attribute.derivation = Attribute.Derivation(expression)
    } else {
      attribute.type = try #require(words.first.flatMap { AttributeType(sourceName: $0) })
    }
    return .attribute(attribute)
  }

  private static func list(_ text: String, separator: Character) -> [String] {
    text.split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func list(_ text: String) -> [String] { list(text, separator: ",") }
}

extension HashVector {
  /// The vectors taken from real stores, each with the stored hash of every property.
  static func fromStores() throws -> [HashVector] {
    guard let folder = AppleFixtures.folder else { return [] }
    let file = folder.appending(path: "version-hash-vectors.json")
    let vectors = try JSONDecoder().decode([Stored].self, from: Data(contentsOf: file))
    let later = folder.appending(path: "version-hash-vectors-2.json")
    let more = try JSONDecoder().decode(LaterFile.self, from: Data(contentsOf: later)).entities
    return try vectors.map(HashVector.init) + more.map(HashVector.init)
  }

  private struct LaterFile: Decodable {
    var entities: [Later]
  }

  private struct Later: Decodable {
    var entity: String
    var abstract: Bool
    var modifier: String
    var uniqueness: [[String]]
    var properties: [LaterProperty]
    var hash: String
  }

  private struct LaterProperty: Decodable {
    var name: String
    var optional: Bool
    var modifier: String
    var type: Int32?
    var external: Bool?
    var preserve: Bool?
    var destination: String?
    var inverse: String?
    var maxCount: Int?
    var minCount: Int?
    var ordered: Bool?
  }

  private init(_ later: Later) throws {
    entity = Entity(
      later.entity, isAbstract: later.abstract, properties: later.properties.map(Self.property),
      uniquenessConstraints: later.uniqueness, versionHashModifier: later.modifier)
    hash = try #require(VersionHash(hex: later.hash))
    testDescription = "\(later.entity) \(later.hash.prefix(8))"
  }

  private static func property(_ later: LaterProperty) -> Property {
    if let destination = later.destination {
      return .relationship(
        Relationship(
          later.name, to: destination, inverse: later.inverse,
          count: .init(minimum: later.minCount ?? 0, maximum: later.maxCount ?? 0),
          isOrdered: later.ordered ?? false, isOptional: later.optional,
          versionHashModifier: later.modifier))
    }
    var options: Attribute.Options = []
    if later.external == true { options.insert(.allowsExternalStorage) }
    if later.preserve == true { options.insert(.preservesValueOnDeletion) }
    return .attribute(
      Attribute(
        later.name, later.type.flatMap(AttributeType.init(rawValue:)) ?? .undefined,
        isOptional: later.optional, options: options, versionHashModifier: later.modifier))
  }

  private struct Stored: Decodable {
    var entity: String
    var abstract: Bool
    var superHash: String?
    var modifier: String?
    var uniqueness: [[String]]
    var properties: [StoredProperty]
    var versionHash: String
  }

  private struct StoredProperty: Decodable {
    var name: String
    var optional: Bool
    var transient: Bool?
    var fetched: Bool?
    var attributeType: Int32?
    var derivation: String?
    var preserveAfterDeletion: Bool?
    var modifier: String?
    var destination: String?
    var inverse: String?
    var min: Int?
    var max: Int?
    var ordered: Bool?
    var digest: String?
  }

  private init(_ stored: Stored) throws {
    entity = Entity(
      stored.entity, isAbstract: stored.abstract,
      properties: stored.properties.filter { $0.fetched != true }.map(Self.property),
      uniquenessConstraints: stored.uniqueness, versionHashModifier: stored.modifier)
    superentityHash = stored.superHash.flatMap { VersionHash(hex: $0) }
    hash = try #require(VersionHash(hex: stored.versionHash))
    for property in stored.properties {
      digests[property.name] = property.digest.flatMap { VersionHash(hex: $0) }
    }
    testDescription = "\(stored.entity) \(stored.versionHash.prefix(8))"
  }

  private static func property(_ stored: StoredProperty) -> Property {
    if let destination = stored.destination {
      return .relationship(
        Relationship(
          stored.name, to: destination, inverse: stored.inverse,
          count: .init(minimum: stored.min ?? 0, maximum: stored.max ?? 0),
          isOrdered: stored.ordered ?? false, isOptional: stored.optional,
          isTransient: stored.transient ?? false, versionHashModifier: stored.modifier))
    }
    return .attribute(
      Attribute(
        stored.name, stored.attributeType.flatMap(AttributeType.init(rawValue:)) ?? .undefined,
        isOptional: stored.optional, isTransient: stored.transient ?? false,
        derivation: stored.derivation.map { Attribute.Derivation($0) },
        options: stored.preserveAfterDeletion == true ? .preservesValueOnDeletion : [],
        versionHashModifier: stored.modifier))
  }
}
