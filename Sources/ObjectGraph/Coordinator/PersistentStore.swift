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
  private let removed = Atomic(false)

  init(
    _ store: any Store, uuid: UUID, configuration: String?, entities: Set<String>?,
    isReadOnly: Bool, graph: GraphSchema
  ) {
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

  /// Whether its coordinator has closed it.
  var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Notes that its coordinator closes it.
  func noteRemoved() { removed.store(true, ordering: .releasing) }

  /// Whether objects of the entity may be put into it.
  func holds(_ entity: String) -> Bool {
    graph[entity] != nil && (entities?.contains(entity) ?? true)
  }
}

extension PersistentStore: Hashable {
  /// Whether both are the same store.
  public static func == (left: PersistentStore, right: PersistentStore) -> Bool { left === right }
  /// The store counts, and not what it holds.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
