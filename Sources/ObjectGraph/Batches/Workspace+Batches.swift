import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Batches: what is done to many objects at once and saved at once. Each runs in a context of its own above
// the same stores, so that validation, inverses, delete rules and derived values are what they always are,
// and this context's own changes stay out of it.
extension Workspace {
  @discardableResult
  func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    try batch(request.resultType) { workspace in
      var objects: [ManagedObject] = []
      var index = 0
      while true {
        var values: [String: Value] = [:]
        guard try request.fill(index, &values) else { return objects }
        let object = try ObjectInserter(workspace).insert(request.entity)
        try object.setValues(values)
        objects.append(object)
        index += 1
      }
    }
  }

  @discardableResult
  func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try batch(request.resultType) { workspace in
      // Objects and their values are asked for one after the other, and others may save in between.
      try workspace.setQueryGeneration(QueryGeneration(coordinator))
      var fetch = FetchRequest(request.entity, where: request.predicate)
      fetch.includesSubentities = request.includesSubentities
      let names = request.valuesToUpdate.keys.sorted()
      let values = names.map { FetchedValue($0, request.valuesToUpdate[$0]!) }
      // Every value is computed before any is set.
      var found: [(objects: [ManagedObject], rows: [[Value]])] = []
      for store in try ObjectFetcher(workspace).prepare(fetch).map(\.state.persistent.uuid) {
        fetch.affectedStores = [store]
        fetch.propertiesToFetch = []
        let objects = try ObjectFetcher(workspace).fetch(fetch)
        fetch.propertiesToFetch = values
        found.append((objects, values.isEmpty ? [] : try workspace.rowsOfEach(fetch)))
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
    let part = try ObjectFetcher(self).prepare(request)[0]
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

  @discardableResult
  func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    try batch(request.resultType) { workspace in
      let objects = try ObjectFetcher(workspace).fetch(request.request)
      for object in objects { workspace.delete(object) }
      return objects
    }
  }

  /// Runs a batch above the stores, and merges what it did into this context.
  private func batch(
    _ resultType: BatchResultType, _ body: (Workspace) throws -> [ManagedObject]
  ) throws -> BatchResult {
    checkPlace()
    let context = makeBatchContext()
    defer { withExtendedLifetime(context) {} }
    let workspace = context.workspace
    let objects = try body(workspace)
    let count = objects.count
    let layers = try workspace.saveReturningLayers()
    let identifiers =
      resultType == .identifiers ? objects.map { workspace.replaced($0.objectID) } : []
    let change = ContextChange(
      kind: .saved, contextName: settings.name, author: settings.transactionAuthor, layers: layers,
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
