import AppleFixtures
import DurableFiles
import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import SQLiteStore
import StoreInterface
import Testing

/// The objects of a database of Core Data are read and written into a new database. Then each table and each row of the
/// first database is looked for in the second.
@Suite("Tables that are written again")
struct RewrittenTablesTests {
  private func rewritten(_ path: String, _ folder: TemporaryFolder) throws -> String {
    let from = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening(readOnly: true))
    let source = try from.snapshot()
    let copy = folder.file("copy.sqlite")
    let store = try SQLiteStoreBackend().create(
      at: copy, model: source.model, on: RealDisk(), StoreCreation(schema: source.schema))
    let report = try StoreCopy(from: source, to: store, nil, keepingKeys: true).run()
    #expect(report.lostReferenceCount == 0)
    try store.close()
    try from.close()
    return copy
  }

  /// A row of a table, by the names of its columns.
  private typealias Row = [String: SQLiteValue]

  private func columns(_ table: String, _ database: RawDatabase) throws -> [String: SQLiteValue] {
    try Dictionary(
      uniqueKeysWithValues: database.rows(
        "SELECT name, upper(type) FROM pragma_table_info('\(table)')"
      ).map { (text($0[0]), $0[1]) })
  }

  private func text(_ value: SQLiteValue) -> String {
    if case .text(let text) = value { text } else { "\(value)" }
  }

  /// Returns the rows of a table in a form in which equal contents are equal.
  private func rows(
    _ table: String, _ columns: [String], _ database: RawDatabase, folder: URL
  ) throws -> [Row] {
    var rows = try database.rows(
      "SELECT \(columns.map { "\"\($0)\"" }.joined(separator: ", ")) FROM \"\(table)\""
    ).map { Dictionary(uniqueKeysWithValues: zip(columns, $0)) }
    for index in rows.indices {
      for (name, value) in rows[index] {
        switch value {
        // SQLite returns a whole real number of some columns as an integer.
        case .real(let number):
          if let whole = Int64(exactly: number) { rows[index][name] = .integer(whole) }
        case .blob(let bytes) where bytes.count == 38 && bytes[0] == 2:
          let file = folder.appending(path: String(decoding: bytes[1..<37], as: UTF8.self))
          if let content = try? Data(contentsOf: file) {
            rows[index][name] = .blob([1] + Array(content))
          }
        default: break
        }
      }
    }
    // Places in an order are sparse, so only their sequence among the objects of one owner counts.
    for order in columns where order.hasPrefix("Z_FOK_") {
      let name = order.dropFirst("Z_FOK_".count)
      let owner =
        columns.contains("Z\(name)")
        ? "Z\(name)"
        : columns.first { !$0.hasPrefix("Z_FOK_") && $0 != "Z_\(name)" && $0 != String(name) } ?? ""
      for group in Dictionary(grouping: rows.indices, by: { "\(rows[$0][owner]!)" }).values {
        func place(_ index: Int) -> Int64 {
          if case .integer(let place)? = rows[index][order] { place } else { -1 }
        }
        let places = Dictionary(uniqueKeysWithValues: group.map { ($0, place($0)) })
        for (index, place) in places where place >= 0 {
          rows[index][order] = .integer(Int64(places.values.count { $0 < place }))
        }
      }
    }
    return rows
  }

  private func compare(_ path: String) throws {
    let folder = try TemporaryFolder()
    let copy = try RawDatabase(rewritten(path, folder))
    let first = try RawDatabase(path, isReadOnly: true)
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let files = URL(filePath: path).deletingLastPathComponent()
      .appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
    // Core Data has tables of its own for the model, the metadata and the history.
    let tables = try first.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z*'"
    ).map { text($0[0]) }.filter { !["Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"].contains($0) }
    #expect(!tables.isEmpty)
    for table in tables {
      let (expected, found) = try (columns(table, first), columns(table, copy))
      for (column, type) in expected { #expect(found[column] == type, "\(table).\(column)") }
      let added = Set(found.keys).subtracting(expected.keys)
      #expect(added.allSatisfy { $0 == "Z_OPT" || $0.hasPrefix("QUIRE_") }, "\(table): \(added)")
      let names = expected.keys.filter { $0 != "Z_OPT" && found[$0] != nil }.sorted()
      let (one, two) = try (
        rows(table, names, first, folder: files), rows(table, names, copy, folder: files)
      )
      #expect(one.count == two.count, "\(table)")
      let missing = Set(one).subtracting(two)
      #expect(missing.isEmpty, "\(table): \(missing.first!), now \(two.first ?? [:])")
    }
    #expect(
      try copy.rows("SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1")
        == first.rows("SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1"))
  }

  @Test(
    "A database of Core Data keeps each table and each row",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    // One of them was made by hand and contains no model.
    arguments: AppleFixtures.paths(".sqlite").filter { !$0.hasSuffix("/made-by-rules.sqlite") })
  func fixtures(_ path: String) throws { try compare(path) }

  @Test("Links in both directions, links in a column and objects of subentities keep their rows")
  func handMade() throws {
    let folder = try TemporaryFolder()
    // Core Data writes each friendship in both directions, and 0 only by the hand of another program.
    let made = try HandMade(
      "people", OneWayLinkTests.model(), at: folder.file("a.sqlite"),
      then: "INSERT INTO Z_1FRIENDS VALUES (1, 3); UPDATE ZTAG SET Z1TAGS = NULL WHERE Z1TAGS = 0")
    try compare(made.path)
  }
}
