import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// Runs batches: changes many objects at once and saves them at once.
///
/// Each batch runs in its own context above the same stores. Validation, inverses, delete rules and derived values
/// work as usual. The changes of the caller's context stay out of the batch.
struct BatchRunner {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    try run(request.resultType) { batch in
      var objects: [ManagedObject] = []
      var index = 0
      while true {
        var values: [String: Value] = [:]
        guard try request.fill(index, &values) else { return objects }
        let object = try batch.insert(request.entity)
        try object.setValues(values)
        objects.append(object)
        index += 1
      }
    }
  }

  func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try run(request.resultType) { batch in
      // Another context may save between the two fetches. The pin makes both fetches read the same commit.
      try ObjectRefresh(batch).pin(to: QueryGeneration(workspace.coordinator))
      var fetch = QueryRequest(request.entity, where: request.predicate)
      fetch.includesSubentities = request.includesSubentities
      let names = request.valuesToUpdate.keys.sorted()
      let values = names.map { FetchedValue($0, request.valuesToUpdate[$0]!) }
      // All values are computed before any value is set.
      var found: [(objects: [ManagedObject], rows: [[Value]])] = []
      for store in try ObjectFetcher(batch).prepare(fetch).map(\.state.persistent.uuid) {
        fetch.affectedStores = [store]
        fetch.propertiesToFetch = []
        let objects = try ObjectFetcher(batch).fetch(fetch, as: ManagedObject.self)
        fetch.propertiesToFetch = values
        found.append((objects, values.isEmpty ? [] : try rowsOfEach(fetch, in: batch)))
      }
      for (objects, rows) in found {
        for (object, row) in zip(objects, rows) {
          try object.setValues(Dictionary(uniqueKeysWithValues: zip(names, row)))
        }
      }
      return found.flatMap(\.objects)
    }
  }

  /// Returns the requested values, with a row for each object that the request finds.
  private func rowsOfEach(_ request: QueryRequest, in batch: Workspace) throws -> [[Value]] {
    var request = request
    request.resultType = .dictionaries
    let part = try ObjectFetcher(batch).prepare(request)[0]
    guard !part.plan.isGrouped else {
      throw ContextError(
        .notSupported,
        """
        The batch request needs a value that is computed from all objects of "\(request.entity)", such as a \
        maximum. Fetch the value first, and set it as a constant.
        """)
    }
    return try part.table().rows
  }

  func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    try run(request.resultType) { batch in
      let objects = try ObjectFetcher(batch).fetch(request.query, as: ManagedObject.self)
      for object in objects { batch.delete(object) }
      return objects
    }
  }

  /// Runs a batch above the stores, and merges its changes into this context.
  private func run(
    _ resultType: BatchResultType, _ body: (Workspace) throws -> [ManagedObject]
  ) throws -> BatchResult {
    workspace.checkPlace()
    let context = workspace.makeBatchContext()
    defer { withExtendedLifetime(context) {} }
    let batch = context.workspace
    let objects = try body(batch)
    let count = objects.count
    let layers = try batch.saveReturningLayers()
    let identifiers =
      resultType == .identifiers ? objects.map { batch.objects.replaced($0.objectID) } : []
    let change = ContextChange(
      kind: .saved, contextName: workspace.settings.name,
      author: workspace.settings.transactionAuthor, layers: layers,
      linkTables: workspace.coordinator.linkTables)
    try mergeFromTheStores(change)
    return BatchResult(count: count, identifiers: identifiers, change: change)
  }

  /// Merges the changes of a batch into the ancestors of this context, and then into this context.
  ///
  /// Waits for the ancestors, as a save does.
  private func mergeFromTheStores(_ change: ContextChange) throws {
    if let parent = workspace.parent {
      try parent.performAndWait { try BatchRunner(parent).mergeFromTheStores(change) }
    }
    try workspace.merge(
      ObjectsToMerge.all(of: change, in: workspace.coordinator), saved: change.layers)
  }
}
