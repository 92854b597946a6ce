import AppleFixtures
import DurableFiles
import Foundation
import ObjectModel
import SQLText
import StoreInterface
import Testing
import Validation

@Suite("Stores in SQLite databases")
struct SQLiteFileTests {
  @Test("The recorded statements of the small store equal the output of the SQLite store")
  func base() throws {
    let text = try SmallFile.shelfText()
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil {
      try Data(text.utf8).write(to: SmallFile.shelfFile)
    }

    #expect(try String(contentsOf: SmallFile.shelfFile, encoding: .utf8) == text)
  }

  @Test("The small store has no finding, and is checked completely")
  func sound() throws {
    let report = try BrokenFile.report(SmallFile.shelf())

    #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")
    #expect(report.format == .sqlite)
    #expect(report.checked.objectCount == 5)
  }

  @Test("The rules of objects apply to the objects in tables too")
  func objects() throws {
    func rules(_ statements: String) throws -> [String] {
      try BrokenFile.report(SmallFile.shelf(statements)).counts.keys.map(\.id).sorted()
    }

    #expect(try rules("UPDATE ZBOOK SET ZAUTHOR = 9") == ["GRAF-008"])
    #expect(try rules("UPDATE ZAUTHOR SET ZFAVOURITE = 9") == ["GRAF-008"])
    #expect(try rules("UPDATE ZBOOK SET Z_FOK_AUTHOR = 1") == ["GRAF-013"])
    #expect(try rules("UPDATE Z_2TAGS SET Z_4TAGS = 9") == ["GRAF-020"])
    #expect(try rules("UPDATE Z_2TAGS SET Z_2BOOKS = 1") == ["GRAF-021"])
  }

  @Test("A store that another program has changed is checked with the model in the file")
  func foreign() throws {
    let bytes = try SmallFile.shelf(
      "DROP TABLE QUIRE_STORE; DROP TABLE QUIRE_COMMIT; DROP TABLE QUIRE_BEFORE; DROP TABLE QUIRE_LINK"
    )

    let report = try BrokenFile.report(bytes)

    #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")
    #expect(report.checked.objectCount == 5)
  }

  @Test("Rows of an unknown commit are found")
  func uncommitted() throws {
    let report = try BrokenFile.report(
      SmallFile.shelf("DELETE FROM QUIRE_COMMIT; UPDATE ZTAG SET Z_OPT = NULL"))

    #expect(report.counts.first { $0.key.id == "SQLS-031" }?.value == 9, "\(report.text)")
  }

  @Test("A wrong count of kept bytes is an error, also for the least integer")
  func keptCount() throws {
    let report = try BrokenFile.report(
      SmallFile.shelf("UPDATE QUIRE_COMMIT SET KEPT = -9223372036854775807 - 1 WHERE NUMBER = 1"))

    #expect(report.counts.keys.map(\.id) == ["SQLS-033"], "\(report.text)")
  }

  @Test("A database that contains no store has an unknown format")
  func otherDatabase() throws {
    let report = try BrokenFile.report(SQLText.database("CREATE TABLE NOTES (TEXT)"))

    #expect(report.verdict == .unknownFormat)
    #expect(report.counts.keys.map(\.id) == ["FILE-001"])
  }

  @Test("A newer format version is reported without other findings")
  func newer() throws {
    let report = try BrokenFile.report(SmallFile.shelf("UPDATE QUIRE_STORE SET VERSION = 2"))

    #expect(report.verdict == .newerFormat)
  }

  @Test("A store without its model is checked with a given model")
  func givenModel() throws {
    let bytes = try SmallFile.shelf(
      """
      DROP TABLE QUIRE_STORE; DROP TABLE QUIRE_COMMIT; DROP TABLE QUIRE_BEFORE; DROP TABLE QUIRE_LINK;
      DELETE FROM Z_MODELCACHE;
      """)

    let report = try BrokenFile.report(bytes, model: SmallFile.shelfModel())
    let other = try BrokenFile.report(bytes, model: SmallFile.library())

    #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")
    #expect(report.checked.objectCount == 5)
    #expect(other.counts.keys.contains { $0.id == "MODL-010" })
  }

  @Test("Computed columns and indexes are not evaluated, and SQLite's own check is skipped")
  func computing() throws {
    let report = try BrokenFile.report(
      SmallFile.shelf(
        """
        ALTER TABLE ZTAG ADD COLUMN HALF AS (Z_OPT / 2);
        CREATE INDEX HALVES ON ZAUTHOR (Z_OPT / 2);
        CREATE VIRTUAL TABLE WORDS USING fts5(TEXT);
        """))

    #expect(report.verdict == .valid, "\(report.text)")
    #expect(report.passedOver.count == 1, "\(report.text)")
  }

  @Test("The validator changes no file, and reads commits that are in the log only")
  func untouched() throws {
    try inFolder { folder in
      let store = try SmallFile.makeShelf(at: folder + "/open.sqlite")
      // A copy of the files is like a database after a power cut.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder + "/open.sqlite" + suffix, toPath: folder + "/left.sqlite" + suffix)
      }
      let before = try contents(folder)

      let open = try Validator(backends: .checked).validate(folder + "/open.sqlite")
      let left = try Validator(backends: .checked).validate(folder + "/left.sqlite")

      for report in [open, left] {
        #expect(report.findings.isEmpty && report.passedOver.isEmpty, "\(report.text)")
        #expect(report.checked.objectCount == 5)
      }
      #expect(try contents(folder) == before)
      try store.close()
    }
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "ValidationTests.\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  /// Returns the files in a folder, without the shared memory of processes that have a database open.
  private func contents(_ folder: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let data = try Data(contentsOf: URL(filePath: folder + "/" + name))
      contents[name] = name.hasSuffix("-shm") ? Data() : data
    }
    return contents
  }

  @Test(
    "Databases that Core Data wrote have no errors",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: AppleFixtures.databases)
  func fixtures(_ path: String) throws {
    let report = try Validator(backends: .checked).validate(path)

    #expect(report.verdict == .valid, "\(report.text)")
    #expect(report.checked.objectCount > 0 && report.passedOver.isEmpty, "\(report.text)")
    let worse = report.findings.filter { $0.rule.severity != .information }
    // One database was renamed by a migration, which left the old name behind.
    #expect(
      worse.isEmpty
        || path.hasSuffix("SampleModel_V2.sqlite") && worse.allSatisfy { $0.rule.id == "SQLS-008" },
      "\(report.text)")
  }
}
