public import ObjectModel
public import Rows

/// Where the objects of a model are in tables: which table and which column holds what (spec §10.3).
///
///     let map = try TableMap(model, schema, EntityNumbers(model))
///     let trips = map.entities[schema["Trip"]!.entityNumber]!
///     trips.table                                            // "ZTRIP"
///     trips.columns.map(\.name)                              // "ZNAME", …, in the layout's order
public struct TableMap: Sendable {
  /// Where the objects of each entity are, by the number of its layout.
  public internal(set) var entities: [UInt16: EntityMap] = [:]
  /// Where links are, by the number of their table.
  public internal(set) var links: [UInt16: LinkMap] = [:]
  /// The number of each entity's layout, by the number that tables know it by.
  public internal(set) var layoutNumbers: [Int64: UInt16] = [:]
  /// The tables of entities that inherit from no other, in the order of their numbers.
  public internal(set) var families: [Family] = []

  /// A table for an entity that inherits from none, and for all that inherit from it.
  public struct Family: Sendable, Hashable {
    /// The table's name.
    public let table: String
    /// The name of the entity.
    public let root: String
    /// Its number, which `Z_PRIMARYKEY` keeps the highest key under.
    public let number: Int64
    /// The columns beside `Z_PK`, `Z_ENT` and `Z_OPT`, each once.
    public internal(set) var columns: [ColumnMap] = []
    /// The columns of links that lead to the family's objects by relationships without an inverse.
    public internal(set) var linkColumns: [String] = []
    /// Whether other entities inherit from it.
    public internal(set) var hasSubentities = false
  }

  /// Where the objects of one entity are.
  public struct EntityMap: Sendable, Hashable {
    /// What rows have.
    public let layout: Layout
    /// The number that the table knows the entity by.
    public let number: Int64
    /// The table's name.
    public let table: String
    /// The number of the entity that the table is named after.
    public let rootNumber: Int64
    /// Whether other entities have rows in the table too.
    public let sharesTable: Bool
    /// The columns, in the layout's order.
    public let columns: [ColumnMap]
  }

  /// A column of a table, and the column of a layout that it holds.
  public struct ColumnMap: Sendable, Hashable {
    /// The column's name.
    public let name: String
    /// What it holds.
    public let column: LayoutColumn
    /// The type of the attribute; `nil` for a relationship or a place.
    public let type: AttributeType?
    /// Whether a byte before the value says where it is: here, or in a file of its own (spec §10.4.6).
    public let isExternal: Bool
    /// What a relationship leads to.
    public let destination: Destination?
    /// The column that says of which entity that object is; `nil` where there is one only.
    public internal(set) var entityColumn: String?
  }

  /// What a relationship leads to.
  public struct Destination: Sendable, Hashable {
    /// The table that the object is in.
    public let table: String
    /// The number of its entity's layout.
    public let entity: UInt16
    /// Whether it can be of no entity that inherits from that one.
    public let isOnlyEntity: Bool
  }

  /// The names of the tables that contain nothing but links.
  public var tablesOfLinks: [String] { links.values.filter { !$0.isColumn }.map(\.table) }

  /// The place of links: a table of their own, or a column of the table of the objects that they lead to.
  public struct LinkMap: Sendable, Hashable {
    /// What rows of links have.
    public let links: LinkTable
    /// The table's name.
    public let table: String
    /// Whether the links are in a column of the table of their targets (spec §10.3.7). Each target has
    /// one link at most then.
    public let isColumn: Bool
    /// The column with the key of a link.
    public let key: String
    /// The column with the commit that wrote a link; `nil` where none says so.
    public let version: String?
    /// The column with the key of the object that a link leads from.
    public let source: String
    /// The column with the key of the object that it leads to.
    public let target: String
    /// The column with the target's place among those of the source.
    public let targetOrder: String?
    /// The column with the source's place among those of the target.
    public let sourceOrder: String?
    /// Where sources are.
    public let sources: Destination
    /// Where targets are.
    public let targets: Destination

    /// The columns that are added to the table of the targets.
    public var addedColumns: [String] {
      isColumn
        ? [source, targetOrder, key == Column.key ? nil : key, version].compactMap { $0 } : []
    }

    /// The text of the key of a row `t`.
    ///
    /// A link that another program has written into a store of ours has no key of its own. Its key
    /// follows from the key of the object, and is above all keys that are given.
    public var keyText: String {
      guard isColumn else { return "t.rowid" }
      let own = "t.\(quoted(Column.key))"
      return key == Column.key
        ? own : "COALESCE(t.\(quoted(key)), \(own) + \(LinkMap.firstDerivedKey))"
    }

    /// The lowest key that follows from the key of an object.
    public static let firstDerivedKey: Int64 = 1 << 47
  }

  /// Why a model's objects can't be in tables, or not in those that there are.
  public struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is missing and where, in a sentence.
    public let description: String
  }
}

extension TableMap {
  /// The condition that a row `t` of a table of links meets if it contains a link; `nil` for all rows.
  public static func condition(of link: LinkMap) -> String? {
    link.isColumn ? "t.\(quoted(link.source)) <> 0" : nil
  }

  /// The name of an entity's own table.
  public static func table(of entity: String) -> String { "Z" + entity.uppercased() }

  /// Names that every table of objects has.
  public enum Column {
    /// The object's key.
    public static let key = "Z_PK"
    /// The number of its entity.
    public static let entity = "Z_ENT"
    /// How often it was written.
    public static let version = "Z_OPT"
  }

  /// What a table declares a column as, by what it holds.
  public static func declaredType(of kind: ColumnKind) -> String {
    switch kind {
    case .boolean, .int16, .int32, .int64, .reference: "INTEGER"
    case .float, .double: "FLOAT"
    case .decimal: "DECIMAL"
    case .date: "TIMESTAMP"
    case .string, .uri: "VARCHAR"
    case .binary, .uuid: "BLOB"
    }
  }

  /// The map of a model's objects.
  ///
  /// - Parameters:
  ///   - schema: The numbers that rows know entities and properties by.
  ///   - numbers: Those that tables know entities by.
  ///   - tables: The tables that there are, which names are then taken from; `nil` for tables that are to be made.
  /// - Throws: ``Mismatch`` when a table or a column is missing.
  public init(
    _ model: Model, _ schema: Schema, _ numbers: EntityNumbers, in tables: DatabaseTables? = nil
  ) throws(Mismatch) {
    var maker = TableMapMaker(model: model, schema: schema, numbers: numbers, tables: tables)
    try maker.run()
    self = maker.map
  }
}
