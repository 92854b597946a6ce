// SAFETY: The structures, texts and nodes of the plug-in are copied before the function that takes them returns.

import CStorePlugin
import Foundation
import ObjectModel
import PluginExchange
import Rows
import StoreInterface

extension PluginStore: ChangeLogStore {
  /// Returns whether the plug-in has a log of changes for an open store.
  static func keepsLog(_ handle: StoreHandle) -> Bool {
    (try? newestTransaction(handle, in: 0...0, newest: 0) { _ in }) != nil
  }

  func newestTransaction() throws -> Int64 {
    try PluginStore.newestTransaction(handle, in: 0...0, newest: 0) { _ in }
  }

  func transactions(
    in numbers: ClosedRange<Int64>, newest count: Int?
  ) throws -> [LoggedTransaction] {
    var found: [LoggedTransaction] = []
    _ = try PluginStore.newestTransaction(handle, in: numbers, newest: count) {
      found.append($0)
    }
    return found
  }

  /// Calls `body` with the transactions of a selection, and returns the number of the newest transaction.
  private static func newestTransaction(
    _ handle: StoreHandle, in numbers: ClosedRange<Int64>, newest count: Int?,
    _ body: @escaping (LoggedTransaction) -> Void
  ) throws -> Int64 {
    try handle.checkOpen()
    let sink = unsafe Sink { transaction, _ in
      let one = unsafe try handle.functions.checking(at: handle.path) {
        unsafe try PluginStructures.copy(
          of: transaction.assumingMemoryBound(to: QuireTransaction.self))
      }
      func text(_ start: UnsafePointer<CChar>?) -> String? {
        unsafe start.map { unsafe String(cString: $0) }
      }
      body(
        LoggedTransaction(
          CommitSummary(
            number: unsafe one.number,
            time: Date(timeIntervalSinceReferenceDate: unsafe one.time),
            author: unsafe text(one.author), contextName: unsafe text(one.context_name)),
          bundleID: unsafe text(one.bundle_id), processName: unsafe text(one.process_name)))
    }
    var newest: Int64 = 0
    unsafe try handle.reading("logged_transactions", sink) { table, error in
      unsafe table.logged_transactions?(
        handle.store, numbers.lowerBound, numbers.upperBound, count.map { UInt64($0) } ?? .max,
        &newest,
        { context, one in unsafe Sink.take(context, UnsafeRawPointer(one)) }, sink.context, error)
    }
    return newest
  }

  func changes(ofTransactions numbers: ClosedRange<Int64>) throws -> [Int64: [LoggedChange]] {
    try handle.checkOpen()
    var found: [Int64: [LoggedChange]] = [:]
    let sink = unsafe Sink { [handle] change, _ in
      let (transaction, one) = try handle.functions.checking(at: handle.path) {
        let one = unsafe try PluginStructures.copy(
          of: change.assumingMemoryBound(to: QuireLoggedChange.self))
        return unsafe (one.transaction, try LoggedChange(one))
      }
      found[transaction, default: []].append(one)
    }
    unsafe try handle.reading("logged_changes", sink) { table, error in
      unsafe table.logged_changes?(
        handle.store, numbers.lowerBound, numbers.upperBound,
        { context, one in unsafe Sink.take(context, UnsafeRawPointer(one)) }, sink.context, error)
    }
    return found
  }

  func forgetTransactions(before number: Int64) throws {
    try handle.checkOpen()
    unsafe try handle.writing("forget_logged") { table, error in
      unsafe table.forget_logged?(handle.store, number, error)
    }
  }
}

extension LoggedChange {
  /// Creates the change that a plug-in describes.
  @unsafe fileprivate init(_ change: QuireLoggedChange) throws {
    func broken(_ words: String) -> StoreError {
      StoreError(.badPlugin, "A change in the log \(words).")
    }
    let count = Int(clamping: unsafe change.property_count)
    var names: [String] = []
    if count > 0 {
      guard count <= Int(UInt16.max) else { throw broken("names \(count) properties") }
      guard let list = unsafe change.properties else { throw broken("has no names of properties") }
      for index in 0..<count {
        guard let name = unsafe list[index] else { throw broken("has a property without a name") }
        names.append(unsafe String(cString: name))
      }
    }
    let object = ObjectKey(entity: unsafe change.entity, number: unsafe change.key)
    switch unsafe Int(change.kind) {
    case Int(QUIRE_INSERTED): self.init(.insert, object)
    case Int(QUIRE_UPDATED): self.init(.update, object, properties: names)
    case Int(QUIRE_DELETED):
      let nodes = unsafe UnsafeBufferPointer(start: change.values, count: count)
      guard unsafe count == 0 || change.values != nil,
        let values = unsafe PredicateTree.values(nodes)
      else { throw broken("has a property without a value") }
      self.init(
        .delete, object,
        tombstone: Dictionary(zip(names, values), uniquingKeysWith: { one, _ in one }))
    default: throw broken("has the unknown kind \(unsafe change.kind)")
    }
  }
}
