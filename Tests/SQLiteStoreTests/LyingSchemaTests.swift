import Deflate
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import StoreConformance
import StoreInterface
import Testing

@Suite("Databases with invalid tables")
struct LyingSchemaTests {
  /// Returns the number of objects and links in the intact hand-made database.
  private func whole() throws -> Int {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    guard case .read(let count) = Hostile.read(made.path) else { return 0 }
    return count
  }

  private func error(after text: String, writes: Bool) throws -> StoreError? {
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"), then: text)
    return Hostile.read(made.path, writes: writes, text).error
  }

  @Test(
    "A missing table or column is refused, and the error has its name",
    arguments: [
      ("ALTER TABLE ZTAG RENAME TO ZT; CREATE VIEW ZTAG AS SELECT * FROM ZT", "ZTAG"),
      (
        "DROP TABLE ZTAG; CREATE VIRTUAL TABLE ZTAG USING fts5(Z_PK, Z_ENT, Z_OPT, ZNAME)", "ZTAG"
      ),
      (
        "ALTER TABLE ZTAG DROP COLUMN ZNAME; ALTER TABLE ZTAG ADD COLUMN ZNAME GENERATED ALWAYS AS (abs(-9223372036854775807 - 1)) VIRTUAL",
        "ZNAME"
      ),
      (
        "ALTER TABLE Z_METADATA RENAME TO ZM; CREATE VIEW Z_METADATA AS SELECT * FROM ZM",
        "Z_METADATA"
      ),
      (
        "DROP TABLE Z_METADATA; CREATE VIRTUAL TABLE Z_METADATA USING fts5(Z_VERSION, Z_UUID, Z_PLIST); INSERT INTO Z_METADATA VALUES (1, '0F0E0D0C-0B0A-0908-0706-050403020100', NULL)",
        "Z_METADATA"
      ),
      (
        "ALTER TABLE Z_METADATA DROP COLUMN Z_PLIST; ALTER TABLE Z_METADATA ADD COLUMN Z_PLIST GENERATED ALWAYS AS (abs(-9223372036854775807 - 1)) VIRTUAL",
        "Z_METADATA"
      ),
      (
        "ALTER TABLE Z_PRIMARYKEY RENAME TO ZP; CREATE VIEW Z_PRIMARYKEY AS SELECT * FROM ZP",
        "Z_PRIMARYKEY"
      ),
      (
        "ALTER TABLE Z_MODELCACHE RENAME TO ZC; CREATE VIEW Z_MODELCACHE AS SELECT * FROM ZC",
        "does not contain its model"
      ),
      (
        "ALTER TABLE Z_1TAGS RENAME TO ZT; CREATE VIEW Z_1TAGS AS SELECT * FROM ZT", "Z_1TAGS"
      ),
      ("DROP TABLE ZTAG", "ZTAG"), ("DROP TABLE Z_1TAGS", "Z_1TAGS"),
      ("ALTER TABLE ZTAG DROP COLUMN Z_ENT", "Z_ENT"),
      ("ALTER TABLE ZTAG DROP COLUMN Z_OPT", "Z_OPT"),
      ("ALTER TABLE ZSAMPLE DROP COLUMN ZMONEY", "ZMONEY"),
      ("ALTER TABLE ZITEM DROP COLUMN ZTITLE2", "ZTITLE2"),
      ("ALTER TABLE ZITEM DROP COLUMN Z_FOK_QUEUEDBY", "Z_FOK_QUEUEDBY"),
      ("ALTER TABLE ZSAMPLE RENAME COLUMN ZTOKEN TO ZTOKENS", "ZTOKEN"),
      ("ALTER TABLE Z_1READERS RENAME COLUMN Z_5READERS1 TO Z_5WRITERS", "Z_1READERS"),
      ("DELETE FROM Z_METADATA", "Z_METADATA"),
      ("UPDATE Z_METADATA SET Z_UUID = 'none'", "Z_METADATA.Z_UUID"),
      ("UPDATE Z_METADATA SET Z_PLIST = x'00'", "Z_METADATA.Z_PLIST"),
      (
        "UPDATE Z_METADATA SET Z_PLIST = substr(Z_PLIST, 1, length(Z_PLIST) - 20)",
        "Z_METADATA.Z_PLIST"
      ),
      ("UPDATE Z_METADATA SET Z_PLIST = 'text'", "Z_METADATA.Z_PLIST"),
      ("UPDATE Z_METADATA SET Z_PLIST = zeroblob(70000000)", "Z_METADATA.Z_PLIST"),
      ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", "model"),
      ("UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, 100)", "model"),
    ])
  func refused(_ text: String, _ words: String) throws {
    for writes in [false, true] {
      let error = try error(after: text, writes: writes)
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
      #expect(
        [.damaged, .incompatibleModel, .notAStore].contains(error?.code),
        "\(String(describing: error?.code)) \(String(describing: error))")
    }
  }

  @Test(
    "Parts of the database that do not concern the objects are ignored",
    arguments: [
      "ALTER TABLE ZTAG ADD COLUMN ZEXTRA VARCHAR DEFAULT 'x'",
      "ALTER TABLE ZTAG ADD COLUMN ZEXTRA GENERATED ALWAYS AS (abs(-9223372036854775807 - 1)) VIRTUAL",
      "CREATE TABLE \"odd \"\" name\" (a, b); CREATE TABLE ZZ (Z_PK INTEGER PRIMARY KEY)",
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 - Z_ENT WHERE Z_ENT IN (1, 2)",
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL; UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_ENT = 7",
      "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (-5, 'Odd', 0, 0), (20, NULL, 0, 0)",
      "CREATE VIEW v AS SELECT abs(-9223372036854775807 - 1) AS a FROM ZTAG",
      "CREATE TRIGGER t AFTER UPDATE ON ZTAG BEGIN SELECT NSCoreDataNothing(1); END",
      "CREATE INDEX i ON ZTAG (length(ZNAME))",
      "CREATE INDEX i ON ZTAG (abs(ZNAME)) WHERE ZNAME IS NULL",
      "UPDATE ZTAG SET Z_OPT = 'often'", "UPDATE ZTAG SET Z_OPT = -3",
      "UPDATE ZTAG SET Z_OPT = NULL",
      "INSERT INTO Z_1TAGS VALUES (NULL, 1)",
    ])
  func passedOver(_ text: String) throws {
    let folder = try TemporaryFolder()
    let made = try HandMade(
      "library", HandMade.library, at: folder.file("a.sqlite"), then: text)
    for writes in [false, true] {
      guard case .read(let count) = Hostile.read(made.path, writes: writes, text) else {
        Issue.record("\(text): \(Hostile.read(made.path))")
        continue
      }
      #expect(try count == whole())
    }
  }

  @Test("A database with thousands of tables is read")
  func tables() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let text = (0..<3_000).map { "CREATE TABLE ZMANY\($0) (a, b);" }.joined()
    try RawDatabase(made.path).run("PRAGMA synchronous = OFF; BEGIN; \(text) COMMIT")
    guard case .read(let count) = Hostile.read(made.path) else {
      Issue.record("It can't be read.")
      return
    }
    #expect(try count == whole())
  }

  @Test("Too many tables and views are refused")
  func tooMany() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    // The views are written into the schema itself, because creating each of them in turn takes long.
    try RawDatabase(made.path).run(
      """
      PRAGMA writable_schema = ON;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 21000)
      INSERT INTO sqlite_master SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT 1' FROM n
      """)
    let error = Hostile.read(made.path).error
    #expect(error?.code == .damaged, "\(String(describing: error))")
    #expect(error?.message.contains("too many tables") == true, "\(String(describing: error))")
  }

  @Test("A model that would expand without end is refused")
  func exploding() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    let bomb = Deflate.compressRaw([UInt8](repeating: 0, count: 200 << 20).span.bytes)
    #expect(bomb.count < 1 << 20)
    try RawDatabase(made.path).run("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", [.blob(bomb)])
    let error = Hostile.read(made.path).error
    #expect(error?.code == .incompatibleModel, "\(String(describing: error))")
    #expect(error?.message.contains("can't be decompressed") == true)
    // The cached model is not needed if the caller gives a model.
    guard case .read = Hostile.read(made.path, model: HandMade.library) else {
      Issue.record("It can't be read with a model either.")
      return
    }
  }

  /// Creates a store of our own type with the given model and one row.
  private func own(_ path: String, _ model: Model = HandMade.library) throws {
    let store = try SQLiteStoreBackend().create(
      at: path, model: model, on: RealDisk(), StoreCreation())
    let base = try store.snapshot()
    let layout = base.schema.layouts.first { !$0.columns.isEmpty }!
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: layout.entityNumber, number: 1))
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()
  }

  @Test("A store of ours with the numbers of another model, or with damaged numbers, is refused")
  func otherSchema() throws {
    let folder = try TemporaryFolder()
    let (path, other) = (folder.file("a.sqlite"), folder.file("b.sqlite"))
    try own(other, StoreConformance.model)
    let schema = try RawDatabase(other).value("SELECT SCHEMA FROM QUIRE_STORE")
    let model = try RawDatabase(other).value("SELECT MODEL FROM QUIRE_STORE")
    // The first model has the same names with other kinds, and the second lacks a property.
    var entities = HandMade.library.entities
    let tag = entities.firstIndex { $0.name == "Tag" }!
    entities[tag].declaredProperties[0] = .attribute(Attribute("name", .int64))
    try own(folder.file("c.sqlite"), Model(entities: entities))
    let kinds = try RawDatabase(folder.file("c.sqlite")).value("SELECT SCHEMA FROM QUIRE_STORE")
    entities[tag].declaredProperties.remove(at: 0)
    try own(folder.file("d.sqlite"), Model(entities: entities))
    let fewer = try RawDatabase(folder.file("d.sqlite")).value("SELECT SCHEMA FROM QUIRE_STORE")
    for (text, value) in [
      ("UPDATE QUIRE_STORE SET SCHEMA = ?", schema), ("UPDATE QUIRE_STORE SET SCHEMA = ?", kinds),
      ("UPDATE QUIRE_STORE SET SCHEMA = ?", fewer),
      ("UPDATE QUIRE_STORE SET SCHEMA = ?", .blob([1, 2, 3])),
      ("UPDATE QUIRE_STORE SET SCHEMA = ?", .null),
      ("UPDATE QUIRE_STORE SET MODEL = ?", .blob([1, 2, 3])),
      (
        "UPDATE QUIRE_STORE SET MODEL = ?",
        .blob(Deflate.compressRaw([UInt8](repeating: 32, count: 100 << 20).span.bytes))
      ),
    ] {
      try? FileManager.default.removeItem(atPath: path)
      try own(path)
      try RawDatabase(path).run(text, [value])
      for writes in [false, true] {
        let error = Hostile.read(path, writes: writes, "\(text) \(value)").error
        #expect(
          error?.code == .damaged || error?.code == .incompatibleModel,
          "\(text): \(String(describing: error))")
      }
    }
    // The store gets the archive of another model with the hashes of this model. The archive fits, so the store counts
    // as a store of another system.
    try? FileManager.default.removeItem(atPath: path)
    try own(path)
    try RawDatabase(path).run("UPDATE QUIRE_STORE SET MODEL = ?", [model])
    _ = Hostile.read(path)
    try RawDatabase(path).run("UPDATE QUIRE_STORE SET VERSION = 99")
    #expect(Hostile.read(path).error?.code == .newerFormat)
  }

  @Test(
    "Impossible commit numbers and missing tables in a store of ours are refused",
    arguments: [
      ("UPDATE QUIRE_COMMIT SET NUMBER = 9223372036854775807 WHERE NUMBER = 0", "QUIRE_COMMIT"),
      (
        "DELETE FROM QUIRE_COMMIT; INSERT INTO QUIRE_COMMIT (NUMBER) VALUES (-9223372036854775807 - 1)",
        "QUIRE_COMMIT"
      ),
      ("DROP TABLE QUIRE_COMMIT", "QUIRE_COMMIT"), ("DROP TABLE QUIRE_BEFORE", "QUIRE_BEFORE"),
      ("DROP TABLE QUIRE_LINK", "QUIRE_LINK"),
      (
        "ALTER TABLE QUIRE_COMMIT RENAME TO QC; CREATE VIEW QUIRE_COMMIT AS SELECT * FROM QC",
        "QUIRE_COMMIT"
      ),
    ])
  func counts(_ text: String, _ words: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    try own(path)
    try RawDatabase(path).run(text)
    for writes in [false, true] {
      let error = Hostile.read(path, writes: writes, text).error
      #expect(error?.code == .damaged, "\(String(describing: error))")
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
  }

  @Test("Nothing in the file is executed: a trigger that would write has not written")
  func triggers() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    try own(path)
    let events = ["INSERT", "UPDATE", "DELETE"]
    let tables = ["ZTAG", "Z_PRIMARYKEY", "QUIRE_COMMIT", "Z_METADATA"]
    for (number, table) in tables.enumerated() {
      for event in events {
        try RawDatabase(path).run(
          """
          CREATE TABLE IF NOT EXISTS TRACES (what);
          CREATE TRIGGER t\(number)\(event) AFTER \(event) ON \(table) BEGIN INSERT INTO TRACES VALUES ('\(table) \(event)'); END
          """)
      }
    }
    let store = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening())
    let entity = try store.snapshot().schema["Tag"]!.entityNumber
    let key = ObjectKey(
      entity: entity, number: try store.leaseKeys(ofEntity: entity, count: 1).lowerBound)
    for step in 0..<3 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      switch step {
      case 0: builder.insert(key)
      case 1:
        builder.set(
          .string("b"), "name", of: key, base.schema,
          basis: try base.view.row(of: key)!.version)
      default: builder.remove(key, basis: try base.view.row(of: key)!.version)
      }
      var request = CommitRequest(builder.freeze(), basedOn: base)
      var metadata = try base.metadata
      metadata.values["step"] = .integer(Int64(step))
      request.metadata = metadata
      try store.commit(request)
    }
    try store.close()
    #expect(try RawDatabase(path).value("SELECT count(*) FROM TRACES") == .integer(0))
  }
}
