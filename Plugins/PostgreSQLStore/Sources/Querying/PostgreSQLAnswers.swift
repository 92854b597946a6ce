import Foundation
import ObjectModel
import ObjectQuery
import PostgreSQLConnection
import Rows
import SQLTranslation

/// The server's answers to fetch requests; `nil` if the rows have to be searched in memory instead.
///
/// A statement that the server refuses is not an error: an integer may have overflowed 64 bits. Then the rows are
/// searched.
struct PostgreSQLAnswers {
  let connection: any RowSource
  let translation: SQLTranslation

  init(_ connection: any RowSource, _ translation: SQLTranslation) {
    (self.connection, self.translation) = (connection, translation)
  }

  /// Returns the keys of the objects that a request finds, in its order.
  func keys(_ request: QueryRequest) throws -> [ObjectKey]? {
    guard let query = translation.keys(request) else { return nil }
    var keys: [ObjectKey] = []
    return try run(query, 2) { cells in
      guard let number = cells[0].integer, let entity = translation.map.layoutNumbers[number] else {
        throw NotTranslatable()
      }
      keys.append(try key(cells[1], entity))
    } ? keys : nil
  }

  /// Returns the number of objects that a request finds, after its limit and offset.
  func count(_ request: QueryRequest) throws -> Int? {
    guard let query = translation.count(request) else {
      return request.resultType == .dictionaries ? try table(request)?.rows.count : nil
    }
    var count: Int?
    return try run(query, 1) { count = $0[0].integer.map { Int($0) } } ? count : nil
  }

  /// Returns the values, groups or aggregates of a request.
  func table(_ request: QueryRequest) throws -> ResultTable? {
    guard let table = translation.table(request) else { return nil }
    var rows: [[Value]] = []
    let width = table.values.reduce(0) { $0 + ($1 == .objectAndEntity ? 2 : 1) }
    let isAnswered = try run(table.query, width) { cells in
      var values: [Value] = []
      var index = 0
      for output in table.values {
        values.append(try value(cells, index, output))
        index += output == .objectAndEntity ? 2 : 1
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
    _ query: SQLQuery, _ columnCount: Int, _ row: (Span<PostgreSQLCell>) throws -> Void
  ) throws -> Bool {
    // A failure would end the whole transaction, in which the snapshot reads.
    _ = try connection.texts("SAVEPOINT request")
    do {
      // The text may leave out parameters, because the parts that needed them were dropped. The server accepts that,
      // because it is told the type of each.
      try connection.forEachRow(
        query.text, query.parameters.map { PostgreSQLParameter($0) }, columnCount: columnCount, row)
      _ = try connection.texts("RELEASE request")
      return true
    } catch is NotTranslatable {
      _ = try connection.texts("ROLLBACK TO request")
      return false
    } catch let error as PostgreSQLError
      where error.isOfClass("22") || error.isOfClass("42") || error.isOfClass("54")
    {
      _ = try connection.texts("ROLLBACK TO request")
      return false
    }
  }

  // MARK: - Cells

  private func key(_ cell: PostgreSQLCell, _ entity: UInt16) throws -> ObjectKey {
    guard let number = cell.integer.flatMap({ UInt64(exactly: $0) }),
      number <= ObjectKey.highestNumber
    else { throw NotTranslatable() }
    return ObjectKey(entity: entity, number: number)
  }

  private func value(
    _ cells: Span<PostgreSQLCell>, _ index: Int, _ output: SQLOutput
  ) throws -> Value {
    if cells[index].isNull { return .null }
    switch output {
    case .column(let kind):
      guard let value = value(cells[index], kind) else { throw NotTranslatable() }
      return value
    case .number:
      switch cells[index].type {
      case PostgreSQLType.int64.number, PostgreSQLType.int32.number, PostgreSQLType.int16.number:
        return cells[index].integer.map { .integer($0) } ?? .null
      case PostgreSQLType.double.number: return cells[index].real.map { .double($0) } ?? .null
      default: throw NotTranslatable()
      }
    case .object(let entity): return .object(try key(cells[index], entity))
    case .objectAndEntity:
      guard let number = cells[index + 1].integer,
        let entity = translation.map.layoutNumbers[number]
      else { throw NotTranslatable() }
      return .object(try key(cells[index], entity))
    }
  }

  private func value(_ cell: PostgreSQLCell, _ kind: ColumnKind) -> Value? {
    switch kind {
    case .boolean: cell.integer.map { .boolean($0 != 0) }
    case .int16, .int32, .int64: cell.integer.map { .integer($0) }
    case .float: cell.float.map { .float($0) }
    case .double: cell.real.map { .double($0) }
    case .date: cell.real.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .string: text(cell).map { .string($0) }
    case .uri: text(cell).map { .uri($0) }
    case .uuid: UUID(bytes: cell.bytes).map { .uuid($0) }
    case .binary: .binary(Data(cell.bytes))
    case .decimal:
      cell.numeric.flatMap { number in
        guard let number else { return .decimal(.nan) }
        return DecimalParts(number).map { .decimal($0.decimal) }
      }
    case .reference: nil
    }
  }

  private func text(_ cell: PostgreSQLCell) -> String? {
    cell.withBytes { StoredText.text($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
