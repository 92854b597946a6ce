import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
import SQLTranslation
import StoreInterface

/// The check of a store's tables against the rules, in one transaction that reads. The server does the work, so that only
/// violations are read.
struct DatabaseCheck {
  let connection: PostgreSQLConnection
  let path: String
  private(set) var result = StoreCheck()

  /// The most findings for one column.
  private static let mostFindings = 20

  /// Returns the findings.
  mutating func run(_ progress: (Double) -> Void) throws -> StoreCheck {
    try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let contents: StoreContents
    let head: StoreHead
    do {
      head = try StoreHead(connection, path: path)
      contents = try StoreContents(connection, path: path)
    } catch let error as StoreError where error.code == .newerFormat {
      result.outcome = .newerFormat
      return result
    } catch let error as StoreError where error.code == .damaged || error.code == .incompatibleModel
    {
      result.findings.add(.postgreSQLDescription, Place("quire_store"), error.message)
      return result
    } catch let error as PostgreSQLError where error.isOfClass("42") {
      result.findings.add(.postgreSQLDescription, Place("quire_store"), error.message)
      return result
    }
    result.uuid = head.uuid
    result.model = contents.model
    result.byteCount = Int(try PostgreSQLStore.byteCount(connection))
    result.liveByteCount = result.byteCount
    let isWhole = try checkColumns(contents)
    result.hasReadableObjects = isWhole
    try checkCommits(contents, head)
    guard isWhole else {
      result.unchecked.append("The rows were not checked, because tables or columns are missing.")
      return result
    }
    let count = Double(max(contents.map.families.count, 1))
    for (index, family) in contents.map.families.enumerated() {
      try check(family, contents, head)
      progress(Double(index + 1) / count)
    }
    for link in contents.map.links.values {
      try checkRows(link.table, Int64(link.links.layout.entityNumber), head)
    }
    return result
  }

  // MARK: - Tables and columns

  private mutating func checkColumns(_ contents: StoreContents) throws -> Bool {
    let mismatches = try ColumnTypes.mismatches(contents.map, connection)
    for one in mismatches {
      result.findings.add(
        one.column == nil ? .postgreSQLTables : .postgreSQLColumns,
        one.column.map { Place(one.table, property: $0) } ?? Place(one.table), one.message)
    }
    var listed: Set<String> = []
    try connection.forEachRow("SELECT name FROM quire_table WHERE NOT is_view") {
      listed.insert($0[0].text)
    }
    let expected = Set(ColumnTypes.expected(contents.map).keys)
    if listed != expected {
      let names = listed.symmetricDifference(expected).sorted().joined(separator: ", ")
      result.findings.add(
        .postgreSQLList, Place("quire_table"), "The table differs from the model in: \(names).")
    }
    return mismatches.isEmpty
  }

  // MARK: - Commits

  private mutating func checkCommits(_ contents: StoreContents, _ head: StoreHead) throws {
    let newest = try connection.integer("SELECT max(number) FROM quire_commit")
    if newest != head.newest {
      result.findings.add(
        .postgreSQLNewest, Place("quire_store"),
        "The newest commit is \(head.newest), but quire_commit has \(newest.map(String.init) ?? "none")."
      )
    }
    for waiting in try PreparedCommit.all(of: head.uuid, connection) {
      result.findings.add(
        .postgreSQLWaiting, Place("pg_prepared_xacts", commit: waiting.number),
        "The transaction \(waiting.name) waits, and keeps rows locked. Opening the document for writing ends it."
      )
    }
    let database = PostgreSQLDatabase(connection, path: path)
    for commit in try database.openableCommits().dropLast() {
      do {
        _ = try database.rowsBefore([commit.number], contents.schema)
      } catch let error as StoreError {
        result.findings.add(
          .postgreSQLBefore, Place("quire_before", commit: commit.number), error.message)
      }
    }
  }

  // MARK: - Rows

  private mutating func check(
    _ family: TableMap.Family, _ contents: StoreContents, _ head: StoreHead
  ) throws {
    let table = family.table
    try checkRows(table, family.number, head)
    let numbers = contents.map.entities.values.filter { $0.table == table }.map(\.number).sorted()
    try report(
      .postgreSQLEntities, table, "entity",
      "entity NOT IN (\(numbers.map(String.init).joined(separator: ", ")))",
      "The row is of an entity that the table's family does not have.")
    for column in family.columns {
      let name = "t.\(quoted(column.name))"
      switch column.column.kind {
      case .string, .uri:
        // Without the pairs that are valid, no such character is left.
        try report(
          .postgreSQLTexts, table, column.name,
          "strpos(replace(replace(\(name), chr(1) || chr(1), ''), chr(1) || chr(2), ''), chr(1)) > 0",
          "The text contains U+0001 before another character.")
      case .reference:
        guard let entity = column.entityColumn, let destination = column.destination else {
          continue
        }
        try report(
          .postgreSQLReferences, table, column.name,
          """
          \(name) IS NOT NULL AND (t.\(quoted(entity)) IS NULL OR EXISTS (SELECT 1 FROM \
          \(quoted(destination.table)) d WHERE d.id = \(name) AND d.entity <> t.\(quoted(entity))))
          """, "The column beside the reference does not contain the entity of its target.")
      default: break
      }
    }
  }

  /// Checks the keys and versions of a table.
  ///
  /// - Parameter number: The number under which `quire_key` counts the keys.
  private mutating func checkRows(
    _ table: String, _ number: Int64, _ head: StoreHead
  ) throws {
    result.rowCount += Int(try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0)
    try report(
      .postgreSQLKeys, table, "id", "t.id < 1 OR t.id > \(ObjectKey.highestNumber)",
      "The key is not from 1 to \(ObjectKey.highestNumber).")
    try report(
      .postgreSQLVersions, table, "version",
      "t.version < 0 OR t.version > \(head.newest)",
      "The version is not a commit up to the newest, \(head.newest).")
    try report(
      .postgreSQLHighestKeys, table, "id",
      "t.id > coalesce((SELECT last FROM quire_key WHERE number = \(number)), 0)",
      "The key is above the highest key in quire_key.")
  }

  private mutating func report(
    _ rule: Rule, _ table: String, _ column: String, _ condition: String, _ words: String
  ) throws {
    var found: [Int64] = []
    try connection.forEachRow(
      "SELECT t.id FROM \(quoted(table)) t WHERE \(condition) ORDER BY t.id LIMIT \(DatabaseCheck.mostFindings)"
    ) { if let key = $0[0].integer { found.append(key) } }
    for key in found {
      result.findings.add(
        rule, Place(table, entity: "row", object: UInt64(bitPattern: key), property: column), words)
    }
  }
}
