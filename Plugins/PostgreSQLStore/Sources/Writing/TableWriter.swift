import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

/// Writes rows of one entity, or links of one relationship, into their table. Each statement writes many rows.
struct TableWriter {
  let connection: PostgreSQLConnection
  private let table: String
  /// The number of the entity; `nil` for links.
  private let entity: Int64?
  private let columns: [Target]
  private let layout: [LayoutColumn]
  private let links: TableMap.LinkMap?
  /// The number of the commit.
  private let version: Int64

  /// The destination of a column of the layout.
  private struct Target {
    let name: String
    let entityColumn: String?
  }

  init(_ entity: TableMap.EntityMap, version: Int64, _ connection: PostgreSQLConnection) {
    self.connection = connection
    self.version = version
    table = quoted(entity.table)
    self.entity = entity.number
    columns = entity.columns.map { Target(name: $0.name, entityColumn: $0.entityColumn) }
    layout = entity.layout.columns
    links = nil
  }

  init(_ links: TableMap.LinkMap, version: Int64, _ connection: PostgreSQLConnection) {
    self.connection = connection
    self.version = version
    table = quoted(links.table)
    entity = nil
    layout = links.links.layout.columns
    columns = layout.map { column in
      let name =
        switch column.number {
        case LinkTable.Column.source: links.source
        case LinkTable.Column.target: links.target
        case LinkTable.Column.targetOrder: links.targetOrder
        default: links.sourceOrder
        }
      return Target(name: name ?? column.name, entityColumn: nil)
    }
    self.links = links
  }

  private var isOfEntity: String { entity.map { " AND t.entity = \($0)" } ?? "" }

  // MARK: - Conflicts

  /// Returns the objects that were changed since the changes were based on them.
  func conflicts(with changes: Layer.EntityChanges) throws -> [StoreConflict] {
    var found: [StoreConflict] = []
    for run in [changes.put, changes.changed, changes.removed] {
      for block in run.blocks {
        let keys = try block.keys
        let bases = try block.column(LayoutColumn.Number.basis)
        var (ids, numbers): ([Int64], [Int64]) = ([], [])
        for row in 0..<block.rowCount {
          ids.append(keys.integer(at: row))
          numbers.append(bases?.integer(at: row) ?? 0)
        }
        try connection.forEachRow(
          """
          SELECT s.id, s.basis, t.version FROM unnest($1, $2) AS s(id, basis) LEFT JOIN \(table) t \
          ON t.id = s.id\(isOfEntity) WHERE coalesce(t.version, 0) <> s.basis
          """, [PostgreSQLParameter(ids), PostgreSQLParameter(numbers)],
          columnCount: 3
        ) { cells in
          guard let key = cells[0].integer, let basis = cells[1].integer, key >= 1,
            key <= Int64(ObjectKey.highestNumber)
          else { throw PostgreSQLError(message: "\(table) has a conflict in a row without a key.") }
          found.append(
            StoreConflict(
              key: ObjectKey(entity: changes.entityNumber, number: UInt64(bitPattern: key)),
              basis: basis, current: cells[2].integer))
        }
      }
    }
    return found
  }

  // MARK: - Removing and inserting

  /// Removes rows.
  func remove(_ run: BlockRun) throws {
    for block in run.blocks {
      let keys = try block.keys
      try remove((0..<block.rowCount).map { keys.integer(at: $0) })
    }
  }

  /// Removes the rows that whole new rows replace.
  ///
  /// Of equal symmetric links, readers see only one. A link that they do not see may have the key of a new link.
  func makeRoom(for run: BlockRun) throws {
    if let links, links.links.isSymmetric {
      for block in run.blocks {
        let keys = try block.keys
        try connection.run(
          "DELETE FROM \(table) t WHERE t.id = ANY($1)",
          [PostgreSQLParameter((0..<block.rowCount).map { keys.integer(at: $0) })])
      }
      return
    }
    for block in run.blocks {
      guard let bases = try block.column(LayoutColumn.Number.basis) else { continue }
      let keys = try block.keys
      try remove(
        (0..<block.rowCount).filter { bases.integer(at: $0) > 0 }.map { keys.integer(at: $0) })
    }
  }

  private func remove(_ keys: [Int64]) throws {
    guard !keys.isEmpty else { return }
    if let links, links.links.isSymmetric { try removeTwins(keys, links) }
    try connection.run(
      "DELETE FROM \(table) t WHERE t.id = ANY($1)\(isOfEntity)", [PostgreSQLParameter(keys)])
  }

  /// Removes duplicates of symmetric links, in either direction. Readers take all duplicates for one link, so that a
  /// duplicate would bring a removed link back.
  private func removeTwins(_ keys: [Int64], _ links: TableMap.LinkMap) throws {
    let (source, target) = (quoted(links.source), quoted(links.target))
    try connection.run(
      """
      DELETE FROM \(table) o USING \(table) t WHERE t.id = ANY($1) AND o.id <> t.id \
      AND (o.\(source) = t.\(target) AND o.\(target) = t.\(source) \
      OR o.\(source) = t.\(source) AND o.\(target) = t.\(target))
      """, [PostgreSQLParameter(keys)])
  }

  /// The number of new rows from which `COPY` is faster than a statement with arrays.
  private static let manyRows = 32

  /// Inserts whole rows.
  func insert(_ run: BlockRun) throws {
    guard !run.isEmpty else { return }
    let indices = Array(columns.indices)
    guard run.rowCount >= TableWriter.manyRows else {
      for block in run.blocks { try insertArrays(block, indices) }
      return
    }
    let names = ["id", "version"] + (entity == nil ? [] : ["entity"]) + names(indices)
    try connection.copy(into: "\(table) (\(names.joined(separator: ", ")))") { row in
      for block in run.blocks {
        let keys = try block.keys
        let values = try BlockColumns(block, layout)
        for index in 0..<block.rowCount {
          try row { cells in
            cells.beginRow(names.count)
            cells.append(keys.integer(at: index))
            cells.append(version)
            if let entity { cells.append(Int32(entity)) }
            for column in 0..<values.count {
              values[column].append(index, to: &cells)
              if columns[column].entityColumn != nil {
                values[column].appendEntity(index, to: &cells)
              }
            }
          }
        }
      }
    }
  }

  private func names(_ indices: [Int]) -> [String] {
    indices.flatMap { index in
      [columns[index].name, columns[index].entityColumn].compactMap { $0.map(quoted) }
    }
  }

  private func insertArrays(_ block: Block, _ indices: [Int]) throws {
    let arrays = try arrays(block, Array(0..<block.rowCount), indices)
    let own = names(indices)
    let all = ["id", "version"] + (entity == nil ? [] : ["entity"]) + own
    let cells = own.indices.map { "s.c\($0)" }
    let values = ["s.id", "$2"] + (entity.map { ["\($0)"] } ?? []) + cells
    try connection.run(
      "INSERT INTO \(table) (\(all.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) FROM \(source(own.count))",
      arrays)
  }

  /// Returns the arrays as a table `s` of keys and columns. The second parameter is the version, or an array of versions
  /// that changes are based on.
  private func source(_ count: Int, bases: Bool = false) -> String {
    let arrays = ["$1"] + (bases ? ["$2"] : []) + (0..<count).map { "$\($0 + 3)" }
    let names = ["id"] + (bases ? ["basis"] : []) + (0..<count).map { "c\($0)" }
    return "unnest(\(arrays.joined(separator: ", "))) AS s(\(names.joined(separator: ", ")))"
  }

  /// Returns the keys, the version, and the values of some columns of some rows, as parameters.
  private func arrays(
    _ block: Block, _ rows: [Int], _ indices: [Int]
  ) throws -> [PostgreSQLParameter] {
    let keys = try block.keys
    let values = try BlockColumns(block, layout)
    var parameters = [
      PostgreSQLParameter(rows.map { keys.integer(at: $0) }), PostgreSQLParameter(version),
    ]
    for index in indices {
      var cells = BinaryValues()
      for row in rows { values[index].append(row, to: &cells) }
      parameters.append(
        PostgreSQLParameter(cells, count: rows.count, of: layout[index].kind.postgreSQLType))
      guard columns[index].entityColumn != nil else { continue }
      var entities = BinaryValues()
      for row in rows { values[index].appendEntity(row, to: &entities) }
      parameters.append(PostgreSQLParameter(entities, count: rows.count, of: .int32))
    }
    return parameters
  }

  // MARK: - Changing

  /// Changes single values of rows. One statement changes the same columns of many rows.
  func update(_ run: BlockRun) throws {
    for block in run.blocks {
      for (indices, rows) in try rowsByColumns(block) {
        let (text, own) = try (updating(indices, to: "$2"), arrays(block, rows, indices))
        try connection.run(text, own)
      }
    }
  }

  /// Returns statements that change single values of rows, and leave a row as it is if its version is not the one that the
  /// change is based on. For a commit that learns its number only from the server.
  func updatesOfUnchangedRows(_ run: BlockRun) throws -> [PostgreSQLStatement] {
    try run.blocks.flatMap { block in
      let bases = try block.column(LayoutColumn.Number.basis)
      return try rowsByColumns(block).map { indices, rows in
        var parameters = try arrays(block, rows, indices)
        parameters[1] = PostgreSQLParameter(rows.map { bases?.integer(at: $0) ?? 0 })
        return PostgreSQLStatement(
          updating(indices, to: TableWriter.newest, isChecked: true), parameters)
      }
    }
  }

  /// The number of the commit, once the transaction has set it in `quire_store`.
  private static let newest = "(SELECT newest FROM quire_store)"

  /// An expression that counts the rows with some keys that the commit has written. The keys are a parameter.
  func countOfWritten(_ parameter: String) -> String {
    "(SELECT count(*) FROM \(table) t WHERE t.id = ANY(\(parameter)) AND t.version = \(TableWriter.newest)\(isOfEntity))"
  }

  /// Returns the rows of a block by the columns that they give a value, in the order of the first row.
  private func rowsByColumns(_ block: Block) throws -> [(indices: [Int], rows: [Int])] {
    let values = try BlockColumns(block, layout)
    var groups: [[Int]: [Int]] = [:]
    for row in 0..<block.rowCount {
      groups[columns.indices.filter { values[$0].isGiven(row) }, default: []].append(row)
    }
    return groups.sorted { $0.value[0] < $1.value[0] }.map { ($0.key, $0.value) }
  }

  private func updating(_ indices: [Int], to version: String, isChecked: Bool = false) -> String {
    let own = names(indices)
    let set = ["version = \(version)"] + own.enumerated().map { "\($1) = s.c\($0)" }
    let check = isChecked ? " AND t.version = s.basis" : ""
    return
      "UPDATE \(table) t SET \(set.joined(separator: ", ")) FROM \(source(own.count, bases: isChecked)) WHERE t.id = s.id\(check)\(isOfEntity)"
  }
}
