import ObjectModel
import ObjectQuery
import Rows

/// A walk over a bound request that writes SQL, and throws if the SQL would have another meaning.
///
/// A condition in SQL is *true* exactly if the predicate holds; otherwise it is false or NULL. So AND and OR need no
/// change, and NOT becomes `IS NOT TRUE`.
struct SQLTranslator {
  let map: TableMap
  let model: Model
  let schema: Schema
  let dialect: any SQLDialect
  /// The values of the parameters.
  private(set) var parameters: [SQLParameter] = []
  private var aliasCount = 0
  private var depth = 0

  /// Limits below those of the databases, which differ between their builds.
  static let mostParameters = 900
  static let greatestDepth = 50
  static let longestText = 100_000

  init(_ map: TableMap, _ model: Model, _ schema: Schema, _ dialect: any SQLDialect) {
    (self.map, self.model, self.schema, self.dialect) = (map, model, schema, dialect)
  }

  /// Returns the column of a row that contains the key of the row's object.
  func key(of row: SQLRow) -> String { "\(row.alias).\(dialect.keyColumn)" }

  /// Returns the column of a row that contains the number of the object's entity.
  func entity(of row: SQLRow) -> String { "\(row.alias).\(dialect.entityColumn)" }

  /// Adds a parameter with a value, and returns it. The parameter is numbered, so that an expression with it can appear
  /// twice.
  mutating func parameter(_ value: SQLParameter) throws(NotTranslatable) -> String {
    guard parameters.count < SQLTranslator.mostParameters else { throw NotTranslatable() }
    parameters.append(value)
    return dialect.parameter(parameters.count, value)
  }

  /// Returns a row of an entity's objects, with its own alias.
  mutating func row(_ entity: String) -> SQLRow {
    defer { aliasCount += 1 }
    return SQLRow(alias: "t\(aliasCount)", entity: entity)
  }

  /// Calls `body` one level deeper, and throws above the greatest depth.
  mutating func deeper<R>(
    _ body: (inout SQLTranslator) throws(NotTranslatable) -> R
  ) throws(NotTranslatable) -> R {
    guard depth < SQLTranslator.greatestDepth else { throw NotTranslatable() }
    depth += 1
    let result = try body(&self)
    depth -= 1
    return result
  }

  // MARK: - Tables and entities

  func entityMap(_ entity: String) throws(NotTranslatable) -> TableMap.EntityMap {
    guard let number = schema[entity]?.entityNumber, let found = map.entities[number] else {
      throw NotTranslatable()
    }
    return found
  }

  func column(
    _ column: LayoutColumn, of entity: String
  ) throws(NotTranslatable) -> TableMap.ColumnMap {
    let found = try entityMap(entity)
    guard let index = found.layout.index(ofNumber: column.number) else { throw NotTranslatable() }
    return found.columns[index]
  }

  /// Returns the numbers of some entities in tables, in the order of their layout numbers.
  func numbers(of layouts: [Layout]) throws(NotTranslatable) -> [Int64] {
    var numbers: [Int64] = []
    for layout in layouts.sorted(by: { $0.entityNumber < $1.entityNumber }) {
      numbers.append(try number(of: layout.entityNumber))
    }
    return numbers
  }

  func number(of layoutNumber: UInt16) throws(NotTranslatable) -> Int64 {
    guard let found = map.entities[layoutNumber] else { throw NotTranslatable() }
    return found.number
  }

  /// Returns the layouts of an entity and of the entities that inherit from it.
  func family(of entity: String) -> [Layout] {
    model.family(of: entity).compactMap { schema[$0.name] }
  }

  /// Returns the condition that a row's object is of one of some entities; `nil` if the table contains only one
  /// entity.
  func condition(
    _ row: SQLRow, isOneOf layouts: [Layout]
  ) throws(NotTranslatable) -> String? {
    guard try entityMap(row.entity).sharesTable else { return nil }
    let numbers = try numbers(of: layouts).map(String.init).joined(separator: ", ")
    return "\(entity(of: row)) IN (\(numbers))"
  }

  /// Returns the table of an entity's objects, with the row's alias.
  func table(_ row: SQLRow) throws(NotTranslatable) -> String {
    "\(quoted(try entityMap(row.entity).table)) AS \(row.alias)"
  }

  /// Returns the object of a row.
  func object(_ row: SQLRow) throws(NotTranslatable) -> SQLScalar {
    let entity = try entityMap(row.entity)
    var object = SQLScalar(.object, row.linkedKey ?? key(of: row))
    if entity.sharesTable, family(of: row.entity).count > 1 {
      object.entity = .numbered(
        row.linkedKey == nil
          ? self.entity(of: row) : "coalesce(\(self.entity(of: row)), \(entity.number))")
      object.output = .objectAndEntity
    } else {
      object.entity = .only(entity.layout.entityNumber)
      object.output = .object(entity.layout.entityNumber)
    }
    return object
  }
}

extension SQLTranslator {
  func checked(_ scalar: SQLScalar) throws(NotTranslatable) -> SQLScalar {
    let count = scalar.value.utf8.count + (scalar.presence?.utf8.count ?? 0)
    guard count <= SQLTranslator.longestText else { throw NotTranslatable() }
    return scalar
  }

  func checked(_ text: String) throws(NotTranslatable) -> String {
    guard text.utf8.count <= SQLTranslator.longestText else { throw NotTranslatable() }
    return text
  }
}
