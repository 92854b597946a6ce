package import ObjectModel
package import Rows

/// The tables and columns in which the objects of a model are stored. Each store determines the names on its own.
package struct TableMap: Sendable {
  /// The table and columns of each entity, by the number of its layout.
  package var entities: [UInt16: EntityMap] = [:]
  /// The place of the links of each link table, by the number of that table's layout.
  package var links: [UInt16: LinkMap] = [:]
  /// The number of each entity's layout, by the entity's number in tables.
  package var layoutNumbers: [Int64: UInt16] = [:]
  /// The tables of root entities, in the order of the entities' numbers.
  package var families: [Family] = []

  /// A table for a root entity and all entities that inherit from it.
  package struct Family: Sendable, Hashable {
    package let table: String
    /// The name of the root entity.
    package let root: String
    /// The number of the root entity, under which a store keeps the highest key.
    package let number: Int64
    /// The columns besides those of the key, the entity and the version, each once.
    package var columns: [ColumnMap] = []
    /// The columns of links that refer to objects of the family by relationships without an inverse.
    package var linkColumns: [String] = []
    /// Whether other entities inherit from the root entity.
    package var hasSubentities = false

    /// Creates the value from its parts.
    package init(
      table: String, root: String, number: Int64, columns: [ColumnMap] = [],
      linkColumns: [String] = []
    ) {
      self.table = table
      self.root = root
      self.number = number
      self.columns = columns
      self.linkColumns = linkColumns
    }
  }

  /// The table and columns of one entity's objects.
  package struct EntityMap: Sendable, Hashable {
    /// The layout of the entity's rows.
    package let layout: Layout
    /// The entity's number in the table.
    package let number: Int64
    package let table: String
    /// The number of the root entity, after which the table is named.
    package let rootNumber: Int64
    /// Whether other entities have rows in the same table.
    package let sharesTable: Bool
    /// The columns, in the layout's order.
    package let columns: [ColumnMap]

    /// Creates the value from its parts.
    package init(
      layout: Layout, number: Int64, table: String, rootNumber: Int64, sharesTable: Bool,
      columns: [ColumnMap]
    ) {
      self.layout = layout
      self.number = number
      self.table = table
      self.rootNumber = rootNumber
      self.sharesTable = sharesTable
      self.columns = columns
    }

    package func column(of property: String) -> ColumnMap? {
      layout.index(of: property).map { columns[$0] }
    }
  }

  /// A column of a table, and the column of a layout that it holds.
  package struct ColumnMap: Sendable, Hashable {
    package let name: String
    package let column: LayoutColumn
    /// The type of the attribute; `nil` for a relationship, or for a column of positions.
    package let type: AttributeType?
    /// Whether a byte before the value shows where the value is: in the cell, or in a separate file.
    package let isExternal: Bool
    /// The destination of a relationship; `nil` for other columns.
    package let destination: Destination?
    /// The column with the entity number of the target object; `nil` if the target can only be of one entity.
    package var entityColumn: String?

    /// Creates the value from its parts.
    package init(
      name: String, column: LayoutColumn, type: AttributeType?, isExternal: Bool,
      destination: Destination?, entityColumn: String? = nil
    ) {
      self.name = name
      self.column = column
      self.type = type
      self.isExternal = isExternal
      self.destination = destination
      self.entityColumn = entityColumn
    }
  }

  /// The destination of a relationship.
  package struct Destination: Sendable, Hashable {
    /// The table of the target object.
    package let table: String
    /// The number of the layout of the destination entity.
    package let entity: UInt16
    /// Whether no entity inherits from the destination entity.
    package let isOnlyEntity: Bool

    /// Creates the value from its parts.
    package init(
      table: String, entity: UInt16, isOnlyEntity: Bool
    ) {
      self.table = table
      self.entity = entity
      self.isOnlyEntity = isOnlyEntity
    }
  }

  package init() {}

  /// The places of links, in the order of their numbers.
  package var sortedLinks: [LinkMap] {
    links.values.sorted { $0.links.layout.entityNumber < $1.links.layout.entityNumber }
  }

  /// The names of the tables that contain only links.
  package var tablesOfLinks: [String] { links.values.filter { !$0.isColumn }.map(\.table) }

  /// The place of links: a separate table, or a column of the table of their targets.
  package struct LinkMap: Sendable, Hashable {
    /// The link table of the schema, with the layout of its rows.
    package let links: LinkTable
    package let table: String
    /// Whether the links are in a column of the table of their targets. Each target then has at most
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

    /// Creates the value from its parts.
    package init(
      links: LinkTable, table: String, isColumn: Bool, key: String, version: String?,
      source: String, target: String, targetOrder: String?, sourceOrder: String?,
      sources: Destination, targets: Destination
    ) {
      self.links = links
      self.table = table
      self.isColumn = isColumn
      self.key = key
      self.version = version
      self.source = source
      self.target = target
      self.targetOrder = targetOrder
      self.sourceOrder = sourceOrder
      self.sources = sources
      self.targets = targets
    }
  }

  /// The reason why a model's objects can't be stored in tables, or in the tables of a database.
  package struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that shows which table or column is missing.
    package let description: String

    /// Creates an error with a sentence.
    package init(description: String) { self.description = description }
  }
}

/// Returns a name as SQL quotes it.
package func quoted(_ name: String) -> String {
  "\"\(name.replacing("\"", with: "\"\""))\""
}
