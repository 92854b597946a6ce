import ObjectModel
import PostgreSQLConnection
import Rows
import SQLTranslation
import StoreInterface

/// The changes of one table's columns, as parts of `ALTER TABLE`.
struct ColumnChanges {
  /// The columns that stay: the old name, the new name, and the new type with the expression for its values; `nil` for
  /// the same type.
  var kept: [(old: String, new: String, type: (type: String, value: String)?)] = []
  /// The names of the columns that go.
  var removed: [String] = []
  /// The declarations of new columns.
  var added: [String] = []
  /// The columns that get the number of an entity where another column has a value.
  private var numbered: [(column: String, reference: String, entity: UInt16)] = []

  init() {}

  /// Compares the columns of a table with those of the table that replaces it; `nil` if a column becomes two, or two
  /// become one, as when relationships move between entities.
  init?(
    _ before: TableMap, _ old: TableMap.Family, _ after: TableMap, _ new: TableMap.Family
  ) throws {
    var partner: [String: String] = [:]
    var sources: [String: TableMap.ColumnMap] = [:]
    for (number, entity) in after.entities where entity.table == new.table {
      guard let earlier = before.entities[number] else { continue }
      for (index, column) in entity.columns.enumerated() {
        guard
          let position = earlier.layout.index(ofNumber: entity.layout.columns[index].number)
        else {
          // One entity keeps the column, and another gets it.
          if sources[column.name] != nil { return nil }
          continue
        }
        let source = earlier.columns[position]
        guard partner[source.name] ?? column.name == column.name,
          sources[column.name]?.name ?? source.name == source.name
        else { return nil }
        partner[source.name] = column.name
        sources[column.name] = source
      }
    }
    removed = old.columns.filter { partner[$0.name] == nil }
      .flatMap { [$0.name, $0.entityColumn].compactMap { $0 } }
    for column in new.columns {
      guard let source = sources[column.name] else {
        added.append("\(quoted(column.name)) \(TableMap.postgreSQLType(of: column.column.kind))")
        if let entity = column.entityColumn { added.append("\(quoted(entity)) integer") }
        continue
      }
      var type: (type: String, value: String)?
      let (from, to) = (source.column.kind, column.column.kind)
      if TableMap.postgreSQLType(of: from) != TableMap.postgreSQLType(of: to) {
        type = (
          TableMap.postgreSQLType(of: to),
          try ColumnChanges.converted(quoted(column.name), from, to: to)
        )
      }
      kept.append((source.name, column.name, type))
      switch (source.entityColumn, column.entityColumn) {
      case (let one?, let other?): kept.append((one, other, nil))
      case (let one?, nil): removed.append(one)
      case (nil, let other?):
        added.append("\(quoted(other)) integer")
        numbered.append((other, column.name, source.destination?.entity ?? 0))
      case (nil, nil): break
      }
    }
  }

  /// Returns the expression for a value of one kind as another kind.
  static func converted(
    _ value: String, _ from: ColumnKind, to: ColumnKind
  ) throws -> String {
    switch (from, to) {
    case (let one, let other)
    where TableMap.postgreSQLType(of: one) == TableMap.postgreSQLType(of: other): value
    case (.boolean, _): "\(value)::integer::\(TableMap.postgreSQLType(of: to))"
    // The two characters that have another stored form (spec §14.3.2) do not become bytes of their own.
    case (.string, .binary), (.uri, .binary):
      "CASE WHEN 1 / (CASE WHEN strpos(\(value), chr(1)) > 0 THEN 0 ELSE 1 END) = 1 THEN convert_to(\(value), 'UTF8') END"
    case (.uuid, .binary): "uuid_send(\(value))"
    default: "\(value)::\(TableMap.postgreSQLType(of: to))"
    }
  }

  /// Renames tables or columns. Names that are exchanged go by a name that nothing else has.
  static func rename(
    _ names: [(String, String)], _ connection: PostgreSQLConnection,
    _ text: (_ old: String, _ new: String) -> String
  ) throws {
    let changed = names.filter { $0.0 != $0.1 }
    for (index, pair) in changed.enumerated() {
      try connection.execute(text(quoted(pair.0), "quire_moved_\(index)"))
    }
    for (index, pair) in changed.enumerated() {
      try connection.execute(text("quire_moved_\(index)", quoted(pair.1)))
    }
  }

  /// Changes a table.
  func run(_ table: String, _ connection: PostgreSQLConnection) throws {
    let name = quoted(table)
    for column in removed {
      try connection.execute("ALTER TABLE \(name) DROP COLUMN \(quoted(column))")
    }
    try ColumnChanges.rename(kept.map { ($0.old, $0.new) }, connection) {
      "ALTER TABLE \(name) RENAME COLUMN \($0) TO \($1)"
    }
    // One statement, so that the rows are written once.
    let types = kept.compactMap { column in
      column.type.map {
        "ALTER COLUMN \(quoted(column.new)) TYPE \($0.type) USING \($0.value)"
      }
    }
    let parts = types + added.map { "ADD COLUMN \($0)" }
    if !parts.isEmpty {
      try connection.execute("ALTER TABLE \(name) \(parts.joined(separator: ", "))")
    }
    for one in numbered {
      try connection.execute(
        "UPDATE \(name) SET \(quoted(one.column)) = \(one.entity) WHERE \(quoted(one.reference)) IS NOT NULL"
      )
    }
  }
}
