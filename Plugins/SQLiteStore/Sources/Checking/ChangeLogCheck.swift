import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// The check of the history that Core Data keeps in a database (spec §10.10).
struct ChangeLogCheck {
  let check: SQLiteFileCheck
  let connection: SQLiteConnection
  let map: TableMap
  let model: Model
  let schema: Schema

  /// Checks each change, and the numbers of the tables.
  func run() throws(SQLiteError) {
    var entities: [Int64: LoggedEntity] = [:]
    let statement = try connection.prepare(
      """
      SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS,
      EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID) FROM ACHANGE c
      """, isKept: false)
    while try statement.step() {
      let number = statement.integer(2)
      if entities[number] == nil, let layout = map.layoutNumbers[number].flatMap({ schema[$0] }) {
        entities[number] = LoggedEntity(layout, in: model)
      }
      for words in faults(statement, entities[number]) {
        check.findings.add(
          .sqliteChangeLog, Place(ChangeLogTables.changes),
          "The change \(statement.integer(0)) \(words).")
      }
    }
    try checkNumbers(ChangeLogTables.changeNumber, in: ChangeLogTables.changes)
    try checkNumbers(ChangeLogTables.transactionNumber, in: ChangeLogTables.transactions)
  }

  private func faults(_ statement: SQLiteStatement, _ entity: LoggedEntity?) -> [String] {
    var faults: [String] = []
    if statement.integer(5) == 0 { faults.append("belongs to no transaction") }
    if statement.integer(3) < 1 || statement.integer(3) > Int64(ObjectKey.highestNumber) {
      faults.append("has \(statement.value(3).words) as its key")
    }
    guard let entity else {
      return faults + ["is of the entity \(statement.integer(2)), which the model does not have"]
    }
    let isGiven = statement.kind(4) != .null
    switch (statement.kind(1), statement.integer(1)) {
    case (.integer, ChangeLogTables.Kind.update):
      if entity.slots.fault == nil, entity.slots.properties(statement.bytes(4)) == nil {
        faults.append(
          "has a mask of \(statement.byteCount(4)) bytes, which does not fit the properties of '\(entity.layout.entity)'"
        )
      }
    case (.integer, ChangeLogTables.Kind.insert), (.integer, ChangeLogTables.Kind.delete):
      if isGiven { faults.append("is not an update, and names changed properties") }
    default: faults.append("has \(statement.value(1).words) as its kind")
    }
    return faults
  }

  private func checkNumbers(
    _ number: (number: Int64, name: String), in table: String
  ) throws(SQLiteError) {
    guard let highest = try connection.integer("SELECT max(Z_PK) FROM \(table)"), highest > 0,
      try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number.number)") ?? 0
        < highest
    else { return }
    check.findings.add(
      .sqliteChangeLog, Place("Z_PRIMARYKEY"),
      "\(table) has a row \(highest), but \(number.name) does not count so far.")
  }
}
