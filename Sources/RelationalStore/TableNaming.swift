package import ObjectModel
package import Rows
package import SQLTranslation

/// The names of a database's tables and columns, which ``SQLTranslation/TableMap/init(naming:)`` asks for one by one.
package protocol TableNaming {
  var model: Model { get }
  var schema: Schema { get }

  /// Whether the columns of an entity's subentities come before those of its siblings. The order decides which of two
  /// equal names is changed, so it can't change for stores that exist.
  static var isDepthFirst: Bool { get }
  /// Whether a subentity may give an inherited property another type, and so another column.
  static var allowsRetyping: Bool { get }
  /// Whether a byte before a large value shows where the value is.
  static var keepsValuesOutside: Bool { get }

  /// The numbers of entities in the tables, by the names of the entities.
  var numbers: [String: Int64] { get }

  /// Returns the table of a root entity.
  func table(of root: String) -> String?

  /// Begins the columns of a family's table.
  mutating func begin(_ family: TableMap.Family) throws(TableMap.Mismatch)

  /// Returns the name of a column that is new in its table, and that of the column beside it for the entity of its target.
  ///
  /// - Parameter target: The entity of the target; `nil` if no entity inherits from it, or if the column contains no
  ///   reference. Then there is no column beside it.
  mutating func take(
    _ column: LayoutColumn, of entity: String, in table: String, target: String?
  ) throws(TableMap.Mismatch) -> (name: String, entityColumn: String?)

  /// Adds the place of links.
  mutating func addLinks(_ links: LinkTable, to map: inout TableMap) throws(TableMap.Mismatch)
}

extension TableNaming {
  /// Returns the table and the entity of objects to which a relationship leads.
  package func destination(of entity: String) throws(TableMap.Mismatch) -> TableMap.Destination {
    guard let table = table(of: model.root(of: entity)?.name ?? entity),
      let number = schema[entity]?.entityNumber
    else { throw TableMap.Mismatch(description: "The entity '\(entity)' has no number.") }
    return TableMap.Destination(
      table: table, entity: number, isOnlyEntity: model.subentities(of: entity).isEmpty)
  }

  /// Returns the number of an entity in the tables.
  package func number(of entity: String) throws(TableMap.Mismatch) -> Int64 {
    if let number = numbers[entity] { return number }
    throw TableMap.Mismatch(description: "The store has no number for the entity '\(entity)'.")
  }

  /// Returns entities in the order of their numbers.
  package func sorted(_ entities: [Entity]) throws(TableMap.Mismatch) -> [Entity] {
    var numbered: [(Int64, Entity)] = []
    for entity in entities { numbered.append((try number(of: entity.name), entity)) }
    return numbered.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

extension TableMap {
  /// Creates the map of a model's objects and links.
  ///
  /// - Throws: `Mismatch` if the model does not fit into tables, or into tables that exist.
  package init(naming names: some TableNaming) throws(Mismatch) {
    var maker = TableMapMaker(names: names)
    try maker.run()
    self = maker.map
  }
}

private struct TableMapMaker<Names: TableNaming> {
  var names: Names
  var map = TableMap()
  /// The columns of each entity, by the names of its layout's columns. Subentities inherit them.
  var columns: [String: [String: TableMap.ColumnMap]] = [:]

  mutating func run() throws(TableMap.Mismatch) {
    for layout in names.schema.layouts {
      map.layoutNumbers[try names.number(of: layout.entity)] = layout.entityNumber
    }
    let roots = names.model.entities.filter { $0.superentity == nil }
    for root in try names.sorted(roots) { try addFamily(root) }
    for table in names.schema.linkTables { try names.addLinks(table, to: &map) }
  }

  private mutating func addFamily(_ root: Entity) throws(TableMap.Mismatch) {
    let members = try names.sorted(names.model.family(of: root.name))
    var family = TableMap.Family(
      table: names.table(of: root.name) ?? root.name, root: root.name,
      number: try names.number(of: root.name))
    family.hasSubentities = members.count > 1
    try names.begin(family)
    // An entity comes after the entity that it inherits from.
    var waiting = [root]
    while !waiting.isEmpty {
      let entity = waiting.removeFirst()
      try addColumns(of: entity, to: &family)
      let subentities = try names.sorted(names.model.subentities(of: entity.name))
      waiting = Names.isDepthFirst ? subentities + waiting : waiting + subentities
    }
    for entity in members {
      guard let layout = names.schema[entity.name] else { continue }
      let own = columns[entity.name] ?? [:]
      map.entities[layout.entityNumber] = TableMap.EntityMap(
        layout: layout, number: try names.number(of: entity.name), table: family.table,
        rootNumber: family.number, sharesTable: family.hasSubentities,
        columns: layout.columns.compactMap { own[$0.name] })
      precondition(
        map.entities[layout.entityNumber]!.columns.count == layout.columns.count,
        "Each column of a layout belongs to a property.")
    }
    map.families.append(family)
  }

  private mutating func addColumns(
    of entity: Entity, to family: inout TableMap.Family
  ) throws(TableMap.Mismatch) {
    var own = entity.superentity.flatMap { columns[$0] } ?? [:]
    for column in names.schema[entity.name]?.columns ?? [] {
      if let inherited = own[column.name] {
        if inherited.column.kind == column.kind { continue }
        guard Names.allowsRetyping else {
          throw TableMap.Mismatch(
            description:
              "'\(entity.name).\(column.name)' is inherited, but its type differs from the superentity's."
          )
        }
      }
      let one = try self.column(column, of: entity.name, family.table)
      own[column.name] = one
      family.columns.append(one)
    }
    columns[entity.name] = own
  }

  private mutating func column(
    _ column: LayoutColumn, of entity: String, _ table: String
  ) throws(TableMap.Mismatch) -> TableMap.ColumnMap {
    var target: String?
    var destination: TableMap.Destination?
    if column.kind == .reference {
      target = try names.model.relationship(column.name, of: entity).destination
      destination = try names.destination(of: target!)
    }
    let attribute = names.model.attribute(at: column.name, of: entity)
    let (name, entityColumn) = try names.take(
      column, of: entity, in: table, target: destination?.isOnlyEntity == false ? target : nil)
    return TableMap.ColumnMap(
      name: name, column: column, type: attribute?.type,
      isExternal: Names.keepsValuesOutside && column.kind == .binary
        && attribute?.options.contains(.allowsExternalStorage) == true,
      destination: destination, entityColumn: entityColumn)
  }
}

extension Model {
  /// Returns the attribute at the path of a layout's column; `nil` if the column contains references or positions.
  fileprivate func attribute(at path: String, of entity: String) -> Attribute? {
    let parts = path.split(separator: ".").map(String.init)
    guard let first = parts.first, case .attribute(let attribute)? = property(first, of: entity)
    else { return nil }
    return part(at: parts.dropFirst(), of: attribute)
  }

  /// Returns the relationship of a layout's column.
  package func relationship(
    _ name: String, of entity: String
  ) throws(TableMap.Mismatch) -> Relationship {
    guard case .relationship(let relationship)? = property(name, of: entity) else {
      throw TableMap.Mismatch(
        description: "'\(entity).\(name)' is not a relationship of the model.")
    }
    return relationship
  }

  /// Returns the relationship of an end of links, and the entity that declares it: the one entity of the end whose
  /// superentity does not have it.
  package func declaration(
    of end: LinkTable.End, _ schema: Schema
  ) throws(TableMap.Mismatch) -> (entity: String, relationship: Relationship) {
    for number in end.entities {
      guard let layout = schema[number], layout.entityNumber == number,
        let entity = self[layout.entity]
      else { continue }
      if let parent = entity.superentity.flatMap({ schema[$0] }),
        end.entities.contains(parent.entityNumber)
      {
        continue
      }
      guard
        let name = schema.relationshipNumbers[entity.name]?
          .first(where: { $0.value == end.relationship })?.key,
        case .relationship(let relationship)? = property(name, of: entity.name)
      else { continue }
      return (entity.name, relationship)
    }
    throw TableMap.Mismatch(
      description: "No entity declares one of the many-to-many relationships.")
  }
}
