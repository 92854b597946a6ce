import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

@Suite("Hand-made databases in Core Data's layout")
struct HandMadeTests {
  private func open(_ made: HandMade, model: Model? = nil) throws -> any Store {
    try SQLiteStoreBackend().open(
      made.path, on: RealDisk(), StoreOpening(readOnly: true, model: model))
  }

  @Test("The store reads siblings that share a name, references to them, and to-many orders")
  func items() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let cells = ShownCells(try open(made).snapshot())
    let database = try RawDatabase(made.path, isReadOnly: true)
    let names = ["added", "length", "queuedBy", "queuedBy#order", "title"]
    let common =
      "Z_PK, CAST(ZADDED AS REAL), ZLENGTH, 'Reader/' || ZQUEUEDBY, Z_FOK_QUEUEDBY"
    for (entity, number, title) in [
      ("Article", 2, "ZTITLE"), ("Book", 3, "ZTITLE1"), ("Clip", 4, "ZTITLE2"),
    ] {
      try cells.check(
        entity, names, database,
        "SELECT \(common), \(title) FROM ZITEM WHERE Z_ENT = \(number) ORDER BY Z_PK")
    }
    #expect(
      try cells.rows("Book", ["title"]) == [
        [.integer(2), .text("Middlemarch")], [.integer(5), .null],
      ])
    try cells.check(
      "Reader", ["name", "favourite"], database,
      "SELECT Z_PK, ZNAME, CASE Z1_FAVOURITE WHEN 2 THEN 'Article/' WHEN 3 THEN 'Book/' WHEN 4 THEN 'Clip/' END || ZFAVOURITE FROM ZREADER ORDER BY Z_PK"
    )
    #expect(try cells.snapshot.metadata.uuid == HandMade.uuid)
    #expect(try cells.snapshot.metadata.values["Ours"] == .string("kept"))
  }

  @Test("The store reads values of every type, limits, nulls and values in files of their own")
  func samples() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let file = Array("a value in a file".utf8)
    try made.addFile("11111111-2222-3333-4444-555555555555", file)
    let cells = ShownCells(try open(made).snapshot())
    let database = try RawDatabase(made.path, isReadOnly: true)
    // A leading byte 1 marks an inline value. A leading byte 2 marks a file name only if a UUID follows. If the file is
    // missing, the cell is shown as it is.
    let large =
      "CASE WHEN Z_PK = 6 THEN CAST('a value in a file' AS BLOB) WHEN substr(ZLARGEBYTES, 1, 1) = x'01' THEN substr(ZLARGEBYTES, 2) ELSE ZLARGEBYTES END"
    // A decimal number is the shortest text of the real number in the cell, without a fraction if the number is whole.
    let money =
      "CASE WHEN ZMONEY = CAST(ZMONEY AS INTEGER) THEN CAST(CAST(ZMONEY AS INTEGER) AS TEXT) ELSE CAST(ZMONEY AS TEXT) END"
    try cells.check(
      "Sample",
      [
        "flag", "small", "medium", "large", "ratio", "real", "money", "moment", "text", "link",
        "token", "bytes", "largeBytes", "colour",
      ], database,
      """
      SELECT Z_PK, ZFLAG, ZSMALL, ZMEDIUM, ZLARGE, CAST(ZRATIO AS REAL), CAST(ZREAL AS REAL), \(money),
        CAST(ZMOMENT AS REAL), ZTEXT, ZLINK, ZTOKEN, ZBYTES, \(large), ZCOLOUR FROM ZSAMPLE ORDER BY Z_PK
      """)
    let missing = try #require(cells.rows("Sample", ["largeBytes"]).last)
    #expect(
      missing[1] == .blob([2] + Array("99999999-2222-3333-4444-555555555555".utf8) + [0]))
  }

  @Test("The store reads links: plain, with a digit after a name, ordered, and within one entity")
  func links() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let cells = ShownCells(try open(made).snapshot())
    let database = try RawDatabase(made.path, isReadOnly: true)
    func item(_ column: String) -> String {
      "(SELECT CASE Z_ENT WHEN 2 THEN 'Article/' WHEN 3 THEN 'Book/' ELSE 'Clip/' END || Z_PK FROM ZITEM WHERE Z_PK = \(column))"
    }
    try cells.checkLinks(
      "Item", "tags", database, "SELECT \(item("Z_1ITEMS")), 'Tag/' || Z_7TAGS FROM Z_1TAGS")
    try cells.checkLinks(
      "Tag", "items", database, "SELECT 'Tag/' || Z_7TAGS, \(item("Z_1ITEMS")) FROM Z_1TAGS")
    try cells.checkLinks(
      "Reader", "read", database,
      "SELECT 'Reader/' || Z_5READERS1, \(item("Z_1READ")) FROM Z_1READERS")
    try cells.checkLinks(
      "Reader", "shelf", database,
      "SELECT 'Reader/' || Z_5SHELVEDBY, \(item("Z_1SHELF")), Z_FOK_1SHELF FROM Z_1SHELVEDBY")
    try cells.checkLinks(
      "Tag", "narrower", database,
      "SELECT 'Tag/' || Z_7BROADER, 'Tag/' || Z_7NARROWER FROM Z_7NARROWER")
    // Each friendship is shown once, whether the database stores it in one direction or in both.
    let friends = try cells.links("Reader", "friends").map { Set($0.map { "\($0)" }) }
    #expect(friends.count == 2)
    #expect(
      Set(friends) == [
        ["\(SQLiteValue.text("Reader/1"))", "\(SQLiteValue.text("Reader/2"))"],
        ["\(SQLiteValue.text("Reader/1"))", "\(SQLiteValue.text("Reader/3"))"],
      ])
  }

  @Test("Objects in a context have the values and the order of the tables")
  func context() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let graph = try Library(made, StoreOpening(readOnly: true))
    let ada = try graph.reader("Ada")
    #expect(graph.keys(ada, "queue") == ["Book/2", "Article/1", "Book/5"])
    #expect(graph.keys(try graph.reader("Grace"), "queue") == ["Clip/7", "Article/6"])
    #expect(graph.keys(ada, "shelf") == ["Book/2", "Clip/7", "Article/1"])
    #expect(graph.keys(ada, "friends").sorted() == ["Reader/2", "Reader/3"])
    #expect(graph.keys(ada, "read") == ["Book/2"])
    let book = try graph.object("Book", 2)
    #expect(graph.keys(book, "admirers") == ["Reader/1"])
    #expect(graph.keys(book, "tags").sorted() == ["Tag/1", "Tag/3"])
    #expect(graph.keys(book, "readers").sorted() == ["Reader/1", "Reader/2"])
    let old = try graph.object("Tag", 3)
    // The column of a link has the name of the relationship that leads to the objects in that column.
    #expect(graph.keys(old, "narrower").sorted() == ["Tag/1", "Tag/2"])
    #expect(graph.keys(try graph.object("Tag", 2), "broader").sorted() == ["Tag/1", "Tag/3"])
  }

  @Test(
    "A store of an older system carries no model: the error says so, and a given model opens it")
  func older() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"), having: .list)
    let error = #expect(throws: StoreError.self) { try open(made) }
    #expect(error?.code == .incompatibleModel)
    #expect(
      error?.description
        == "\(made.path): The store does not contain its model, as stores of older systems do not. Give the model that it was written with."
    )
    let cells = ShownCells(try open(made, model: HandMade.library).snapshot())
    #expect(try cells.rows("Tag", ["name"]).count == 3)
  }

  @Test("Without a metadata property list, the UUID is read and the given model is accepted")
  func withoutList() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"), having: .cache)
    let snapshot = try open(made).snapshot()
    #expect(try snapshot.metadata.uuid == HandMade.uuid)
    #expect(try ShownCells(snapshot).rows("Reader", []).count == 4)
  }

  @Test("A model with other hashes is refused, and the error names the entities")
  func otherModel() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    var entities = HandMade.library.entities
    let place = entities.firstIndex { $0.name == "Tag" }!
    entities[place].declaredProperties.append(.attribute(Attribute("more", .string)))
    let other = try Model(entities: entities)
    let error = #expect(throws: StoreError.self) { try open(made, model: other) }
    #expect(error?.code == .incompatibleModel)
    #expect(error?.message.contains("Tag") == true, "\(String(describing: error))")
  }

  @Test("A renamed entity is found by its number")
  func renamed() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"),
      then: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_ENT = 7")
    let cells = ShownCells(try open(made).snapshot())
    #expect(try cells.rows("Tag", ["name"]).count == 3)
    #expect(try cells.rows("Book", ["title"]).count == 2)
  }

  @Test("Entities have the numbers of the tables, even if the model would give other numbers")
  func otherNumbers() throws {
    let folder = try TemporaryFolder()
    // As after a migration: the numbers have changed, and with them the names of tables and columns.
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"),
      then: """
        UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 100;
        UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_SUPER + 100 WHERE Z_SUPER > 0;
        UPDATE ZITEM SET Z_ENT = Z_ENT + 100; UPDATE ZREADER SET Z_ENT = Z_ENT + 100;
        UPDATE ZREADER SET Z1_FAVOURITE = Z1_FAVOURITE + 100;
        UPDATE ZTAG SET Z_ENT = Z_ENT + 100; UPDATE ZSAMPLE SET Z_ENT = Z_ENT + 100;
        ALTER TABLE ZREADER RENAME COLUMN Z1_FAVOURITE TO Z101_FAVOURITE;
        ALTER TABLE Z_1TAGS RENAME TO Z_101TAGS;
        ALTER TABLE Z_101TAGS RENAME COLUMN Z_1ITEMS TO Z_101ITEMS;
        ALTER TABLE Z_101TAGS RENAME COLUMN Z_7TAGS TO Z_107TAGS;
        ALTER TABLE Z_1READERS RENAME TO Z_101READERS;
        ALTER TABLE Z_101READERS RENAME COLUMN Z_1READ TO Z_101READ;
        ALTER TABLE Z_101READERS RENAME COLUMN Z_5READERS1 TO Z_105READERS1;
        ALTER TABLE Z_1SHELVEDBY RENAME TO Z_101SHELVEDBY;
        ALTER TABLE Z_101SHELVEDBY RENAME COLUMN Z_1SHELF TO Z_101SHELF;
        ALTER TABLE Z_101SHELVEDBY RENAME COLUMN Z_5SHELVEDBY TO Z_105SHELVEDBY;
        ALTER TABLE Z_101SHELVEDBY RENAME COLUMN Z_FOK_1SHELF TO Z_FOK_101SHELF;
        ALTER TABLE Z_5FRIENDS RENAME TO Z_105FRIENDS;
        ALTER TABLE Z_105FRIENDS RENAME COLUMN Z_5FRIENDS TO Z_105FRIENDS;
        ALTER TABLE Z_105FRIENDS RENAME COLUMN Z_5FRIENDS1 TO Z_105FRIENDS1;
        ALTER TABLE Z_7NARROWER RENAME TO Z_107NARROWER;
        ALTER TABLE Z_107NARROWER RENAME COLUMN Z_7BROADER TO Z_107BROADER;
        ALTER TABLE Z_107NARROWER RENAME COLUMN Z_7NARROWER TO Z_107NARROWER;
        """)
    let plain = try HandMade("library", HandMade.library, at: folder.file("b.sqlite"))
    let cells = ShownCells(try open(made).snapshot())
    let expected = ShownCells(try open(plain).snapshot())
    for (entity, properties) in [
      ("Article", ["title", "queuedBy"]), ("Book", ["title"]), ("Clip", ["title"]),
      ("Reader", ["name", "favourite"]), ("Tag", ["name"]),
    ] {
      #expect(try cells.rows(entity, properties) == expected.rows(entity, properties))
    }
    for (entity, name) in [
      ("Item", "tags"), ("Reader", "read"), ("Reader", "shelf"), ("Tag", "narrower"),
    ] {
      #expect(try cells.links(entity, name) == expected.links(entity, name))
    }
  }
}
