import ObjectModel
import RelationalStore
import Rows
import SQLTranslation

/// The names of Core Data's tables and columns (spec §10.3.2 to §10.3.5).
struct CoreDataNames: TableNaming {
  let model: Model
  let schema: Schema
  let numbers: [String: Int64]
  let tables: DatabaseTables?
  /// The names of columns in use so far in each family's table.
  private var taken: [String: Set<String>] = [:]

  static let isDepthFirst = true
  static let allowsRetyping = false
  static let keepsValuesOutside = true

  init(_ model: Model, _ schema: Schema, _ numbers: EntityNumbers, in tables: DatabaseTables?) {
    (self.model, self.schema, self.tables) = (model, schema, tables)
    self.numbers = numbers.byName
  }

  func table(of root: String) -> String? { TableMap.table(of: root) }

  mutating func begin(_ family: TableMap.Family) throws(TableMap.Mismatch) {
    try checkTable(family.table, of: family.root)
    taken[family.table] = [
      TableMap.Column.key, TableMap.Column.entity, TableMap.Column.version,
    ]
  }

  mutating func take(
    _ column: LayoutColumn, of entity: String, in table: String, target: String?
  ) throws(TableMap.Mismatch) -> (name: String, entityColumn: String?) {
    let upper = column.name.replacing(".", with: "_").uppercased()
    let isOrder = column.name.hasSuffix("#order")
    let name = try take(
      isOrder ? "Z_FOK_" + upper.dropLast("#order".count) : "Z" + upper, in: table, for: column,
      entity)
    guard let target else { return (name, nil) }
    // Older versions did not write this column, so the entity is read from the row of the target object.
    let beside = "Z\(try number(of: target))_\(upper)"
    return (name, try? take(beside, in: table, for: column, entity))
  }

  /// Returns an unused name for a column. Siblings that declare the same property get a number after the name.
  private mutating func take(
    _ name: String, in table: String, for column: LayoutColumn, _ entity: String
  ) throws(TableMap.Mismatch) -> String {
    var candidate = name
    var number = 0
    while taken[table, default: []].contains(candidate) {
      number += 1
      candidate = "\(name)\(number)"
    }
    if let tables, !tables.has(table, candidate) {
      throw TableMap.Mismatch(
        description:
          "The table \(table) has no column \(candidate) for '\(entity).\(column.name)'."
      )
    }
    taken[table, default: []].insert(candidate)
    return candidate
  }

  private func checkTable(_ table: String, of entity: String) throws(TableMap.Mismatch) {
    guard let tables else { return }
    let names = [TableMap.Column.key, TableMap.Column.entity, TableMap.Column.version]
    guard tables.columns[table] != nil else {
      throw TableMap.Mismatch(
        description: tables.others.contains(table)
          ? "\(table), which must contain the objects of '\(entity)', is a view or a virtual table."
          : "The table \(table) for the objects of '\(entity)' is missing.")
    }
    for name in names where !tables.has(table, name) {
      throw TableMap.Mismatch(description: "The table \(table) has no column \(name).")
    }
    // Objects are looked up one by one, by this column.
    guard tables.isKey(TableMap.Column.key, of: table) else {
      throw TableMap.Mismatch(
        description: "The column Z_PK is not the INTEGER PRIMARY KEY of the table \(table).")
    }
  }
}

// MARK: - Links

extension CoreDataNames {
  /// One of the two relationships of a table of links, with the numbers that its column names contain.
  private struct End {
    let relationship: Relationship
    /// The entity that declares the relationship, and its number.
    let entity: String
    let number: Int64
    /// The number of the destination entity.
    let destination: Int64
    var upper: String { relationship.name.uppercased() }
  }

  mutating func addLinks(
    _ links: LinkTable, to map: inout TableMap
  ) throws(TableMap.Mismatch) {
    let forward = try end(links.forward)
    var backward: End?
    if let other = links.backward { backward = try end(other) }
    let targets = try destination(of: forward.relationship.destination)
    let sources = try destination(of: backward?.relationship.destination ?? forward.entity)
    if backward == nil,
      let link = try column(of: links, forward, sources: sources, targets: targets)
    {
      map.links[links.layout.entityNumber] = link
      if let family = map.families.firstIndex(where: { $0.table == link.table }) {
        map.families[family].linkColumns += link.addedColumns
      }
      return
    }
    // The table is named after the relationship of the entity with the lower number.
    var ends = [forward, backward].compactMap { $0 }
    if ends.count == 2, ends[1].number < ends[0].number { ends.reverse() }
    let names = ends.map { "Z_\($0.number)\($0.upper)" }
    var target = "Z_\(forward.destination)\(forward.upper)"
    var source = backward.map { "Z_\($0.destination)\($0.upper)" } ?? "Z_\(forward.number)_SOURCE"
    var table = names[0]
    if let tables {
      guard let found = names.first(where: { tables.columns[$0] != nil }) else {
        throw TableMap.Mismatch(
          description:
            "The table \(Set(names).sorted().joined(separator: " or ")) for the links of '\(links.layout.entity)' is missing."
        )
      }
      table = found
      let columns = tables.columns[found]!.map(\.name).filter {
        !$0.hasPrefix("Z_FOK_") && $0 != TableMap.Column.version
      }
      (source, target) = try columnsOfLinks(columns, table, forward, backward, links)
    } else if links.isSymmetric {
      source = CoreDataNames.reflexiveColumn
    } else if source == target {
      source += "1"
    }
    let targetOrder = orderColumn(target, in: table, links, LinkTable.Column.targetOrder)
    let sourceOrder = orderColumn(source, in: table, links, LinkTable.Column.sourceOrder)
    let hasVersions = tables?.has(table, TableMap.Column.version) ?? true
    map.links[links.layout.entityNumber] = TableMap.LinkMap(
      links: links, table: table, isColumn: false, key: "rowid",
      version: hasVersions ? TableMap.Column.version : nil, source: source, target: target,
      targetOrder: targetOrder, sourceOrder: sourceOrder, sources: sources, targets: targets)
  }

  /// The name of the second column of a relationship that is its own inverse.
  private static let reflexiveColumn = "REFLEXIVE"

  /// Returns the column with the links of a relationship without an inverse, in the table of its destination; `nil`
  /// if the links are in a separate table, as earlier versions of Quire wrote them.
  private mutating func column(
    of links: LinkTable, _ forward: End, sources: TableMap.Destination,
    targets: TableMap.Destination
  ) throws(TableMap.Mismatch) -> TableMap.LinkMap? {
    let table = targets.table
    if let tables, tables.columns["Z_\(forward.number)\(forward.upper)"] != nil { return nil }
    var name = "Z\(forward.number)\(forward.upper)"
    // The column of a relationship whose name begins with an underscore may clash with the column of an entity.
    while taken[table, default: []].contains(name) { name += "1" }
    taken[table, default: []].insert(name)
    if let tables {
      guard tables.has(table, name) else {
        throw TableMap.Mismatch(
          description: """
            The table \(table) has no column \(name), where the links of \
            '\(links.layout.entity)' are to be, and there is no table \
            Z_\(forward.number)\(forward.upper).
            """)
      }
    }
    let (key, version) = ("QUIRE_KEY_\(name.dropFirst())", "QUIRE_OPT_\(name.dropFirst())")
    let order =
      links.layout.index(ofNumber: LinkTable.Column.targetOrder) == nil
      ? nil : "Z_FOK_\(name.dropFirst())"
    let isOwn = tables.map { $0.has(table, key, version) } ?? true
    return TableMap.LinkMap(
      links: links, table: table, isColumn: true, key: isOwn ? key : TableMap.Column.key,
      version: isOwn ? version : nil, source: name, target: TableMap.Column.key,
      targetOrder: order.flatMap { order in
        tables.map { $0.has(table, order) } ?? true ? order : nil
      }, sourceOrder: nil, sources: sources, targets: targets)
  }

  /// Returns the name of the column of positions that belongs to a column of keys: the same name with `FOK_` in it.
  private func orderColumn(
    _ key: String, in table: String, _ links: LinkTable, _ number: UInt16
  ) -> String? {
    guard links.layout.index(ofNumber: number) != nil else { return nil }
    let name = "Z_FOK_" + (key.hasPrefix("Z_") ? String(key.dropFirst(2)) : key)
    guard let tables else { return name }
    // If names clashed, the number at the end of this name may differ from that of the column of keys.
    let plain = String(name.reversed().drop { $0.isNumber }.reversed())
    return tables.columns[table]?.map(\.name).first { $0 == name }
      ?? tables.columns[table]?.map(\.name).first { $0.hasPrefix(plain) }
  }

  /// Returns the columns with the sources and with the targets of a table of links.
  private func columnsOfLinks(
    _ columns: [String], _ table: String, _ forward: End, _ backward: End?, _ links: LinkTable
  ) throws(TableMap.Mismatch) -> (source: String, target: String) {
    func named(_ upper: String, _ numbers: [Int64]) -> [String] {
      columns.filter { column in
        numbers.contains { number in
          let name = "Z_\(number)\(upper)"
          return column == name
            || column.hasPrefix(name) && column.dropFirst(name.count).allSatisfy(\.isNumber)
        }
      }
    }
    let forwardNumbers = [forward.destination] + (backward.map { [$0.number] } ?? [])
    let targets = named(forward.upper, forwardNumbers)
    if columns.count == 2 {
      let sources =
        backward.map { named($0.upper, [$0.destination, forward.number]) }
        ?? columns.filter { $0 != targets.first }
      // A relationship that is its own inverse has a second column with this name. Earlier versions of Quire gave
      // both columns the same name, with a number after one of them.
      if links.isSymmetric, columns.contains(CoreDataNames.reflexiveColumn),
        let target = targets.first
      {
        return (CoreDataNames.reflexiveColumn, target)
      }
      if links.isSymmetric, Set(columns) == Set(targets) {
        let sorted = columns.sorted()
        return (sorted[1], sorted[0])
      }
      for target in targets {
        if let source = sources.first(where: { $0 != target }) { return (source, target) }
      }
    }
    throw TableMap.Mismatch(
      description:
        "The table \(table) has the columns \(columns.joined(separator: ", ")), but none of them matches the links of '\(links.layout.entity)'."
    )
  }

  private func end(_ end: LinkTable.End) throws(TableMap.Mismatch) -> End {
    let (entity, relationship) = try model.declaration(of: end, schema)
    return End(
      relationship: relationship, entity: entity, number: try number(of: entity),
      destination: try number(of: relationship.destination))
  }
}
