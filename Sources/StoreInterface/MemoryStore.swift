public import Foundation
public import ObjectModel
import Rows
import Synchronization

/// A store in memory: the reference for what stores do, and for tests and caches.
public final class MemoryStore: Store {
  /// In memory.
  public var type: StoreType { .memory }
  /// It writes what changed; it keeps earlier commits when it was made to.
  public var capabilities: StoreCapabilities {
    keepsHistory ? [.incremental, .history] : .incremental
  }
  /// The store's place in object identifiers.
  public let tag: StoreTag
  /// Nowhere.
  public var path: String? { nil }

  private let keepsHistory: Bool

  private struct State {
    var head: LayeredSnapshot
    /// The commits that can be opened, the oldest first; the newest is ``head``.
    var history: [(summary: CommitSummary, snapshot: LayeredSnapshot)] = []
    var nextKeys: [UInt16: UInt64] = [:]
    var isClosed = false
  }
  private let state: Mutex<State>

  /// An empty store for objects of the given model.
  ///
  /// - Parameter keepsHistory: Whether earlier commits can be opened. They take memory until they are
  ///   forgotten.
  /// - Throws: ``Rows/SchemaError`` when the model has more entities or properties than there are
  ///   numbers.
  public convenience init(
    _ model: Model, uuid: UUID = UUID(), keepsHistory: Bool = false
  ) throws {
    self.init(model, schema: try Schema(model), uuid: uuid, keepsHistory: keepsHistory)
  }

  /// An empty store for objects of the given model, which rows know by the numbers of the given schema.
  init(_ model: Model, schema: Schema, uuid: UUID, keepsHistory: Bool = false) {
    tag = StoreTag(uuid)
    self.keepsHistory = keepsHistory
    let head = LayeredSnapshot(
      model: model, schema: schema,
      metadata: StoreMetadata(uuid: uuid, type: .memory, model: model))
    let empty = CommitSummary(number: head.commit, time: Date())
    state = Mutex(State(head: head, history: keepsHistory ? [(empty, head)] : []))
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
      // Whoever chose keys without asking for them must not see them given to somebody else.
      for entity in request.changes.entities {
        guard let highest = entity.put.blocks.last?.maximumKey else { continue }
        state.nextKeys[entity.entityNumber] = max(
          state.nextKeys[entity.entityNumber, default: 1], highest + 1)
      }
      state.head = next
      if keepsHistory {
        let summary = CommitSummary(
          number: next.commit, time: Date(), author: request.author,
          contextName: request.contextName)
        state.history.append((summary, next))
      }
      return next
    }
  }

  /// The commits since the store was made, or since some were forgotten; none when it keeps none.
  public func commits() throws -> [CommitSummary] {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      return state.history.reversed().map(\.summary)
    }
  }

  /// The objects as an earlier commit left them.
  public func snapshot(ofCommit number: Int64) throws -> any StoreSnapshot {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      if state.head.commit == number { return state.head }
      guard let kept = state.history.first(where: { $0.summary.number == number }) else {
        throw MemoryStore.missing(number, nil)
      }
      return kept.snapshot
    }
  }

  /// Forgets the commits that are not kept.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      let newest = state.head.commit
      state.history.removeAll { $0.summary.number < newest && !isKept($0.summary.number) }
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
