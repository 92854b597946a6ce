package import Foundation
package import ObjectModel
package import Rows

/// A fetch request with resolved names and checked types. Every execution starts from it: a search of rows, or a
/// store's own query.
package struct BoundRequest: Sendable {
  package let request: QueryRequest
  /// The entities whose objects are requested.
  package let layouts: [Layout]
  /// The condition for objects; `nil` if all are requested.
  package let predicate: BoundPredicate?
  /// The sort keys of objects. Empty for groups, which are sorted by their fetched values.
  package let sortKeys: [BoundSortKey]
  /// The contents of the dictionaries; `nil` if the request does not ask for dictionaries.
  package let table: TablePlan?
  /// The comparisons that determine the relevance; `nil` if no sort key is the relevance.
  let relevance: BoundRelevance?
  let slotCount: Int
  let sharedFetchCount: Int

  /// Binds a request, as ``QueryPlan`` does.
  ///
  /// - Throws: ``QueryError`` if a name is not in the model, or types are incompatible.
  package init(
    _ request: QueryRequest, model: Model, schema: Schema, store: StoreTag? = nil,
    variables: [String: QueryExpression] = [:], now: Date = Date()
  ) throws(QueryError) {
    guard model[request.entity] != nil else {
      throw Binder.unknownEntity(request.entity, in: model)
    }
    var binder = Binder(
      model, schema, store: store, entity: request.entity, variables: variables, now: now)
    self.request = request
    layouts =
      request.includesSubentities
      ? schema.layouts(ofFamily: request.entity, in: model) : [schema[request.entity]!]
    predicate = try request.predicate.map { (part) throws(QueryError) in try binder.bind(part) }
    table = request.resultType == .dictionaries ? try TablePlan(request, &binder) : nil
    var sortKeys: [BoundSortKey] = []
    if table?.isGrouped != true {
      for key in request.sortKeys { sortKeys.append(try binder.bind(key)) }
    }
    self.sortKeys = sortKeys
    relevance = sortKeys.contains(where: \.isRelevance) ? try BoundRelevance(predicate) : nil
    for path in request.relationshipKeyPathsForPrefetching { try binder.check(prefetching: path) }
    slotCount = binder.slotCount
    sharedFetchCount = binder.sharedFetchCount
  }
}
