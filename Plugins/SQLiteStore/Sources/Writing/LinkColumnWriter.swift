import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// Writes links of a relationship without an inverse into the column of the table of their targets (spec §10.3.7).
///
/// The column has room for one link to each target, as in Core Data's own stores.
struct LinkColumnWriter {
  let connection: SQLiteConnection
  let link: TableMap.LinkMap
  /// The version of written links; `nil` if the table has no column for it.
  let version: Int64?
  let path: String

  private var table: String { quoted(link.table) }
  private var target: String { quoted(link.target) }
  private var hasOwnKeys: Bool { link.key != link.target }

  /// Removes links by clearing their columns.
  func remove(_ run: BlockRun) throws {
    try run.forEachKey { try remove($0) }
  }

  private func remove(_ key: Int64) throws {
    let cleared = link.addedColumns.map { "\(quoted($0)) = NULL" }.joined(separator: ", ")
    let (condition, value) = condition(of: key)
    try connection.run("UPDATE \(table) SET \(cleared) WHERE \(condition)", [.integer(value)])
  }

  /// Returns the condition for the row of a link, and the value of its parameter.
  private func condition(of key: Int64) -> (String, Int64) {
    guard hasOwnKeys else { return ("\(target) = ?", key) }
    let first = TableMap.LinkMap.firstDerivedKey
    return key < first
      ? ("\(quoted(link.key)) = ?", key)
      : ("\(quoted(link.key)) IS NULL AND \(target) = ?", key - first)
  }

  /// Inserts links.
  ///
  /// - Throws: `StoreError` if a target does not exist, or if another object refers to it already.
  func insert(_ run: BlockRun) throws {
    try run.forEachReplacedKey { try remove($0) }
    try run.forEachLink(of: link, path) { key, source, target, places in
      try insert(key, source, target, places.first ?? nil)
    }
  }

  private func insert(_ key: Int64, _ from: Int64, _ to: Int64, _ place: Int64?) throws {
    try checkIsFree(to, for: from)
    var names = [link.source]
    var values: [SQLiteValue] = [.integer(from)]
    if let order = link.targetOrder {
      names.append(order)
      values.append(place.map { .integer($0) } ?? .null)
    }
    if hasOwnKeys {
      names.append(link.key)
      values.append(.integer(key))
    }
    if let column = link.version, let version {
      names.append(column)
      values.append(.integer(version))
    }
    let set = names.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    try connection.run(
      "UPDATE \(table) SET \(set) WHERE \(target) = ?", values + [.integer(to)])
  }

  private func checkIsFree(_ to: Int64, for from: Int64) throws {
    let statement = try connection.prepare(
      "SELECT \(quoted(link.source)) FROM \(table) WHERE \(target) = ?")
    try statement.bind(to, 0)
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError(
        .badChange,
        "'\(link.links.layout.entity)' refers to the object \(to) of \(link.table), which does not exist.",
        path: path)
    }
    guard statement.kind(0) != .null, statement.integer(0) != 0 else { return }
    throw StoreError(
      .badChange,
      """
      '\(link.links.layout.entity)' has no inverse, and a database keeps for each object one object that \
      leads to it: the object \(to) of \(link.table) belongs to the object \(statement.integer(0)) already, \
      and can't belong to \(from) too. Give the relationship an inverse that leads to many, or use another \
      type of store.
      """, path: path)
  }

  /// Changes the positions or ends of links.
  func update(_ run: BlockRun) throws {
    for block in run.blocks {
      let keys = try block.keys
      for row in 0..<block.rowCount {
        let key = keys.integer(at: row)
        func given(_ number: UInt16) throws -> Column? {
          try block.column(number).flatMap { $0.isGiven(row) ? $0 : nil }
        }
        guard let known = try ends(of: key) else { continue }
        let source = try given(LinkTable.Column.source)?.reference(at: row)
        let target = try given(LinkTable.Column.target)?.reference(at: row)
        var place = known.place
        if let column = try given(LinkTable.Column.targetOrder) {
          place = column.isNull(row) ? nil : column.integer(at: row)
        }
        try remove(key)
        try insert(
          key, source.map { Int64($0.number) } ?? known.source,
          target.map { Int64($0.number) } ?? known.target, place)
      }
    }
  }

  private func ends(of key: Int64) throws -> (source: Int64, target: Int64, place: Int64?)? {
    let order = link.targetOrder.map(quoted) ?? "NULL"
    let (condition, value) = condition(of: key)
    let statement = try connection.prepare(
      "SELECT \(quoted(link.source)), \(target), \(order) FROM \(table) WHERE \(condition)")
    try statement.bind(value, 0)
    defer { statement.reset() }
    guard try statement.step(), statement.kind(0) == .integer else { return nil }
    return (
      statement.integer(0), statement.integer(1),
      statement.kind(2) == .integer ? statement.integer(2) : nil
    )
  }
}

/// The link cells of rows that a save replaces as a whole. The table keeps such cells in the rows of the links'
/// targets. The rows of a save do not contain them, so they are written again.
struct KeptLinkCells {
  private let table: String
  private let columns: [String]
  private var cells: [(key: Int64, values: [SQLiteValue])] = []

  /// Reads the link cells of the rows that a run replaces.
  init(
    replacedBy run: BlockRun, of entity: TableMap.EntityMap, _ map: TableMap,
    _ connection: SQLiteConnection
  ) throws {
    table = entity.table
    columns = map.families.first { $0.table == entity.table }?.linkColumns ?? []
    guard !columns.isEmpty else { return }
    let names = columns.map(quoted).joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT \(names) FROM \(quoted(table)) WHERE \"Z_PK\" = ?")
    defer { statement.reset() }
    try run.forEachReplacedKey { key in
      statement.reset()
      try statement.bind(key, 0)
      guard try statement.step() else { return }
      let values = columns.indices.map { statement.value($0) }
      if values.contains(where: { $0 != .null }) { cells.append((key, values)) }
    }
  }

  /// Writes the cells into the rows that replaced the old ones.
  func restore(_ connection: SQLiteConnection) throws {
    guard !cells.isEmpty else { return }
    let set = columns.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    for (key, values) in cells {
      try connection.run(
        "UPDATE \(quoted(table)) SET \(set) WHERE \"Z_PK\" = ?", values + [.integer(key)])
    }
  }
}
