package import Rows
package import StoreInterface

/// A database in a transaction that writes. Its store keeps the rows before each commit as the history, so that earlier
/// commits can be opened.
package protocol WritableDatabase: Database {
  /// Returns the commits that can be opened, newest first. The last of them is the newest commit without history.
  func openableCommits() throws -> [CommitSummary]

  /// Returns the numbers of all commits in the table of commits.
  func commitNumbers() throws -> [Int64]

  /// Writes the rows and metadata before a commit.
  ///
  /// - Returns: The number of bytes written; `nil` if they exceed the limit, and nothing was written.
  func writeRowsBefore(_ before: RowsBefore, of commit: Int64, upTo limit: Int64) throws -> Int64?

  /// Deletes the rows and metadata before some commits.
  func deleteRowsBefore(_ commits: [Int64]) throws

  /// Sets the number of bytes of history of a commit.
  func setHistory(of commit: Int64, byteCount: Int64) throws

  /// Drops the history of a commit and of all earlier commits.
  func forget(through commit: Int64) throws

  /// Removes commits from the table of commits.
  func deleteCommits(_ numbers: [Int64]) throws
}

extension WritableDatabase {
  /// Writes the rows before a commit as far as there is room for them. Without them, earlier commits can't be opened, so
  /// their history goes too.
  ///
  /// - Returns: The number of bytes of history of the commit; `nil` if none is kept.
  package func keepRows(
    _ before: RowsBefore?, of commit: Int64, upTo room: Int64
  ) throws -> Int64? {
    let kept = try before.flatMap { try writeRowsBefore($0, of: commit, upTo: room) }
    if kept == nil { try forget(through: commit) }
    return kept
  }

  /// Removes the commits for which `isKept` returns `false`, and the history that only they need. The newest commit
  /// stays.
  package func removeCommits(_ schema: Schema, except isKept: (Int64) -> Bool) throws {
    let openable = try openableCommits().map(\.number)
    guard let newest = openable.first else { return }
    try mergeHistory(openable, isKept, schema)
    try deleteCommits(commitNumbers().filter { $0 < newest && !isKept($0) })
  }

  /// Merges the history of each kept commit with that of the discarded commits before it.
  ///
  /// - Parameter numbers: The commits that can be opened, newest first.
  private func mergeHistory(
    _ numbers: [Int64], _ isKept: (Int64) -> Bool, _ schema: Schema
  ) throws {
    guard var newer = numbers.first else { return }
    let oldest = numbers.dropFirst().last(where: isKept) ?? newer
    var passed: [Int64] = []
    var before: RowsBefore?
    for (number, older) in zip(numbers, numbers.dropFirst()) where older >= oldest {
      passed.append(number)
      guard let one = try rowsBefore([number], schema)[number] else { continue }
      before = try before?.merged(with: one, schema) ?? one
      guard isKept(older) else { continue }
      if passed.count > 1, let before {
        try deleteRowsBefore(passed)
        guard let kept = try writeRowsBefore(before, of: newer, upTo: .max) else {
          // The database has no room for values of this size.
          return try forget(through: newer)
        }
        try setHistory(of: newer, byteCount: kept)
      }
      (newer, passed, before) = (older, [], nil)
    }
    try forget(through: newer)
  }
}
