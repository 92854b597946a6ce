import Foundation
import ObjectModel
import Rows
import SQLiteFiles
import StoreInterface
import Testing

/// The values of a snapshot in SQL's form, to be compared with rows that SQL returns.
struct ShownCells {
  let snapshot: any StoreSnapshot
  private var schema: Schema { snapshot.schema }

  init(_ snapshot: any StoreSnapshot) { self.snapshot = snapshot }

  /// Returns the objects of one entity without its subentities, ordered by key: the key of each object, and its values
  /// of some properties.
  func rows(_ entity: String, _ properties: [String]) throws -> [[SQLiteValue]] {
    let layout = try #require(schema[entity])
    let columns = try properties.map { name in
      layout.columns[try #require(layout.index(of: name), "\(entity).\(name)")]
    }
    return try snapshot.view.keys(ofEntity: layout.entityNumber).map { number in
      let row = try #require(
        try snapshot.view.row(of: ObjectKey(entity: layout.entityNumber, number: number)))
      return [.integer(Int64(number))] + (try columns.map { word(try row.value($0)) })
    }
  }

  /// Returns the properties of an entity that have a column.
  func columns(_ entity: String) throws -> Set<String> {
    Set(try #require(schema[entity]).columns.map(\.name))
  }

  /// Returns the links of a many-to-many relationship: source, target and, if the relationship is ordered, place.
  func links(_ entity: String, _ relationship: String) throws -> [[SQLiteValue]] {
    let side = try #require(schema.links(of: entity, relationship))
    let number = side.table.layout.entityNumber
    return try snapshot.view.keys(ofEntity: number).map { key in
      let row = try #require(
        try snapshot.view.row(of: ObjectKey(entity: number, number: key)))
      let ends = [side.owner, side.destination] + [side.order].compactMap { $0 }
      return try ends.map { word(try row.value($0)) }
    }
    .sorted { "\($0)" < "\($1)" }
  }

  /// Returns a value in the form that the SQL of these tests gives: objects as `Entity/key`, decimal numbers as text,
  /// dates as seconds.
  func word(_ value: Value) -> SQLiteValue {
    switch value {
    case .null: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .float(let value): .real(Double(value))
    case .double(let value): .real(value)
    case .date(let value): .real(value.timeIntervalSinceReferenceDate)
    case .decimal(let value): .text("\(value)")
    case .string(let value), .uri(let value): .text(value)
    case .binary(let value): .blob(Array(value))
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
    case .object(let key): .text("\(schema[key.entity]?.entity ?? "?")/\(key.number)")
    }
  }

  /// Compares an entity with the rows of a statement that returns `Z_PK` and the cells of `properties`, in this order.
  /// - Parameter decimals: Properties whose real numbers stand for decimal numbers. They are compared by their shortest
  ///   text, because SQL's own text has fewer digits.
  func check(
    _ entity: String, _ properties: [String], _ database: RawDatabase, _ text: String,
    decimals: Set<String> = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try rows(entity, properties)
    let places = properties.indices.filter { decimals.contains(properties[$0]) }
    let expected = try database.rows(text).map { row in
      var row = row
      for place in places {
        if case .real(let number) = row[place + 1] { row[place + 1] = .text("\(number)") }
      }
      return row
    }
    #expect(shown.count == expected.count, "\(entity)", sourceLocation: sourceLocation)
    for (one, other) in zip(shown, expected) where one != other {
      Issue.record("\(entity): shown \(one), SQL \(other)", sourceLocation: sourceLocation)
    }
    #expect(
      try columns(entity) == Set(properties), "\(entity)", sourceLocation: sourceLocation)
  }

  /// Compares a many-to-many relationship with the rows of a statement.
  func checkLinks(
    _ entity: String, _ relationship: String, _ database: RawDatabase, _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try database.rows(text).sorted { "\($0)" < "\($1)" }
    #expect(
      try links(entity, relationship) == expected, "\(entity).\(relationship)",
      sourceLocation: sourceLocation)
  }
}
