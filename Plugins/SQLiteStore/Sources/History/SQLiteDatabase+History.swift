import Foundation
package import ObjectModel
package import RelationalStore
package import Rows
import SQLTranslation
import SQLiteFiles
package import StoreInterface

// The table of commits (spec §10.5.2), and the table of the rows and metadata before each (spec §10.5.7), in Quire's
// own stores.
extension SQLiteDatabase: StatementDatabase {
  package static let objectColumns = (key: TableMap.Column.key, entity: TableMap.Column.entity)
  package static let commitColumns = (contextName: "contextname", message: "NULL")
  package static let before = (table: "QUIRE_BEFORE", commit: "number", order: "rowid")
  package static let isListed = "= $1"

  package func forEachRow(
    _ text: String, _ numbers: StatementNumbers, _ kinds: [ColumnKind],
    _ body: ([Value]) throws -> Void
  ) throws {
    let statement = try connection.prepare(text)
    defer { statement.reset() }
    let runs =
      switch numbers {
      case .parameters(let all): [all]
      case .list(let list): list.map { [$0] }
      }
    for numbers in runs {
      statement.reset()
      try statement.bind(numbers.map { .integer($0) })
      while try statement.step() {
        try body(
          kinds.enumerated().map { index, kind in
            (try? SQLCell.value(statement, index, statement.kind(index), kind)) ?? .null
          })
      }
    }
  }

  package func writeRowsBefore(
    _ before: RowsBefore, of number: Int64, upTo limit: Int64
  ) throws -> Int64? {
    let byteCount = Int64(before.byteCount)
    guard byteCount <= min(limit, Int64(SQLiteConnection.maximumValueByteCount)) else { return nil }
    let statement = try connection.prepare(
      "INSERT INTO QUIRE_BEFORE (NUMBER, KIND, BYTES) VALUES (?, ?, ?)")
    try statement.bind(number, 0)
    try statement.bind(RowsBefore.Kind.block, 1)
    for block in before.blocks {
      let bytes = try block.bytes()
      try statement.bindBlob(bytes.bytes, 2)
      try statement.run()
    }
    if let list = before.list {
      try statement.bind(RowsBefore.Kind.metadata, 1)
      try statement.bind(.blob(list), 2)
      try statement.run()
    }
    return byteCount
  }

  /// The number of commits that the table keeps.
  private static let mostCommits: Int64 = 10_000

  /// Records a commit, and removes the oldest commits above the limit.
  ///
  /// - Parameter kept: The number of bytes of history of the commit; `nil` if no history is kept.
  func addCommit(
    _ number: Int64, author: String?, contextName: String?, kept: Int64?
  ) throws {
    try connection.run(
      "INSERT INTO QUIRE_COMMIT (NUMBER, TIME, AUTHOR, CONTEXTNAME, KEPT) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(number), .real(Date().timeIntervalSinceReferenceDate),
        author.map { .text($0) } ?? .null, contextName.map { .text($0) } ?? .null,
        kept.map { .integer($0) } ?? .null,
      ])
    guard number > SQLiteDatabase.mostCommits else { return }
    let last = number - SQLiteDatabase.mostCommits
    try forget(through: last)
    try connection.run("DELETE FROM QUIRE_COMMIT WHERE NUMBER <= ?", [.integer(last)])
  }

  /// Drops the history of the oldest commits, until the rest takes at most the given number of bytes.
  func forgetOldest(keeping byteCount: Int64) throws {
    var left = try connection.integer("SELECT sum(KEPT) FROM QUIRE_COMMIT") ?? 0
    guard left > byteCount else { return }
    let statement = try connection.prepare(
      "SELECT NUMBER, KEPT FROM QUIRE_COMMIT WHERE KEPT IS NOT NULL ORDER BY NUMBER")
    var last: Int64 = 0
    while left > byteCount, try statement.step() {
      left &-= statement.integer(1)
      last = statement.integer(0)
    }
    statement.reset()
    try forget(through: last)
  }

  package func forget(through number: Int64) throws {
    // The history of most of these commits is gone already, so skip their rows.
    try connection.run(
      "UPDATE QUIRE_COMMIT SET KEPT = NULL WHERE NUMBER <= ? AND KEPT IS NOT NULL",
      [.integer(number)])
    try connection.run("DELETE FROM QUIRE_BEFORE WHERE NUMBER <= ?", [.integer(number)])
  }
}

extension SQLiteConnection {
  /// Returns the number of the newest commit; 0 before the first.
  func newestCommit() throws -> Int64 {
    let number = try integer("SELECT max(NUMBER) FROM QUIRE_COMMIT") ?? 0
    // The highest valid number leaves room above it for all further commits.
    guard number >= 0, number <= Int64.max / 2 else {
      throw StoreError(
        .damaged,
        "QUIRE_COMMIT, column NUMBER, contains \(number), which is not a number of a commit.",
        path: path)
    }
    return number
  }
}
