package import Foundation

/// A store whose history is a log. The log lists the objects that each transaction changed, and the names of the changed
/// properties. It does not contain the earlier values, so earlier states can't be opened.
///
/// Core Data keeps such a log in its databases if persistent history tracking is on, as it is in each database of SwiftData.
/// A store that keeps the earlier states themselves is a ``HistoryStore``, and needs no log: a transaction is then the
/// difference between two states.
public protocol ChangeLogStore: Store {
  /// Returns the number of the newest transaction, which may have been removed since; 0 if the log has never had one.
  ///
  /// - Throws: ``StoreError``.
  func newestTransaction() throws -> Int64

  /// Returns the kept transactions in a range of numbers, the oldest first.
  ///
  /// - Parameter count: The most transactions to return: the newest. `nil` for no limit.
  /// - Throws: ``StoreError``.
  func transactions(
    in numbers: ClosedRange<Int64>, newest count: Int?
  ) throws -> [LoggedTransaction]

  /// Returns the changes of the transactions in a range of numbers, by the number of their transaction.
  ///
  /// - Throws: ``StoreError``.
  func changes(ofTransactions numbers: ClosedRange<Int64>) throws -> [Int64: [LoggedChange]]

  /// Removes the transactions with lower numbers. The objects stay as they are.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  func forgetTransactions(before number: Int64) throws
}

extension ChangeLogStore {
  /// The number of transactions that a search by time reads at once.
  private static var pieceCount: Int64 { 10_000 }

  /// Counts the kept transactions from the oldest to the first that was made at or after a time.
  ///
  /// - Returns: The number of the first transaction that stays if the counted transactions are removed, and their count.
  /// - Throws: ``StoreError``.
  package func transactions(before time: Date) throws -> (end: Int64, count: Int) {
    let newest = try newestTransaction()
    var count = 0
    for start in stride(from: 1, through: newest, by: Int(Self.pieceCount)) {
      let piece = start...min(start + Self.pieceCount - 1, newest)
      for one in try transactions(in: piece, newest: nil) {
        if one.summary.time >= time { return (one.summary.number, count) }
        count += 1
      }
    }
    return (newest + 1, count)
  }
}
