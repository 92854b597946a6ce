import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles

@testable import SQLiteStore

/// The same objects in tables and in rows, to run requests against both.
struct QueryingTables {
  let model: Model
  let schema: Schema
  let map: TableMap
  let source: ViewSource
  let connection: SQLiteConnection
  let now: Date
  let answers: SQLAnswers<SQLiteDatabase>

  init(_ model: Model, _ schema: Schema, _ view: View, store: StoreTag? = nil, now: Date) throws {
    (self.model, self.schema, self.now) = (model, schema, now)
    map = try TableMap(model, schema, EntityNumbers(model))
    source = ViewSource(view, model: model, schema: schema, store: store)
    connection = try SQLiteConnection(":memory:", for: .creating)
    answers = SQLAnswers(
      SQLiteDatabase(
        connection: connection, values: ExternalFiles(path: ":memory:", disk: RealDisk())),
      SQLTranslation(
        map, SQLiteDialect(), model: model, schema: schema, store: store, now: now))
    try makeTables()
    for entity in map.entities.values { try insert(entity, view) }
    for links in map.links.values { try insert(links, view) }
  }

  func plan(_ request: QueryRequest) throws -> QueryPlan {
    try QueryPlan(request, model: model, schema: schema, store: source.store, now: now)
  }

  /// Returns SQLite's error for a statement, or `nil` if the statement runs.
  func refusal(_ query: SQLQuery?) throws -> String? {
    guard let query else { return nil }
    do {
      let statement = try connection.prepare(query.text, isKept: false)
      try statement.bind(query.parameters.prefix(statement.parameterCount).map { SQLiteValue($0) })
      while try statement.step() {}
      return nil
    } catch {
      return error.description
    }
  }

  private func makeTables() throws {
    for family in map.families {
      var columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      for column in family.columns {
        columns.append("\(quoted(column.name)) \(TableMap.declaredType(of: column.column.kind))")
        if let entity = column.entityColumn { columns.append("\(quoted(entity)) INTEGER") }
      }
      try connection.execute(
        "CREATE TABLE \(quoted(family.table)) (\(columns.joined(separator: ", ")))")
    }
    for links in map.links.values {
      try connection.execute(
        "CREATE TABLE \(quoted(links.table)) (\(quoted(links.source)) INTEGER, \(quoted(links.target)) INTEGER)"
      )
    }
  }

  private func insert(_ entity: TableMap.EntityMap, _ view: View) throws {
    for number in try view.keys(ofEntity: entity.layout.entityNumber) {
      let key = ObjectKey(entity: entity.layout.entityNumber, number: number)
      guard let row = try view.row(of: key) else { continue }
      var names = ["Z_PK", "Z_ENT", "Z_OPT"]
      var values: [SQLiteValue] = [.integer(Int64(number)), .integer(entity.number), .integer(1)]
      for (index, column) in entity.columns.enumerated() {
        let value = try row.value(entity.layout.columns[index])
        names.append(column.name)
        values.append(cell(value))
        if let known = column.entityColumn {
          names.append(known)
          if case .object(let other) = value {
            values.append(.integer(map.entities[other.entity]!.number))
          } else {
            values.append(.null)
          }
        }
      }
      let places = names.map { _ in "?" }.joined(separator: ", ")
      let statement = try connection.prepare(
        "INSERT INTO \(quoted(entity.table)) (\(names.map(quoted).joined(separator: ", "))) VALUES (\(places))"
      )
      try statement.bind(values)
      try statement.run()
    }
  }

  private func insert(_ links: TableMap.LinkMap, _ view: View) throws {
    let layout = links.links.layout
    func end(_ number: UInt16, _ row: ViewRow) throws -> SQLiteValue {
      cell(try row.value(layout.columns[layout.index(ofNumber: number)!]))
    }
    for number in try view.keys(ofEntity: layout.entityNumber) {
      guard
        let row = try view.row(of: ObjectKey(entity: layout.entityNumber, number: number))
      else { continue }
      let statement = try connection.prepare(
        "INSERT INTO \(quoted(links.table)) (\(quoted(links.source)), \(quoted(links.target))) VALUES (?, ?)"
      )
      try statement.bind([
        try end(LinkTable.Column.source, row), try end(LinkTable.Column.target, row),
      ])
      try statement.run()
    }
  }

  private func cell(_ value: Value) -> SQLiteValue {
    func real(_ number: Double) -> SQLiteValue {
      guard number.isNaN || number == 0 && number.sign == .minus else { return .real(number) }
      return .blob((0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (56 - 8 * $0)) })
    }
    switch value {
    case .null: return .null
    case .boolean(let flag): return .integer(flag ? 1 : 0)
    case .integer(let number): return .integer(number)
    case .float(let number): return real(Double(number))
    case .double(let number): return real(number)
    case .date(let date): return real(date.timeIntervalSinceReferenceDate)
    case .decimal(let number):
      let digits = number.significand.description.count
      return number.isNaN || digits > 15
        ? .blob(Array(number.description.utf8)) : .real(Double(number.description)!)
    case .string(let text), .uri(let text): return .text(text)
    case .binary(let data): return .blob(Array(data))
    case .uuid(let uuid):
      let b = uuid.uuid
      return .blob([
        b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
      ])
    case .object(let key): return .integer(Int64(key.number))
    }
  }
}
