import ObjectModel
import RelationalStore
import Rows
import SQLiteFiles
public import StoreInterface

extension SQLiteStore {
  /// Returns the commits that can be opened, newest first, as far as ``SQLiteStoreOptions/historyShare`` leaves room
  /// for their history. A database of another system does not keep any.
  public func commits() throws -> [CommitSummary] {
    let head = try newest()
    guard head.contents.isOwn else { return [] }
    return try reading(head) { try $0.openableCommits() }
  }

  /// Drops the history that only discarded commits need.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try transaction { transaction in
      guard transaction.contents.isOwn else { return {} }
      let connection = transaction.database.connection
      try addMissingReverseRows(transaction.contents, connection)
      try transaction.database.removeCommits(transaction.contents.schema, except: isKept)
      try connection.execute("PRAGMA incremental_vacuum")
      try commit(connection, anew: true)
      return {}
    }
  }
}
