import Checksums
import DiskSimulation
import Documents
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Names and identities of versions")
struct VersionIdentityTests {
  // MARK: - Names

  @Test(
    "The name of a version is a number or a head, and steps back",
    arguments: [
      ("3", VersionReference(.number(3))), ("0", VersionReference(.number(0))),
      ("3~1", VersionReference(.number(3), steps: 1)), ("draft", VersionReference(.head("draft"))),
      ("main", VersionReference(.head("main"))), ("draft~0", VersionReference(.head("draft"))),
      ("draft~12", VersionReference(.head("draft"), steps: 12)),
      ("9223372036854775807", VersionReference(.number(.max))),
      ("-1", VersionReference(.current, steps: 1)), ("-12", VersionReference(.current, steps: 12)),
      (
        "2001-01-02T00:00:03Z",
        VersionReference(.date(Date(timeIntervalSinceReferenceDate: 86_403)))
      ),
      (
        "2001-01-02~1",
        VersionReference(.date(Date(timeIntervalSinceReferenceDate: 172_799.999)), steps: 1)
      ),
    ])
  func names(_ text: String, _ reference: VersionReference) throws {
    let read = try #require(VersionReference(text))
    #expect(read == reference)
    #expect(VersionReference(read.description) == read)
  }

  @Test(
    "Other texts are not names of versions",
    arguments: [
      "", "~", "~1", "draft~", "draft~x", "draft~-1", "draft~+1", "draft~1~2", "a b", "a.b", "Main",
      "9223372036854775808", "draft~99999999999999999999", "-0", "--1", "-", "-x", "-1~1",
      "2026-13-01", "é",
      "3a",
    ])
  func noNames(_ text: String) {
    #expect(VersionReference(text) == nil)
  }

  @Test("A version is found by its date and by steps back from the newest")
  func counting() {
    let versions = [1, 2, 5].map { number in
      (number: Int64(number), saved: Date(timeIntervalSinceReferenceDate: Double(number) * 86_400))
    }
    func number(_ text: String) -> Int64? { VersionReference(text)?.number(in: versions) }

    #expect(number("-1") == 2 && number("-2") == 1 && number("-3") == nil)
    #expect(number("2") == 2 && number("5~1") == 2 && number("1~1") == nil && number("3") == nil)
    // The day of the first version is 2 January 2001, and a day lasts to its end.
    #expect(number("2001-01-01") == nil && number("2001-01-02") == 1)
    #expect(number("2001-01-03T00:00Z") == 2 && number("2001-01-02T23:59:59Z") == 1)
    #expect(number("2001-01-05") == 2 && number("2026-01-01") == 5)
    #expect(number("2026-01-01~2") == 1 && number("draft") == nil)
    #expect(VersionReference("-1")?.number(in: []) == nil)
  }

  @Test("A version is found by its number in any head, and by steps on one")
  func finding() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    for name in ["a", "b"] { try world.add(name, to: document) }
    try document.heads.make("draft", at: 2)
    try world.add("c", to: document)
    try document.close()
    let draft = try Document.open(DocumentWorld.path, in: world.places, head: "draft")
    for name in ["d", "e"] { try world.add(name, to: draft) }
    try draft.close()
    func find(_ text: String) throws -> String {
      let found = try #require(VersionReference(text)).find(
        inDocumentAt: DocumentWorld.path, in: world.places)
      return "\(found.head) \(found.number)"
    }
    #expect(try find("main") == "main 4")
    #expect(try find("main~1") == "main 3")
    #expect(try find("main~3") == "main 1")
    #expect(try find("draft") == "draft 6")
    #expect(try find("draft~1") == "draft 5")
    #expect(try find("draft~2") == "draft 2")
    #expect(try find("2") == "main 2")
    #expect(try find("5") == "draft 5")
    #expect(try find("5~1") == "draft 2")
    #expect(try find("4~1") == "main 3")
    #expect(try find("-1") == "main 3")
    #expect(try find("2100-01-01") == "main 4")
    for (text, code) in [
      ("7", DocumentError.Code.noVersion), ("main~4", .noVersion), ("draft~4", .noVersion),
      ("x", .noHead), ("-4", .noVersion), ("1900-01-01", .noVersion),
    ] {
      let error = #expect(throws: DocumentError.self) { try find(text) }
      #expect(error?.code == code, "\(text)")
    }
  }

  // MARK: - Identities

  /// Returns the identity of each version of the open head.
  private func identities(_ document: Document) throws -> [String] {
    try document.versions.map {
      try VersionIdentity(ofVersion: $0.number, of: document).description
    }
  }

  @Test("A copy gives each version the same identity, and so does a head", arguments: Mix.ours)
  func copies(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    for name in ["a", "b", "c"] { try world.add(name, to: document) }
    try document.addAttachment(named: "é") { try $0([1, 2]) }
    try document.save(author: "Ada", message: "Two\nlines")
    let all = try identities(document)
    #expect(Set(all).count == 5)
    try document.copy(to: "/Copy.quire")
    try document.heads.make("draft", at: 3)
    // The identity of a version does not depend on the versions that are kept. A merge with the head begins at version 3.
    try document.thin(.newestOnly)
    try document.vacuum()
    #expect(try identities(document) == [all[2], all[4]])
    try document.close()
    let copy = try Document.open("/Copy.quire", in: world.places)
    #expect(try identities(copy) == all)
    let draft = try Document.open(DocumentWorld.path, in: world.places, head: "draft")
    #expect(try identities(draft) == Array(all.prefix(3)))
  }

  @Test("A link stands under the entity that declares its relationship")
  func links() throws {
    func toMany(_ name: String, _ destination: String, _ inverse: String) -> Property {
      .relationship(
        Relationship(name, to: destination, inverse: inverse, count: .toMany, isOrdered: false))
    }
    let model = try Model(entities: [
      Entity("Memo", superentity: "Note"),
      Entity("Note", properties: [toMany("tags", "Tag", "notes")]),
      Entity("Tag", properties: [toMany("notes", "Note", "tags")]),
    ])
    let world = DocumentWorld(.binary)
    let document = try Document.create(DocumentWorld.path, model: model, in: world.places)
    let context = try world.context(document)
    let (memo, tag) = (try context.insert("Memo"), try context.insert("Tag"))
    memo.add(tag, to: "tags")
    try context.save()
    let sum = sum(["Memo 1", "Tag 1", "Note.tags source=Memo/1 target=Tag/1"])
    let identity = try VersionIdentity(ofVersion: document.versions.last!.number, of: document)
    let version = try #require(document.versions.last)
    let hashes = try document.model.versionHashes.sorted { $0.key < $1.key }
    let text =
      "quire-version 1\nsaved \(ManifestDate.text(version.saved))\n"
      + hashes.map { "entity \($0.key) \($0.value)\n" }.joined()
      + "store \(document.stores[0].uuid.uuidString) \(sum)\n"
    #expect(identity.description == SHA256.digest(of: Array(text.utf8)).description)
  }

  /// Returns the sum of the digests of lines.
  private func sum(_ lines: [String]) -> String {
    var total = [UInt8](repeating: 0, count: 32)
    for line in lines {
      var carry = 0
      for (index, byte) in SHA256.digest(of: Array(line.utf8)).bytes.enumerated() {
        carry += Int(total[index]) + Int(byte)
        total[index] = UInt8(carry & 0xFF)
        carry >>= 8
      }
    }
    return total.hex
  }

  @Test("The identity is the digest of the lines that the specification names")
  func lines() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    let context = try world.context(document)
    try context.insert("Note")["name"] = .string("é")
    try context.insert("Trip")["name"] = .string("")
    try context.insert("Person")
    try context.save()
    try document.addAttachment(named: "b") { try $0([1]) }
    try document.save(author: "Ada", message: "m")
    let version = try #require(document.versions.last)
    let hashes = try document.model.versionHashes.sorted { $0.key < $1.key }
    let text =
      "quire-version 1\nsaved \(ManifestDate.text(version.saved))\nauthor 416461\nmessage 6d\n"
      + hashes.map { "entity \($0.key) \($0.value)\n" }.joined()
      + "store \(document.stores[0].uuid.uuidString) \(sum(["Note 1 name=c3a9", "Trip 1 name=", "Person 1"]))\n"
      + "attachment 62 \(SHA256.digest(of: [1] as [UInt8]))\n"
    let identity = try VersionIdentity(ofVersion: version.number, of: document)
    #expect(identity.description == SHA256.digest(of: Array(text.utf8)).description)
  }
}
