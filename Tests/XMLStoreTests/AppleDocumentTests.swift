import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing
import XMLStore

/// A document in Core Data's spelling, written by hand: it has a value of every type, which no document from Core Data
/// at hand has.
@Suite("A document in Core Data's own spelling")
struct AppleDocumentTests {
  private static let thing = Entity(
    "Thing", isAbstract: true,
    properties: [
      .attribute(Attribute("title", .string)),
      .relationship(
        Relationship(
          "shelf", to: "Shelf", inverse: "things", count: .init(minimum: 1, maximum: 1),
          isOptional: false)),
      .relationship(Relationship("bestOf", to: "Shelf", inverse: "best", count: .toMany)),
      .relationship(Relationship("tags", to: "Tag", inverse: "things", count: .toMany)),
    ])

  private static let book = Entity(
    "Book", superentity: "Thing",
    properties: [
      .attribute(Attribute("isRead", .boolean)), .attribute(Attribute("isLent", .boolean)),
      .attribute(Attribute("chapterCount", .int16)), .attribute(Attribute("pageCount", .int32)),
      .attribute(Attribute("letterCount", .int64)), .attribute(Attribute("weight", .float)),
      .attribute(Attribute("width", .double)), .attribute(Attribute("price", .decimal)),
      .attribute(Attribute("printed", .date)), .attribute(Attribute("cover", .binary)),
      .attribute(Attribute("shade", .transformable)), .attribute(Attribute("token", .uuid)),
      .attribute(Attribute("page", .uri)),
    ])

  private static func model(
    _ change: (inout Model.Description) -> Void = { _ in }
  ) throws -> Model {
    var description = Model.Description(entities: [
      thing, book, Entity("Toy", superentity: "Thing"),
      Entity(
        "Shelf",
        properties: [
          .attribute(Attribute("title", .string)),
          .relationship(
            Relationship("things", to: "Thing", inverse: "shelf", count: .toMany, isOrdered: true)),
          .relationship(Relationship("best", to: "Thing", inverse: "bestOf")),
        ]),
      Entity(
        "Tag",
        properties: [
          .attribute(Attribute("title", .string)),
          .relationship(Relationship("things", to: "Thing", inverse: "tags", count: .toMany)),
        ]),
    ])
    change(&description)
    return try Model(description)
  }

  /// The bytes of the cover, longer than one line of base 64.
  private static let cover = Data((0..<100).map { UInt8(truncatingIfNeeded: $0 * 7) })

  private static func document() throws -> String {
    let model = try model()
    func hash(_ entity: String) throws -> String {
      let hash = try #require(model.versionHashes[entity])
      return "<key>\(entity)</key>\n\t\t\t\t\t\t<data>\n\t\t"
        + Data(hash.bytes).base64EncodedString() + "\n\t\t</data>"
    }
    let cover = cover.base64EncodedString(
      options: [.lineLength76Characters, .endLineWithLineFeed])
    return #"""
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>498313E6-D672-4887-A947-08765F4F1012</UUID>
              <nextObjectID>107</nextObjectID>
              <metadata>
                  <plist version="1.0">
                      <dict>
                          <key>NSPersistenceFrameworkVersion</key>
                          <integer>1044</integer>
                          <key>NSStoreModelVersionHashes</key>
                          <dict>
                              \#(try hash("Book"))
                              \#(try hash("Shelf"))
                              \#(try hash("Tag"))
                              \#(try hash("Thing"))
                              \#(try hash("Toy"))
                          </dict>
                          <key>NSStoreModelVersionHashesDigest</key>
                          <string>\#(model.versionHashesDigest)</string>
                          <key>NSStoreModelVersionHashesVersion</key>
                          <integer>3</integer>
                          <key>NSStoreModelVersionIdentifiers</key>
                          <array>
                              <string></string>
                          </array>
                          <key>owner</key>
                          <string>Ada &amp; Grace</string>
                      </dict>
                  </plist>
              </metadata>
          </databaseInfo>
          <object type="SHELF" id="z104">
              <attribute name="title" type="string">top</attribute>
              <relationship name="things" type="0/0" destination="THING" idrefs="z103 z102 z107"></relationship>
              <relationship name="best" type="0/1" destination="THING" idrefs="z102"></relationship>
          </object>
          <object type="BOOK" id="z102">
              <attribute name="isread" type="bool">1</attribute>
              <attribute name="islent" type="bool">0</attribute>
              <attribute name="chaptercount" type="int16">-32768</attribute>
              <attribute name="pagecount" type="int32">2147483647</attribute>
              <attribute name="lettercount" type="int64">-9007199254740993</attribute>
              <attribute name="weight" type="float">19.6</attribute>
              <attribute name="width" type="double">0.1000000000000000055511151231257827</attribute>
              <attribute name="price" type="decimal">12345678901234567890.10</attribute>
              <attribute name="printed" type="date">259258202.49162599444389343262</attribute>
              <attribute name="cover" type="binary">\#(cover)
      </attribute>
              <attribute name="shade" type="binary">AP8K
      </attribute>
              <attribute name="token" type="UUID">01234567-89AB-CDEF-0123-456789ABCDEF</attribute>
              <attribute name="page" type="URI">https://example.org/?a=1\u2600b=\u3c00\u3e00</attribute>
              <attribute name="title" type="string">"1 \u3c00 2" \u2600 'ümlaut' 🚂
      C:\temp</attribute>
              <relationship name="shelf" type="1/1" destination="SHELF" idrefs="z104"></relationship>
              <relationship name="bestof" type="0/0" destination="SHELF" idrefs="z104"></relationship>
              <relationship name="tags" type="0/0" destination="TAG" idrefs="z105 z106"></relationship>
          </object>
          <object type="TOY" id="z103">
              <attribute name="title" type="string">ball</attribute>
              <relationship name="shelf" type="1/1" destination="SHELF" idrefs="z104"></relationship>
              <relationship name="bestof" type="0/0" destination="SHELF"></relationship>
              <relationship name="tags" type="0/0" destination="TAG" idrefs="z106"></relationship>
          </object>
          <object type="BOOK" id="z107">
              <attribute name="title" type="string"></attribute>
              <relationship name="shelf" type="1/1" destination="SHELF" idrefs="z104"></relationship>
              <relationship name="bestof" type="0/0" destination="SHELF"></relationship>
              <relationship name="tags" type="0/0" destination="TAG"></relationship>
          </object>
          <object type="TAG" id="z105">
              <attribute name="title" type="string">red</attribute>
              <relationship name="things" type="0/0" destination="THING" idrefs="z102"></relationship>
          </object>
          <object type="TAG" id="z106">
              <attribute name="title" type="string">round</attribute>
              <relationship name="things" type="0/0" destination="THING" idrefs="z102 z103"></relationship>
          </object>
      </database>

      """#
  }

  private static func open(
    _ text: String, _ model: Model, checksHashes: Bool = true, on disk: any Disk = SimulatedDisk(),
    _ form: XMLStoreOptions.Form = .readable
  ) throws -> any Store {
    var options = XMLStoreOptions()
    options.checksVersionHashes = checksHashes
    options.form = form
    options.embedsModel = false
    try disk.open("/d", for: .create).append(Array(text.utf8))
    return try XMLStoreBackend(options: options).open("/d", on: disk, StoreOpening(model: model))
  }

  @Test("Each value and each relationship is read as the document states it")
  func reading() throws {
    let snapshot = try Self.open(Self.document(), Self.model()).snapshot()
    let schema = snapshot.schema
    let objects = try StoreConformance.objects(snapshot)
    func values(_ entity: String, _ number: UInt64) throws -> [String: Value] {
      let key = ObjectKey(entity: try #require(schema[entity]).entityNumber, number: number)
      // Relationships are checked below.
      return try #require(objects[key]).filter { name, value in
        if case .object = value { false } else { !name.contains("#") }
      }
    }

    let title = "\"1 < 2\" & 'ümlaut' 🚂\nC:\\temp"
    #expect(
      try values("Book", 102) == [
        "isRead": .boolean(true), "isLent": .boolean(false), "chapterCount": .integer(-32768),
        "pageCount": .integer(2_147_483_647), "letterCount": .integer(-9_007_199_254_740_993),
        "weight": .float(19.6), "width": .double(0.1),
        "price": .decimal(Decimal(string: "12345678901234567890.1")!),
        "printed": .date(Date(timeIntervalSinceReferenceDate: 259258202.49162599444389343262)),
        "cover": .binary(Self.cover), "shade": .binary(Data([0, 255, 10])),
        "token": .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!),
        "page": .uri("https://example.org/?a=1&b=<>"), "title": .string(title),
      ])
    #expect(try values("Book", 107) == ["title": .string("")])
    #expect(try values("Toy", 103) == ["title": .string("ball")])

    let described = try StoreConformance.described(snapshot, by: "title")
    func name(_ title: String) -> String { "\(Value.string(title))" }
    func relationships(_ title: String) -> [String: [String]]? {
      described[name(title)]?.relationships
    }
    let (book, empty, ball, top) = (name(title), name(""), name("ball"), name("top"))
    let (red, round) = (name("red"), name("round"))
    #expect(described.count == 6)
    #expect(relationships("top") == ["things": [ball, book, empty], "best": [book]])
    #expect(relationships(title) == ["shelf": [top], "bestOf": [top], "tags": [red, round]])
    #expect(relationships("ball") == ["shelf": [top], "bestOf": [], "tags": [round]])
    #expect(relationships("") == ["shelf": [top], "bestOf": [], "tags": []])
    #expect(relationships("red") == ["things": [book]])
    #expect(Set(relationships("round")?["things"] ?? []) == [book, ball])
    let metadata = try snapshot.metadata
    #expect(metadata.values["owner"] == .string("Ada & Grace"))
    #expect(metadata.values["NSPersistenceFrameworkVersion"] == .integer(1044))
    #expect(metadata.versionHashes == (try Self.model()).versionHashes)
  }

  @Test("A rewritten document has the same objects under the same identifiers")
  func writing() throws {
    let disk = SimulatedDisk()
    let model = try Self.model()
    let store = try Self.open(Self.document(), model, on: disk, .coreData)
    let base = try store.snapshot()

    let toy = ObjectKey(entity: try #require(base.schema["Toy"]).entityNumber, number: 108)
    let builder = LayerBuilder(base.schema)
    builder.insert(toy)
    builder.set(.string("a < b & c > d"), "title", of: toy, base.schema)
    builder.set(
      .object(ObjectKey(entity: base.schema["Shelf"]!.entityNumber, number: 104)), "shelf", of: toy,
      base.schema)
    try store.commit(
      CommitRequest(builder.freeze(), basedOn: base, metadata: try base.metadata))

    let text = try Library.text(store, on: disk)
    // Objects are now in the order of their numbers, and the lines of the cover are unchanged.
    let expected = try Self.document().split(separator: "\n").filter { $0.contains("z10") }
    for line in expected where line.contains("<object ") {
      #expect(text.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
    for line in [
      #"<attribute name="weight" type="float">19.6</attribute>"#,
      #"<attribute name="printed" type="date">259258202.49162599444389343262</attribute>"#,
      #"<attribute name="title" type="string">a \u3c00 b \u2600 c \u3e00 d</attribute>"#,
      #"<relationship name="best" type="0/1" destination="THING" idrefs="z102">"#,
      #"<relationship name="shelf" type="1/1" destination="SHELF" idrefs="z104">"#,
      #"<relationship name="tags" type="0/0" destination="TAG" idrefs="z105 z106">"#,
      "<version>134481920</version>", "<nextObjectID>108</nextObjectID>",
      "\(Self.cover.base64EncodedString().prefix(76))\n",
    ] { #expect(text.contains(line), "\(line)") }
    var before = try StoreConformance.objects(base)
    before[toy] = nil
    let again = try Self.open(text, model).snapshot()
    var after = try StoreConformance.objects(again)
    #expect(after.removeValue(forKey: toy)?["title"] == .string("a < b & c > d"))
    #expect(after == before)
  }

  @Test("A different model is detected by its hashes, and the error names the entities that differ")
  func otherModel() throws {
    let other = try Self.model { description in
      description.entities[2].declaredProperties = [.attribute(Attribute("age", .int16))]
    }
    let error = #expect(throws: StoreError.self) { try Self.open(Self.document(), other) }
    #expect(error?.code == .incompatibleModel && error?.path == "/d")
    #expect(error?.message.contains("Toy") ?? false, "\(error.map { "\($0)" } ?? "")")
    #expect(!(error?.message.contains("Shelf") ?? true), "\(error.map { "\($0)" } ?? "")")
  }

  @Test(
    "The error for a property or entity that the model lacks names its line",
    arguments: [
      (["isRead"], "name=\"isread\"", "'isread'"), (["Toy"], "type=\"TOY\"", "'TOY'"),
      (["best", "bestOf"], "name=\"best\"", "'best'"),
      (["tags", "Tag"], "name=\"tags\"", "'tags'"),
    ])
  func missing(_ names: [String], _ place: String, _ words: String) throws {
    let other = try Self.model { description in
      description.entities.removeAll { names.contains($0.name) }
      for entity in description.entities.indices {
        description.entities[entity].declaredProperties.removeAll { names.contains($0.name) }
      }
    }
    let text = try Self.document()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains(place) })

    let error = #expect(throws: StoreError.self) {
      try Self.open(text, other, checksHashes: false)
    }

    let message = "\(error.map { "\($0)" } ?? "no error")"
    #expect(error?.code == .damaged && message.contains("/d"), "\(message)")
    #expect(message.contains(words) && message.contains("line \(line + 1):"), "\(message)")
  }

  @Test(
    "The error for a value that does not have the model's type names its line",
    arguments: [
      ("title", AttributeType.int64), ("weight", .int32), ("cover", .date), ("isRead", .uuid),
      ("price", .int16), ("page", .decimal), ("width", .binary),
    ])
  func wrongType(_ name: String, _ type: AttributeType) throws {
    let other = try Self.model { description in
      for entity in description.entities.indices {
        for property in description.entities[entity].declaredProperties.indices
        where description.entities[entity].declaredProperties[property].name == name {
          description.entities[entity].declaredProperties[property] = .attribute(
            Attribute(name, type))
        }
      }
    }
    let error = #expect(throws: StoreError.self) {
      try Self.open(Self.document(), other, checksHashes: false)
    }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("'\(name)'") ?? false, "\(error.map { "\($0)" } ?? "")")
    #expect(error?.message.contains("line ") ?? false, "\(error.map { "\($0)" } ?? "")")
  }
}
