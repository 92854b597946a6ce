import Foundation
package import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
package import SQLTranslation

extension PostgreSQLDatabase {
  package func keys(_ query: SQLQuery, in map: TableMap) throws -> [ObjectKey]? {
    var keys: [ObjectKey] = []
    return try run(query, 2) { cells in
      keys.append(try map.object(entity: cells[0].integer, cells[1].integer))
    } ? keys : nil
  }

  package func values(_ query: SQLTableQuery, in map: TableMap) throws -> [[Value]]? {
    var rows: [[Value]] = []
    let places = query.places
    let width = query.values.reduce(0) { $0 + $1.cellCount }
    return try run(query.query, width) { cells in
      var values: [Value] = []
      for index in places.indices {
        values.append(try value(cells, places[index], query.values[index], map))
      }
      rows.append(values)
    } ? rows : nil
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

  private func value(
    _ cells: Span<PostgreSQLCell>, _ index: Int, _ output: SQLOutput, _ map: TableMap
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
    case .object(let entity):
      return .object(try TableMap.object(of: entity, cells[index].integer))
    case .objectAndEntity:
      return .object(try map.object(entity: cells[index + 1].integer, cells[index].integer))
    }
  }

  /// Returns the value of a cell of a column of some kind; `nil` if the cell does not fit.
  func value(_ cell: PostgreSQLCell, _ kind: ColumnKind) -> Value? {
    switch kind.content {
    case .boolean: cell.integer.map { .boolean($0 != 0) }
    case .integer: cell.integer.map { .integer($0) }
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
    case .object: nil
    }
  }

  private func text(_ cell: PostgreSQLCell) -> String? {
    cell.withBytes { StoredText.text($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
