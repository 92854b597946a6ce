public import Foundation
public import ObjectModel
import Rows
import Synchronization

/// A store in memory: the reference for what stores do, and for tests and caches.
public final class MemoryStore: Store {
  /// In memory.
  public var type: StoreType { .memory }
  /// It writes what changed, and keeps nothing.
  public var capabilities: StoreCapabilities { .incremental }
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// Nowhere.
  public var path: String? { nil }

  private struct State {
    var head: LayeredSnapshot
    var nextKeys: [UInt16: UInt64] = [:]
    var isClosed = false
  }
  private let state: Mutex<State>

  /// An empty store for objects of the given model.
  ///
  /// - Throws: ``Rows/SchemaError`` when the model has more entities or properties than there are
  ///   numbers.
  public init(_ model: Model, uuid: UUID = UUID()) throws {
    tag = StoreTag(uuid)
    state = Mutex(
      State(
        head: LayeredSnapshot(
          model: model, schema: try Schema(model),
          metadata: StoreMetadata(uuid: uuid, type: .memory, model: model))))
  }

  /// The objects as the newest commit left them.
  public func snapshot() throws -> any StoreSnapshot {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      return state.head
    }
  }

  /// Makes changes, all of them or none.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      guard let next = try state.head.committing(request, path: nil) else { return state.head }
      state.head = next
      return next
    }
  }

  /// Sets keys aside for new objects.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      let first = state.nextKeys[number, default: 1]
      let next = first + UInt64(max(count, 1))
      state.nextKeys[number] = next
      return first..<next
    }
  }

  /// There is nothing to say of it.
  public func describe() throws -> StoreDescription { StoreDescription() }

  /// Closes the store. What it held is gone with its snapshots.
  public func close() throws { state.withLock { $0.isClosed = true } }

  private static func checkOpen(_ state: borrowing State) throws {
    if state.isClosed { throw StoreError(.closed, "The store was closed.") }
  }
}
