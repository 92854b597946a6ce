// SAFETY: An entity keeps the sources that it gives. Objects were checked to be of a class before an array of them is
// used as an array of that class.

import Dispatch
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import Tracing

/// Answers fetch requests on another thread, on the state that the context showed when the search began.
///
/// The context can do its own work during the search.
struct BackgroundSearch {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func fetch<T: ManagedObject, R: Sendable>(
    _ request: QueryRequest, as type: T.Type, progress: Progress? = nil,
    _ body: @escaping @Sendable ([T]) throws -> R
  ) async throws -> R {
    let (parts, found) = try await search(request, progress) { parts in
      (parts, try FoundPlaces(parts, request))
    }
    return try await ContextExecutor(workspace).perform {
      try Task.checkCancellation()
      let objects = try objects(found, of: parts, request)
      try Prefetcher(workspace).read(objects, for: request)
      return try body(objects.checked(as: T.self))
    }
  }

  func fetchIdentifiers(
    _ request: QueryRequest, progress: Progress?
  ) async throws -> [ObjectID] {
    try await search(request, progress) { parts in
      if let part = parts.first, parts.count == 1 {
        let store = part.source.store!
        return try part.keys().map { ObjectID(store: store, key: $0) }
      }
      return try FoundPlaces(parts, request).keys.map {
        ObjectID(store: parts[$0.part].source.store!, key: $0.key)
      }
    }
  }

  func count(for request: QueryRequest, progress: Progress?) async throws -> Int {
    try await search(request, progress) { parts in
      if parts.count == 1 { return try parts[0].count() }
      return try FoundPlaces(parts, request).keys.count
    }
  }

  func fetchTable(_ request: QueryRequest, progress: Progress?) async throws -> ResultTable {
    var request = request
    request.resultType = .dictionaries
    return try await search(request, progress) { [entity = request.entity] parts in
      guard parts.count == 1 else { throw ContextError.inSeveralStores(entity) }
      return try parts[0].table()
    }
  }

  /// Runs `body` on another thread, on the state that the context shows now.
  private func search<R: Sendable>(
    _ request: QueryRequest, _ progress: Progress?,
    _ body: @escaping @Sendable ([SearchPart]) throws -> R
  ) async throws -> R {
    guard workspace.concurrency != .confined else {
      throw ContextError(
        .notSupported,
        """
        \(workspace.label) is confined to a thread, so an asynchronous fetch can't return to it. Fetch \
        synchronously on that thread, or create the context with a private queue.
        """)
    }
    try Task.checkCancellation()
    let watch = SearchWatch { passed, expected in
      guard let progress else { return true }
      if progress.isCancelled { return false }
      progress.totalUnitCount = Int64(max(expected, 1))
      progress.completedUnitCount = Int64(min(passed, expected))
      return true
    }
    return try await withTaskCancellationHandler {
      let parts = try await ContextExecutor(workspace).perform { try searchParts(request, watch) }
      let result = try await withCheckedThrowingContinuation { continuation in
        // A search reads files and computes for a long time, so it must not use the few threads that tasks share.
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try watch.pass(0)
              return try Trace.measure(.fetch, request.inWords) { try body(parts) }
            })
        }
      }
      // A search by an index does not count every row, so the progress is completed here.
      if let progress {
        progress.totalUnitCount = max(progress.totalUnitCount, 1)
        progress.completedUnitCount = progress.totalUnitCount
      }
      return result
    } onCancel: {
      watch.cancel()
    }
  }

  /// Returns the stores as the context sees them now, for a search on another thread.
  private func searchParts(_ request: QueryRequest, _ watch: SearchWatch) throws -> [SearchPart] {
    var parts = try ObjectFetcher(workspace).prepare(request)
    let isMerged = parts.count > 1
    if isMerged { parts = try ObjectFetcher(workspace).prepare(request.fromTheFirst) }
    return try parts.map { part in
      var plan = part.plan
      plan.watch = watch
      let order =
        isMerged
        ? try CompiledOrder(
          request, model: part.state.graph.model, schema: part.state.graph.schema,
          store: part.state.tag) : nil
      return SearchPart(
        base: part.state.base, source: part.source,
        isPending: request.includesPendingChanges && part.state.hasChanges, plan: plan,
        asked: part.asked, order: order
      )
    }
  }

  /// Returns the objects at the places that a search has found, without objects that were deleted meanwhile.
  private func objects(
    _ found: FoundPlaces, of parts: [SearchPart], _ request: QueryRequest
  ) throws -> [ManagedObject] {
    try workspace.propagateDeletionsOrThrow()
    try workspace.sealAll()
    guard parts.count == 1, let part = parts.first else {
      return try objects(found.keys, of: parts)
    }
    guard let state = try state(of: part) else { return [] }
    let rows = found.rows
    let isSame =
      part.source === state.source
      || !part.isPending && !(request.includesPendingChanges && state.hasChanges)
        && state.base.isSame(as: part.base)
    var keys: [(part: Int, key: ObjectKey)] = []
    var gathered = GatheredRows()
    var start = 0
    while start < rows.places.count {
      let index = rows.places[start].block
      let end = rows.places[start...].firstIndex { $0.block != index } ?? rows.places.count
      let (block, entityNumber) = rows.blocks[index]
      let found = rows.places[start..<end]
      start = end
      guard isSame else {
        let numbers = try block.keys
        keys += found.map { place in
          let number = UInt64(bitPattern: numbers.integer(at: place.row))
          return (0, ObjectKey(entity: entityNumber, number: number))
        }
        continue
      }
      guard let entity = state.entity(entityNumber, workspace) else { continue }
      try gathered.add(entity.source(of: block), count: found.count) {
        found[found.startIndex + $0].row
      }
    }
    gathered.finish()
    return isSame ? gathered.objects : try objects(keys, of: parts)
  }

  /// Returns the objects with the given keys of several stores, without missing objects.
  private func objects(
    _ keys: [(part: Int, key: ObjectKey)], of parts: [SearchPart]
  ) throws -> [ManagedObject] {
    var found = [ManagedObject?](repeating: nil, count: keys.count)
    let grouped = Dictionary(grouping: keys.indices) { index in
      SearchGroup(part: keys[index].part, entity: keys[index].key.entity)
    }
    for (group, places) in grouped {
      guard let state = try state(of: parts[group.part]),
        let entity = state.entity(group.entity, workspace)
      else { continue }
      let rows = try state.source.view.rows(
        of: places.map { keys[$0].key.number }, entity.graph.layout)
      for row in rows.rows {
        let place = places[row.key]
        let source = entity.source(of: rows.blocks[row.block])
        found[place] = unsafe entity.object(
          keys[place].key.number, at: Unmanaged.passUnretained(source), row.row)
      }
    }
    return found.compactMap { $0 }.filter { $0.state.isDisjoint(with: [.deleted, .missing]) }
  }

  /// Returns the present view of the store of a part; `nil` if the store is gone.
  private func state(of part: SearchPart) throws -> StoreState? {
    try part.source.store.flatMap { try workspace.state(of: $0) }
  }
}

/// The objects of one entity that one part of a search has found.
private struct SearchGroup: Hashable {
  var part: Int
  var entity: UInt16
}
