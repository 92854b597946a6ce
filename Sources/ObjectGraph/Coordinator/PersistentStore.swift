public import Foundation
public import ObjectModel
public import StoreInterface
import Synchronization

/// A store of a coordinator: which objects it is for, and what it says of itself.
public final class PersistentStore: Sendable {
  /// The store itself.
  public let store: any Store
  /// The configuration whose entities it is for; `nil` for all.
  public let configuration: String?
  /// The store's identifier, which stays when it moves.
  public let uuid: UUID
  /// Whether nothing is written to it.
  public let isReadOnly: Bool
  /// The entities it is for.
  let entities: Set<String>?
  /// What objects know of its entities.
  let graph: GraphSchema
  private let gone = Atomic(false)
  /// The newest commit that is known to be of the coordinator's model.
  private let checkedCommit: Atomic<Int64>
  /// Whether another store has taken its place. Whoever commits to it holds this, so that nothing is committed to it
  /// afterwards.
  private let isReplaced = Mutex(false)

  init(
    _ store: any Store, uuid: UUID, configuration: String?, entities: Set<String>?,
    isReadOnly: Bool, graph: GraphSchema, checkedCommit: Int64
  ) {
    self.checkedCommit = Atomic(checkedCommit)
    self.store = store
    self.uuid = uuid
    self.configuration = configuration
    self.entities = entities
    self.isReadOnly = isReadOnly
    self.graph = graph
  }

  /// The store's type.
  public var type: StoreType { store.type }
  /// The store's place in object identifiers.
  public var tag: StoreTag { store.tag }
  /// Where the store is; `nil` when that is nowhere but in memory.
  public var path: String? { store.path }

  /// What the store says of itself.
  ///
  /// - Throws: `StoreError` when the store can't be read.
  public var metadata: StoreMetadata { get throws { try store.snapshot().metadata } }

  /// Whether objects of the entity may be put into it.
  func holds(_ entity: String) -> Bool {
    graph[entity] != nil && (entities?.contains(entity) ?? true)
  }
}

extension PersistentStore {
  /// Whether it was taken out of its coordinator. What contexts have of it stays as it is.
  var isGone: Bool { gone.load(ordering: .acquiring) }

  /// Notes that it was taken out.
  func noteGone() { gone.store(true, ordering: .releasing) }

  /// Whether a commit is known to be of the coordinator's model.
  func isChecked(_ commit: Int64) -> Bool { checkedCommit.load(ordering: .relaxed) == commit }

  /// Notes that a commit is of the coordinator's model.
  func noteChecked(_ commit: Int64) { checkedCommit.store(commit, ordering: .relaxed) }

  /// Calls `body` while nobody else of its coordinator commits to the store.
  ///
  /// Stores commit one change after another anyway. Whoever holds several holds the coordinator's lock before.
  ///
  /// - Throws: `StoreError` when another store has taken its place; what `body` throws.
  func committing<R: Sendable>(_ body: () throws -> R) throws -> R {
    try isReplaced.withLock { isReplaced in
      try checkIsThere(isReplaced)
      return try body()
    }
  }

  /// Calls `body` while nobody of its coordinator commits to the store; nobody does any more if it says that another
  /// store has taken the place of this one.
  func replacing(_ body: () throws -> Bool) throws -> Bool {
    try isReplaced.withLock { isReplaced in
      try checkIsThere(isReplaced)
      isReplaced = try body()
      return isReplaced
    }
  }

  private func checkIsThere(_ isReplaced: Bool) throws {
    guard isReplaced else { return }
    throw StoreError(
      .closed, "The store was moved: its objects have other identifiers by now. Fetch them anew.",
      path: path)
  }
}

extension PersistentStore: Hashable {
  /// Whether both are the same store.
  public static func == (left: PersistentStore, right: PersistentStore) -> Bool { left === right }
  /// The store counts, and not what it holds.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
