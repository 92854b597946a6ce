public import Foundation
public import ObjectModel
import Rows
import Synchronization

/// A store in memory. It is the reference for the behaviour of stores, and serves tests and caches.
public final class MemoryStore: HistoryStore {
  public var type: StoreType { .memory }
  /// Incremental commits, and the history if the store was created to keep it.
  public var features: StoreFeatures {
    StoreFeatures(keepsHistory ? [.incremental, .history] : .incremental, history: self)
  }
  /// The tag that object identifiers of this store contain.
  public let tag: StoreTag
  /// `nil`: the store has no file.
  public var path: String? { nil }

  private let keepsHistory: Bool

  private struct State {
    var head: LayeredSnapshot
    /// The commits that can be opened, the oldest first. The last one is ``head``.
    var history: [(summary: CommitSummary, snapshot: LayeredSnapshot)] = []
    var nextKeys: [UInt16: UInt64] = [:]
    var isClosed = false
  }
  private let state: Mutex<State>

  /// Creates an empty store for objects of the given model.
  ///
  /// - Parameter keepsHistory: Whether earlier commits can be opened. They use memory until the caller removes them.
  /// - Throws: `SchemaError` if the model has more entities or properties than there are numbers.
  public convenience init(
    _ model: Model, uuid: UUID = UUID(), keepsHistory: Bool = false
  ) throws {
    self.init(model, schema: try Schema(model), uuid: uuid, keepsHistory: keepsHistory)
  }

  /// Creates an empty store for objects of the given model, with the numbers of the given schema in its rows.
  init(_ model: Model, schema: Schema, uuid: UUID, keepsHistory: Bool = false) {
    tag = StoreTag(uuid)
    self.keepsHistory = keepsHistory
    let head = LayeredSnapshot(
      model: model, schema: schema,
      metadata: StoreMetadata(uuid: uuid, type: .memory, model: model))
    let empty = CommitSummary(number: head.commit, time: Date())
    state = Mutex(State(head: head, history: keepsHistory ? [(empty, head)] : []))
  }

  /// Returns a snapshot of the newest commit.
  public func snapshot() throws -> any StoreSnapshot {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      return state.head
    }
  }

  /// Commits changes, all or nothing.
  @discardableResult
  public func commit(_ request: CommitRequest) throws -> any StoreSnapshot {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      guard let next = try state.head.committing(request, path: nil) else { return state.head }
      // A caller may choose keys without leasing them. The store must not lease these keys afterwards.
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

  /// Returns the commits that the store keeps, the newest first; empty if it does not keep a history.
  public func commits() throws -> [CommitSummary] {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      return state.history.reversed().map(\.summary)
    }
  }

  /// Returns the snapshot of an earlier commit.
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

  /// Removes the commits for which `isKept` returns `false`.
  public func keepCommits(where isKept: (Int64) -> Bool) throws {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      let newest = state.head.commit
      state.history.removeAll { $0.summary.number < newest && !isKept($0.summary.number) }
    }
  }

  /// Reserves keys for new objects.
  public func leaseKeys(ofEntity number: UInt16, count: Int) throws -> Range<UInt64> {
    try state.withLock { state in
      try MemoryStore.checkOpen(state)
      let first = state.nextKeys[number, default: 1]
      let next = first + UInt64(max(count, 1))
      state.nextKeys[number] = next
      return first..<next
    }
  }

  /// Returns a description that has the number of the newest commit, and no size.
  public func describe() throws -> StoreSummary {
    var description = StoreSummary()
    description.highestCommit = try snapshot().commit
    return description
  }

  /// Closes the store. Its contents are released with the last snapshot.
  public func close() throws { state.withLock { $0.isClosed = true } }

  private static func checkOpen(_ state: borrowing State) throws {
    if state.isClosed { throw StoreError(.closed, "The store was closed.") }
  }
}
