// SAFETY: The texts and nodes of a change are lent for the length of the call that takes the change. A list of names has
// one pointer for each name, and is never read beyond their number, which may be 0.

import CStorePlugin
import Foundation
import ObjectModel
import PluginExchange
import StoreInterface

extension QuirePlugin {
  @unsafe mutating func addChangeLog() {
    unsafe logged_transactions = { store, first, last, count, newest, take, context, error in
      unsafe answering(error) {
        let (log, _) = try unsafe ExportedStore.of(store).changeLog
        let found =
          first > last ? [] : try log.transactions(in: first...last, newest: Int(exactly: count))
        let number = try log.newestTransaction()
        for one in found {
          let answer = unsafe withTransaction(one) { unsafe take?(context, $0) ?? 0 }
          try PluginRefusalCode.check(answer)
        }
        unsafe newest?.pointee = number
      }
    }
    unsafe logged_changes = { store, first, last, take, context, error in
      unsafe answering(error) {
        let (log, tag) = try unsafe ExportedStore.of(store).changeLog
        guard first <= last else { return }
        let found = try log.changes(ofTransactions: first...last)
        for (number, changes) in found.sorted(by: { $0.key < $1.key }) {
          for change in changes {
            let answer = unsafe withChange(change, of: number, tag) {
              unsafe take?(context, $0) ?? 0
            }
            try PluginRefusalCode.check(answer)
          }
        }
      }
    }
    unsafe forget_logged = { store, before, error in
      unsafe answering(error) {
        try unsafe ExportedStore.of(store).changeLog.log.forgetTransactions(before: before)
      }
    }
  }
}

extension ExportedStore {
  fileprivate var changeLog: (log: any ChangeLogStore, tag: StoreTag) {
    get throws {
      guard let log = store.features.changeLog else {
        throw StoreError(.notSupported, "The store has no log of changes.", path: path)
      }
      return (log, store.tag)
    }
  }
}

/// Calls `body` with a transaction in the form of the interface.
@unsafe private func withTransaction<R>(
  _ one: LoggedTransaction, _ body: (UnsafePointer<QuireTransaction>) throws -> R
) rethrows -> R {
  let summary = one.summary
  return unsafe try withText(summary.author) { author in
    unsafe try withText(summary.contextName) { context in
      unsafe try withText(one.bundleID) { bundle in
        unsafe try withText(one.processName) { process in
          var transaction = unsafe QuireTransaction(
            struct_size: UInt32(MemoryLayout<QuireTransaction>.size), number: summary.number,
            time: summary.time.timeIntervalSinceReferenceDate, author: author,
            context_name: context, bundle_id: bundle, process_name: process)
          return unsafe try body(&transaction)
        }
      }
    }
  }
}

/// Calls `body` with a change in the form of the interface.
@unsafe private func withChange<R>(
  _ change: LoggedChange, of transaction: Int64, _ tag: StoreTag,
  _ body: (UnsafePointer<QuireLoggedChange>) throws -> R
) rethrows -> R {
  let kept = change.tombstone.sorted { $0.key < $1.key }
  let isDeletion = change.kind == .delete
  let names = unsafe (isDeletion ? kept.map(\.key) : change.properties).map {
    unsafe UnsafePointer(allocatedText($0))
  }
  defer { for index in unsafe names.indices { unsafe names[index].deallocate() } }
  let kind: Int =
    switch change.kind {
    case .insert: Int(QUIRE_INSERTED)
    case .update: Int(QUIRE_UPDATED)
    case .delete: Int(QUIRE_DELETED)
    }
  let lent: [UnsafePointer<CChar>?] = unsafe names
  return unsafe try lent.withUnsafeBufferPointer { names in
    try unsafe PredicateTree(kept.map(\.value), store: tag).withNodes { values in
      var logged = unsafe QuireLoggedChange(
        struct_size: UInt32(MemoryLayout<QuireLoggedChange>.size), entity: change.object.entity,
        kind: UInt16(kind), key: change.object.number, transaction: transaction,
        properties: names.baseAddress, property_count: UInt64(names.count),
        values: isDeletion ? values.baseAddress : nil)
      return unsafe try body(&logged)
    }
  }
}
