import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SQLiteFiles
import SQLiteStoreFormat

/// One walk over a bound request that writes SQL, and fails where that would not mean the same.
///
/// A condition in SQL is *true* exactly where the predicate holds; where it does not, it is false or NULL. So AND and
/// OR may stand as they are, and NOT is `IS NOT TRUE`.
struct SQLTranslator {
  let map: TableMap
  let model: Model
  let schema: Schema
  /// Whether the cells are as we write them.
  let isOwn: Bool
  /// What parameters are bound to.
  private(set) var parameters: [SQLiteValue] = []
  private var aliasCount = 0
  private var depth = 0

  /// SQLite has limits of its own, and they are other ones in other builds.
  static let mostParameters = 900
  static let greatestDepth = 50
  static let longestText = 100_000

  init(_ map: TableMap, _ model: Model, _ schema: Schema, isOwn: Bool) {
    (self.map, self.model, self.schema, self.isOwn) = (map, model, schema, isOwn)
  }

  /// A parameter with a value. By number, so that an expression may stand twice.
  mutating func parameter(_ value: SQLiteValue) throws(LeftToRows) -> String {
    guard parameters.count < SQLTranslator.mostParameters else { throw LeftToRows() }
    parameters.append(value)
    return "?\(parameters.count)"
  }

  /// A row of the objects of an entity, by a name of its own.
  mutating func row(_ entity: String) -> SQLRow {
    defer { aliasCount += 1 }
    return SQLRow(alias: "t\(aliasCount)", entity: entity)
  }

  /// Calls `body` one level deeper.
  mutating func deeper<R>(
    _ body: (inout SQLTranslator) throws(LeftToRows) -> R
  ) throws(LeftToRows) -> R {
    guard depth < SQLTranslator.greatestDepth else { throw LeftToRows() }
    depth += 1
    let result = try body(&self)
    depth -= 1
    return result
  }

  // MARK: - What tables have

  func entityMap(_ entity: String) throws(LeftToRows) -> TableMap.EntityMap {
    guard let number = schema[entity]?.entityNumber, let found = map.entities[number] else {
      throw LeftToRows()
    }
    return found
  }

  func column(
    _ column: LayoutColumn, of entity: String
  ) throws(LeftToRows) -> TableMap.ColumnMap {
    let found = try entityMap(entity)
    guard let index = found.layout.index(ofNumber: column.number) else { throw LeftToRows() }
    return found.columns[index]
  }

  /// The numbers that tables know some entities by, in the order of their layouts'.
  func numbers(of layouts: [Layout]) throws(LeftToRows) -> [Int64] {
    var numbers: [Int64] = []
    for layout in layouts.sorted(by: { $0.entityNumber < $1.entityNumber }) {
      numbers.append(try number(of: layout.entityNumber))
    }
    return numbers
  }

  func number(of layoutNumber: UInt16) throws(LeftToRows) -> Int64 {
    guard let found = map.entities[layoutNumber] else { throw LeftToRows() }
    return found.number
  }

  /// An entity and those that inherit from it.
  func family(of entity: String) -> [Layout] {
    model.family(of: entity).compactMap { schema[$0.name] }
  }

  /// A condition that rows are objects of some entities; `nil` where no others are in their table.
  func condition(
    _ row: SQLRow, isOneOf layouts: [Layout]
  ) throws(LeftToRows) -> String? {
    guard try entityMap(row.entity).sharesTable else { return nil }
    let numbers = try numbers(of: layouts).map(String.init).joined(separator: ", ")
    return "\(row.alias).Z_ENT IN (\(numbers))"
  }

  /// The table of an entity's objects, under a row's name.
  func table(_ row: SQLRow) throws(LeftToRows) -> String {
    "\(quoted(try entityMap(row.entity).table)) AS \(row.alias)"
  }

  /// The object that a row is.
  func object(_ row: SQLRow) throws(LeftToRows) -> SQLScalar {
    let entity = try entityMap(row.entity)
    var object = SQLScalar(.object, row.linkedKey ?? "\(row.alias).Z_PK")
    if entity.sharesTable, family(of: row.entity).count > 1 {
      object.entity = .numbered(
        row.linkedKey == nil
          ? "\(row.alias).Z_ENT" : "coalesce(\(row.alias).Z_ENT, \(entity.number))")
      object.output = .objectAndEntity
    } else {
      object.entity = .only(entity.layout.entityNumber)
      object.output = .object(entity.layout.entityNumber)
    }
    return object
  }
}

extension SQLTranslator {
  /// A statement that fails where a flag is 1 and gives a value where it is 0.
  ///
  /// For what only the rows can tell: whoever runs the statement searches them then. SQLite gives no absolute value of
  /// the least number of 64 bits.
  static func failing(where flag: String, else value: String) -> String {
    "CASE WHEN abs(-9223372036854775807 - (\(flag))) THEN \(value) END"
  }

  func checked(_ scalar: SQLScalar) throws(LeftToRows) -> SQLScalar {
    let count = scalar.value.utf8.count + (scalar.presence?.utf8.count ?? 0)
    guard count <= SQLTranslator.longestText else { throw LeftToRows() }
    return scalar
  }

  func checked(_ text: String) throws(LeftToRows) -> String {
    guard text.utf8.count <= SQLTranslator.longestText else { throw LeftToRows() }
    return text
  }
}
