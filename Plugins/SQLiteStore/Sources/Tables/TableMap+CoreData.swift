package import ObjectModel
import RelationalStore
package import Rows
package import SQLTranslation

// The tables and columns of Core Data's SQLite store (spec §10.3):
//
//     let map = try TableMap(model, schema, EntityNumbers(model))
//     let trips = map.entities[schema["Trip"]!.entityNumber]!
//     trips.table                                            // "ZTRIP"
//     trips.columns.map(\.name)                              // "ZNAME", …, in the layout's order
extension TableMap {
  /// Returns the condition for the rows `t` that contain a link; `nil` if all rows do.
  package static func condition(of link: LinkMap) -> String? {
    link.isColumn ? "t.\(quoted(link.source)) <> 0" : nil
  }

  /// Returns the name of an entity's own table.
  package static func table(of entity: String) -> String { "Z" + entity.uppercased() }

  /// Names of columns that every table of objects has.
  package enum Column {
    package static let key = "Z_PK"
    /// The number of the object's entity.
    package static let entity = "Z_ENT"
    /// The version of the row: the commit that wrote it, or in Core Data's databases the number of writes.
    package static let version = "Z_OPT"
  }

  /// Returns the type that a table declares for a column of the given kind.
  package static func declaredType(of kind: ColumnKind) -> String {
    switch kind.content {
    case .boolean, .integer, .object: "INTEGER"
    case .float, .double: "FLOAT"
    case .decimal: "DECIMAL"
    case .date: "TIMESTAMP"
    case .string, .uri: "VARCHAR"
    case .binary, .uuid: "BLOB"
    }
  }

  /// Creates the map of a model's objects.
  ///
  /// - Parameters:
  ///   - schema: The numbers of entities and properties in rows.
  ///   - numbers: The numbers of entities in tables.
  ///   - tables: The existing tables, from which names are then taken; `nil` for tables that are yet to be created.
  /// - Throws: ``Mismatch`` if a table or a column is missing.
  package init(
    _ model: Model, _ schema: Schema, _ numbers: EntityNumbers, in tables: DatabaseTables? = nil
  ) throws(Mismatch) {
    try self.init(naming: CoreDataNames(model, schema, numbers, in: tables))
  }
}

extension TableMap.LinkMap {
  /// The columns that are added to the table of the targets.
  package var addedColumns: [String] {
    isColumn
      ? [source, targetOrder, key == TableMap.Column.key ? nil : key, version].compactMap { $0 }
      : []
  }

  /// The SQL expression for the key of the link in a row `t`.
  ///
  /// A link that another program has written into a store of Quire lacks a key. It is derived from the key of the
  /// target object, and is above all keys that Quire assigns.
  package var keyText: String {
    guard isColumn else { return "t.rowid" }
    let own = "t.\(quoted(TableMap.Column.key))"
    return key == TableMap.Column.key
      ? own : "COALESCE(t.\(quoted(key)), \(own) + \(TableMap.LinkMap.firstDerivedKey))"
  }

  /// The lowest key that is derived from the key of an object.
  package static let firstDerivedKey: Int64 = 1 << 47
}
