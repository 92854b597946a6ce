package import Foundation

/// A store whose history is a log: it says which objects each transaction changed and which of their properties, but keeps
/// none of the earlier values, so that no earlier state can be opened.
///
/// Core Data keeps such a log in its databases if persistent history tracking is on, as it is in each database of SwiftData.
/// A store that keeps the earlier states themselves is a ``HistoryStore``, and needs no log: a transaction is then the
/// difference between two states.
public protocol ChangeLogStore: Store {
  /// Returns the number of the newest transaction, which may be one that is not kept any more; 0 if there was none.
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

  /// Returns the number of kept transactions with lower numbers.
  ///
  /// - Throws: ``StoreError``.
  package func countTransactions(below end: Int64) throws -> Int {
    var count = 0
    for start in stride(from: 1, to: end, by: Int(Self.pieceCount)) {
      count += try transactions(in: start...min(start + Self.pieceCount, end) - 1, newest: nil)
        .count
    }
    return count
  }

  /// Returns the number of the first kept transaction that was made at or after a time; the number after the newest one if
  /// all were made before. `nil` if none was made before, so that nothing is to be removed.
  ///
  /// - Throws: ``StoreError``.
  package func firstTransaction(notBefore time: Date) throws -> Int64? {
    let newest = try newestTransaction()
    var hasEarlier = false
    for start in stride(from: 1, through: newest, by: Int(Self.pieceCount)) {
      let piece = try transactions(
        in: start...min(start + Self.pieceCount - 1, newest), newest: nil)
      if let found = piece.first(where: { $0.summary.time >= time })?.summary.number {
        return hasEarlier || found != piece[0].summary.number ? found : nil
      }
      hasEarlier = hasEarlier || !piece.isEmpty
    }
    return hasEarlier ? newest + 1 : nil
  }
}
