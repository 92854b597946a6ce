import Foundation
import ObjectModel
import RelationalStore
import Rows
import SQLTranslation
import SQLiteFiles
import StoreInterface

/// The history of Core Data in a database, for reading and for removing old transactions (spec §10.10).
struct ChangeLog {
  let connection: SQLiteConnection
  let tables: ChangeLogTables
  let contents: StoreContents

  private func damaged(_ words: String) -> StoreError {
    StoreError(.damaged, words, path: connection.path)
  }

  /// Returns the number of the newest transaction, which may have been removed.
  func newest() throws -> Int64 {
    try connection.lastKey(
      of: ChangeLogTables.transactionNumber.0, in: ChangeLogTables.transactions)
  }

  // MARK: - Transactions

  /// Returns the transactions in a range, the oldest first; only the newest of them if `count` is given.
  func transactions(
    in numbers: ClosedRange<Int64>, newest count: Int?
  ) throws -> [LoggedTransaction] {
    let texts = ChangeLogTables.textColumns.map { column in
      tables.internsTexts
        ? "COALESCE((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(column)TS), t.\(column))"
        : "t.\(column)"
    }
    let statement = try connection.prepare(
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION t WHERE t.Z_PK BETWEEN ? AND ? ORDER BY t.Z_PK DESC LIMIT ?"
    )
    defer { statement.reset() }
    try statement.bind(
      [
        .integer(numbers.lowerBound), .integer(numbers.upperBound),
        .integer(count.map { Int64($0) } ?? -1),
      ])
    var found: [LoggedTransaction] = []
    while try statement.step() {
      let number = statement.integer(0)
      guard statement.kind(1) == .real || statement.kind(1) == .integer else {
        throw damaged(
          "ATRANSACTION, row \(number): ZTIMESTAMP contains \(statement.value(1).words), which is not a time."
        )
      }
      found.append(
        LoggedTransaction(
          CommitSummary(
            number: number, time: Date(timeIntervalSinceReferenceDate: statement.real(1)),
            author: statement.text(2), contextName: statement.text(4)),
          bundleID: statement.text(3), processName: statement.text(5)))
    }
    return found.reversed()
  }

  // MARK: - Changes

  /// Returns the changes of the transactions in a range, by the number of their transaction.
  func changes(ofTransactions numbers: ClosedRange<Int64>) throws -> [Int64: [LoggedChange]] {
    let cells =
      ["ZTRANSACTIONID", "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]
      + tables.tombstones
    let statement = try connection.prepare(
      "SELECT \(cells.joined(separator: ", ")) FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN ? AND ? ORDER BY ZTRANSACTIONID, Z_PK"
    )
    defer { statement.reset() }
    try statement.bind([.integer(numbers.lowerBound), .integer(numbers.upperBound)])
    var entities: [Int64: LoggedEntity] = [:]
    var found: [Int64: [LoggedChange]] = [:]
    while try statement.step() {
      let number = statement.integer(3)
      guard let entity = try entities[number] ?? entity(number) else {
        throw damaged(
          "ACHANGE, row \(statement.integer(1)): ZENTITY is \(statement.value(3).words), but no entity has this number."
        )
      }
      entities[number] = entity
      found[statement.integer(0), default: []].append(try change(statement, of: entity))
    }
    return found
  }

  private func entity(_ number: Int64) throws -> LoggedEntity? {
    guard let layout = contents.map.layoutNumbers[number].flatMap({ contents.schema[$0] }) else {
      return nil
    }
    return LoggedEntity(layout, in: contents.model)
  }

  private func change(
    _ statement: SQLiteStatement, of entity: LoggedEntity
  ) throws -> LoggedChange {
    func fault(_ words: String) -> StoreError {
      damaged("ACHANGE, row \(statement.integer(1)): \(words).")
    }
    guard statement.kind(4) == .integer, statement.integer(4) >= 1,
      statement.integer(4) <= Int64(ObjectKey.highestNumber)
    else { throw fault("ZENTITYPK contains \(statement.value(4).words), which is not a key") }
    let key = ObjectKey(
      entity: entity.layout.entityNumber, number: UInt64(statement.integer(4)))
    switch (statement.kind(2), statement.integer(2)) {
    case (.integer, ChangeLogTables.Kind.insert): return LoggedChange(.insert, key)
    case (.integer, ChangeLogTables.Kind.update):
      return LoggedChange(.update, key, properties: entity.properties(statement.bytes(5)))
    case (.integer, ChangeLogTables.Kind.delete):
      var change = LoggedChange(.delete, key)
      for (column, place) in zip(entity.preserved, 6..<6 + tables.tombstones.count)
      where statement.kind(place) != .null {
        do {
          change.tombstone[column.name] = try SQLCell.value(
            statement, place, .column(column.kind), contents.map)
        } catch {
          throw fault(
            "\(tables.tombstones[place - 6]) contains \(statement.value(place).words), which is not a value of '\(column.name)'"
          )
        }
      }
      return change
    default: throw fault("ZCHANGETYPE contains \(statement.value(2).words)")
    }
  }

  // MARK: - Removing

  /// Removes the transactions with lower numbers, and their changes. The texts stay, and so do the highest numbers.
  func forget(before number: Int64) throws {
    for condition in ["ACHANGE WHERE ZTRANSACTIONID", "ATRANSACTION WHERE Z_PK"] {
      try connection.run("DELETE FROM \(condition) < ?", [.integer(number)])
    }
    try connection.execute("PRAGMA incremental_vacuum")
  }
}
