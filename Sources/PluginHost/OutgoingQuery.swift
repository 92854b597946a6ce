// SAFETY: Everything that the structure points to is lent for the length of the call.

import CStorePlugin
import ObjectModel
import ObjectQuery
import PluginExchange
import Rows
import StoreInterface

/// A request in the form of the interface.
struct OutgoingQuery {
  private let request: QueryRequest
  private let entity: UInt16
  private let entities: [UInt16]
  private let tree: PredicateTree?

  /// Creates the form of a request; `nil` if the snapshot's schema lacks the entity.
  init?(_ request: QueryRequest, in snapshot: PluginSnapshot, store: StoreTag) throws {
    guard let layout = snapshot.schema[request.entity] else { return nil }
    self.request = request
    entity = layout.entityNumber
    entities =
      request.includesSubentities
      ? snapshot.schema.layouts(ofFamily: request.entity, in: try snapshot.model)
        .map(\.entityNumber).sorted() : [entity]
    tree = request.predicate.map { PredicateTree($0, store: store) }
  }

  /// Calls `body` with the request, which is valid until `body` returns.
  @unsafe func withQuery<R>(_ body: (UnsafePointer<QuireQuery>) throws -> R) rethrows -> R {
    var query = unsafe QuireQuery()
    unsafe query.struct_size = UInt32(MemoryLayout<QuireQuery>.size)
    unsafe query.entity = entity
    unsafe query.includes_subentities = request.includesSubentities ? 1 : 0
    unsafe query.offset = UInt64(max(request.fetchOffset, 0))
    unsafe query.limit = UInt64(max(request.fetchLimit, 0))
    return try unsafe entities.withUnsafeBufferPointer { entities in
      unsafe query.entities = entities.baseAddress
      unsafe query.entity_count = UInt64(entities.count)
      return try unsafe withNodes { nodes in
        unsafe query.nodes = nodes.baseAddress
        unsafe query.node_count = UInt64(nodes.count)
        return try unsafe PluginSortKeys.withKeys(request.sortKeys) { keys in
          unsafe query.keys = keys.baseAddress
          unsafe query.key_count = UInt64(keys.count)
          return try unsafe body(&query)
        }
      }
    }
  }

  @unsafe private func withNodes<R>(
    _ body: (UnsafeBufferPointer<QuireNode>) throws -> R
  ) rethrows -> R {
    guard let tree else { return try unsafe body(UnsafeBufferPointer(start: nil, count: 0)) }
    return try unsafe tree.withNodes(body)
  }
}
