package import ObjectModel
package import PostgreSQLConnection
package import RelationalStore
package import Rows
package import SQLTranslation
package import StoreInterface

/// A PostgreSQL database in a transaction, or a source of made-up answers.
package struct PostgreSQLDatabase<Connection: RowSource>: Database {
  let connection: Connection
  package let path: String

  init(_ connection: Connection, path: String) {
    (self.connection, self.path) = (connection, path)
  }

  // MARK: - Rows

  package func rows(
    _ keys: RowSelection, of entity: TableMap.EntityMap, in map: TableMap, basis: Int64
  ) throws -> [Block] {
    var rows = RowReader(entity, map, path: path, basis: basis)
    return try rows.blocks(keys, from: connection)
  }

  package func linksHidden(
    by links: [LinkEnds], in link: TableMap.LinkMap
  ) throws -> [UInt64] {
    guard !links.isEmpty else { return [] }
    let (table, source, target) = (quoted(link.table), quoted(link.source), quoted(link.target))
    var found: [UInt64] = []
    try connection.forEachRow(
      """
      SELECT min(t.id) FROM unnest($1, $2, $3) AS n(id, one, other) JOIN \(table) t \
      ON t.\(source) = n.one AND t.\(target) = n.other OR t.\(source) = n.other AND t.\(target) = n.one \
      GROUP BY n.id HAVING min(t.id) > n.id
      """,
      [links.map(\.key), links.map(\.source), links.map(\.target)].map { PostgreSQLParameter($0) }
    ) { cells in
      if let key = cells[0].integer { found.append(UInt64(bitPattern: key)) }
    }
    return found
  }
}

extension PostgreSQLDatabase: StatementDatabase {
  package static var objectColumns: (key: String, entity: String) {
    (TableMap.PostgreSQLColumn.key, TableMap.PostgreSQLColumn.entity)
  }
  package static var commitColumns: (contextName: String, message: String) {
    ("context_name", "message")
  }
  package static var before: (table: String, commit: String, order: String) {
    ("quire_before", "commit", "commit, part")
  }
  package static var isListed: String { "= ANY($1)" }

  package func forEachRow(
    _ text: String, _ numbers: StatementNumbers, _ kinds: [ColumnKind],
    _ body: ([Value]) throws -> Void
  ) throws {
    let parameters =
      switch numbers {
      case .parameters(let all): all.map { PostgreSQLParameter($0) }
      case .list(let list): [PostgreSQLParameter(list)]
      }
    try connection.forEachRow(text, parameters, columnCount: kinds.count) { cells in
      try body(
        kinds.enumerated().map { index, kind in
          cells[index].isNull ? .null : value(cells[index], kind) ?? .null
        })
    }
  }
}

extension PostgreSQLDatabase: WritableDatabase where Connection == PostgreSQLConnection {
  package func writeRowsBefore(
    _ before: RowsBefore, of commit: Int64, upTo limit: Int64
  ) throws -> Int64? {
    try BeforeTable.write(before, of: commit, upTo: limit, connection)
  }

  package func forget(through commit: Int64) throws {
    try BeforeTable.forget(through: commit, connection)
  }
}
