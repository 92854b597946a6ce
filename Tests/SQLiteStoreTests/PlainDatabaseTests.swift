import BinaryStore
import DurableFiles
import Foundation
import Interchange
import ModelNotations
import ObjectModel
import SQLiteFiles
import StoreInterface
import Testing

@testable import SQLiteStore

/// Databases of other programs, which are read as objects.
@Suite("Databases of other programs")
struct PlainDatabaseTests {
  private let folder = try! TemporaryFolder()

  private func database(_ text: String, _ name: String = "a.db") throws -> String {
    let path = folder.file(name)
    try RawDatabase(path).run(text)
    return path
  }

  private func open(_ path: String) throws -> any Store {
    try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening(readOnly: true))
  }

  private static let shop = """
    CREATE TABLE customers (
      id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, joined DATE, vip BOOLEAN DEFAULT 1,
      balance DECIMAL(10,2), seen INTEGER);
    CREATE TABLE orders (
      id INTEGER PRIMARY KEY,
      customer_id INTEGER NOT NULL REFERENCES customers(id) ON DELETE CASCADE,
      placed TIMESTAMP, total REAL CHECK (total >= 0 AND total < 1e6),
      state TEXT NOT NULL DEFAULT 'open' CHECK ("state" IN ('open', 'it''s paid')));
    CREATE INDEX orders_placed ON orders (placed DESC, total);
    CREATE TABLE tags (code TEXT PRIMARY KEY, label TEXT CHECK (length(label) <= 20)) WITHOUT ROWID;
    CREATE TABLE orders_tags (
      order_id INTEGER NOT NULL REFERENCES orders(id), tag TEXT NOT NULL REFERENCES tags,
      PRIMARY KEY (order_id, tag)) WITHOUT ROWID;
    CREATE TABLE profiles (
      customer INTEGER NOT NULL UNIQUE REFERENCES customers(id), photo BLOB, site TEXT, uid TEXT,
      bio TEXT GENERATED ALWAYS AS (upper(site)));
    CREATE VIEW totals AS SELECT sum(total) FROM orders;
    INSERT INTO customers VALUES
      (1, 'a@example.org', '2026-05-01', 1, 30676.20, NULL), (3, 'b@example.org', NULL, 0, 10, 2.5);
    INSERT INTO orders VALUES
      (1, 3, '2026-05-02 08:30:00', 12.5, 'open'), (2, 3, '2026-05-02T08:30:00.25+02:00', 7, 'it''s paid');
    INSERT INTO tags VALUES ('x', 'Extra'), ('b', 'Basic');
    INSERT INTO orders_tags VALUES (1, 'x'), (1, 'b'), (2, 'x');
    INSERT INTO profiles VALUES
      (3, x'0102', 'https://example.org/b', '6b1f0a3c-0001-4000-8000-000000000001');
    """

  @Test("Tables, keys, indexes, defaults and conditions become a model")
  func model() throws {
    let store = try open(database(PlainDatabaseTests.shop))
    let text = ModelText.write(try store.snapshot().model)
    for line in [
      "entity Customer", "  email: String\n", "  joined: Day?\n", "  vip: Bool? = true",
      "  balance: Decimal?, places 2\n", "  seen: Double?",
      "  orders: [Order], inverse customer, delete cascade",
      "  total: Double?, min 0.0, check \"SELF < 1e6\"", "  placed: Date?",
      #"  state: String = "open", check "SELF IN {\"open\", \"it's paid\"}""#,
      "  customer: Customer, inverse orders\n", "  tags: [Tag], inverse orders",
      "  label: String?, length ...20", "  photo: Data?", "  site: URL?", "  uid: UUID?",
      "  profile: Profile?, inverse customer, delete deny", "  unique email", "  unique code",
      "  index placed: placed descending, total",
    ] where !text.contains(line) {
      Issue.record("'\(line)' is missing in\n\(text)")
    }
    #expect(!text.contains("customerId") && !text.contains("OrdersTag") && !text.contains("bio"))
    let notes = try store.snapshot().metadata.modelNotes
    #expect(notes.contains { $0.contains("view 'totals'") }, "\(notes)")
    #expect(notes.contains { $0.contains("'bio'") }, "\(notes)")
  }

  @Test("Rows are objects with their values, references and links")
  func rows() throws {
    let cells = ShownCells(try open(database(PlainDatabaseTests.shop)).snapshot())
    #expect(
      try cells.rows("Customer", ["id", "email", "joined", "vip", "seen", "profile"]) == [
        [
          .integer(1), .integer(1), .text("a@example.org"), .real(799_286_400), .integer(1), .null,
          .null,
        ],
        [
          .integer(3), .integer(3), .text("b@example.org"), .null, .integer(0), .real(2.5),
          .text("Profile/1"),
        ],
      ])
    #expect(
      try cells.rows("Order", ["customer", "placed", "total", "state"]) == [
        [.integer(1), .text("Customer/3"), .real(799_403_400), .real(12.5), .text("open")],
        [.integer(2), .text("Customer/3"), .real(799_396_200.25), .real(7), .text("it's paid")],
      ])
    #expect(
      try cells.rows("Tag", ["code", "label"]) == [
        [.integer(1), .text("b"), .text("Basic")], [.integer(2), .text("x"), .text("Extra")],
      ])
    #expect(
      try cells.rows("Customer", ["balance"]).map { $0[1] } == [.text("30676.2"), .text("10")])
  }

  @Test("A copy has all objects, links and one-to-one references, and is valid")
  func copied() throws {
    let source = try open(database(PlainDatabaseTests.shop)).snapshot()
    let copy = try BinaryStoreBackend().create(
      at: folder.file("copy.store"), model: source.model, on: RealDisk(), StoreCreation())
    let report = try StoreCopy(from: source, to: copy).run()
    #expect(report.objectCount == 7 && report.lostReferenceCount == 0)
    let snapshot = try copy.snapshot()
    #expect(try snapshot.metadata.modelNotes == [])
    let side = try #require(snapshot.schema.links(of: "Order", "tags"))
    let links = try snapshot.view.batches(of: side.table.layout).reduce(0) { $0 + $1.rowCount }
    #expect(links == 3)
  }

  @Test("An export in SQL makes a database with the same model and the same objects")
  func exported() throws {
    let first = try open(database(PlainDatabaseTests.shop)).snapshot()
    func written(_ snapshot: any StoreSnapshot, _ format: ExportFormat) throws -> String {
      var bytes: [UInt8] = []
      let export = try ObjectExport(of: snapshot, as: format)
      for entity in export.entities { try export.write(entity) { bytes += $0 } }
      return String(decoding: bytes, as: UTF8.self)
    }
    let text = try written(first, .sql)
    let second = try open(database(text, "b.db")).snapshot()
    let model = ModelText.write(try second.model)
    #expect(model == ModelText.write(try first.model))
    #expect(try written(second, .jsonl) == written(first, .jsonl))
    #expect(try written(second, .sql) == text)
    #expect(text.contains(#"CREATE TABLE "orders_tags""#))
  }

  @Test("Undeclared references are found by their names, if each value leads to a row")
  func undeclared() throws {
    let store = try open(
      database(
        """
        CREATE TABLE trips (id INTEGER PRIMARY KEY, parent_id INTEGER, name TEXT);
        CREATE TABLE stops (trip_id INTEGER, guide_id INTEGER, "Trip" TEXT);
        CREATE TABLE guides (id INTEGER PRIMARY KEY);
        INSERT INTO trips VALUES (5, NULL, 'a'), (6, 5, 'b');
        INSERT INTO stops VALUES (5, 1, 'x'), (6, 9, NULL), (NULL, NULL, NULL);
        INSERT INTO guides VALUES (1);
        """))
    let model = try store.snapshot().model
    #expect(
      model["Trip"]?.declaredRelationships.map(\.name).sorted() == ["children", "parent", "stops"])
    #expect(model["Stop"]?.declaredRelationships.map(\.name) == ["trip2"])
    let cells = ShownCells(try store.snapshot())
    #expect(
      try cells.rows("Stop", ["trip2", "guideId"]) == [
        [.integer(1), .text("Trip/5"), .integer(1)], [.integer(2), .text("Trip/6"), .integer(9)],
        [.integer(3), .null, .null],
      ])
    let notes = try store.snapshot().metadata.modelNotes
    #expect(notes.contains { $0.contains("'guide_id'") && $0.contains("1 of 2") }, "\(notes)")
  }

  @Test("Row numbers that no object can have are replaced", arguments: [-3, 1 << 60])
  func numbers(_ first: Int) throws {
    let store = try open(
      database(
        """
        CREATE TABLE a (id INTEGER PRIMARY KEY, next INTEGER REFERENCES a(id), "rowid" TEXT);
        INSERT INTO a VALUES (\(first), NULL, 'x'), (\(first + 5), \(first), 'y'), (\(first + 7), \(first + 5), 'z');
        """))
    let cells = ShownCells(try store.snapshot())
    let rows = try cells.rows("A", ["id", "next", "rowid"])
    #expect(
      rows.map { $0[1] } == [
        .integer(Int64(first)), .integer(Int64(first + 5)), .integer(Int64(first + 7)),
      ])
    guard rows.count == 3, case .integer(let one) = rows[0][0], case .integer(let two) = rows[1][0]
    else { return }
    #expect(one > 0 && rows.map { $0[2] } == [.null, .text("A/\(one)"), .text("A/\(two)")])
  }

  @Test("Columns with values of several kinds keep every value")
  func mixed() throws {
    let store = try open(
      database(
        """
        CREATE TABLE odd (a, b, c, d TEXT, e DATETIME, f INTEGER, g);
        INSERT INTO odd VALUES
          (1, 1, x'00ff', '', 1767225600, 9007199254740993, CAST(x'ff' AS TEXT)),
          ('x', 2.5, 'text', NULL, 1767225601, 0.5, 'ok');
        """))
    let types = try store.snapshot().model["Odd"]!.declaredAttributes.map(\.type)
    #expect(types == [.string, .double, .binary, .string, .date, .string, .binary])
    let cells = ShownCells(try store.snapshot())
    #expect(
      try cells.rows("Odd", ["a", "b", "c", "d", "e", "f"]) == [
        [
          .integer(1), .text("1"), .real(1), .blob([0, 255]), .text(""), .real(788_918_400),
          .text("9007199254740993"),
        ],
        [
          .integer(2), .text("x"), .real(2.5), .blob(Array("text".utf8)), .null,
          .real(788_918_401), .text("0.5"),
        ],
      ])
    #expect(try store.snapshot().metadata.modelNotes.count == 5)
  }

  @Test("Declared days and places are those of the model, unless a value is finer")
  func precision() throws {
    let store = try open(
      database(
        """
        CREATE TABLE bills (
          a DATE, b DATE, c DATETIME, d TEXT, e DECIMAL(10, 2), f NUMERIC(8,3), g DECIMAL(10,2),
          h MONEY, i DATE, j DECIMAL(9,2), k DECIMAL(5, 0));
        INSERT INTO bills VALUES
          ('2026-04-20', '2026-04-20', '2026-04-20', '2026-04-20', 30676.20, 1.5, 1.5, 2.5, NULL, NULL, 1),
          (NULL, '2026-04-20 09:30:00', NULL, '2026-04-21', 7, '2.125', 1.125, 3, NULL, NULL, 2);
        """))
    #expect(
      try store.snapshot().model["Bill"]!.declaredAttributes.map(\.validation.precision) == [
        .day, nil, nil, .day, .places(2), .places(3), nil, nil, .day, .places(2), nil,
      ])
  }

  @Test("Empty tables, a table without columns that have values, and a name with quotes")
  func empty() throws {
    let store = try open(
      database(
        #"""
        CREATE TABLE "my ""own"" [things]" ("first ""name""" TEXT, n INT, d DATE, u UUID);
        CREATE TABLE likes (left_id INTEGER REFERENCES "my ""own"" [things]", right_id INTEGER);
        """#))
    let entity = try #require(store.snapshot().model["MyOwnThing"])
    #expect(
      entity.declaredAttributes.map { "\($0.name) \($0.type)" } == [
        "firstName string", "n int64", "d date", "u uuid",
      ])
    #expect(try ShownCells(store.snapshot()).rows("MyOwnThing", ["n"]) == [])
  }

  @Test("A database is not changed, and nothing is written into it")
  func unchanged() throws {
    let path = try database(PlainDatabaseTests.shop)
    let before = try Data(contentsOf: URL(filePath: path))
    _ = try ShownCells(open(path).snapshot()).rows("Order", ["total"])
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(folder.names == ["a.db"])
    do {
      _ = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening())
      Issue.record("A database of another program was opened for writing.")
    } catch let error as StoreError { #expect(error.code == .readOnly) }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test("Rows that another program writes meanwhile are seen by the next snapshot")
  func followed() throws {
    let path = try database("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)")
    let other = try RawDatabase(path)
    try other.run("PRAGMA journal_mode=WAL; INSERT INTO t VALUES (2)")
    let store = try open(path)
    #expect(try ShownCells(store.snapshot()).rows("T", ["n"]).count == 2)
    try other.run("INSERT INTO t VALUES (3)")
    #expect(try ShownCells(store.snapshot()).rows("T", ["n"]).count == 3)
  }

  @Test(
    "Conditions of tables are understood, or left out",
    arguments: [
      ("a > 0", "1"), ("a >= -1 AND a <= 9", "2"), ("(a IS NULL OR a BETWEEN 1 AND 5)", "2"),
      ("a = 3 OR a IS NULL", "1"), ("length(a) < 3", "1"), ("a IN (1, 2, 'x')", "1"),
      ("a > b", nil), ("a > 0 OR b > 0", nil), ("a > abs(b)", nil), ("a", nil), ("", nil),
      ("a IN (SELECT 1)", nil), ("NOT a > 1", nil), ("/* b */ a <> 1 -- c)\n", "1"),
    ] as [(String, String?)])
  func checks(_ text: String, _ count: String?) throws {
    let connection = try SQLiteConnection(
      database("CREATE TABLE t (a INT, b INT, c TEXT)"), for: .reading)
    let table = try PlainTable.all(connection).tables[0].with(
      text: "CREATE TABLE t (a CHECK (\(text)))")
    let (found, others) = PlainCheck.all(of: table)
    #expect(count == nil ? (found.isEmpty && others == 1) : "\(found.count)" == count, "\(found)")
  }
}

extension PlainTable {
  fileprivate func with(text: String) -> PlainTable {
    PlainTable(
      name: name, columns: columns, foreignKeys: foreignKeys, indexes: indexes,
      hasRowNumbers: hasRowNumbers, text: text, computedColumns: computedColumns)
  }
}
