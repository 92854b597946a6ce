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
    var head: Snapshot
    var nextKeys: [UInt16: UInt64] = [:]
    var isClosed = false
  }
  private let state: Mutex<State>

  private struct Snapshot: StoreSnapshot {
    var commit: Int64 = 0
    var model: Model
    var schema: Schema
    /// The commit that set the model.
    var schemaNumber: Int64 = 0
    var metadata: StoreMetadata
    var layers: [Layer] = []

    var tables: [any RowTable] { layers }
  }

  /// An empty store for objects of the given model.
  ///
  /// - Throws: ``Rows/SchemaError`` when the model has more entities or properties than there are
  ///   numbers.
  public init(_ model: Model, uuid: UUID = UUID()) throws {
    tag = StoreTag(uuid)
    state = Mutex(
      State(
        head: Snapshot(
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
      try request.checkModel(setBy: state.head.schemaNumber, path: nil)
      let conflicts = try request.conflicts(with: state.head)
      guard conflicts.isEmpty else { throw CommitRequest.refusal(conflicts, path: nil) }
      if request.isEmpty { return state.head }
      var next = state.head
      next.commit += 1
      if let metadata = request.metadata { next.metadata = metadata }
      if let model = request.model {
        next.schema = try request.schema(evolving: next.schema, path: nil)
        next.schemaNumber = next.commit
        next.model = model
        next.metadata.setModel(model)
      }
      if !request.changes.isEmpty {
        next.layers.append(try request.changes.stamped(next.commit))
        // Looking down through the layers stays short.
        try SegmentTiers.merge(
          &next.layers, next.schema, size: \.count, layer: { $0 }, part: { $0 })
      }
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
