public import Foundation
import ObjectModel
import StoreInterface

// The history of stores, like Core Data's `NSPersistentHistoryTracking`. Most stores write no separate log: a transaction is
// the difference between two commits. A database of Core Data has a log, and no commits.
extension PersistentStoreCoordinator {
  /// Returns the transactions that a request selects. Transactions of one store keep their order; several stores are
  /// merged by time.
  ///
  /// Stores that keep neither earlier commits nor a log have no transactions. The cost depends on the size of the selected commits.
  /// Commits that the request does not select are skipped by their summaries alone.
  ///
  /// - Throws: ``ContextError`` with the code ``ContextError/Code/historyExpired`` if the store no longer keeps the
  ///   commit of the token. The same code if the token is newer than the store, because an older copy has replaced the
  ///   store, or if the token names none of the coordinator's stores. The error of a damaged store.
  public func history(
    _ request: HistoryRequest = HistoryRequest()
  ) throws -> [HistoryTransaction] {
    if let token = request.after { try refuse(foreign: token) }
    return try transactions(request)
  }

  /// Throws if a token names stores, and none of them is a store of the coordinator.
  func refuse(foreign token: HistoryToken) throws {
    guard !token.commits.isEmpty, !stores.contains(where: { token.commits[$0.uuid] != nil }) else {
      return
    }
    let names = token.commits.keys.map(\.uuidString).sorted().joined(separator: ", ")
    let known = stores.map { "\($0.uuid.uuidString)\(at($0.path))" }.joined(separator: ", ")
    throw ContextError(
      .historyExpired,
      """
      The history token is a place in the stores \(names), which this coordinator does not have. It has: \
      \(known.isEmpty ? "none" : known). Read the current state, and continue from there.
      """)
  }

  /// Returns the transactions that a request selects, also if its token names none of the stores.
  func transactions(_ request: HistoryRequest) throws -> [HistoryTransaction] {
    var transactions: [(time: Date, transaction: HistoryTransaction)] = []
    for store in stores where request.stores?.contains(store.uuid) ?? true {
      var latest = Date.distantPast
      for transaction in try store.history(request, in: model) {
        // A clock may be set back; the order of a store's commits stays.
        latest = max(latest, transaction.time)
        transactions.append((latest, transaction))
      }
    }
    return transactions.enumerated().sorted { left, right in
      (left.element.time, left.offset) < (right.element.time, right.offset)
    }.map(\.element.transaction)
  }

  /// The place at the end of the history as it is now.
  ///
  /// - Throws: `StoreError`.
  public var historyToken: HistoryToken {
    get throws {
      var token = HistoryToken()
      for store in stores {
        if let log = store.features.changeLog {
          token.commits[store.uuid] = try log.newestTransaction()
        } else if store.features.history != nil {
          token.commits[store.uuid] = try store.store.snapshot().commit
        }
      }
      return token
    }
  }

  /// Removes the history before a place. Later transactions can still be requested with the given token or a later one.
  /// Stores that were added as read-only are not changed.
  ///
  /// - Throws: `StoreError`. Stores that were processed before the error have removed their history. ``ContextError`` if
  ///   the token names none of the coordinator's stores.
  public func forgetHistory(before token: HistoryToken) throws {
    try refuse(foreign: token)
    for store in stores where !store.isReadOnly {
      if let number = token.commits[store.uuid] {
        try store.features.history?.forgetCommits(before: number)
        try store.features.changeLog?.forgetTransactions(before: number)
      }
    }
  }

  /// Removes the history before a time. Stores that were added as read-only are not changed.
  ///
  /// A transaction made at or after the time is kept with all later transactions. A later transaction may have an
  /// earlier time if a clock was set back.
  ///
  /// - Throws: `StoreError`. Stores that were processed before the error have removed their history.
  public func forgetHistory(before time: Date) throws {
    for store in stores where !store.isReadOnly { try store.forgetHistory(before: time) }
  }
}
