import ObjectModel
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
    return switch keys {
    case .all: try rows.blocks(nil, from: connection)
    case .range(let keys): try rows.blocks(keys, from: connection)
    case .keys(let keys): try rows.blocks(of: keys, from: connection)
    }
  }

  package func keyBounds(of entity: TableMap.EntityMap) throws -> ClosedRange<UInt64>? {
    let condition = entity.sharesTable ? " WHERE entity = \(entity.number)" : ""
    var bounds: ClosedRange<UInt64>?
    try connection.forEachRow(
      "SELECT min(id), max(id) FROM \(quoted(entity.table))\(condition)", [], columnCount: 2
    ) { cells in
      guard !cells[0].isNull else { return }
      guard let first = cells[0].integer, let last = cells[1].integer, first >= 1, first <= last,
        last <= Int64(ObjectKey.highestNumber)
      else {
        throw StoreError(
          .damaged, "\(entity.table), column id: keys are from 1 to \(ObjectKey.highestNumber).",
          path: path)
      }
      bounds = UInt64(first)...UInt64(last)
    }
    return bounds
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

  // MARK: - History

  package func history(of range: ClosedRange<Int64>) throws -> [Int64]? {
    var numbers: [Int64] = []
    var lacksHistory = false
    try connection.forEachRow(
      "SELECT number, kept FROM quire_commit WHERE number BETWEEN $1 AND $2 ORDER BY number DESC",
      [PostgreSQLParameter(range.lowerBound), PostgreSQLParameter(range.upperBound)],
      columnCount: 2
    ) { cells in
      guard let number = cells[0].integer else { return }
      numbers.append(number)
      if number > range.lowerBound, cells[1].isNull { lacksHistory = true }
    }
    guard numbers.first == range.upperBound, numbers.last == range.lowerBound, !lacksHistory else {
      return nil
    }
    return numbers
  }

  package func rowsBefore(_ commits: [Int64], _ schema: Schema) throws -> [Int64: RowsBefore] {
    try BeforeTable.read(commits, schema, connection, path)
  }
}

extension PostgreSQLDatabase: WritableDatabase where Connection == PostgreSQLConnection {
  package func openableCommits() throws -> [CommitSummary] { try BeforeTable.openable(connection) }

  package func commitNumbers() throws -> [Int64] {
    var numbers: [Int64] = []
    try connection.forEachRow("SELECT number FROM quire_commit") {
      if let number = $0[0].integer { numbers.append(number) }
    }
    return numbers
  }

  package func writeRowsBefore(
    _ before: RowsBefore, of commit: Int64, upTo limit: Int64
  ) throws -> Int64? {
    try BeforeTable.write(before, of: commit, upTo: limit, connection)
  }

  package func deleteRowsBefore(_ commits: [Int64]) throws {
    try connection.forEachRow(
      "DELETE FROM quire_before WHERE commit = ANY($1)", [PostgreSQLParameter(commits)])
  }

  package func setHistory(of commit: Int64, byteCount: Int64) throws {
    try connection.forEachRow(
      "UPDATE quire_commit SET kept = $2 WHERE number = $1",
      [PostgreSQLParameter(commit), PostgreSQLParameter(byteCount)])
  }

  package func forget(through commit: Int64) throws {
    try BeforeTable.forget(through: commit, connection)
  }

  package func deleteCommits(_ numbers: [Int64]) throws {
    try connection.forEachRow(
      "DELETE FROM quire_commit WHERE number = ANY($1)", [PostgreSQLParameter(numbers)])
  }
}
