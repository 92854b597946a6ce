package import ObjectModel
package import Rows

/// The tables and columns in which the objects of a model are stored (spec §10.3).
///
///     let map = try TableMap(model, schema, EntityNumbers(model))
///     let trips = map.entities[schema["Trip"]!.entityNumber]!
///     trips.table                                            // "ZTRIP"
///     trips.columns.map(\.name)                              // "ZNAME", …, in the layout's order
package struct TableMap: Sendable {
  /// The table and columns of each entity, by the number of its layout.
  package internal(set) var entities: [UInt16: EntityMap] = [:]
  /// The place of the links of each link table, by the number of that table's layout.
  package internal(set) var links: [UInt16: LinkMap] = [:]
  /// The number of each entity's layout, by the entity's number in tables.
  package internal(set) var layoutNumbers: [Int64: UInt16] = [:]
  /// The tables of root entities, in the order of the entities' numbers.
  package internal(set) var families: [Family] = []

  /// A table for a root entity and all entities that inherit from it.
  package struct Family: Sendable, Hashable {
    /// The table's name.
    package let table: String
    /// The name of the root entity.
    package let root: String
    /// The number of the root entity, under which `Z_PRIMARYKEY` keeps the highest key.
    package let number: Int64
    /// The columns besides `Z_PK`, `Z_ENT` and `Z_OPT`, each once.
    package internal(set) var columns: [ColumnMap] = []
    /// The columns of links that lead to objects of the family by relationships without an inverse.
    package internal(set) var linkColumns: [String] = []
    /// Whether other entities inherit from the root entity.
    package internal(set) var hasSubentities = false
  }

  /// The table and columns of one entity's objects.
  package struct EntityMap: Sendable, Hashable {
    /// The layout of the entity's rows.
    package let layout: Layout
    /// The entity's number in the table.
    package let number: Int64
    /// The table's name.
    package let table: String
    /// The number of the root entity, after which the table is named.
    package let rootNumber: Int64
    /// Whether other entities have rows in the same table.
    package let sharesTable: Bool
    /// The columns, in the layout's order.
    package let columns: [ColumnMap]
  }

  /// A column of a table, and the column of a layout that it holds.
  package struct ColumnMap: Sendable, Hashable {
    /// The column's name.
    package let name: String
    /// The column of the layout.
    package let column: LayoutColumn
    /// The type of the attribute; `nil` for a relationship, or for a column of positions.
    package let type: AttributeType?
    /// Whether a byte before the value tells where the value is: in the cell, or in a separate file (spec §10.4.6).
    package let isExternal: Bool
    /// The destination of a relationship; `nil` for other columns.
    package let destination: Destination?
    /// The column with the entity number of the target object; `nil` if the target can only be of one entity.
    package internal(set) var entityColumn: String?
  }

  /// The destination of a relationship.
  package struct Destination: Sendable, Hashable {
    /// The table of the target object.
    package let table: String
    /// The number of the layout of the destination entity.
    package let entity: UInt16
    /// Whether no entity inherits from the destination entity.
    package let isOnlyEntity: Bool
  }

  /// The names of the tables that contain only links.
  package var tablesOfLinks: [String] { links.values.filter { !$0.isColumn }.map(\.table) }

  /// The place of links: a separate table, or a column of the table of their targets.
  package struct LinkMap: Sendable, Hashable {
    /// The link table of the schema, with the layout of its rows.
    package let links: LinkTable
    /// The table's name.
    package let table: String
    /// Whether the links are in a column of the table of their targets (spec §10.3.7). Each target then has at most
    /// one link.
    package let isColumn: Bool
    /// The column with the key of a link.
    package let key: String
    /// The column with the commit that wrote a link; `nil` if the table does not keep it.
    package let version: String?
    /// The column with the key of the source object.
    package let source: String
    /// The column with the key of the target object.
    package let target: String
    /// The column with the position of the target among the targets of the source.
    package let targetOrder: String?
    /// The column with the position of the source among the sources of the target.
    package let sourceOrder: String?
    /// The table and entity of the sources.
    package let sources: Destination
    /// The table and entity of the targets.
    package let targets: Destination

    /// The columns that are added to the table of the targets.
    package var addedColumns: [String] {
      isColumn
        ? [source, targetOrder, key == Column.key ? nil : key, version].compactMap { $0 } : []
    }

    /// The SQL expression for the key of the link in a row `t`.
    ///
    /// A link that another program has written into a store of Quire has no key of its own. Its key is derived from
    /// the key of the target object, and is above all keys that Quire assigns.
    package var keyText: String {
      guard isColumn else { return "t.rowid" }
      let own = "t.\(quoted(Column.key))"
      return key == Column.key
        ? own : "COALESCE(t.\(quoted(key)), \(own) + \(LinkMap.firstDerivedKey))"
    }

    /// The lowest key that is derived from the key of an object.
    package static let firstDerivedKey: Int64 = 1 << 47
  }

  /// The reason why a model's objects can't be stored in tables, or in the tables of a database.
  package struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that tells which table or column is missing.
    package let description: String
  }
}

extension TableMap {
  /// Returns the condition for the rows `t` that contain a link; `nil` if all rows do.
  package static func condition(of link: LinkMap) -> String? {
    link.isColumn ? "t.\(quoted(link.source)) <> 0" : nil
  }

  /// Returns the name of an entity's own table.
  package static func table(of entity: String) -> String { "Z" + entity.uppercased() }

  /// Names of columns that every table of objects has.
  package enum Column {
    /// The object's key.
    package static let key = "Z_PK"
    /// The number of the object's entity.
    package static let entity = "Z_ENT"
    /// The version of the row: the commit that wrote it, or in Core Data's databases the number of writes.
    package static let version = "Z_OPT"
  }

  /// Returns the type that a table declares for a column of the given kind.
  package static func declaredType(of kind: ColumnKind) -> String {
    switch kind {
    case .boolean, .int16, .int32, .int64, .reference: "INTEGER"
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
    var maker = TableMapMaker(model: model, schema: schema, numbers: numbers, tables: tables)
    try maker.run()
    self = maker.map
  }
}
