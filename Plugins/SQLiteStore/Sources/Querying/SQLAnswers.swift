import ObjectModel
import ObjectQuery
import SQLTranslation
import SQLiteFiles

/// The database's answers to fetch requests; `nil` if the rows have to be searched in memory instead.
///
/// A statement that SQLite refuses or interrupts is not an error: the statement may exceed SQLite's limits, or an
/// integer may have overflowed 64 bits. Then the rows are searched.
struct SQLAnswers {
  let connection: SQLiteConnection
  let translation: SQLTranslation

  init(_ connection: SQLiteConnection, _ translation: SQLTranslation) {
    (self.connection, self.translation) = (connection, translation)
  }

  /// Returns whether texts are compared by their UTF-8 bytes. A database in UTF-16 has another order.
  func comparesBytes() throws -> Bool {
    let statement = try connection.prepare("PRAGMA encoding")
    defer { statement.reset() }
    return try statement.step() && statement.text(0) == "UTF-8"
  }

  /// Returns the keys of the objects that a request finds, in its order.
  func keys(_ request: QueryRequest) throws -> [ObjectKey]? {
    guard let query = translation.keys(request) else { return nil }
    var keys: [ObjectKey] = []
    return try run(query) { (row) throws(NotTranslatable) in
      keys.append(try SQLCell.key(row, translation.map))
    } ? keys : nil
  }

  /// Returns the number of objects that a request finds, after its limit and offset.
  func count(_ request: QueryRequest) throws -> Int? {
    guard let query = translation.count(request) else {
      return request.resultType == .dictionaries ? try table(request)?.rows.count : nil
    }
    var count: Int?
    return try run(query) { (row) throws(NotTranslatable) in count = Int(row.integer(0)) }
      ? count : nil
  }

  /// Returns the values, groups or aggregates of a request.
  func table(_ request: QueryRequest) throws -> ResultTable? {
    guard let table = translation.table(request) else { return nil }
    var rows: [[Value]] = []
    let isAnswered = try run(table.query) { (row) throws(NotTranslatable) in
      var values: [Value] = []
      var index = 0
      for output in table.values {
        values.append(try SQLCell.value(row, index, output, translation.map))
        index += SQLCell.width(output)
      }
      rows.append(values)
    }
    guard isAnswered else { return nil }
    return table.isGrouped
      ? ResultTable(groups: rows, names: table.names, request)
      : ResultTable(objects: rows, names: table.names, request, areAll: table.isWhole)
  }

  /// Runs a statement, and returns whether it completed.
  private func run(
    _ query: SQLQuery, _ row: (SQLiteStatement) throws(NotTranslatable) -> Void
  ) throws -> Bool {
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
}
