import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Batches: what is done to many objects at once and saved at once. Each runs in a context of its own above
// the same stores, so that validation, inverses, delete rules and derived values are what they always are,
// and this context's own changes stay out of it.
extension ManagedObjectContext {
  /// Inserts many objects, and saves them.
  ///
  /// - Throws: ``ContextError`` when a value is not right, or `StoreError`; nothing is inserted then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    try batch(request.resultType) { context in
      var objects: [ManagedObject] = []
      var index = 0
      while true {
        var values: [String: Value] = [:]
        guard try request.fill(index, &values) else { return objects }
        let object = try context.insert(request.entity)
        try object.setValues(values)
        objects.append(object)
        index += 1
      }
    }
  }

  /// Sets values of many objects, and saves them.
  ///
  /// - Throws: `QueryError` when the request does not fit the model, ``ContextError`` when a value is not
  ///   right, or `StoreError`; nothing is changed then.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try batch(request.resultType) { context in
      var fetch = FetchRequest(request.entity, where: request.predicate)
      fetch.includesSubentities = request.includesSubentities
      let objects = try context.fetch(fetch)
      let names = request.valuesToUpdate.keys.sorted()
      // Every value is computed before any is set.
      fetch.propertiesToFetch = names.map { FetchedValue($0, request.valuesToUpdate[$0]!) }
      let rows = names.isEmpty ? [] : try context.fetchTable(fetch).rows
      for (object, row) in zip(objects, rows) {
        try object.setValues(Dictionary(uniqueKeysWithValues: zip(names, row)))
      }
      return objects
    }
  }

  /// Deletes many objects, and saves that.
  ///
  /// - Throws: As ``execute(_:)-(BatchUpdateRequest)``.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    try batch(request.resultType) { context in
      let objects = try context.fetch(request.request)
      for object in objects { context.delete(object) }
      return objects
    }
  }

  /// Runs a batch above the stores, and merges what it did into this context.
  private func batch(
    _ resultType: BatchResultType, _ body: (ManagedObjectContext) throws -> [ManagedObject]
  ) throws -> BatchResult {
    checkPlace()
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.name = name
    context.transactionAuthor = transactionAuthor
    context.mergePolicy = mergePolicy
    let objects = try body(context)
    let count = objects.count
    let layers = try context.saveReturningLayers()
    let identifiers =
      resultType == .identifiers ? objects.map { context.replaced($0.objectID) } : []
    let change = ContextChange(
      kind: .saved, contextName: name, author: transactionAuthor, layers: layers)
    try mergeChanges(from: change)
    return BatchResult(count: count, identifiers: identifiers, change: change)
  }
}
