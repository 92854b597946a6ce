import ObjectModel
import RelationalStore
import Rows
import SQLTranslation

extension TableMap {
  /// Names of columns that tables of objects have (spec §14.2).
  enum PostgreSQLColumn {
    /// The object's key, or the key of a link.
    static let key = "id"
    /// The number of the object's entity.
    static let entity = "entity"
    /// The commit that wrote the row.
    static let version = "version"
  }

  /// Creates the map of a model's objects in a PostgreSQL database. The number of an entity in tables is its number in
  /// the schema.
  init(postgreSQL model: Model, _ schema: Schema) throws(Mismatch) {
    try self.init(naming: PostgreSQLNames(model, schema))
  }

  /// Returns the type of a column.
  static func postgreSQLType(of kind: ColumnKind) -> String {
    switch kind {
    case .boolean: "boolean"
    case .int16: "smallint"
    case .int32: "integer"
    case .int64, .reference: "bigint"
    case .float: "real"
    case .double, .date: "double precision"
    case .decimal: "numeric"
    // The order of the bytes is the order in which Quire compares texts.
    case .string, .uri: "text COLLATE \"C\""
    case .binary: "bytea"
    case .uuid: "uuid"
    }
  }
}

/// The names of tables and columns that people can read (spec §14.2.2).
private struct PostgreSQLNames: TableNaming {
  let model: Model
  let schema: Schema
  let numbers: [String: Int64]
  private var tables = NameMaker()
  /// The tables of root entities.
  private var tableOfRoot: [String: String] = [:]
  /// The names of the columns of each table.
  private var columns: [String: NameMaker] = [:]

  static let isDepthFirst = false
  static let allowsRetyping = true
  static let keepsValuesOutside = false

  init(_ model: Model, _ schema: Schema) throws(TableMap.Mismatch) {
    (self.model, self.schema) = (model, schema)
    numbers = Dictionary(
      uniqueKeysWithValues: schema.layouts.map { ($0.entity, Int64($0.entityNumber)) })
    for root in try sorted(model.entities.filter({ $0.superentity == nil })) {
      tableOfRoot[root.name] = tables.take(own(root.name))
    }
  }

  func table(of root: String) -> String? { tableOfRoot[root] }

  /// Returns the name of a table without the beginning that Quire's own tables have.
  private func own(_ name: String) -> String {
    let plain = NameMaker.plain(name)
    return plain.hasPrefix("quire_") || plain.hasPrefix("pg_") ? "e_" + plain : plain
  }

  mutating func begin(_ family: TableMap.Family) {
    columns[family.table] = NameMaker(taken: [
      TableMap.PostgreSQLColumn.key, TableMap.PostgreSQLColumn.entity,
      TableMap.PostgreSQLColumn.version,
    ])
  }

  mutating func take(
    _ column: LayoutColumn, of entity: String, in table: String, target: String?
  ) -> (name: String, entityColumn: String?) {
    let name = columns[table, default: NameMaker()].take(column.name)
    return (
      name, target.map { _ in columns[table, default: NameMaker()].take(name + "_entity") }
    )
  }

  mutating func addLinks(
    _ links: LinkTable, to map: inout TableMap
  ) throws(TableMap.Mismatch) {
    let forward = try model.declaration(of: links.forward, schema)
    let target = forward.relationship.destination
    let source =
      try links.backward.map { end throws(TableMap.Mismatch) in
        try model.declaration(of: end, schema).relationship.destination
      } ?? forward.entity
    var names = NameMaker(taken: [
      TableMap.PostgreSQLColumn.key, TableMap.PostgreSQLColumn.version,
    ])
    let sourceName = names.take(source)
    let targetName = names.take(source == target ? forward.relationship.name : target)
    func order(_ number: UInt16, _ name: String) -> String? {
      links.layout.index(ofNumber: number) == nil ? nil : names.take(name + "_order")
    }
    map.links[links.layout.entityNumber] = TableMap.LinkMap(
      links: links,
      table: tables.take(own(forward.entity) + "_" + NameMaker.plain(forward.relationship.name)),
      isColumn: false, key: TableMap.PostgreSQLColumn.key,
      version: TableMap.PostgreSQLColumn.version, source: sourceName, target: targetName,
      targetOrder: order(LinkTable.Column.targetOrder, targetName),
      sourceOrder: order(LinkTable.Column.sourceOrder, sourceName),
      sources: try destination(of: source), targets: try destination(of: target))
  }
}
