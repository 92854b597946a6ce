import RelationalStore
import SQLiteFiles
public import StoreInterface

// The history that Core Data keeps in a database. A store of Quire's own keeps earlier commits instead, and no log.
extension SQLiteStore: ChangeLogStore {
  /// Returns the number of the newest transaction in Core Data's history; 0 before the first transaction.
  public func newestTransaction() throws -> Int64 { try reading { try $0.newest() } ?? 0 }

  /// Returns transactions of Core Data's history, the oldest first.
  public func transactions(
    in numbers: ClosedRange<Int64>, newest count: Int?
  ) throws -> [LoggedTransaction] {
    try reading { try $0.transactions(in: numbers, newest: count) } ?? []
  }

  /// Returns the changes of transactions of Core Data's history.
  public func changes(
    ofTransactions numbers: ClosedRange<Int64>
  ) throws -> [Int64: [LoggedChange]] {
    try reading { try $0.changes(ofTransactions: numbers) } ?? [:]
  }

  /// Removes the transactions with lower numbers from Core Data's history.
  ///
  /// - Throws: `StoreError` with the code `StoreError.Code.readOnly` also if the database is mirrored by CloudKit, which
  ///   reads its history.
  public func forgetTransactions(before number: Int64) throws {
    try transaction { transaction in
      let connection = transaction.database.connection
      guard let tables = transaction.log else { return {} }
      let mirrored = try DatabaseTables(connection).columns.keys.filter { $0.hasPrefix("ANSCK") }
      if let table = mirrored.min() {
        throw StoreError(
          .readOnly,
          """
          The history can't be shortened: the database is mirrored by CloudKit (\(table)), which reads its own place in \
          the history from tables that no other program may write.
          """, path: filePath)
      }
      try ChangeLog(connection: connection, tables: tables, contents: transaction.contents)
        .forget(before: number)
      try connection.execute("COMMIT")
      try ignoreOwnWriting()
      return {}
    }
  }

  /// Calls `body` with the history of the newest contents; returns `nil` if the database has no such history.
  private func reading<R>(_ body: (ChangeLog) throws -> R) throws -> R? {
    let head = try newest()
    guard !head.contents.isOwn else { return nil }
    return try reading(head) { database in
      let connection = database.connection
      guard let tables = ChangeLogTables(try DatabaseTables(connection)) else { return nil }
      return try body(ChangeLog(connection: connection, tables: tables, contents: head.contents))
    }
  }
}
