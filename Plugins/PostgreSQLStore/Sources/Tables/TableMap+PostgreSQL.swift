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
    var maker = PostgreSQLTableMapMaker(model: model, schema: schema)
    try maker.run()
    self = maker.map
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

/// A walk over a model that determines the names of its tables and columns.
private struct PostgreSQLTableMapMaker {
  let model: Model
  let schema: Schema
  var map = TableMap()
  private var tables = NameMaker()
  /// The columns of each entity, by the names of its layout's columns. Subentities inherit them.
  private var columns: [String: [String: TableMap.ColumnMap]] = [:]
  /// The tables of root entities.
  private var tableOfRoot: [String: String] = [:]

  init(model: Model, schema: Schema) { (self.model, self.schema) = (model, schema) }

  mutating func run() throws(TableMap.Mismatch) {
    for layout in schema.layouts {
      map.layoutNumbers[Int64(layout.entityNumber)] = layout.entityNumber
    }
    let roots = model.entities.filter { $0.superentity == nil && schema[$0.name] != nil }
      .sorted { schema[$0.name]!.entityNumber < schema[$1.name]!.entityNumber }
    for root in roots { tableOfRoot[root.name] = tables.take(own(root.name)) }
    for root in roots { try addFamily(root) }
    for table in schema.linkTables { try addLinks(table) }
  }

  /// Returns the name of a table without the beginning that Quire's own tables have.
  private func own(_ name: String) -> String {
    let plain = NameMaker.plain(name)
    return plain.hasPrefix("quire_") || plain.hasPrefix("pg_") ? "e_" + plain : plain
  }

  private mutating func addFamily(_ root: Entity) throws(TableMap.Mismatch) {
    let members = model.family(of: root.name).filter { schema[$0.name] != nil }
      .sorted { schema[$0.name]!.entityNumber < schema[$1.name]!.entityNumber }
    let table = tableOfRoot[root.name]!
    var family = TableMap.Family(
      table: table, root: root.name, number: Int64(schema[root.name]!.entityNumber))
    family.hasSubentities = members.count > 1
    var names = NameMaker(taken: [
      TableMap.PostgreSQLColumn.key, TableMap.PostgreSQLColumn.entity,
      TableMap.PostgreSQLColumn.version,
    ])
    // An entity comes after the entity that it inherits from.
    var waiting = [root.name]
    while !waiting.isEmpty {
      let name = waiting.removeFirst()
      try addColumns(of: name, to: &family, &names)
      waiting += members.filter { $0.superentity == name }.map(\.name)
    }
    for entity in members {
      let layout = schema[entity.name]!
      let own = columns[entity.name] ?? [:]
      map.entities[layout.entityNumber] = TableMap.EntityMap(
        layout: layout, number: Int64(layout.entityNumber), table: table,
        rootNumber: family.number, sharesTable: family.hasSubentities,
        columns: layout.columns.compactMap { own[$0.name] })
    }
    map.families.append(family)
  }

  private mutating func addColumns(
    of entity: String, to family: inout TableMap.Family, _ names: inout NameMaker
  ) throws(TableMap.Mismatch) {
    guard let layout = schema[entity] else { return }
    var own = model[entity]?.superentity.flatMap { columns[$0] } ?? [:]
    for column in layout.columns {
      if let inherited = own[column.name], inherited.column.kind == column.kind { continue }
      let one = try self.column(column, of: entity, &names)
      own[column.name] = one
      family.columns.append(one)
    }
    columns[entity] = own
  }

  private func column(
    _ column: LayoutColumn, of entity: String, _ names: inout NameMaker
  ) throws(TableMap.Mismatch) -> TableMap.ColumnMap {
    var destination: TableMap.Destination?
    var type: AttributeType?
    if column.kind == .reference {
      destination = try self.destination(
        of: model.relationship(column.name, of: entity).destination)
    } else if !column.name.hasSuffix("#order") {
      type = model.attribute(at: column.name, of: entity)?.type
    }
    let name = names.take(column.name)
    return TableMap.ColumnMap(
      name: name, column: column, type: type, isExternal: false, destination: destination,
      entityColumn: destination?.isOnlyEntity == false ? names.take(name + "_entity") : nil)
  }

  private func destination(of entity: String) throws(TableMap.Mismatch) -> TableMap.Destination {
    try model.destination(entity, schema) { tableOfRoot[$0] }
  }

  // MARK: - Links

  private mutating func addLinks(_ links: LinkTable) throws(TableMap.Mismatch) {
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
