package import ObjectModel
package import RelationalStore
package import Rows
package import SQLTranslation
import SQLiteFiles
import StoreInterface

/// An SQLite database in a transaction.
package struct SQLiteDatabase: WritableDatabase {
  let connection: SQLiteConnection
  /// The source of values in separate files.
  let values: ExternalFiles

  package var path: String { connection.path }

  // MARK: - Rows

  package func rows(
    _ keys: RowSelection, of entity: TableMap.EntityMap, in map: TableMap, basis: Int64
  ) throws -> [Block] {
    var rows = RowReader(
      entity, map, values, path: path, basis: basis, isPlain: connection.commonTables != nil)
    return try rows.blocks(keys, from: connection)
  }

  package func linksHidden(by links: [LinkEnds], in link: TableMap.LinkMap) throws -> [UInt64] {
    let (table, source, target) = (quoted(link.table), quoted(link.source), quoted(link.target))
    let statement = try connection.prepare(
      """
      SELECT min(rowid) FROM (SELECT rowid FROM \(table) WHERE \(source) = ?1 AND \(target) = ?2
      UNION ALL SELECT rowid FROM \(table) WHERE \(source) = ?2 AND \(target) = ?1)
      """)
    defer { statement.reset() }
    return try links.compactMap { link in
      statement.reset()
      try statement.bind(link.source, 0)
      try statement.bind(link.target, 1)
      guard try statement.step(), statement.kind(0) == .integer, statement.integer(0) > link.key
      else { return nil }
      return UInt64(statement.integer(0))
    }
  }
}

// MARK: - Requests

extension SQLiteDatabase {
  package func keys(_ query: SQLQuery, in map: TableMap) throws -> [ObjectKey]? {
    var keys: [ObjectKey] = []
    return try run(query) { (row) throws(NotTranslatable) in
      keys.append(try map.object(entity: row.integer(0), row.integer(1)))
    } ? keys : nil
  }

  package func values(_ query: SQLTableQuery, in map: TableMap) throws -> [[Value]]? {
    var rows: [[Value]] = []
    let places = query.places
    return try run(query.query) { (row) throws(NotTranslatable) in
      var values: [Value] = []
      for index in places.indices {
        values.append(try SQLCell.value(row, places[index], query.values[index], map))
      }
      rows.append(values)
    } ? rows : nil
  }

  /// Runs a statement, and returns whether it completed.
  private func run(
    _ query: SQLQuery, _ row: (SQLiteStatement) throws(NotTranslatable) -> Void
  ) throws -> Bool {
    guard try comparesBytes() else { return false }
    do {
      let statement = try connection.prepare(query.text)
      defer { statement.reset() }
      // The text may leave out the last parameters, because the parts that needed them were dropped.
      try statement.bind(query.parameters.prefix(statement.parameterCount).map { SQLiteValue($0) })
      while try statement.step() { try row(statement) }
      return true
    } catch is NotTranslatable {
      return false
    } catch let error as SQLiteError where error.code == .failed || error.code == .tooBig {
      return false
    }
  }

  /// Returns whether texts are compared by their UTF-8 bytes. A database in UTF-16 has another order.
  private func comparesBytes() throws -> Bool {
    let statement = try connection.prepare("PRAGMA encoding")
    defer { statement.reset() }
    return try statement.step() && statement.text(0) == "UTF-8"
  }
}
