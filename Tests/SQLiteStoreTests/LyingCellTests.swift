import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

@Suite("Rows with invalid cells")
struct LyingCellTests {
  private func made(_ folder: TemporaryFolder, _ text: String) throws -> HandMade {
    try HandMade("library", HandMade.library, at: folder.file("a.sqlite"), then: text)
  }

  @Test(
    "An invalid cell is refused, and the error names table, row and column",
    arguments: [
      ("UPDATE ZSAMPLE SET ZFLAG = 2 WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZFLAG"),
      ("UPDATE ZSAMPLE SET ZFLAG = 'yes' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZFLAG"),
      ("UPDATE ZSAMPLE SET ZSMALL = 32768 WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZSMALL"),
      ("UPDATE ZSAMPLE SET ZMEDIUM = x'00' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZMEDIUM"),
      ("UPDATE ZSAMPLE SET ZLARGE = 1e30 WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZLARGE"),
      ("UPDATE ZSAMPLE SET ZLARGE = 0.5 WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZLARGE"),
      ("UPDATE ZSAMPLE SET ZRATIO = 'half' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZRATIO"),
      ("UPDATE ZSAMPLE SET ZREAL = x'0102' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZREAL"),
      ("UPDATE ZSAMPLE SET ZMONEY = 'much' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZMONEY"),
      ("UPDATE ZSAMPLE SET ZMOMENT = 'noon' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZMOMENT"),
      ("UPDATE ZSAMPLE SET ZTEXT = x'6162' WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZTEXT"),
      (
        "UPDATE ZSAMPLE SET ZTEXT = CAST(x'61FF62' AS TEXT) WHERE Z_PK = 5",
        "ZSAMPLE, row 5, column ZTEXT"
      ),
      (
        "UPDATE ZSAMPLE SET ZLINK = CAST(x'C080' AS TEXT) WHERE Z_PK = 5",
        "ZSAMPLE, row 5, column ZLINK"
      ),
      ("UPDATE ZSAMPLE SET ZTOKEN = zeroblob(15) WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZTOKEN"),
      (
        "UPDATE ZSAMPLE SET ZTOKEN = 'text of sixteen.' WHERE Z_PK = 5",
        "ZSAMPLE, row 5, column ZTOKEN"
      ),
      ("UPDATE ZSAMPLE SET ZBYTES = 7 WHERE Z_PK = 5", "ZSAMPLE, row 5, column ZBYTES"),
      ("UPDATE ZREADER SET ZFAVOURITE = -1 WHERE Z_PK = 1", "ZREADER, row 1, column ZFAVOURITE"),
      (
        "UPDATE ZREADER SET ZFAVOURITE = 281474976710656 WHERE Z_PK = 1",
        "ZREADER, row 1, column ZFAVOURITE"
      ),
      ("UPDATE ZREADER SET ZFAVOURITE = 'x' WHERE Z_PK = 1", "ZREADER, row 1, column ZFAVOURITE"),
      ("UPDATE ZREADER SET Z1_FAVOURITE = 77 WHERE Z_PK = 1", "ZREADER, row 1, column ZFAVOURITE"),
      (
        "UPDATE ZITEM SET Z_FOK_QUEUEDBY = 'x' WHERE Z_PK = 1",
        "ZITEM, row 1, column Z_FOK_QUEUEDBY"
      ),
      ("UPDATE ZTAG SET Z_PK = 0 WHERE Z_PK = 1", "ZTAG"),
      ("UPDATE ZTAG SET Z_PK = -5 WHERE Z_PK = 1", "ZTAG"),
      ("UPDATE ZTAG SET Z_PK = 281474976710656 WHERE Z_PK = 1", "ZTAG"),
      ("UPDATE ZTAG SET Z_PK = 9223372036854775807 WHERE Z_PK = 1", "ZTAG"),
      ("UPDATE ZITEM SET Z_PK = 9223372036854775807 WHERE Z_PK = 5", "ZITEM"),
      ("UPDATE ZITEM SET Z_PK = -9223372036854775807 - 1 WHERE Z_PK = 5", "ZITEM"),
      ("UPDATE Z_1TAGS SET Z_7TAGS = -1 WHERE Z_7TAGS = 3", "Z_1TAGS: row"),
      ("UPDATE Z_1TAGS SET Z_7TAGS = 'x' WHERE Z_7TAGS = 3", "Z_1TAGS: row"),
      ("UPDATE Z_1TAGS SET rowid = 0 WHERE rowid = 1", "Z_1TAGS: row 0"),
      ("UPDATE Z_1SHELVEDBY SET Z_FOK_1SHELF = 'x' WHERE rowid = 2", "Z_1SHELVEDBY: row 2"),
    ])
  func refused(_ text: String, _ words: String) throws {
    let folder = try TemporaryFolder()
    let made = try made(folder, text)
    for writes in [false, true] {
      let error = Hostile.read(made.path, writes: writes, text).error
      #expect(error?.code == .damaged, "\(text): \(String(describing: error))")
      #expect(error?.message.contains(words) == true, "\(text): \(String(describing: error))")
    }
  }

  @Test("A table whose key is not an integer is refused, and its rows do not vanish silently")
  func otherKeys() throws {
    let folder = try TemporaryFolder()
    for (type, value) in [("VARCHAR", "'one'"), ("FLOAT", "1.5"), ("BLOB", "x'01'")] {
      let path = folder.file("\(type).sqlite")
      let made = try HandMade(
        "library", HandMade.library, at: path,
        then: """
          DROP TABLE ZTAG;
          CREATE TABLE ZTAG (Z_PK \(type) PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
          INSERT INTO ZTAG VALUES (\(value), 7, 1, 'odd')
          """)
      let error = Hostile.read(made.path, type).error
      #expect(
        error?.message == "The column Z_PK is not the INTEGER PRIMARY KEY of the table ZTAG.",
        "\(type): \(String(describing: error))")
    }
  }

  @Test("Two rows with one key are refused if the table itself does not prevent them")
  func twice() throws {
    let folder = try TemporaryFolder()
    let made = try made(
      folder,
      """
      DROP TABLE ZTAG; CREATE TABLE ZTAG (Z_PK INTEGER, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO ZTAG VALUES (1, 7, 1, 'a'), (2, 7, 1, 'b'), (1, 7, 1, 'c')
      """)
    let error = Hostile.read(made.path).error
    #expect(
      error?.message == "The column Z_PK is not the INTEGER PRIMARY KEY of the table ZTAG.",
      "\(String(describing: error))")
  }

  @Test("The key range of a table with an impossible key is refused without a crash")
  func ranges() throws {
    let folder = try TemporaryFolder()
    for number in ["0", "9223372036854775807", "281474976710656"] {
      let made = try HandMade(
        "library", HandMade.library, at: folder.file("\(number).sqlite"),
        then: "UPDATE ZTAG SET Z_PK = \(number) WHERE Z_PK = 1")
      let store = try SQLiteStoreBackend().open(
        made.path, on: RealDisk(), StoreOpening(readOnly: true))
      let snapshot = try store.snapshot()
      let entity = snapshot.schema["Tag"]!.entityNumber
      let error = #expect(throws: StoreError.self) {
        for table in snapshot.tables { _ = try table.keyRanges(ofEntity: entity) }
      }
      #expect(error?.code == .damaged && error?.message.contains("ZTAG") == true, "\(number)")
      // The other rows can still be requested one by one, except rows next to the impossible key.
      if number == "0" { continue }
      #expect(try snapshot.view.row(of: ObjectKey(entity: entity, number: 2)) != nil)
    }
  }

  @Test("Rows of an entity that the model lacks are not shown, and do not affect other rows")
  func unknownEntity() throws {
    let folder = try TemporaryFolder()
    let made = try made(folder, "UPDATE ZITEM SET Z_ENT = 99 WHERE Z_PK = 5")
    let store = try SQLiteStoreBackend().open(
      made.path, on: RealDisk(), StoreOpening(readOnly: true))
    #expect(
      try ShownCells(store.snapshot()).rows("Book", ["title"])
        == [[.integer(2), .text("Middlemarch")]])
  }

  @Test("A value of 50 million bytes is read, alone and behind the byte for its storage form")
  func large() throws {
    let folder = try TemporaryFolder()
    let made = try made(
      folder,
      "UPDATE ZSAMPLE SET ZBYTES = zeroblob(50000000) WHERE Z_PK = 1; UPDATE ZSAMPLE SET ZLARGEBYTES = CAST(x'01' || zeroblob(50000000) AS BLOB) WHERE Z_PK = 2"
    )
    let store = try SQLiteStoreBackend().open(
      made.path, on: RealDisk(), StoreOpening(readOnly: true))
    let rows = try ShownCells(store.snapshot()).rows("Sample", ["bytes", "largeBytes"])
    let counts = rows.prefix(2).map { row in
      row.map { value in if case .blob(let bytes) = value { bytes.count } else { -1 } }
    }
    #expect(counts.map { Array($0.dropFirst()) } == [[50_000_000, 5], [0, 50_000_000]])
  }

  @Test("A file name that leads out of the folder of values is not followed")
  func outside() throws {
    let folder = try TemporaryFolder()
    let made = try made(
      folder,
      "UPDATE ZSAMPLE SET ZLARGEBYTES = CAST(x'02' || '../../../../../../../../etc/passwd' || x'00' AS BLOB) WHERE Z_PK = 1"
    )
    let store = try SQLiteStoreBackend().open(
      made.path, on: RealDisk(), StoreOpening(readOnly: true))
    #expect(
      try ShownCells(store.snapshot()).rows("Sample", ["largeBytes"])[0][1]
        == .blob([2] + Array("../../../../../../../../etc/passwd".utf8) + [0]))
  }
}
