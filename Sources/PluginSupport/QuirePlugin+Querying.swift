// SAFETY: The request, its texts and the returned keys are valid for the length of the call.

import CStorePlugin
import ObjectModel
import ObjectQuery
import PluginExchange
import Rows
import StoreInterface

extension QuirePlugin {
  @unsafe mutating func addQuerying() {
    unsafe query = { snapshot, query, answered, take, context, error in
      unsafe answering(error) {
        let snapshot = unsafe try ExportedSnapshot.of(snapshot)
        let query = unsafe try PluginStructures.copy(of: query)
        guard let store = snapshot.store.store.features.querying,
          let layout = unsafe snapshot.snapshot.schema[query.entity],
          let request = unsafe QueryRequest(query, of: layout.entity, store.tag),
          let keys = try store.keys(answering: request, in: snapshot.snapshot)
        else {
          throw StoreError(
            .notSupported,
            "The store does not execute this request: the host must search the rows.",
            path: snapshot.store.path)
        }
        let found = keys.map { QuireFound(entity: $0.entity, key: $0.number) }
        if !found.isEmpty {
          let answer = unsafe found.withUnsafeBufferPointer {
            unsafe take?(context, $0.baseAddress, UInt64($0.count)) ?? 0
          }
          try PluginRefusalCode.check(answer)
        }
        unsafe answered?.pointee = UInt32(
          QUIRE_ANSWERED_PREDICATE | QUIRE_ANSWERED_ORDER | QUIRE_ANSWERED_LIMIT)
      }
    }
  }
}

extension QueryRequest {
  /// Creates a request from the host's; `nil` if its predicate or its sort keys can't be read.
  @unsafe fileprivate init?(_ query: QuireQuery, of entity: String, _ store: StoreTag) {
    self.init(entity)
    if let nodes = unsafe query.nodes {
      let all = unsafe UnsafeBufferPointer(start: nodes, count: Int(clamping: query.node_count))
      guard let read = unsafe QueryPredicate(all, store: store) else { return nil }
      predicate = read
    }
    if let keys = unsafe query.keys {
      let all = unsafe UnsafeBufferPointer(start: keys, count: Int(clamping: query.key_count))
      guard let read = unsafe PluginSortKeys.keys(all) else { return nil }
      sortKeys = read
    }
    includesSubentities = unsafe query.includes_subentities != 0
    fetchOffset = Int(clamping: unsafe query.offset)
    fetchLimit = Int(clamping: unsafe query.limit)
  }
}
