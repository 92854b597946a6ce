package import Foundation
package import ObjectModel
package import Rows

/// A fetch request whose names are found and whose types are checked: what every way to its answer
/// starts from, over rows or by what a store brings.
package struct BoundRequest: Sendable {
  /// What is asked for.
  package let request: QueryRequest
  /// The entities whose objects are asked for.
  package let layouts: [Layout]
  /// What objects must meet; `nil` when all are wanted.
  package let predicate: BoundPredicate?
  /// What to sort by. Groups are sorted by what is fetched of them, and have none.
  package let sortKeys: [BoundSortKey]
  /// What dictionaries hold; `nil` when none are asked for.
  package let table: TablePlan?
  let slotCount: Int
  let sharedFetchCount: Int

  /// Binds a request, as ``QueryPlan`` does.
  ///
  /// - Throws: ``QueryError`` when a name is not in the model, or types do not go together.
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
    for path in request.relationshipKeyPathsForPrefetching { try binder.check(prefetching: path) }
    slotCount = binder.slotCount
    sharedFetchCount = binder.sharedFetchCount
  }
}
