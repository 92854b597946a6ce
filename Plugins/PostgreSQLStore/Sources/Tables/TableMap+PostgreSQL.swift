import ObjectModel
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
      guard case .relationship(let relationship)? = model.property(column.name, of: entity) else {
        throw TableMap.Mismatch(
          description: "'\(entity).\(column.name)' is not a relationship of the model.")
      }
      destination = try self.destination(of: relationship.destination)
    } else if !column.name.hasSuffix("#order") {
      type = attributeType(column.name, of: entity)
    }
    let name = names.take(column.name)
    return TableMap.ColumnMap(
      name: name, column: column, type: type, isExternal: false, destination: destination,
      entityColumn: destination?.isOnlyEntity == false ? names.take(name + "_entity") : nil)
  }

  private func attributeType(_ path: String, of entity: String) -> AttributeType? {
    let parts = path.split(separator: ".").map(String.init)
    guard let first = parts.first,
      case .attribute(let attribute)? = model.property(first, of: entity)
    else { return nil }
    return model.part(at: parts.dropFirst(), of: attribute)?.type
  }

  private func destination(
    of entity: String
  ) throws(TableMap.Mismatch) -> TableMap.Destination {
    let root = model.root(of: entity)?.name ?? entity
    guard let number = schema[entity]?.entityNumber, let table = tableOfRoot[root] else {
      throw TableMap.Mismatch(description: "The entity '\(entity)' has no number.")
    }
    return TableMap.Destination(
      table: table, entity: number, isOnlyEntity: model.subentities(of: entity).isEmpty)
  }

  // MARK: - Links

  private mutating func addLinks(_ links: LinkTable) throws(TableMap.Mismatch) {
    let forward = try end(links.forward)
    let target = forward.relationship.destination
    let source =
      try links.backward.map { end throws(TableMap.Mismatch) in
        try self.end(end).relationship.destination
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

  /// Returns the relationship of an end, and the entity that declares it.
  private func end(
    _ end: LinkTable.End
  ) throws(TableMap.Mismatch) -> (entity: String, relationship: Relationship) {
    for number in end.entities {
      guard let layout = schema[number], let entity = model[layout.entity] else { continue }
      if let parent = entity.superentity.flatMap({ schema[$0] }),
        end.entities.contains(parent.entityNumber)
      {
        continue
      }
      guard
        let name = schema.relationshipNumbers[entity.name]?
          .first(where: { $0.value == end.relationship })?.key,
        case .relationship(let relationship)? = model.property(name, of: entity.name)
      else { continue }
      return (entity.name, relationship)
    }
    throw TableMap.Mismatch(
      description: "No entity declares one of the many-to-many relationships.")
  }
}
