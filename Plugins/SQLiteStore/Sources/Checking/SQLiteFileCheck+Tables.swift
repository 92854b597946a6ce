import ObjectModel
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

extension SQLiteFileCheck {
  /// Checks the numbers of entities and the tables against the model (spec §10.2.7, §10.3).
  ///
  /// - Returns: The tables and columns of the model; `nil` if something is missing.
  func map(
    _ model: Model, _ schema: Schema, _ connection: SQLiteConnection, _ tables: DatabaseTables
  ) throws(SQLiteError) -> TableMap? {
    guard let numbers = try numbers(model, connection) else { return nil }
    let before = findings.errorCount
    guard let expected = try? TableMap(model, schema, numbers) else {
      findings.add(.sqliteTables, Place(), "The model does not fit into tables.")
      return nil
    }
    for family in expected.families { check(family, tables) }
    guard findings.errorCount == before else { return nil }
    let map: TableMap
    do throws(TableMap.Mismatch) {
      map = try TableMap(model, schema, numbers, in: tables)
    } catch {
      findings.add(.sqliteLinkTables, Place(), error.description)
      return nil
    }
    try checkHighestKeys(map, connection)
    return map
  }

  // MARK: - Numbers

  /// One row of `Z_PRIMARYKEY`.
  private struct NumberRow {
    let number: Int64
    let name: String
    let parent: Int64
  }

  /// Returns the numbers of the model's entities; `nil` if a row is wrong or occurs twice.
  private func numbers(
    _ model: Model, _ connection: SQLiteConnection
  ) throws(SQLiteError) -> EntityNumbers? {
    let place = Place("Z_PRIMARYKEY")
    var rows: [NumberRow] = []
    var names: Set<String> = []
    var known: Set<Int64> = []
    let before = findings.errorCount
    let statement = try connection.prepare(
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY", isKept: false)
    while try statement.step(), rows.count <= Int(UInt16.max) {
      guard statement.kind(0) == .integer, statement.integer(0) >= 1, let name = statement.text(1)
      else {
        findings.add(
          .sqliteNumbers, place,
          "A row has the number \(statement.value(0).words) and the name \(statement.value(1).words)."
        )
        continue
      }
      let number = statement.integer(0)
      if !names.insert(name).inserted || !known.insert(number).inserted {
        findings.add(
          .sqliteNumbers, place, "The name '\(name)' or the number \(number) occurs twice.")
      }
      rows.append(NumberRow(number: number, name: name, parent: statement.integer(2)))
    }
    guard findings.errorCount == before else { return nil }
    return check(rows, model, place)
  }

  private func check(_ rows: [NumberRow], _ model: Model, _ place: Place) -> EntityNumbers {
    let usual = EntityNumbers(model)
    // Numbers from 16000 on belong to Core Data's own tables, such as its history.
    let own = rows.filter { $0.number < 16_000 }
    let byName = Dictionary(own.map { ($0.name, $0.number) }) { one, _ in one }
    let missing = usual.names.filter { byName[$0] == nil }
    for name in missing {
      findings.add(.sqliteNames, place, "The entity '\(name)' has no row.")
    }
    for row in own where model[row.name] == nil {
      findings.add(.sqliteNames, place, "The model has no entity '\(row.name.prefix(60))'.")
    }
    // If a renamed entity keeps its old name in the database, all numbers follow from the model.
    let numbers =
      missing.isEmpty
      ? EntityNumbers(byName: byName.filter { model[$0.key] != nil }) : usual
    for name in usual.names where missing.isEmpty && numbers[name] != usual[name] {
      findings.add(
        .sqliteNumbering, place,
        "'\(name)' has the number \(numbers[name]!), but the model gives it \(usual[name]!).")
    }
    let usualNames = usual.names
    for row in own {
      let entity =
        missing.isEmpty
        ? row.name : row.number <= usualNames.count ? usualNames[Int(row.number) - 1] : nil
      guard let entity, let found = model[entity] else { continue }
      let parent = found.superentity.flatMap { numbers[$0] } ?? 0
      if row.parent != parent {
        findings.add(
          .sqliteSupers, place,
          "Z_SUPER of '\(row.name)' is \(row.parent), but its superentity has the number \(parent)."
        )
      }
    }
    return numbers
  }

  private func checkHighestKeys(
    _ map: TableMap, _ connection: SQLiteConnection
  ) throws(SQLiteError) {
    for family in map.families {
      let statement = try connection.prepare(
        "SELECT Z_MAX, (SELECT max(\"Z_PK\") FROM \(quoted(family.table))) FROM Z_PRIMARYKEY WHERE Z_ENT = \(family.number)",
        isKept: false)
      guard try statement.step() else { continue }
      if statement.integer(1) > statement.integer(0) {
        findings.add(
          .sqliteHighestKeys, Place("Z_PRIMARYKEY", entity: family.root),
          "Z_MAX is \(statement.value(0).words), but an object has the key \(statement.integer(1))."
        )
      }
    }
  }

  // MARK: - Tables

  private func check(_ family: TableMap.Family, _ tables: DatabaseTables) {
    let place = Place(family.table, entity: family.root)
    if tables.others.contains(family.table) {
      findings.add(.sqliteOthers, place, "A view or a virtual table has this name.")
      return
    }
    guard let columns = tables.columns[family.table] else {
      findings.add(.sqliteTables, place, "The table does not exist.")
      return
    }
    for name in [TableMap.Column.key, TableMap.Column.entity, TableMap.Column.version]
    where !columns.contains(where: { $0.name == name }) {
      findings.add(.sqliteTables, place, "The table has no column \(name).")
    }
    if columns.contains(where: { $0.name == TableMap.Column.key }),
      !tables.isKey(TableMap.Column.key, of: family.table)
    {
      findings.add(.sqliteTables, place, "Z_PK is not the table's INTEGER PRIMARY KEY.")
    }
    for wanted in family.columns {
      var place = place
      place.property = wanted.column.name
      guard let found = columns.first(where: { $0.name == wanted.name }) else {
        findings.add(
          .sqliteColumns, place,
          "The column \(wanted.name) is missing or computed.")
        continue
      }
      let type = TableMap.declaredType(of: wanted.column.kind)
      if Affinity(found.type) != Affinity(type) {
        findings.add(
          .sqliteColumnTypes, place,
          "The column \(wanted.name) is declared as '\(found.type.prefix(40))' instead of \(type)."
        )
      }
    }
  }
}

/// The type affinity of a column in SQLite, which determines the conversion of values.
private enum Affinity {
  case integer
  case text
  case none
  case real
  case number

  init(_ type: String) {
    let type = type.uppercased()
    func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
    self =
      has("INT")
      ? .integer
      : has("CHAR", "CLOB", "TEXT")
        ? .text
        : has("BLOB") || type.isEmpty ? .none : has("REAL", "FLOA", "DOUB") ? .real : .number
  }
}
