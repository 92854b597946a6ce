import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

@Suite("Reading rows from a table")
struct RowReadingTests {
  // SQLite passes at most 127 arguments to a function, so wider rows are read in another way.
  @Test(
    "All columns of a table are read, however many there are", arguments: [1, 124, 125, 126, 300])
  func wide(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let names = (1...count).map { "value\($0)" }
    let model = try Model(
      entities: [Entity("Wide", properties: names.map { .attribute(Attribute($0, .int64)) })])
    let store = try SQLiteStoreBackend().create(
      at: folder.file("a.sqlite"), model: model, on: RealDisk(), StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let layout = try #require(base.schema["Wide"])
    for number in 1...3 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      builder.insert(key)
      for (index, name) in names.enumerated() {
        builder.set(.integer(Int64(number) * 1000 + Int64(index)), name, of: key, base.schema)
      }
    }
    let saved = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    #expect(try saved.view.keys(ofEntity: layout.entityNumber) == [1, 2, 3])
    for number in 1...3 as ClosedRange<UInt64> {
      let row = try #require(
        try saved.view.row(of: ObjectKey(entity: layout.entityNumber, number: number)))
      for (index, name) in names.enumerated() {
        let column = layout.columns[try #require(layout.index(of: name))]
        #expect(try row.value(column) == .integer(Int64(number) * 1000 + Int64(index)))
      }
    }
  }

  @Test("Reading row by row fetches many rows at once, and a bad row makes few others unreadable")
  func ahead() throws {
    let folder = try TemporaryFolder()
    let model = try Model(
      entities: [Entity("Row", properties: [.attribute(Attribute("value", .int64))])])
    let path = folder.file("a.sqlite")
    let store = try SQLiteStoreBackend().create(
      at: path, model: model, on: RealDisk(), StoreCreation())
    let base = try store.snapshot()
    let entity = try #require(base.schema["Row"]).entityNumber
    let builder = LayerBuilder(base.schema)
    for number in 1...5000 as ClosedRange<UInt64> where number % 7 != 0 {
      let key = ObjectKey(entity: entity, number: number)
      builder.insert(key)
      builder.set(.integer(Int64(number)), "value", of: key, base.schema)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()
    try RawDatabase(path).run("UPDATE ZROW SET ZVALUE = 'text' WHERE Z_PK = 2000")

    let view = try SQLiteStoreBackend().open(
      path, on: RealDisk(), StoreOpening(readOnly: true)
    ).snapshot().view
    let column = try #require(base.schema["Row"]).columns[0]
    var refused: [UInt64] = []
    for number in 1...5200 as ClosedRange<UInt64> {
      let key = ObjectKey(entity: entity, number: number)
      do {
        let isThere = number <= 5000 && number % 7 != 0
        #expect(
          try view.value(of: key, column: column) == (isThere ? .integer(Int64(number)) : nil))
      } catch {
        refused.append(number)
      }
    }
    #expect(refused == Array(1984...2047), "\(refused.count)")
  }

  @Test("A connection reads on after the caller stopped in the middle of the rows")
  func refused() throws {
    struct Enough: Error {}
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(folder.file("a.sqlite"), for: .creating)
    try connection.execute("CREATE TABLE T (A INTEGER PRIMARY KEY, B)")
    try connection.execute("INSERT INTO T VALUES (1, 'one'), (2, x'02'), (3, NULL), (4, 4.5)")
    var seen: [Int64] = []
    #expect(throws: Enough.self) {
      try connection.forEachRow(["A", "B"], from: "T", where: nil) { cells in
        seen.append(cells[0].integer)
        if seen.count == 2 { throw Enough() }
      }
    }
    #expect(seen == [1, 2])
    var values: [SQLiteValue] = []
    try connection.forEachRow(["B"], from: "T", where: "A >= ?", [.integer(2)]) {
      values.append($0[0].value)
    }
    #expect(values == [.blob([2]), .null, .real(4.5)])
    try connection.forEachRow(["A"], from: "T", where: "A > 4") { _ in
      Issue.record("There is no such row.")
    }
    #expect(throws: SQLiteError.self) {
      try connection.forEachRow(["NONE"], from: "T", where: nil) { _ in }
    }
  }

  @Test("SQL in a file can't call the function that receives rows")
  func named() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    do {
      let raw = try RawDatabase(path)
      try raw.run("CREATE TABLE T (A INTEGER PRIMARY KEY, B)")
      try raw.run("INSERT INTO T VALUES (1, 2)")
      try raw.run(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE TABLE T (A INTEGER PRIMARY KEY, B AS (quire_take(A)))'
        """)
    }
    let connection = try SQLiteConnection(path, for: .reading)
    #expect(throws: SQLiteError.self) {
      try connection.forEachRow(["A", "B"], from: "T", where: nil) { _ in
        Issue.record("It was run.")
      }
    }
  }
}
