public import Foundation
public import ObjectModel
public import StoreInterface
import Synchronization

/// A store of a coordinator, with its configuration and its metadata.
public final class PersistentStore: Sendable {
  /// The store that the backend has opened.
  public let store: any Store
  /// The configuration that lists the store's entities; `nil` for all entities.
  public let configuration: String?
  /// The store's identifier, which stays the same when the store's file moves.
  public let uuid: UUID
  /// Whether the coordinator never writes to the store.
  public let isReadOnly: Bool
  /// The names of the entities that the store holds; `nil` for all entities.
  let entities: Set<String>?
  /// The entities and properties of the store, as objects use them.
  let graph: GraphSchema
  /// The commits of other coordinators; `nil` if the store does not announce commits.
  let remoteCommits: RemoteCommits?
  private let gone = Atomic(false)
  /// The number of the newest commit that is known to have the coordinator's model.
  private let checkedCommit: Atomic<Int64>
  let features: StoreFeatures
  /// Whether another store has replaced this store.
  private let replaced = Atomic(false)
  private let firstLease = Atomic(16)

  init(
    _ store: any Store, uuid: UUID, configuration: String?, entities: Set<String>?,
    isReadOnly: Bool, graph: GraphSchema, checkedCommit: Int64, path: String? = nil
  ) {
    givenPath = path
    self.checkedCommit = Atomic(checkedCommit)
    self.store = store
    features = store.features
    remoteCommits = features.announcements == nil ? nil : RemoteCommits(after: checkedCommit)
    self.uuid = uuid
    self.configuration = configuration
    self.entities = entities
    self.isReadOnly = isReadOnly
    self.graph = graph
  }

  /// The number of keys that a context leases for its first new object of an entity.
  var firstLeaseCount: Int { firstLease.load(ordering: .relaxed) }

  /// Makes contexts lease a single key for their first new object of an entity.
  ///
  /// A program that inserts one object and ends leaves no gap in the numbers then. Others write once more to the disk.
  package func leaseSingleKeys() { firstLease.store(1, ordering: .relaxed) }

  public var type: StoreType { store.type }
  /// The store's tag in object identifiers.
  public var tag: StoreTag { store.tag }
  /// The path at which the store was added: `/dev/null` for a store in memory that was added there; `nil` for a store
  /// without a path.
  public var path: String? { store.path ?? givenPath }
  /// The path at which a store without its own path was added.
  private let givenPath: String?

  /// The store's metadata.
  ///
  /// - Throws: `StoreError` if the store can't be read.
  public var metadata: StoreMetadata { get throws { try store.snapshot().metadata } }

  /// Whether objects of the entity may be put into the store.
  func holds(_ entity: String) -> Bool {
    graph[entity] != nil && (entities?.contains(entity) ?? true)
  }
}

extension PersistentStore {
  /// Whether the store was removed from its coordinator. Contexts keep the state of the store that they have read.
  var isGone: Bool { gone.load(ordering: .acquiring) }

  /// Records that the store was removed from its coordinator.
  func recordGone() { gone.store(true, ordering: .releasing) }

  /// Whether a commit is known to have the coordinator's model.
  func isChecked(_ commit: Int64) -> Bool { checkedCommit.load(ordering: .relaxed) == commit }

  /// Records that a commit has the coordinator's model.
  func recordChecked(_ commit: Int64) { checkedCommit.store(commit, ordering: .relaxed) }

  /// Records a commit of the coordinator, before ``CommitQueue`` lets further commits in. An empty request makes no commit.
  func recordOwn(_ request: CommitRequest, _ snapshot: any StoreSnapshot) {
    if !request.isEmpty { remoteCommits?.recordOwn(snapshot.commit) }
  }

  /// Records that another store has replaced this store, so that later commits throw.
  func recordReplaced() { replaced.store(true, ordering: .releasing) }

  /// Throws `StoreError` if another store has replaced this store.
  func checkIsThere() throws {
    guard replaced.load(ordering: .acquiring) else { return }
    throw StoreError(
      .closed, "The store was moved, so its objects have new identifiers. Fetch the objects again.",
      path: path)
  }

  /// The newest commit that this process has read or made. The next save must follow this commit.
  var knownSnapshotToFollow: any StoreSnapshot {
    get throws { try features.groupCommits?.waitingSnapshot ?? store.knownSnapshot() }
  }

  /// The newest commit of any process. The next save must follow this commit.
  var snapshotToFollow: any StoreSnapshot {
    get throws { try features.groupCommits?.waitingSnapshot ?? store.snapshot() }
  }
}

extension PersistentStore: Hashable {
  /// Returns whether both are the same store.
  public static func == (left: PersistentStore, right: PersistentStore) -> Bool { left === right }
  /// Hashes the identity of the store, and not its content.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
