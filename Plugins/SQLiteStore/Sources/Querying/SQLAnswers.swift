import ObjectModel
import ObjectQuery
import SQLiteFiles
import SQLiteStoreFormat

/// Answers of a database to fetch requests; `nil` where the rows have to be searched.
///
/// A statement that SQLite refuses or stops at is no error: it may be too deep for its limits, or a number left 64
/// bits on the way. The rows answer then.
struct SQLAnswers {
  let connection: SQLiteConnection
  let translation: SQLTranslation

  init(_ connection: SQLiteConnection, _ translation: SQLTranslation) {
    (self.connection, self.translation) = (connection, translation)
  }

  /// Whether texts are compared as the bytes of UTF-8. Databases in UTF-16 have another order.
  func comparesBytes() throws -> Bool {
    let statement = try connection.prepare("PRAGMA encoding")
    defer { statement.reset() }
    return try statement.step() && statement.text(0) == "UTF-8"
  }

  /// The objects that a request finds, in its order.
  func keys(_ request: QueryRequest) throws -> [ObjectKey]? {
    guard let query = translation.keys(request) else { return nil }
    var keys: [ObjectKey] = []
    return try run(query) { (row) throws(LeftToRows) in
      keys.append(try SQLCell.key(row, translation.map))
    } ? keys : nil
  }

  /// How many objects a request finds, its limit and offset counted.
  func count(_ request: QueryRequest) throws -> Int? {
    guard let query = translation.count(request) else {
      return request.resultType == .dictionaries ? try table(request)?.rows.count : nil
    }
    var count: Int?
    return try run(query) { (row) throws(LeftToRows) in count = Int(row.integer(0)) } ? count : nil
  }

  /// The values, groups or aggregates that a request asks for.
  func table(_ request: QueryRequest) throws -> ResultTable? {
    guard let table = translation.table(request) else { return nil }
    var rows: [[Value]] = []
    let isAnswered = try run(table.query) { (row) throws(LeftToRows) in
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

  /// Runs a statement, and says whether it went through.
  private func run(
    _ query: SQLQuery, _ row: (SQLiteStatement) throws(LeftToRows) -> Void
  ) throws -> Bool {
    do {
      let statement = try connection.prepare(query.text)
      defer { statement.reset() }
      // What came to nothing in the end has no place in the text.
      try statement.bind(Array(query.parameters.prefix(statement.parameterCount)))
      while try statement.step() { try row(statement) }
      return true
    } catch is LeftToRows {
      return false
    } catch let error as SQLiteError where error.code == .failed || error.code == .tooBig {
      return false
    }
  }
}
