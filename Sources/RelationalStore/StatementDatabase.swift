package import ObjectModel
package import Rows
package import SQLTranslation
package import StoreInterface

/// A database that runs statements in SQL: for the bounds of keys, for its table of commits (spec §10.5.2, §14.4.6), and
/// for its table of the rows before each (spec §10.5.7, §14.4.7).
///
/// The statements differ only in a few names. Their parameters are numbers, and appear in their order: `$1`, `$2`. They
/// return few rows. Statements that read or write many rows stay in each database.
package protocol StatementDatabase: Database {
  /// The columns with the key and with the entity of an object.
  static var objectColumns: (key: String, entity: String) { get }
  /// The column with the name of a commit's context, and the expression for its message.
  static var commitColumns: (contextName: String, message: String) { get }
  /// The table of the rows before each commit, its column with the commit, and the order of the rows of a commit.
  static var before: (table: String, commit: String, order: String) { get }
  /// The condition that a column equals one of the listed numbers.
  static var isListed: String { get }

  /// Runs a statement, and calls `body` for each row with values of the given kinds; NULL for a cell of another kind.
  func forEachRow(
    _ text: String, _ numbers: StatementNumbers, _ kinds: [ColumnKind],
    _ body: ([Value]) throws -> Void) throws
}

extension StatementDatabase {
  package func keyBounds(of entity: TableMap.EntityMap) throws -> ClosedRange<UInt64>? {
    let (key, entityColumn) = Self.objectColumns
    let rows =
      "\(quoted(entity.table))\(entity.sharesTable ? " WHERE \(entityColumn) = \(entity.number)" : "")"
    var bounds: ClosedRange<UInt64>?
    // Two selections, because SQLite looks up one minimum or maximum, but searches all rows for both.
    try forEachRow(
      "SELECT (SELECT min(\(key)) FROM \(rows)), (SELECT max(\(key)) FROM \(rows))",
      .parameters([]),
      [.int64, .int64]
    ) { cells in
      guard case .integer(let first) = cells[0], case .integer(let last) = cells[1] else { return }
      guard first >= 1, first <= last, last <= Int64(ObjectKey.highestNumber) else {
        throw StoreError(
          .damaged,
          "\(entity.table), column \(key): the keys are from \(first) to \(last), but must be from 1 to \(ObjectKey.highestNumber).",
          path: path)
      }
      bounds = UInt64(first)...UInt64(last)
    }
    return bounds
  }

  /// Returns the commits that can be opened, newest first. The last of them is the newest commit without history.
  package func openableCommits() throws -> [CommitSummary] {
    var found: [CommitSummary] = []
    var hasEnded = false
    let (contextName, message) = Self.commitColumns
    try forEachRow(
      """
      SELECT number, time, author, \(contextName), \(message), kept FROM quire_commit WHERE number >= \
      coalesce((SELECT max(number) FROM quire_commit WHERE kept IS NULL), 0) ORDER BY number DESC
      """, .parameters([]), [.int64, .date, .string, .string, .string, .int64]
    ) { cells in
      guard !hasEnded, case .integer(let number) = cells[0], case .date(let time) = cells[1] else {
        return
      }
      let texts = cells[2...4].map { if case .string(let text) = $0 { text } else { String?.none } }
      found.append(
        CommitSummary(
          number: number, time: time, author: texts[0], contextName: texts[1], message: texts[2]))
      hasEnded = cells[5].isNull
    }
    return found
  }

  package func commitNumbers() throws -> [Int64] {
    var numbers: [Int64] = []
    try forEachRow("SELECT number FROM quire_commit", .parameters([]), [.int64]) {
      if case .integer(let number) = $0[0] { numbers.append(number) }
    }
    return numbers
  }

  package func history(of range: ClosedRange<Int64>) throws -> [Int64]? {
    var numbers: [Int64] = []
    var lacksHistory = false
    try forEachRow(
      "SELECT number, kept FROM quire_commit WHERE number BETWEEN $1 AND $2 ORDER BY number DESC",
      .parameters([range.lowerBound, range.upperBound]), [.int64, .int64]
    ) { cells in
      guard case .integer(let number) = cells[0] else { return }
      numbers.append(number)
      if number > range.lowerBound, cells[1].isNull { lacksHistory = true }
    }
    guard numbers.first == range.upperBound, numbers.last == range.lowerBound, !lacksHistory else {
      return nil
    }
    return numbers
  }

  package func rowsBefore(_ commits: [Int64], _ schema: Schema) throws -> [Int64: RowsBefore] {
    let (table, commit, order) = Self.before
    func fault(_ words: String) -> StoreError {
      StoreError(.damaged, "\(table), \(words).", path: path)
    }
    var stored: [Int64: (blocks: [[UInt8]], list: [UInt8]?)] = [:]
    for number in commits { stored[number] = ([], nil) }
    try forEachRow(
      "SELECT \(commit), kind, bytes FROM \(table) WHERE \(commit) \(Self.isListed) ORDER BY \(order)",
      .list(commits), [.int64, .int64, .binary]
    ) { cells in
      guard case .integer(let number) = cells[0], stored[number] != nil else {
        throw fault("column \(commit), contains a number that was not looked for")
      }
      guard case .binary(let bytes) = cells[2] else {
        throw fault("commit \(number): a row has no bytes")
      }
      if cells[1] == .integer(RowsBefore.Kind.block) {
        stored[number]!.blocks.append(Array(bytes))
      } else {
        stored[number]!.list = Array(bytes)
      }
    }
    var found: [Int64: RowsBefore] = [:]
    for (number, stored) in stored {
      found[number] = try RowsBefore(stored: stored.blocks, list: stored.list, schema) {
        fault("commit \(number): \($0)")
      }
    }
    return found
  }

  package func deleteRowsBefore(_ commits: [Int64]) throws {
    try forEachRow(
      "DELETE FROM \(Self.before.table) WHERE \(Self.before.commit) \(Self.isListed)",
      .list(commits), []
    ) { _ in }
  }

  package func deleteCommits(_ numbers: [Int64]) throws {
    try forEachRow(
      "DELETE FROM quire_commit WHERE number \(Self.isListed)", .list(numbers), []
    ) { _ in }
  }

  package func setHistory(of commit: Int64, byteCount: Int64) throws {
    try forEachRow(
      "UPDATE quire_commit SET kept = $1 WHERE number = $2", .parameters([byteCount, commit]), []
    ) { _ in }
  }
}

extension RowsBefore {
  /// The content of a row in the table of the rows before each commit.
  package enum Kind {
    package static let block: Int64 = 0
    package static let metadata: Int64 = 1
  }
}
