import Foundation
import SQLiteFiles
import StoreInterface

/// The commits of our own stores, in a table of theirs (spec §10.5.2).
enum CommitTable {
  /// The highest number that is believed: there is room above it for as many commits as anybody makes.
  private static let highest = Int64.max / 2

  /// The number of the newest commit; 0 before the first.
  static func newest(_ connection: SQLiteConnection) throws -> Int64 {
    let number = try connection.integer("SELECT max(NUMBER) FROM QUIRE_COMMIT") ?? 0
    guard number >= 0, number <= highest else {
      throw StoreError(
        .damaged, "QUIRE_COMMIT, column NUMBER, holds \(number), which no commit can have.",
        path: connection.path)
    }
    return number
  }

  /// So many of the newest are kept.
  private static let most: Int64 = 10_000

  /// Notes a commit.
  static func add(
    _ number: Int64, _ request: CommitRequest, _ connection: SQLiteConnection
  ) throws {
    let statement = try connection.prepare(
      "INSERT INTO QUIRE_COMMIT (NUMBER, TIME, AUTHOR, CONTEXTNAME) VALUES (?, ?, ?, ?)")
    try statement.bind([
      .integer(number), .real(Date().timeIntervalSinceReferenceDate),
      request.author.map { .text($0) } ?? .null, request.contextName.map { .text($0) } ?? .null,
    ])
    try statement.run()
    let old = try connection.prepare("DELETE FROM QUIRE_COMMIT WHERE NUMBER <= ?")
    try old.bind(number - most, 0)
    try old.run()
  }
}
