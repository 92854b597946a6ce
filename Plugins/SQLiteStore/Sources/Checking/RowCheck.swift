import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// The check of the rows of all entity tables, cell by cell (spec §10.3.6, §10.4).
final class RowCheck {
  private let check: SQLiteFileCheck
  private let connection: SQLiteConnection
  private let map: TableMap
  private let newestCommit: Int64?
  private let files: ExternalFileCheck
  /// The entities of the model, by their numbers in the tables.
  private var entities: [Int64: TableMap.EntityMap] = [:]
  /// Whether a reader must reject one of the rows.
  private(set) var isUnreadable = false

  init(
    _ check: SQLiteFileCheck, _ connection: SQLiteConnection, _ map: TableMap,
    newestCommit: Int64?
  ) {
    (self.check, self.connection) = (check, connection)
    (self.map, self.newestCommit) = (map, newestCommit)
    files = ExternalFileCheck(check)
    for entity in map.entities.values { entities[entity.number] = entity }
  }

  /// One column of a family's table, and its index in a statement.
  private struct Step {
    let column: TableMap.ColumnMap
    let cell: Int
    /// The index of the cell with the recorded entity of a relationship's destination. The next cell has the actual
    /// entity.
    let entityCell: Int?
  }

  /// Checks all tables.
  ///
  /// - Parameter progress: Called with the finished share of the work.
  func run(progress: (Double) -> Void) throws {
    for (index, family) in map.families.enumerated() {
      progress(Double(index) / Double(map.families.count))
      try check(family)
    }
    try files.finish()
  }

  private func check(_ family: TableMap.Family) throws {
    var cells = ["t.\"Z_PK\"", "t.\"Z_ENT\"", "t.\"Z_OPT\""]
    var steps: [String: Step] = [:]
    for column in family.columns {
      let place = cells.count
      cells.append("t.\(quoted(column.name))")
      if let entity = column.entityColumn, let destination = column.destination {
        cells.append("t.\(quoted(entity))")
        cells.append(
          RowReader.entity(of: "t.\(quoted(column.name))", known: nil, in: destination))
      }
      steps[column.name] = Step(
        column: column, cell: place, entityCell: cells.count > place + 1 ? place + 1 : nil)
    }
    // The columns of each entity that exist in the table.
    var plans: [Int64: [Step]] = [:]
    for entity in map.entities.values where entity.rootNumber == family.number {
      plans[entity.number] = entity.columns.compactMap { steps[$0.name] }
    }
    try connection.forEachRow(cells, from: "\(quoted(family.table)) t", where: nil) { cells in
      check.result.rowCount += 1
      try check(cells, family, plans)
    }
  }

  private func check(
    _ cells: Span<SQLiteCell>, _ family: TableMap.Family, _ plans: [Int64: [Step]]
  ) throws {
    let key = cells[0].kind == .integer ? cells[0].integer : 0
    var place = Place(family.table, object: UInt64(exactly: key))
    guard key >= 1, key <= Int64(ObjectKey.highestNumber) else {
      isUnreadable = true
      check.findings.add(.sqliteKeys, place, "Z_PK is \(cells[0].value.words).")
      return
    }
    guard cells[1].kind == .integer, let steps = plans[cells[1].integer] else {
      isUnreadable = true
      place.entity = family.root
      check.findings.add(
        .sqliteEntities, place,
        "Z_ENT is \(cells[1].value.words), which is not an entity of this table.")
      return
    }
    place.entity = entities[cells[1].integer]?.layout.entity
    check.findings.addFaults(ofVersion: cells[2].value, newest: newestCommit, place)
    for step in steps where cells[step.cell].kind != .null { try check(cells, step, &place) }
  }

  private func check(_ cells: Span<SQLiteCell>, _ step: Step, _ place: inout Place) throws {
    place.property = step.column.column.name
    defer { place.property = nil }
    let cell = cells[step.cell]
    switch CellCheck(cell, step.column.column.kind) {
    case .sound: break
    case .wrong:
      isUnreadable = true
      check.findings.add(
        .sqliteCells, place,
        "The value is \(cell.value.words), which a column of kind \(step.column.column.kind) can't contain."
      )
      return
    case .noText:
      isUnreadable = true
      check.findings.add(.sqliteTexts, place, "The text is not UTF-8.")
      return
    }
    if step.column.isExternal { try files.check(cell.bytes, place) }
    if let entityCell = step.entityCell, cell.integer != 0 {
      checkEntity(cells[entityCell].value, cells[entityCell + 1].value, place)
    }
  }

  /// Checks the entity that is recorded beside a key.
  ///
  /// - Parameter found: The entity of the target.
  private func checkEntity(_ said: SQLiteValue, _ found: SQLiteValue, _ place: Place) {
    guard said != .null else { return }
    if case .integer(let number) = said, entities[number] != nil {
      // The check of the objects reports references that lead nowhere.
      guard found != .null, said != found else { return }
    }
    isUnreadable = true
    check.findings.add(
      .sqliteEntityColumns, place,
      "The entity column contains \(said.words), but Z_ENT of the target object is \(found.words)."
    )
  }
}

extension Findings {
  /// Adds the faults of the version of a row.
  ///
  /// - Parameter newest: The newest commit; `nil` if the versions are not numbers of commits.
  func addFaults(ofVersion version: SQLiteValue, newest: Int64?, _ place: Place) {
    let number: Int64 = if case .integer(let number) = version { number } else { 0 }
    if number < 1 { add(.sqliteVersions, place, "Z_OPT is \(version.words).") }
    guard let newest, number > newest || newest == 0 else { return }
    add(.sqliteCommits, place, "Z_OPT is \(number), but the newest commit is \(newest).")
  }
}
