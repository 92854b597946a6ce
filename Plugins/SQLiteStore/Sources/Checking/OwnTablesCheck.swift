import Deflate
import ModelNotations
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// The check of the tables that stores of this format have in addition to Core Data's tables (spec §10.5).
struct OwnTablesCheck {
  let check: SQLiteFileCheck
  let connection: SQLiteConnection
  let tables: DatabaseTables

  /// Checks the tables.
  ///
  /// - Returns: The model and the schema; `nil` if the tables are missing or have errors.
  func run() throws(SQLiteError) -> (model: Model, schema: Schema)? {
    let names = Set(tables.columns.keys).union(tables.others)
    guard OwnRecord.tables.contains(where: { names.contains($0.0) }) else { return nil }
    var areThere = true
    for (table, columns) in OwnRecord.tables {
      let missing = columns.filter { !tables.has(table, $0) }
      guard !missing.isEmpty else { continue }
      areThere = false
      let words =
        tables.others.contains(table)
        ? "A view or a virtual table has this name."
        : tables.columns[table] == nil
          ? "The table does not exist."
          : "The table has no column \(missing.joined(separator: ", "))."
      check.findings.add(.sqliteOwnTables, Place(table), words)
    }
    return areThere ? try record() : nil
  }

  private func record() throws(SQLiteError) -> (model: Model, schema: Schema)? {
    let place = Place("QUIRE_STORE")
    let statement = try connection.prepare(
      "SELECT VERSION, MODEL, SCHEMA, MODELCOMMIT FROM QUIRE_STORE LIMIT 2", isKept: false)
    guard try statement.step() else {
      check.findings.add(.sqliteOwnTables, place, "The table has no row.")
      return nil
    }
    let version = statement.value(0)
    guard case .integer(let number) = version, number >= 1 else {
      check.findings.add(.sqliteOwnTables, place, "VERSION is \(version.words).")
      return nil
    }
    guard number <= OwnRecord.version else {
      check.result.outcome = .newerFormat
      check.findings.forget()
      check.findings.add(
        .newerFormat, place,
        "The store has format version \(number), but this program knows version \(OwnRecord.version)."
      )
      return nil
    }
    if statement.kind(3) != .integer || statement.integer(3) < 0 {
      check.findings.add(.sqliteOwnTables, place, "MODELCOMMIT is \(statement.value(3).words).")
    }
    let model = model(statement.bytes(1), place)
    let schema = schema(statement.bytes(2), place)
    if try statement.step() {
      check.findings.add(.sqliteOwnTables, place, "The table has more than one row.")
    }
    guard let model, let schema else { return nil }
    let before = check.findings.errorCount
    SchemaCheck(schema, model, place, check.findings).run()
    return check.findings.errorCount == before ? (model, schema) : nil
  }

  private func model(_ bytes: [UInt8], _ place: Place) -> Model? {
    do {
      // SAFETY: The bytes are there until the call returns.
      let source = unsafe try Deflate.expandRaw(
        bytes.span.bytes, upTo: StoreContents.maximumModelByteCount)
      return try Model(ModelSource.read(source, path: "the model"))
    } catch let error as ModelError {
      for fault in error.faults { check.findings.add(.modelFaults, place, "\(fault)") }
    } catch {
      check.findings.add(.modelForm, place, "\(error)")
    }
    return nil
  }

  private func schema(_ bytes: [UInt8], _ place: Place) -> Schema? {
    do { return try SchemaCoding.read(bytes, at: 0) } catch {
      check.findings.add(.schemaForm, place, "\(error)")
      return nil
    }
  }
}

extension SQLiteFileCheck {
  /// Checks the numbers of commits (spec §10.5.2).
  ///
  /// - Returns: The number of the newest commit.
  func newestCommit(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
    // Without a commit both queries return NULL, which counts as 0.
    let lowest = try connection.integer("SELECT min(NUMBER) FROM QUIRE_COMMIT") ?? 0
    let newest = try connection.integer("SELECT max(NUMBER) FROM QUIRE_COMMIT") ?? 0
    if lowest < 0 {
      findings.add(.sqliteCommits, Place("QUIRE_COMMIT"), "A commit has the number \(lowest).")
    }
    let model = try connection.integer("SELECT MODELCOMMIT FROM QUIRE_STORE") ?? 0
    if model > newest {
      findings.add(
        .sqliteCommits, Place("QUIRE_STORE"),
        "Commit \(model) set the model, but the newest commit is \(newest).")
    }
    return newest
  }

  /// Checks the kept rows from before commits (spec §10.5.7).
  func checkBefore(_ connection: SQLiteConnection, _ schema: Schema) throws(SQLiteError) {
    let place = Place("QUIRE_BEFORE")
    var counts: [Int64: Int64] = [:]
    let commits = try connection.prepare("SELECT NUMBER, KEPT FROM QUIRE_COMMIT", isKept: false)
    while try commits.step() {
      if commits.kind(1) == .integer { counts[commits.integer(0)] = commits.integer(1) }
    }
    var last: (number: Int64, key: ObjectKey, flags: BlockFlags)?
    let statement = try connection.prepare(
      "SELECT NUMBER, KIND, BYTES FROM QUIRE_BEFORE ORDER BY NUMBER, rowid", isKept: false)
    while try statement.step() {
      let number = statement.integer(0)
      guard counts[number] != nil else {
        findings.add(
          .sqliteBefore, place,
          "A row belongs to commit \(statement.value(0).words), but QUIRE_COMMIT records no earlier rows for it."
        )
        continue
      }
      counts[number]! &-= Int64(statement.byteCount(2))
      guard statement.integer(1) == 0 else { continue }
      guard let block = try? Block(statement.bytes(2)), schema[block.entityNumber] != nil,
        block.flags.isSubset(of: .removals)
      else {
        findings.add(
          .sqliteBefore, place,
          "Commit \(number) has a row that is not a block of the store's rows.")
        continue
      }
      if let last, last.number == number, last.key.entity == block.entityNumber,
        last.flags == block.flags, last.key.number >= block.minimumKey
      {
        findings.add(.sqliteBefore, place, "Commit \(number) has blocks that overlap.")
      }
      last = (
        number, ObjectKey(entity: block.entityNumber, number: block.maximumKey), block.flags
      )
    }
    for (number, rest) in counts.sorted(by: { $0.key < $1.key }) where rest != 0 {
      findings.add(
        .sqliteBefore, place,
        "Commit \(number) keeps \(rest.magnitude) bytes \(rest < 0 ? "more" : "less") than QUIRE_COMMIT states."
      )
    }
  }

  /// Checks the link counts (spec §10.5.3).
  func checkLinkCounts(
    _ connection: SQLiteConnection, _ map: TableMap, _ highest: [UInt16: Int64]
  ) throws(SQLiteError) {
    let place = Place("QUIRE_LINK")
    var counts: [Int64: Int64] = [:]
    let statement = try connection.prepare("SELECT NUMBER, LAST FROM QUIRE_LINK", isKept: false)
    while try statement.step(), counts.count <= Int(UInt16.max) {
      let number = statement.integer(0)
      guard UInt16(exactly: number).map({ map.links[$0] != nil }) ?? false else {
        findings.add(.sqliteLinkCounts, place, "The model has no links with the number \(number).")
        continue
      }
      counts[number] = statement.integer(1)
    }
    for (number, last) in highest.sorted(by: { $0.key < $1.key })
    where last > counts[Int64(number)] ?? 0 {
      findings.add(
        .sqliteLinkCounts, place,
        "\(map.links[number]!.table) has the link \(last), but LAST is \(counts[Int64(number)] ?? 0)."
      )
    }
  }
}
