// SAFETY: Handles come from the table's functions and go back to its release functions, once, when nobody here refers
// to them any more. A snapshot's keeps the store's.

import CStorePlugin
import DurableFiles
import Foundation
import PluginExchange
import StoreInterface
import Synchronization

/// A store in a plug-in's hands.
@safe
final class StoreHandle: @unchecked Sendable {
  // Sendable: calls come one at a time where the plug-in asks for it.
  let functions: PluginFunctions
  let services: HostServices
  let path: String?
  let store: OpaquePointer
  private let turn = NSRecursiveLock()
  private let isClosed = Mutex(false)
  /// A library within the plug-in may lock the file by itself.
  private let file: LockedFile?

  var table: QuirePlugin { unsafe functions.table.pointee }

  @unsafe init(
    _ store: OpaquePointer, _ functions: PluginFunctions, _ services: HostServices, path: String?
  ) {
    unsafe self.store = store
    self.functions = functions
    self.services = services
    self.path = path
    file = path.map { LockedFile($0) }
  }

  deinit {
    if !isClosed.withLock({ $0 }) { _ = unsafe table.close?(store, nil) }
    unsafe table.release_store?(store)
  }

  func close() throws {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    if wasClosed { return }
    unsafe try writing { table, error in unsafe table.close(store, error) }
  }

  func checkOpen() throws {
    if isClosed.withLock({ $0 }) { throw closed }
  }

  var closed: StoreError { StoreError(.closed, "The store was closed.", path: path) }

  /// Calls a function that reads.
  func reading(
    _ sink: Sink? = nil,
    _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    if functions.isThreaded { return unsafe try call(sink, body) }
    unsafe try writing(sink, body)
  }

  /// Calls a function that writes: one at a time. What a plug-in calls back for may call others meanwhile.
  func writing(
    _ sink: Sink? = nil,
    _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    turn.lock()
    defer { turn.unlock() }
    unsafe try call(sink, body)
  }

  /// Calls a function that reads and can't fail.
  func inTurn<R>(_ body: (QuirePlugin) -> R) -> R {
    if functions.isThreaded { return unsafe body(table) }
    turn.lock()
    defer { turn.unlock() }
    return unsafe body(table)
  }

  private func call(
    _ sink: Sink?, _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    var error = unsafe QuireError()
    guard let code = unsafe try body(table, &error) else {
      throw StoreError(
        .notSupported, "The plug-in \"\(functions.name)\" does not do that.", path: path)
    }
    // What went wrong on this side while the plug-in called back is why it failed.
    if let failure = sink?.failure {
      if let release = unsafe error.release { unsafe release(&error) }
      throw failure
    }
    if code != Int32(QUIRE_OK) { throw unsafe StoreError(code, taking: &error, path: path) }
  }
}

/// A snapshot in a plug-in's hands.
@safe
final class SnapshotHandle: @unchecked Sendable {
  // Sendable: as its store is.
  let store: StoreHandle
  let snapshot: OpaquePointer

  @unsafe init(_ snapshot: OpaquePointer, of store: StoreHandle) {
    unsafe self.snapshot = snapshot
    self.store = store
  }

  // Whoever gives up the last reference does so on any thread, at any time.
  deinit { unsafe store.inTurn { table in unsafe table.release_snapshot?(snapshot) } }

  var commit: Int64 {
    unsafe store.inTurn { table in unsafe table.commit_of?(snapshot) ?? 0 }
  }

  /// The model, the schema or the metadata.
  func bytes(of what: Int) throws -> [UInt8] {
    var bytes = unsafe QuireBytes.none
    unsafe try store.reading { table, error in
      unsafe table.describe?(snapshot, Int32(what), &bytes, error)
    }
    guard let found = unsafe bytes.taken() else {
      throw store.functions.failure(
        "gives no \(["model", "schema", "metadata"][what]), and says that it does.", at: store.path)
    }
    return found
  }
}

/// What takes the things that a plug-in calls back with, one by one.
@safe
final class Sink {
  private let body: (UnsafeRawPointer, UnsafeMutableRawPointer?) throws -> Void
  /// What went wrong in taking one of them.
  private(set) var failure: (any Error)?

  init(_ body: @escaping (UnsafeRawPointer, UnsafeMutableRawPointer?) throws -> Void) {
    unsafe self.body = unsafe body
  }

  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Takes one thing.
  @unsafe static func take(
    _ context: UnsafeMutableRawPointer?, _ thing: UnsafeRawPointer?,
    _ other: UnsafeMutableRawPointer? = nil
  ) -> Int32 {
    guard let context = unsafe context, let thing = unsafe thing else { return Int32(QUIRE_FAILED) }
    let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
    guard sink.failure == nil else { return Int32(QUIRE_CANCELLED) }
    do { try unsafe sink.body(thing, other) } catch {
      sink.failure = error
      return StoreError(error, path: nil).code.pluginCode
    }
    return Int32(QUIRE_OK)
  }
}
