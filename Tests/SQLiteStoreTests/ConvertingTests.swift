import AppleFixtures
import BinaryStore
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

/// A database is copied into a binary store, and the binary store into a new database. The tables of the new database
/// are compared with the tables of the first: each column by its name, and keys by the order of their rows.
@Suite("Copies of a database into another store and back")
struct ConvertingTests {
  /// Copies the database into a binary store and back, and returns the new database.
  private func converted(_ path: String, _ folder: TemporaryFolder) throws -> String {
    let from = try SQLiteStoreBackend().open(
      path, on: RealDisk(), StoreOpening(readOnly: true))
    let source = try from.snapshot()
    let model = try source.model
    let binary = try BinaryStoreBackend().create(
      at: folder.file("between.binary"), model: model, on: RealDisk(), StoreCreation())
    let report = try StoreCopy(from: source, to: binary).run()
    #expect(report.lostReferenceCount == 0)
    let back = folder.file("back.sqlite")
    let store = try SQLiteStoreBackend().create(
      at: back, model: model, on: RealDisk(), StoreCreation())
    #expect(try StoreCopy(from: binary.snapshot(), to: store).run() == report)
    try store.close()
    try binary.close()
    try from.close()
    return back
  }

  /// Compares one table of the first database with the same table of the second.
  ///
  /// - Parameters:
  ///   - columns: The columns, in the SQL of the first database, and in the SQL of the second where it differs.
  ///   - references: The columns of keys, and the tables that they refer to.
  private func compare(
    _ table: String, _ columns: [String], references: [String: String] = [:],
    _ first: RawDatabase, _ other: RawDatabase
  ) throws {
    func rows(_ database: RawDatabase) throws -> [[SQLiteValue]] {
      // A copy replaces Z_PK by the row's place among the rows of its entity, and keys follow.
      let cells = columns.map { column in
        references[column].map {
          "CASE WHEN \(column) = 0 THEN NULL ELSE \(place(of: column, in: $0)) END"
        } ?? column
      }
      return try database.rows(
        "SELECT \((["Z_ENT"] + cells).joined(separator: ", ")) FROM \(table) ORDER BY Z_ENT, Z_PK")
    }
    let (expected, found) = (try rows(first), try rows(other))
    #expect(expected.count == found.count, "\(table)")
    #expect(!expected.isEmpty, "\(table)")
    for (row, (one, two)) in zip(expected, found).enumerated() where one != two {
      Issue.record("\(table), row \(row): \(one) became \(two)")
      return
    }
  }

  /// Returns SQL for the entity of the row with the key, and for its place among the rows of that entity.
  private func place(of key: String, in table: String) -> String {
    "(SELECT d.Z_ENT || '/' || (SELECT count(*) FROM \(table) e WHERE e.Z_ENT = d.Z_ENT AND e.Z_PK < d.Z_PK) FROM \(table) d WHERE d.Z_PK = \(key))"
  }

  private func compareLinks(
    _ first: RawDatabase, _ table: String, _ columns: [(name: String, table: String)],
    _ other: RawDatabase, _ otherTable: String, _ otherColumns: [(name: String, table: String)],
    order: (String, String)? = nil
  ) throws {
    func rows(
      _ database: RawDatabase, _ table: String, _ columns: [(name: String, table: String)],
      _ order: String?
    ) throws -> [String] {
      let cells = columns.map { place(of: $0.name, in: $0.table) }
      // A copy may renumber the places of an order, so only the sequence is compared.
      let places =
        order.map {
          [
            "(SELECT count(*) FROM \(table) o WHERE o.\(columns[1].name) = t.\(columns[1].name) AND o.\($0) < t.\($0))"
          ]
        } ?? []
      return try database.rows(
        "SELECT \((cells + places).joined(separator: ", ")) FROM \(table) t"
      ).map { "\($0)" }.sorted()
    }
    let expected = try rows(first, table, columns, order?.0)
    #expect(!expected.isEmpty)
    #expect(try rows(other, otherTable, otherColumns, order?.1) == expected, "\(table)")
  }

  @Test("A hand-made database keeps everything when it is copied into another store and back")
  func handMade() throws {
    let folder = try TemporaryFolder()
    let made = try HandMade("library", HandMade.library, at: folder.file("a.sqlite"))
    try made.addFile("11111111-2222-3333-4444-555555555555", Array("in a file".utf8))
    let back = try RawDatabase(converted(made.path, folder))
    let first = try RawDatabase(made.path)
    // A copy stores the contents of value files in the row. The name of a missing file stays as it was.
    try first.run(
      "UPDATE ZSAMPLE SET ZLARGEBYTES = CAST(x'01' || 'in a file' AS BLOB) WHERE Z_PK = 6; UPDATE ZSAMPLE SET ZLARGEBYTES = CAST(x'01' || ZLARGEBYTES AS BLOB) WHERE Z_PK = 9; UPDATE ZSAMPLE SET ZLARGEBYTES = x'010200' WHERE Z_PK = 5"
    )
    try compare(
      "ZITEM",
      [
        "CAST(ZADDED AS REAL)", "ZLENGTH", "ZTITLE", "ZTITLE1", "ZTITLE2", "ZQUEUEDBY",
        "CASE WHEN ZQUEUEDBY IS NULL THEN NULL ELSE (SELECT count(*) FROM ZITEM o WHERE o.ZQUEUEDBY = ZITEM.ZQUEUEDBY AND o.Z_FOK_QUEUEDBY < ZITEM.Z_FOK_QUEUEDBY) END",
      ], references: ["ZQUEUEDBY": "ZREADER"], first, back)
    try compare(
      "ZREADER", ["ZNAME", "ZFAVOURITE", "Z1_FAVOURITE"], references: ["ZFAVOURITE": "ZITEM"],
      first, back)
    try compare("ZTAG", ["ZNAME"], first, back)
    try compare(
      "ZSAMPLE",
      [
        "ZFLAG", "ZSMALL", "ZMEDIUM", "ZLARGE", "CAST(ZRATIO AS REAL)", "CAST(ZREAL AS REAL)",
        "ZMONEY", "CAST(ZMOMENT AS REAL)", "ZTEXT", "ZLINK", "ZTOKEN", "ZBYTES", "ZLARGEBYTES",
        "ZCOLOUR",
      ], first, back)
    try compareLinks(
      first, "Z_1TAGS", [("Z_1ITEMS", "ZITEM"), ("Z_7TAGS", "ZTAG")], back, "Z_1TAGS",
      [("Z_1ITEMS", "ZITEM"), ("Z_7TAGS", "ZTAG")])
    try compareLinks(
      first, "Z_1READERS", [("Z_1READ", "ZITEM"), ("Z_5READERS1", "ZREADER")], back, "Z_1READERS",
      [("Z_1READ", "ZITEM"), ("Z_5READERS", "ZREADER")])
    try compareLinks(
      first, "Z_1SHELVEDBY", [("Z_1SHELF", "ZITEM"), ("Z_5SHELVEDBY", "ZREADER")], back,
      "Z_1SHELVEDBY", [("Z_1SHELF", "ZITEM"), ("Z_5SHELVEDBY", "ZREADER")],
      order: ("Z_FOK_1SHELF", "Z_FOK_1SHELF"))
    let narrower =
      try back.value("SELECT count(*) FROM sqlite_master WHERE name = 'Z_7NARROWER'")
      == .integer(1) ? "Z_7NARROWER" : "Z_7BROADER"
    try compareLinks(
      first, "Z_7NARROWER", [("Z_7BROADER", "ZTAG"), ("Z_7NARROWER", "ZTAG")], back, narrower,
      [("Z_7BROADER", "ZTAG"), ("Z_7NARROWER", "ZTAG")])
    // Two friendships, each in both directions.
    #expect(try back.value("SELECT count(*) FROM Z_5FRIENDS") == .integer(4))
    #expect(
      try back.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        == first.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT"))
    #expect(try back.value("PRAGMA integrity_check") == .text("ok"))
    let metadata = try SQLiteStoreBackend().metadata(at: back.path, on: RealDisk())
    #expect(metadata.values["Ours"] == .string("kept"))
    #expect(metadata.versionHashes == HandMade.library.versionHashes)
  }

  @Test(
    "Databases that Core Data wrote keep everything",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: AppleFixtures.databases)
  func fixtures(_ path: String) throws {
    let folder = try TemporaryFolder()
    let back = try RawDatabase(converted(path, folder))
    let first = try RawDatabase(path, isReadOnly: true)
    let references = ["ZOWNER": "ZPERSON", "ZAUTHOR": "ZWRITER", "ZBOOK": "ZBOOK"]
    var count = 0
    for table in ["ZCAR", "ZPERSON", "ZBOOK", "ZFEEDBACK", "ZPAGE", "ZWRITER", "ZUSER"] {
      // The columns that the first database has. A whole real number may come back as an integer.
      let columns = try first.rows("SELECT name FROM pragma_table_info('\(table)')").map { row in
        if case .text(let name) = row[0] { name } else { "" }
      }
      guard !columns.isEmpty else { continue }
      count += 1
      // Both databases have the same order of keys, so the places of rows in large tables need not be counted.
      let plain = columns.filter { $0.hasPrefix("Z") && !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }
      try compare(table, plain.filter { references[$0] == nil }, first, back)
      for name in plain {
        guard let target = references[name] else { continue }
        let own =
          "SELECT t.Z_ENT, (SELECT count(*) FROM \(target) e, \(target) d WHERE d.Z_PK = t.\(name) AND e.Z_ENT = d.Z_ENT AND e.Z_PK < d.Z_PK), (SELECT d.Z_ENT FROM \(target) d WHERE d.Z_PK = t.\(name)) FROM \(table) t ORDER BY t.Z_ENT, t.Z_PK"
        #expect(try first.rows(own) == back.rows(own), "\(table).\(name)")
      }
    }
    #expect(count > 0)
  }
}
