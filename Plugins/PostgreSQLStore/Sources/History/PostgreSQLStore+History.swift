import Foundation
import ObjectModel
import PostgreSQLConnection
import RelationalStore
import Rows
public import StoreInterface

extension PostgreSQLStore {
  /// Returns the commits that can be opened, newest first, as far as ``PostgreSQLStoreOptions/historyShare`` leaves room
  /// for their history.
  public func commits() throws -> [CommitSummary] {
    let found = try withIdleConnection {
      try PostgreSQLDatabase($0, path: filePath).openableCommits()
    }
    guard isPartOfDocument else { return found }
    let counting = try knownSnapshot().commit
    return found.filter { $0.number <= counting }
  }

  /// Drops the history that only discarded commits need.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try transaction { transaction in
      try transaction.database.removeCommits(transaction.contents.schema, except: isKept)
      try BeforeTable.countKept(transaction.connection)
      try transaction.connection.execute("COMMIT")
      return {}
    }
  }

  /// Returns the number of bytes that the history may use beside tables of some size.
  func historyRoom(_ byteCount: Int64) -> Int64 {
    max(Int64(options.leastHistoryByteCount), Int64(Double(byteCount) * options.historyShare))
  }

  /// Returns the size of all tables of the store, with their indexes.
  static func byteCount(_ connection: PostgreSQLConnection) throws -> Int64 {
    let rows = try connection.texts(
      """
      SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class c \
      WHERE c.relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = 'quire_store'::regclass) \
      AND c.relkind = 'r'
      """)
    return rows.first?.first.flatMap { $0.flatMap { Int64($0) } } ?? 0
  }
}
