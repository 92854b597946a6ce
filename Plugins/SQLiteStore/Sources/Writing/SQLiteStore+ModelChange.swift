import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface
import Synchronization

extension SQLiteStore {
  /// Changes the store's model: creates every table again, and fills it from the old tables in SQL.
  ///
  /// - Returns: The new description of the store.
  func changeModel(
    to model: Model, _ request: CommitRequest, _ before: StoreContents,
    _ connection: SQLiteConnection, _ number: Int64
  ) throws -> StoreContents {
    guard before.isOwn else {
      throw StoreError(
        .incompatibleModel,
        "Quire does not change the model of a database that another system created. Convert the database to a store of Quire.",
        path: filePath)
    }
    let schema = try request.schema(
      evolving: before.schema, of: before.model, path: filePath)
    let numbers = EntityNumbers(model)
    var contents = before
    contents.map = try StoreContents.map(filePath, try TableMap(model, schema, numbers))
    (contents.model, contents.schema, contents.modelCommit) = (model, schema, number)
    let change = TableChange(
      before: before.map, after: contents.map, connection: connection, path: filePath)
    try change.run(TableMaking(model: model, map: contents.map, prefix: TableChange.prefix))
    try change.keepCounts { try connection.write(model, schema, numbers, commit: number) }
    return contents
  }
}

/// The change of a store's tables from one map to another.
private struct TableChange {
  let before: TableMap
  let after: TableMap
  let connection: SQLiteConnection
  let path: String

  /// The beginning of the names of new tables, while the old ones exist.
  static let prefix = "QUIRE_NEW_"

  private func new(_ table: String) -> String { quoted(TableChange.prefix + table) }

  /// Makes the new tables, fills them, and puts them in the place of the old ones.
  func run(_ making: TableMaking) throws {
    for text in making.tables { try connection.execute(text) }
    for (number, entity) in after.entities {
      if let old = before.entities[number] { try copy(old, to: entity) }
    }
    for (number, link) in after.links {
      if let old = before.links[number] { try copy(old, to: link) }
    }
    for table in before.families.map(\.table) + before.tablesOfLinks {
      try connection.execute("DROP TABLE \(quoted(table))")
    }
    for table in after.families.map(\.table) + after.tablesOfLinks {
      try connection.execute("ALTER TABLE \(new(table)) RENAME TO \(quoted(table))")
    }
    for index in making.indexes { try connection.execute(index.text) }
  }

  /// Carries the highest assigned keys over, so that no key is assigned again after tables were renamed.
  func keepCounts(_ write: () throws -> Void) throws {
    var highest: [UInt16: Int64] = [:]
    for entity in before.entities.values {
      highest[entity.layout.entityNumber] = try connection.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entity.rootNumber)])
    }
    try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    try write()
    for entity in after.entities.values {
      guard let last = highest[entity.layout.entityNumber] else { continue }
      try connection.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT = ?",
        [.integer(last), .integer(entity.rootNumber)])
    }
  }

  private func copy(_ old: TableMap.EntityMap, to new: TableMap.EntityMap) throws {
    let copy = RowCopy(old, to: new, parameter: { "?\($0)" }, cell: cell, entity: renumbered)
    do {
      try connection.run(
        """
        INSERT INTO \(self.new(new.table)) (Z_PK, Z_ENT, Z_OPT\(copy.names)) SELECT t.Z_PK, \(new.number), t.Z_OPT\(copy.cells) \
        FROM \(quoted(old.table)) t WHERE t.Z_ENT = \(old.number) ORDER BY t.Z_PK
        """, copy.defaults.map { SQLiteValue($0.column.defaultValue, isExternal: $0.isExternal) })
    } catch {
      guard error.code == .constraint else { throw error }
      throw StoreError(
        .incompatibleModel,
        "The objects of '\(new.layout.entity)' can't move into the table \(new.table), because other objects there have the same numbers. "
          + "Nothing was changed. Copy the store into a document with 'quire convert', migrate the document, and copy it back.",
        path: path, cause: error)
    }
  }

  /// Returns the expression for a cell in its new column, whose kind may differ.
  private func cell(_ source: TableMap.ColumnMap, to target: TableMap.ColumnMap) -> String {
    var cell = "t.\(quoted(source.name))"
    if source.isExternal, !target.isExternal { cell = "substr(\(cell), 2)" }
    if source.column.kind != .binary, target.column.kind == .binary {
      cell = "CAST(\(cell) AS BLOB)"
    }
    if !source.isExternal, target.isExternal {
      cell = "CASE WHEN \(cell) IS NULL THEN NULL ELSE CAST(x'01' || \(cell) AS BLOB) END"
    }
    return cell
  }

  /// Returns the expression for the entity number of a relationship's target, as the new tables number entities.
  private func renumbered(_ source: TableMap.ColumnMap) -> String {
    guard let destination = source.destination else { return "NULL" }
    let old = RowReader.entity(
      of: "t.\(quoted(source.name))", known: source.entityColumn.map { "t.\(quoted($0))" },
      in: destination)
    let pairs = before.layoutNumbers.compactMap { old, layout in
      after.entities[layout].map { "WHEN \(old) THEN \($0.number)" }
    }
    guard !pairs.isEmpty else { return "NULL" }
    return "CASE \(old) \(pairs.joined(separator: " ")) END"
  }

  private func copy(_ old: TableMap.LinkMap, to new: TableMap.LinkMap) throws {
    var names = [new.key, new.source, new.target]
    var cells = [old.keyText, "t.\(quoted(old.source))", "t.\(quoted(old.target))"]
    for (from, to) in [
      (old.version, new.version), (old.targetOrder, new.targetOrder),
      (old.sourceOrder, new.sourceOrder),
    ] {
      guard let to else { continue }
      names.append(to)
      cells.append(from.map { "t.\(quoted($0))" } ?? "NULL")
    }
    let condition = TableMap.condition(of: old).map { " WHERE \($0)" } ?? ""
    let rows = " FROM \(quoted(old.table)) t\(condition)"
    guard new.isColumn else {
      let quotedNames = names.map { $0 == "rowid" ? $0 : quoted($0) }.joined(separator: ", ")
      return try connection.execute(
        "INSERT INTO \(self.new(new.table)) (\(quotedNames)) SELECT \(cells.joined(separator: ", "))\(rows) ORDER BY 1"
      )
    }
    if !old.isColumn { try checkTargetsDiffer(old) }
    let aliased = zip(cells, names).map { "\($0) AS \(quoted($1))" }.joined(separator: ", ")
    let set = names.filter { $0 != new.target }.map { "\(quoted($0)) = o.\(quoted($0))" }
    try connection.execute(
      """
      UPDATE \(self.new(new.table)) SET \(set.joined(separator: ", ")) FROM (SELECT \(aliased)\(rows)) o \
      WHERE o.\(quoted(new.target)) = \(self.new(new.table)).\(quoted(new.target))
      """)
  }

  /// Throws if several links refer to one object, because a column has room for only one of them.
  private func checkTargetsDiffer(_ old: TableMap.LinkMap) throws {
    let target = quoted(old.target)
    guard
      let shared = try connection.integer(
        "SELECT \(target) FROM \(quoted(old.table)) GROUP BY \(target) HAVING count(*) > 1 LIMIT 1")
    else { return }
    throw StoreError(
      .incompatibleModel,
      """
      '\(old.links.layout.entity)' has no inverse, and several objects lead to the object \(shared). The \
      tables of the new model keep one of them. Convert the store to another type first.
      """, path: path)
  }
}
