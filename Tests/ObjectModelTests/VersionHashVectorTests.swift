import AppleFixtures
import Checksums
import SpecVectors
import Testing

@testable import ObjectModel

@Suite("Known version hashes")
struct VersionHashVectorTests {
  @Test(
    "The computed hashes equal the hashes in real stores, for entities and properties",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: try HashVector.fromStores())
  func stores(_ vector: HashVector) throws {
    try check(vector)
  }

  @Test(
    "The computed hashes equal the vectors of the specification",
    arguments: try HashVector.fromSpecification())
  func specification(_ vector: HashVector) throws {
    try check(vector)
  }

  @Test("The digests over all hashes equal the vectors of the specification")
  func digests() throws {
    let vectors = try SpecVector.all("version-digests", on: "2-model.md")
    #expect(!vectors.isEmpty)
    for vector in vectors {
      var hashes: [String: VersionHash] = [:]
      for entity in vector[all: "entity"].map({ $0.split(separator: " ") }) {
        hashes[String(entity[0])] = VersionHash(hex: entity[1])
      }
      #expect(Model.versionHashesDigest(of: hashes) == vector["digest"])
      #expect(Model.versionChecksum(of: hashes) == vector["checksum"])
    }
  }

  private func check(_ vector: HashVector) throws {
    for property in vector.entity.declaredProperties where !property.isTransient {
      guard let expected = vector.digests[property.name] else { continue }
      #expect(vector.hash(of: property) == expected, "\(property.name)")
    }
    #expect(vector.computed == vector.hash)
  }

  @Test("The hashes of an inheritance tree do not depend on the order of its entities")
  func inheritance() throws {
    let writer = Entity(
      "Writer", isAbstract: true,
      properties: [.attribute(Attribute("age", .int16, isOptional: false))])
    let author = Entity("Author", superentity: "Writer")
    let model = try Model(entities: [author, writer])

    #expect(
      model.versionHash(of: "Writer")?.description
        == "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25")
    #expect(
      model.versionHash(of: "age", in: "Author") == model.versionHash(of: "age", in: "Writer"))
    var hash = SHA256()
    hash.update("Author")
    hash.update([0])
    hash.update(try #require(model.versionHash(of: "Writer")).bytes)
    hash.update(try #require(model.versionHash(of: "age", in: "Author")).bytes)
    #expect(model.versionHash(of: "Author") == VersionHash(hash.digest()))
    #expect(try Model(entities: [writer, author]).versionHashes == model.versionHashes)
  }
}

extension HashVector {
  static func fromSpecification() throws -> [HashVector] {
    let vectors = try SpecVector.all("version-hash", on: "2-model.md")
    #expect(!vectors.isEmpty)
    return try vectors.map(HashVector.init)
  }
}
