import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

/// Conversion of result cells to values.
enum SQLCell {
  /// The bytes of the floating-point number −0.0, which SQLite would store as 0.
  static let negativeZero = "X'8000000000000000'"

  /// Returns the value of a cell. Throws if a column of the expected kind can't contain the cell's value.
  static func value(
    _ statement: SQLiteStatement, _ index: Int, _ output: SQLOutput, _ map: TableMap
  ) throws(NotTranslatable) -> Value {
    let kind = statement.kind(index)
    if kind == .null { return .null }
    switch output {
    case .column(let column): return try value(statement, index, kind, column)
    case .number:
      switch kind {
      case .integer: return .integer(statement.integer(index))
      case .real: return .double(statement.real(index))
      default: throw NotTranslatable()
      }
    case .object(let entity):
      return .object(try TableMap.object(of: entity, integer(statement, index)))
    case .objectAndEntity:
      return .object(
        try map.object(entity: integer(statement, index + 1), integer(statement, index)))
    }
  }

  private static func integer(_ statement: SQLiteStatement, _ index: Int) -> Int64? {
    statement.kind(index) == .integer ? statement.integer(index) : nil
  }

  /// Returns the value of a cell of a column of some kind.
  static func value(
    _ statement: SQLiteStatement, _ index: Int, _ kind: SQLiteKind, _ column: ColumnKind
  ) throws(NotTranslatable) -> Value {
    switch (column.content, kind) {
    case (.boolean, .integer): return .boolean(statement.integer(index) != 0)
    case (.integer, .integer): return .integer(statement.integer(index))
    case (.float, .real), (.float, .integer): return .float(Float(statement.real(index)))
    case (.double, .real), (.double, .integer): return .double(statement.real(index))
    case (.date, .real), (.date, .integer):
      return .date(Date(timeIntervalSinceReferenceDate: statement.real(index)))
    case (.string, .text): return .string(statement.text(index) ?? "")
    case (.uri, .text): return .uri(statement.text(index) ?? "")
    case (.uuid, .blob):
      guard let uuid = UUID(bytes: statement.bytes(index)) else { throw NotTranslatable() }
      return .uuid(uuid)
    case (.decimal, .integer): return .decimal(Decimal(statement.integer(index)))
    case (.decimal, .real):
      // The shortest text of the number gives the decimal digits, as when rows are read.
      guard let number = Decimal(string: "\(statement.real(index))") else {
        throw NotTranslatable()
      }
      return .decimal(number)
    case (.binary, .blob): return .binary(Data(statement.bytes(index)))
    default: throw NotTranslatable()
    }
  }
}
