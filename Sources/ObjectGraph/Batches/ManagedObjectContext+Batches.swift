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
  ///   right or is one of all objects together, or `StoreError`; nothing is changed then.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try batch(request.resultType) { context in
      // Objects and their values are asked for one after the other, and others may save in between.
      try context.setQueryGeneration(QueryGeneration(coordinator))
      var fetch = FetchRequest(request.entity, where: request.predicate)
      fetch.includesSubentities = request.includesSubentities
      let names = request.valuesToUpdate.keys.sorted()
      let values = names.map { FetchedValue($0, request.valuesToUpdate[$0]!) }
      // Every value is computed before any is set.
      var found: [(objects: [ManagedObject], rows: [[Value]])] = []
      for store in try context.prepare(fetch).map(\.state.persistent.uuid) {
        fetch.affectedStores = [store]
        fetch.propertiesToFetch = []
        let objects = try context.fetch(fetch)
        fetch.propertiesToFetch = values
        found.append((objects, values.isEmpty ? [] : try context.rowsOfEach(fetch)))
      }
      for (objects, rows) in found {
        for (object, row) in zip(objects, rows) {
          try object.setValues(Dictionary(uniqueKeysWithValues: zip(names, row)))
        }
      }
      return found.flatMap(\.objects)
    }
  }

  /// The values that a request asks for, a row for each object that it finds.
  private func rowsOfEach(_ request: FetchRequest) throws -> [[Value]] {
    var request = request
    request.resultType = .dictionaries
    let part = try prepare(request)[0]
    guard !part.plan.isGrouped else {
      throw ContextError(
        .notSupported,
        """
        A value is asked for that all objects of "\(request.entity)" have together, such as the greatest of \
        all: fetch it first, and set it as a constant.
        """)
    }
    return try part.table().rows
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
    context.assignments = assignments
    let objects = try body(context)
    let count = objects.count
    let layers = try context.saveReturningLayers()
    let identifiers =
      resultType == .identifiers ? objects.map { context.replaced($0.objectID) } : []
    let change = ContextChange(
      kind: .saved, contextName: name, author: transactionAuthor, layers: layers,
      linkTables: coordinator.linkTables)
    try mergeFromTheStores(change)
    return BatchResult(count: count, identifiers: identifiers, change: change)
  }

  /// Merges what was saved in the stores into this context, and before into those that it sees the stores through.
  ///
  /// Waits for them, as a save does.
  private func mergeFromTheStores(_ change: ContextChange) throws {
    try parent?.performAndWait { try parent?.mergeFromTheStores(change) }
    try merge(ObjectsToMerge.all(of: change, in: coordinator), saved: change.layers)
  }
}
