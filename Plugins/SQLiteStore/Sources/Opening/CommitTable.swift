import Foundation
import SQLiteFiles
import StoreInterface

/// The table with the commits of Quire's own stores (spec §10.5.2).
enum CommitTable {
  /// The highest valid number: it leaves room above it for all further commits.
  private static let highest = Int64.max / 2

  /// Returns the number of the newest commit; 0 before the first.
  static func newest(_ connection: SQLiteConnection) throws -> Int64 {
    let number = try connection.integer("SELECT max(NUMBER) FROM QUIRE_COMMIT") ?? 0
    guard number >= 0, number <= highest else {
      throw StoreError(
        .damaged,
        "QUIRE_COMMIT, column NUMBER, contains \(number), which is not a number of a commit.",
        path: connection.path)
    }
    return number
  }

  /// The number of commits that the table keeps.
  private static let most: Int64 = 10_000

  /// Records a commit, and removes the oldest commits above the limit.
  ///
  /// - Parameter kept: The number of bytes of history of the commit; `nil` if no history is kept.
  static func add(
    _ number: Int64, author: String?, contextName: String?, kept: Int64?,
    _ connection: SQLiteConnection
  ) throws {
    let statement = try connection.prepare(
      "INSERT INTO QUIRE_COMMIT (NUMBER, TIME, AUTHOR, CONTEXTNAME, KEPT) VALUES (?, ?, ?, ?, ?)")
    try statement.bind([
      .integer(number), .real(Date().timeIntervalSinceReferenceDate),
      author.map { .text($0) } ?? .null, contextName.map { .text($0) } ?? .null,
      kept.map { .integer($0) } ?? .null,
    ])
    try statement.run()
    guard number > most else { return }
    try forget(through: number - most, connection)
    try connection.delete(from: "QUIRE_COMMIT", where: "NUMBER <= ?", number - most)
  }

  /// Returns the commits that can be opened, newest first. The last of them is the newest commit without history.
  static func openable(_ connection: SQLiteConnection) throws -> [CommitSummary] {
    let statement = try connection.prepare(
      "SELECT NUMBER, TIME, AUTHOR, CONTEXTNAME, KEPT FROM QUIRE_COMMIT ORDER BY NUMBER DESC")
    defer { statement.reset() }
    var found: [CommitSummary] = []
    while try statement.step() {
      found.append(
        CommitSummary(
          number: statement.integer(0),
          time: Date(timeIntervalSinceReferenceDate: statement.real(1)),
          author: statement.text(2), contextName: statement.text(3)))
      if statement.kind(4) != .integer { break }
    }
    return found
  }

  /// Returns the numbers of all commits in the table.
  static func all(_ connection: SQLiteConnection) throws -> [Int64] {
    let statement = try connection.prepare("SELECT NUMBER FROM QUIRE_COMMIT")
    defer { statement.reset() }
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.integer(0)) }
    return numbers
  }

  /// Drops the history of the oldest commits, until the rest takes at most the given number of bytes.
  static func forgetOldest(_ byteCount: Int64, _ connection: SQLiteConnection) throws {
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
    try forget(through: last, connection)
  }

  /// Drops the history of a commit and of all earlier commits.
  static func forget(through number: Int64, _ connection: SQLiteConnection) throws {
    // Most of these commits have no history any more, and their rows need no update.
    try setKept(nil, "NUMBER <= ? AND KEPT IS NOT NULL", number, connection)
    try connection.delete(from: "QUIRE_BEFORE", where: "NUMBER <= ?", number)
  }

  /// Sets the number of bytes of history of the commits that meet a condition.
  static func setKept(
    _ byteCount: Int64?, _ condition: String, _ number: Int64, _ connection: SQLiteConnection
  ) throws {
    let statement = try connection.prepare("UPDATE QUIRE_COMMIT SET KEPT = ? WHERE \(condition)")
    try statement.bind([byteCount.map { .integer($0) } ?? .null, .integer(number)])
    try statement.run()
  }
}

extension SQLiteConnection {
  /// Deletes rows of a table.
  func delete(from table: String, where condition: String, _ number: Int64) throws {
    let statement = try prepare("DELETE FROM \(table) WHERE \(condition)")
    try statement.bind(number, 0)
    try statement.run()
  }
}
