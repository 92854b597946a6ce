import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import SQLiteFiles
import SQLiteStore
import StoreConformance
import StoreInterface
import Testing

@Suite("Writing into databases of another system")
struct ForeignWritingTests {
  private func made(_ folder: TemporaryFolder, then text: String = "") throws -> HandMade {
    try HandMade("library", HandMade.library, at: folder.file("a.sqlite"), then: text)
  }

  private func open(_ made: HandMade, writes: Bool = true) throws -> any Store {
    try SQLiteStoreBackend().open(
      made.path, on: RealDisk(), StoreOpening(writesForeign: writes))
  }

  /// Returns a commit request that changes the name of one tag.
  private func renaming(_ store: any Store) throws -> CommitRequest {
    let base = try store.snapshot()
    let key = ObjectKey(entity: base.schema["Tag"]!.entityNumber, number: 2)
    let builder = LayerBuilder(base.schema)
    builder.set(
      .string("brief"), "name", of: key, base.schema,
      basis: try base.view.row(of: key)!.version)
    return CommitRequest(builder.freeze(), basedOn: base)
  }

  @Test("Writing is refused unless the caller asks for it, and the refusal changes nothing")
  func refused() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let bytes = try Data(contentsOf: URL(filePath: made.path))
    let store = try open(made, writes: false)
    let error = try #require(
      throws: StoreError.self, performing: { try store.commit(renaming(store)) })
    #expect(error.code == .readOnly && error.path == made.path)
    #expect(error.message.contains("Another system"))
    #expect(throws: StoreError.self) {
      try store.leaseKeys(ofEntity: store.snapshot().schema["Tag"]!.entityNumber, count: 1)
    }
    try store.close()
    // The refusal does not even change the journal mode.
    #expect(try Data(contentsOf: URL(filePath: made.path)) == bytes)
    #expect(folder.names == ["a.sqlite"])
  }

  @Test(
    "A context notices another store's saves, however often either store has saved the object",
    arguments: 1...12)
  func savedByTwo(count: Int) throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let (one, other) = (
      try Library(made, StoreOpening(writesForeign: true)),
      try Library(made, StoreOpening(writesForeign: true))
    )
    // Saves of other objects do not affect the conflict.
    for round in 0..<5 {
      try one.object("Tag", 1)["name"] = .string("round \(round)")
      try one.context.save()
    }
    let tag = try one.object("Tag", 2)
    for round in 0...count % 7 {
      tag["name"] = .string("\(round)")
      try one.context.save()
      #expect(try one.context.conflict(of: tag) == nil)
    }
    let theirs = try other.object("Tag", 2)
    for round in 0..<count {
      theirs["name"] = .string("theirs \(round)")
      try other.context.save()
    }
    #expect(try one.context.conflict(of: tag)?.theirs?["name"] == theirs["name"])
    tag["name"] = .string("mine")
    let error = try #require(throws: ContextError.self) { try one.context.save() }
    #expect(error.code == .conflict)
    one.context.mergePolicy = .objectWins
    try one.context.save()
    #expect(
      try RawDatabase(made.path).rows(
        "SELECT ZNAME, Z_OPT - ? FROM ZTAG WHERE Z_PK = 2",
        [
          .integer(Int64(count + count % 7 + 2))
        ]) == [[.text("mine"), .integer(1)]])
    try one.store.close()
    try other.store.close()
  }

  @Test("Objects are inserted, changed, deleted and related in Core Data's form")
  func context() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let before = try RawDatabase(made.path).rows(
      "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA")
    let cache = try RawDatabase(made.path).rows("SELECT Z_CONTENT FROM Z_MODELCACHE")
    let untouched = try RawDatabase(made.path).rows("SELECT * FROM ZSAMPLE ORDER BY Z_PK")
    let library = try Library(made, StoreOpening(writesForeign: true))
    let context = library.context
    let ada = try library.reader("Ada")
    let book = try library.object("Book", 2)
    let novel = try context.insert("Book")
    novel["title"] = .string("Persuasion")
    novel["length"] = .integer(249)
    let tag = try context.insert("Tag")
    tag["name"] = .string("sea")
    novel.setObjects([tag, try library.object("Tag", 1)], forKey: "tags")
    ada.setObjects([novel], forKey: "favourite")
    ada.setObjects(
      [try library.object("Book", 5), novel, book, try library.object("Article", 1)],
      forKey: "queue")
    ada.setObjects([novel, try library.object("Clip", 7)], forKey: "shelf")
    ada.setObjects([try library.reader("Edith")], forKey: "friends")
    book["title"] = .string("Middlemarch, again")
    context.delete(try library.object("Tag", 3))
    context.delete(try library.object("Clip", 4))
    try context.save()
    try library.store.close()

    let database = try RawDatabase(made.path)
    let key = try database.value("SELECT Z_PK FROM ZITEM WHERE ZTITLE1 = 'Persuasion'")
    let sea = try database.value("SELECT Z_PK FROM ZTAG WHERE ZNAME = 'sea'")
    // New rows have the number of their entity, version 1, and nothing in the columns of sibling entities.
    #expect(
      try database.rows(
        "SELECT Z_ENT, Z_OPT, ZLENGTH, ZADDED, ZTITLE, ZTITLE2, ZQUEUEDBY FROM ZITEM WHERE Z_PK = ?",
        [key]) == [[.integer(3), .integer(1), .integer(249), .null, .null, .null, .integer(1)]])
    #expect(
      try database.rows("SELECT Z_ENT, Z_OPT FROM ZTAG WHERE Z_PK = ?", [sea])
        == [[.integer(7), .integer(1)]])
    // The version of each changed row grows by one. The versions of other rows stay.
    #expect(
      try database.rows("SELECT Z_PK, Z_OPT FROM ZITEM WHERE Z_PK IN (2, 6, 7) ORDER BY Z_PK") == [
        [.integer(2), .integer(5)], [.integer(6), .integer(1)], [.integer(7), .integer(1)],
      ])
    #expect(
      try database.rows("SELECT Z_ENT, Z_OPT, ZFAVOURITE, Z1_FAVOURITE FROM ZREADER WHERE Z_PK = 1")
        == [[.integer(5), .integer(2), key, .integer(3)]])
    #expect(try database.rows("SELECT Z_PK FROM ZITEM WHERE Z_PK = 4") == [])
    #expect(try database.rows("SELECT Z_PK FROM ZTAG WHERE Z_PK = 3") == [])
    // The numbers of the order are sparse, ascending and all different.
    #expect(
      try database.rows("SELECT Z_PK FROM ZITEM WHERE ZQUEUEDBY = 1 ORDER BY Z_FOK_QUEUEDBY")
        == [[.integer(5)], [key], [.integer(2)], [.integer(1)]])
    #expect(
      try database.value(
        "SELECT count(DISTINCT Z_FOK_QUEUEDBY) FROM ZITEM WHERE ZQUEUEDBY = 1") == .integer(4))
    #expect(
      try database.rows(
        "SELECT Z_1SHELF FROM Z_1SHELVEDBY WHERE Z_5SHELVEDBY = 1 ORDER BY Z_FOK_1SHELF")
        == [[key], [.integer(7)]])
    // The join rows are the new ones, without the rows of deleted objects.
    #expect(
      try database.rows("SELECT Z_1ITEMS, Z_7TAGS FROM Z_1TAGS ORDER BY 1, 2")
        == [
          [.integer(1), .integer(2)], [.integer(2), .integer(1)], [.integer(7), .integer(2)],
          [key, .integer(1)], [key, sea],
        ])
    #expect(
      try database.rows("SELECT Z_7BROADER, Z_7NARROWER FROM Z_7NARROWER")
        == [[.integer(1), .integer(2)]])
    // A friendship is stored in both directions. The friendships with 2 and 3 are gone in both directions.
    #expect(
      try database.rows("SELECT Z_5FRIENDS, Z_5FRIENDS1 FROM Z_5FRIENDS ORDER BY 1")
        == [[.integer(1), .integer(4)], [.integer(4), .integer(1)]])
    try checkCounts(database)
    // The metadata and all untouched rows are unchanged, byte by byte.
    #expect(
      try database.rows("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA") == before)
    #expect(try database.rows("SELECT Z_CONTENT FROM Z_MODELCACHE") == cache)
    #expect(try database.rows("SELECT * FROM ZSAMPLE ORDER BY Z_PK") == untouched)
    #expect(
      try database.rows("SELECT name FROM sqlite_master WHERE name LIKE 'QUIRE%'") == [])
    #expect(try database.value("PRAGMA integrity_check") == .text("ok"))
  }

  /// Checks the highest key numbers: at least the highest key for each family, and 0 for each subentity.
  private func checkCounts(_ database: RawDatabase) throws {
    for (number, table) in [(1, "ZITEM"), (5, "ZREADER"), (6, "ZSAMPLE"), (7, "ZTAG")] {
      #expect(
        try database.value(
          "SELECT Z_MAX >= (SELECT max(Z_PK) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"
        ) == .integer(1), "\(table)")
    }
    #expect(
      try database.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (2, 3, 4)")
        == [[.integer(0)], [.integer(0)], [.integer(0)]])
  }

  @Test("A commit writes values of every type in the form of their columns")
  func values() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let store = try open(made)
    let base = try store.snapshot()
    let schema = base.schema
    let entity = schema["Sample"]!.entityNumber
    let first = try store.leaseKeys(ofEntity: entity, count: 3).lowerBound
    #expect(first == 10)
    let key = ObjectKey(entity: entity, number: first)
    let old = ObjectKey(entity: entity, number: 5)
    let builder = LayerBuilder(schema)
    builder.insert(key)
    let uuid = UUID(uuidString: "01020304-0506-0708-090A-0B0C0D0E0F10")!
    let given: [(String, Value)] = [
      ("flag", .boolean(true)), ("small", .integer(-3)), ("medium", .integer(70_000)),
      ("large", .integer(1 << 40)), ("ratio", .float(0.25)), ("real", .double(1e-10)),
      ("money", .decimal(Decimal(string: "3.3333333332999993")!)),
      ("moment", .date(Date(timeIntervalSinceReferenceDate: 12.5))), ("text", .string("äöü")),
      ("link", .uri("https://example.com")), ("token", .uuid(uuid)),
      ("bytes", .binary(Data([1, 2]))), ("largeBytes", .binary(Data([3, 4]))),
      ("colour", .binary(Data("bplist".utf8))),
    ]
    for (name, value) in given { builder.set(value, name, of: key, schema) }
    builder.set(.null, "text", of: old, schema, basis: try base.view.row(of: old)!.version)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()

    let database = try RawDatabase(made.path)
    #expect(
      try database.rows("SELECT * FROM ZSAMPLE WHERE Z_PK = 10") == [
        [
          .integer(10), .integer(6), .integer(1), .integer(1), .integer(-3), .integer(70_000),
          .integer(1 << 40), .real(0.25), .real(1e-10), .real(3.3333333332999993), .real(12.5),
          .text("äöü"),
          .text("https://example.com"), .blob(Array(1...16)), .blob([1, 2]), .blob([1, 3, 4]),
          .blob(Array("bplist".utf8)),
        ]
      ])
    #expect(
      try database.rows("SELECT Z_OPT, ZTEXT, ZLARGEBYTES, ZSMALL FROM ZSAMPLE WHERE Z_PK = 5")
        == [[.integer(3), .null, .blob([2, 0]), .integer(7)]])
    // Keys that were leased are not leased again.
    #expect(try database.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 6") == .integer(12))
  }

  @Test(
    "A number that Core Data can't store is refused, and the error names table and column",
    arguments: [
      ("money", Value.decimal(Decimal(string: "12345678901234567890.5")!), "ZMONEY"),
      ("money", .decimal(Decimal.nan), "ZMONEY"), ("real", .double(.nan), "ZREAL"),
      ("ratio", .float(.nan), "ZRATIO"),
    ])
  func numbers(_ name: String, _ value: Value, _ column: String) throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let store = try open(made)
    let base = try store.snapshot()
    let key = ObjectKey(entity: base.schema["Sample"]!.entityNumber, number: 5)
    let version = try base.view.row(of: key)!.version
    let builder = LayerBuilder(base.schema)
    builder.set(value, name, of: key, base.schema, basis: version)
    let error = #expect(throws: StoreError.self) {
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    #expect(
      error?.code == .badChange && error?.message.contains("ZSAMPLE, column \(column)") == true,
      "\(String(describing: error))")
    // A −0 is accepted and becomes 0, because SQLite itself keeps −0 as 0.
    let other = LayerBuilder(base.schema)
    other.set(.double(-0.0), "real", of: key, base.schema, basis: version)
    try store.commit(CommitRequest(other.freeze(), basedOn: base))
    try store.close()
    #expect(
      try RawDatabase(made.path).value("SELECT ZREAL FROM ZSAMPLE WHERE Z_PK = 5") == .real(0))
  }

  @Test(
    "Each save increases a row's version by one, and another save's change of the row is a conflict"
  )
  func counting() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder)
    let store = try open(made)
    let early = try renaming(store)
    for _ in 0..<3 { try store.commit(renaming(store)) }
    let database = try RawDatabase(made.path)
    #expect(try database.value("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 2") == .integer(4))
    let stale = try #require(throws: StoreError.self, performing: { try store.commit(early) })
    #expect(stale.code == .conflict && stale.conflicts.map(\.key.number) == [2])
    let request = try renaming(store)
    // Changes the row as Core Data does in another process.
    try database.run("UPDATE ZTAG SET ZNAME = 'theirs', Z_OPT = Z_OPT + 1 WHERE Z_PK = 2")
    let error = try #require(throws: StoreError.self, performing: { try store.commit(request) })
    #expect(error.code == .conflict)
    #expect(try database.value("SELECT ZNAME FROM ZTAG WHERE Z_PK = 2") == .text("theirs"))
    try store.commit(renaming(store))
    #expect(try database.value("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 2") == .integer(6))
    try store.close()
  }

  @Test(
    "Changes that only Core Data could keep consistent are refused with a reason",
    arguments: [
      (
        "CREATE TRIGGER Z_DA_ZTAG_Tag_count AFTER UPDATE ON ZTAG BEGIN SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZTAG', Z_ENT, Z_PK, 'n', 1) FROM ZTAG; END",
        "Z_DA_ZTAG_Tag_count on ZTAG"
      ),
      (
        "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT)",
        "ATRANSACTION"
      ),
    ])
  func needsCoreData(_ text: String, _ reason: String) throws {
    let folder = try TemporaryFolder()
    let made = try made(folder, then: text)
    let store = try open(made)
    let error = try #require(
      throws: StoreError.self, performing: { try store.commit(renaming(store)) })
    #expect(error.code == .readOnly && error.path == made.path)
    #expect(error.message.contains(reason), "\(error)")
    // The database can still be read.
    #expect(try ShownCells(store.snapshot()).rows("Tag", []).count == 3)
    try store.close()
    #expect(
      try RawDatabase(made.path).value("SELECT ZNAME FROM ZTAG WHERE Z_PK = 2") == .text("short"))
  }

  @Test(
    "A derived attribute is computed by the context, and the trigger that computes it does not run")
  func derived() throws {
    var stop = Entity("Stop")
    stop.declaredProperties = [
      .attribute(Attribute("name", .string)),
      .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
    ]
    var trip = Entity("Trip")
    var count = Attribute("nights", .int64)
    count.derivation = .init("stops.@count")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(count),
      .attribute(Attribute("start", .date)),
      .relationship(Relationship("stops", to: "Stop", inverse: "trip", count: .toMany)),
    ]
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "changelog", Model(entities: [stop, trip]), at: folder.file("a.sqlite"),
      then: """
        DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING;
        UPDATE ZTRIP SET ZNIGHTS = 1;
        CREATE TRIGGER Z_DA_ZSTOP_Trip_nights_PARAMETER_INSERT AFTER INSERT ON ZSTOP FOR EACH ROW WHEN (NEW.ZTRIP NOT NULL) \
        BEGIN UPDATE ZTRIP SET ZNIGHTS = IFNULL(ZNIGHTS, 0) + 1 WHERE Z_PK = NEW.ZTRIP; \
        SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZTRIP', Z_ENT, Z_PK, 'nights', ZNIGHTS) FROM ZTRIP; END
        """)
    let library = try Library(made, StoreOpening(writesForeign: true))
    for name in ["Tua", "Sabor"] {
      let stop = try library.context.insert("Stop")
      stop["name"] = .string(name)
      stop.setObjects([try library.object("Trip", 1)], forKey: "trip")
    }
    try library.object("Stop", 2).setObjects([], forKey: "trip")
    try library.context.save()
    try library.store.close()
    #expect(
      try RawDatabase(made.path).rows("SELECT ZNIGHTS FROM ZTRIP ORDER BY Z_PK")
        == [[.integer(3)], [.integer(0)]])
  }

  @Test("A table refuses a value that must be unique, and the message names table and column")
  func unique() throws {
    let folder = try TemporaryFolder()
    let made = try made(
      folder, then: "CREATE UNIQUE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE BINARY ASC)")
    let store = try open(made)
    let base = try store.snapshot()
    let entity = base.schema["Tag"]!.entityNumber
    let key = ObjectKey(
      entity: entity, number: try store.leaseKeys(ofEntity: entity, count: 1).lowerBound)
    let builder = LayerBuilder(base.schema)
    builder.insert(key)
    builder.set(.string("novel"), "name", of: key, base.schema)
    let error = try #require(
      throws: StoreError.self,
      performing: { try store.commit(CommitRequest(builder.freeze(), basedOn: base)) })
    #expect(error.code == .badChange && error.path == made.path)
    #expect(error.message.contains("ZTAG") && error.message.contains("ZNAME"), "\(error)")
    #expect(try RawDatabase(made.path).value("SELECT count(*) FROM ZTAG") == .integer(3))
    try store.close()
  }
}
