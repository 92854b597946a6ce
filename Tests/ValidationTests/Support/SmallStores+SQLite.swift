import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLText
import SQLiteStore
import StoreInterface

extension SmallFile {
  /// Returns the model of the small SQLite store: authors with a favourite, ordered books, comics as a subentity of
  /// books, and tags that are related to other tags.
  static func shelfModel() throws -> Model {
    var cover = Attribute("cover", .binary)
    cover.options.insert(.allowsExternalStorage)
    let author = entity(
      "Author", [Attribute("name", .string), Attribute("born", .date)],
      relationships: [
        Relationship("books", to: "Book", inverse: "author", count: .toMany, isOrdered: true),
        Relationship("favourite", to: "Book"),
      ])
    let book = entity(
      "Book",
      [
        Attribute("title", .string), Attribute("pages", .int16), Attribute("price", .decimal),
        Attribute("weight", .double), Attribute("token", .uuid), cover,
      ],
      relationships: [
        Relationship("author", to: "Author", inverse: "books"),
        Relationship("tags", to: "Tag", inverse: "books", count: .toMany),
      ])
    let tag = entity(
      "Tag",
      relationships: [
        Relationship("books", to: "Book", inverse: "tags", count: .toMany),
        Relationship("related", to: "Tag", inverse: "related", count: .toMany),
      ])
    return try Model(entities: [author, book, entity("Comic", inherits: "Book"), tag])
  }

  /// The statements that make the small SQLite store. They are the output of the SQLite store, except for the time of the
  /// commit.
  static let shelfFile = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../spec/vectors/sqlite-store.sql").standardized

  /// Returns the small SQLite store after additional statements.
  static func shelf(_ statements: String = "") throws -> [UInt8] {
    try SQLText.database(
      "PRAGMA page_size=512", String(contentsOf: shelfFile, encoding: .utf8), statements)
  }

  static func shelf() throws -> [UInt8] { try shelf("") }

  /// Writes the small SQLite store, and returns its statements.
  static func shelfText() throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "ValidationTests.\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "shelf.sqlite").path
    let store = try makeShelf(at: path)
    try store.close()
    // The time of the commit differs in each run, so a fixed time replaces it.
    return try SQLText.text(ofDatabaseAt: path).replacing(
      #/(INSERT INTO QUIRE_COMMIT .* VALUES \([01], )[-+0-9.e]+/#
    ) { "\($0.output.1)812345678.5" }
  }

  /// Creates the small SQLite store, which stays open.
  static func makeShelf(at path: String) throws -> any Store {
    let store = try SQLiteStoreBackend().create(
      at: path, model: shelfModel(), on: RealDisk(),
      StoreCreation(uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!))
    let base = try store.snapshot()
    let saving = Saving(base: base, builder: LayerBuilder(base.schema))
    fill(saving)
    try store.commit(CommitRequest(saving.builder.freeze(), basedOn: saving.base))
    return store
  }

  private static func fill(_ saving: Saving) {
    saving.insert(
      "Author", 1,
      [
        "name": .string("Ursula"), "born": .date(Date(timeIntervalSinceReferenceDate: -1e9)),
        "favourite": .object(saving.key("Book", 1)),
      ])
    saving.insert(
      "Book", 1,
      [
        "title": .string("Dispossessed"), "pages": .integer(341), "weight": .double(-0.0),
        "price": .decimal(Decimal(string: "12.50")!), "cover": .binary(Data([7, 8, 9])),
        "token": .uuid(UUID(uuidString: "0F6E1A52-4A15-8C3B-1D2E-3F4051626FB9")!),
        "author": .object(saving.key("Author", 1)), "author#order": .integer(2),
      ])
    saving.insert(
      "Comic", 2,
      [
        "title": .string("Catwings"), "author": .object(saving.key("Author", 1)),
        "author#order": .integer(1),
        "price": .decimal(Decimal(string: "12345678901234567890.5")!),
      ])
    saving.insert("Tag", 1)
    saving.insert("Tag", 2)
    for (entity, relationship, number, ends) in [
      ("Book", "tags", 1, [saving.key("Book", 1), saving.key("Tag", 1)]),
      ("Book", "tags", 2, [saving.key("Comic", 2), saving.key("Tag", 1)]),
      ("Tag", "related", 1, [saving.key("Tag", 1), saving.key("Tag", 2)]),
    ] as [(String, String, UInt64, [ObjectKey])] {
      let side = saving.base.schema.links(of: entity, relationship)!
      let (links, isForward) = (side.table.layout, side.isForward)
      let key = ObjectKey(entity: links.entityNumber, number: number)
      saving.builder.insert(key)
      for (name, end) in zip(["source", "target"], isForward ? ends : ends.reversed()) {
        saving.builder.set(.object(end), column: links.index(of: name)!, of: key)
      }
    }
  }
}
