import ObjectModel
import PostgreSQLConnection
import Rows
import SQLTranslation
import StoreInterface

/// The types of the columns that a model needs, compared with those of the database.
///
/// Rows in binary form do not tell the types of their cells: a `bigint` and a `double precision` have eight bytes each.
struct ColumnTypes {
  /// A table or column that the model needs, and that is missing or has another type.
  struct Mismatch {
    let table: String
    /// The column; `nil` if the table does not exist.
    let column: String?
    let message: String
  }

  /// Returns the mismatches, in the order of the names.
  static func mismatches(
    _ map: TableMap, _ connection: PostgreSQLConnection
  ) throws -> [Mismatch] {
    var found: [String: [String: String]] = [:]
    try connection.forEachRow(
      """
      SELECT r.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_catalog.pg_attribute a \
      JOIN pg_catalog.pg_class r ON r.oid = a.attrelid WHERE r.relkind IN ('r', 'p') AND a.attnum > 0 \
      AND NOT a.attisdropped AND r.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class \
      WHERE oid = 'quire_store'::regclass)
      """, columnCount: 3
    ) { found[$0[0].text, default: [:]][$0[1].text] = $0[2].text }
    var mismatches: [Mismatch] = []
    for (table, columns) in expected(map).sorted(by: { $0.key < $1.key }) {
      guard let present = found[table] else {
        mismatches.append(
          Mismatch(table: table, column: nil, message: "The table does not exist."))
        continue
      }
      for (name, type) in columns.sorted(by: { $0.key < $1.key }) where present[name] != type {
        mismatches.append(
          Mismatch(
            table: table, column: name,
            message: present[name].map { "The column has the type \($0) instead of \(type)." }
              ?? "The column does not exist."))
      }
    }
    return mismatches
  }

  /// Throws an error if a table or column is missing or has another type.
  static func check(
    _ map: TableMap, _ connection: PostgreSQLConnection, path: String
  ) throws {
    guard let first = try mismatches(map, connection).first else { return }
    throw StoreError(
      .damaged, "\(first.table)\(first.column.map { ", column \($0)" } ?? ""): \(first.message)",
      path: path)
  }

  /// Returns the types of the columns that the tables must have, by the names of the tables and columns.
  static func expected(_ map: TableMap) -> [String: [String: String]] {
    var expected: [String: [String: String]] = [:]
    for family in map.families {
      var columns = ["id": "bigint", "entity": "integer", "version": "bigint"]
      for column in family.columns {
        columns[column.name] = column.column.kind.typeName
        if let entity = column.entityColumn { columns[entity] = "integer" }
      }
      expected[family.table] = columns
    }
    for link in map.links.values {
      var columns = ["id": "bigint", "version": "bigint"]
      for name in [link.source, link.target, link.targetOrder, link.sourceOrder] {
        if let name { columns[name] = "bigint" }
      }
      expected[link.table] = columns
    }
    return expected
  }
}

extension ColumnKind {
  /// The name of the column's type, as the server shows it.
  fileprivate var typeName: String {
    switch self {
    case .string, .uri: "text"
    default: TableMap.postgreSQLType(of: self)
    }
  }
}
