package import ObjectModel
package import ObjectQuery
package import SQLTranslation

/// The answers of a database to fetch requests; `nil` if the rows have to be searched in memory instead.
///
/// A statement that the database refuses or interrupts is not an error: the statement may exceed the limits of the
/// database, or an integer may have overflowed 64 bits. Then the rows are searched.
package struct SQLAnswers<Source: Database> {
  private let database: Source
  /// The translation of requests into the database's SQL.
  package let translation: SQLTranslation

  package init(_ database: Source, _ translation: SQLTranslation) {
    (self.database, self.translation) = (database, translation)
  }

  /// Returns the keys of the objects that a request finds, in its order.
  package func keys(_ request: QueryRequest) throws -> [ObjectKey]? {
    guard let query = translation.keys(request) else { return nil }
    record(query)
    return try database.keys(query, in: translation.map)
  }

  /// Returns the number of objects that a request finds, after its limit and offset.
  package func count(_ request: QueryRequest) throws -> Int? {
    guard let query = translation.count(request) else {
      // Groups and distinct rows must be read to be counted.
      return request.resultType == .dictionaries ? try table(request)?.rows.count : nil
    }
    record(query.query)
    guard case .integer(let count)? = try database.values(query, in: translation.map)?.first?.first
    else { return nil }
    return Int(count)
  }

  /// Returns the values, groups or aggregates of a request.
  package func table(_ request: QueryRequest) throws -> ResultTable? {
    guard let table = translation.table(request) else { return nil }
    record(table.query)
    guard let rows = try database.values(table, in: translation.map) else { return nil }
    return table.isGrouped
      ? ResultTable(groups: rows, names: table.names, request)
      : ResultTable(objects: rows, names: table.names, request, areAll: table.isWhole)
  }

  /// Notes the statement of a request that is explained.
  private func record(_ query: SQLQuery) {
    QueryJournal.current?.change { $0.statement = query.text }
  }
}
