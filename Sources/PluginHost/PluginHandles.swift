// SAFETY: Handles come from the table's functions. Each is passed to its release function once, when no object here
// refers to it any more. The handle of a snapshot keeps that of its store.

import CStorePlugin
import DurableFiles
import Foundation
import PluginExchange
import StoreInterface
import Synchronization
import Tracing

/// A store that a plug-in keeps open.
@safe
final class StoreHandle: @unchecked Sendable {
  // Sendable: calls are made one at a time, unless the plug-in allows several threads.
  let functions: PluginFunctions
  let services: HostServices
  let path: String?
  let store: OpaquePointer
  private let turn = NSRecursiveLock()
  private let isClosed = Mutex(false)
  /// The function for the commits that the plug-in announces. It lives until the plug-in has closed the store.
  let observer = CommitObserver()
  /// The registration of the file as one that a library within the plug-in may lock on its own.
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
    functions.life?.addStore()
  }

  deinit {
    if !isClosed.withLock({ $0 }) { _ = unsafe table.close?(store, nil) }
    unsafe table.release_store?(store)
    functions.life?.removeStore()
  }

  func close() throws {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    if wasClosed { return }
    unsafe try writing("close") { table, error in unsafe table.close(store, error) }
  }

  func checkOpen() throws {
    if isClosed.withLock({ $0 }) { throw closed }
  }

  var closed: StoreError { StoreError(.closed, "The store was closed.", path: path) }

  /// Calls a function that reads. `name` is its name in the table.
  func reading(
    _ name: StaticString, _ sink: Sink? = nil,
    _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    if functions.isThreaded { return unsafe try call(name, sink, body) }
    unsafe try writing(name, sink, body)
  }

  /// Calls a function that writes, one at a time. A callback of the plug-in may make further calls meanwhile.
  func writing(
    _ name: StaticString, _ sink: Sink? = nil,
    _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    turn.lock()
    defer { turn.unlock() }
    unsafe try call(name, sink, body)
  }

  /// Calls a function that reads and can't fail.
  func inTurn<R>(_ body: (QuirePlugin) -> R) -> R {
    if functions.isThreaded { return unsafe body(table) }
    turn.lock()
    defer { turn.unlock() }
    return unsafe body(table)
  }

  private func call(
    _ name: StaticString, _ sink: Sink?,
    _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    services.services.trace?("\(name)")
    try Trace.measure(.plugin, at: path, "\(functions.name): \(name)") {
      unsafe try measuredCall(name, sink, body)
    }
  }

  private func measuredCall(
    _ name: StaticString, _ sink: Sink?,
    _ body: (QuirePlugin, UnsafeMutablePointer<QuireError>) throws -> Int32?
  ) throws {
    var error = unsafe QuireError()
    guard let code = unsafe try body(table, &error) else {
      throw StoreError(
        .notSupported, "The plug-in \"\(functions.name)\" does not implement this operation.",
        path: path)
    }
    // If a callback on this side failed, its error is the cause of the plug-in's failure.
    if let failure = sink?.failure {
      if let release = unsafe error.release { unsafe release(&error) }
      throw failure
    }
    if code != Int32(QUIRE_OK) {
      throw unsafe functions.failure(code, taking: &error, of: name, at: path)
    }
  }
}

/// The function that is called after each commit that a plug-in announces.
final class CommitObserver: Sendable {
  private let body = Mutex<(@Sendable (Int64) -> Void)?>(nil)

  func set(_ body: (@Sendable (Int64) -> Void)?) { self.body.withLock { $0 = body } }

  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  @unsafe static func tell(_ context: UnsafeMutableRawPointer?, _ commit: Int64) {
    guard let context = unsafe context else { return }
    let observer = unsafe Unmanaged<CommitObserver>.fromOpaque(context).takeUnretainedValue()
    observer.body.withLock { $0 }?(commit)
  }
}

/// A snapshot that a plug-in keeps.
@safe
final class SnapshotHandle: @unchecked Sendable {
  // Sendable: for the same reasons as its store.
  let store: StoreHandle
  let snapshot: OpaquePointer

  @unsafe init(_ snapshot: OpaquePointer, of store: StoreHandle) {
    unsafe self.snapshot = snapshot
    self.store = store
  }

  // The last reference may be released on any thread, at any time.
  deinit { unsafe store.inTurn { table in unsafe table.release_snapshot?(snapshot) } }

  var commit: Int64 {
    unsafe store.inTurn { table in unsafe table.commit_of?(snapshot) ?? 0 }
  }

  /// Returns the bytes of the model, the schema or the metadata.
  func bytes(of what: Int) throws -> [UInt8] {
    var bytes = unsafe QuireBytes.none
    unsafe try store.reading("describe") { table, error in
      unsafe table.describe?(snapshot, Int32(what), &bytes, error)
    }
    guard let found = unsafe bytes.taken() else {
      throw store.functions.failure(
        "reports success but returns no \(["model", "schema", "metadata"][what]).", at: store.path)
    }
    return found
  }
}

/// Receives the items that a plug-in passes to a callback, one by one.
@safe
final class Sink {
  private let body: (UnsafeRawPointer, UnsafeMutableRawPointer?) throws -> Void
  /// The error of the first item that could not be received.
  private(set) var failure: (any Error)?

  init(_ body: @escaping (UnsafeRawPointer, UnsafeMutableRawPointer?) throws -> Void) {
    unsafe self.body = unsafe body
  }

  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Receives one item, and returns the code of the interface for the result.
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
