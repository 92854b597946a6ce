// SAFETY: The walk keeps each source as long as its rows are used.

import ObjectModel
import ObjectQuery
import Rows

/// Passes the objects of a request to the caller in batches. Its memory does not grow with the number of objects.
struct BatchWalk {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  func forEachBatch<T: ManagedObject>(
    of request: QueryRequest, as type: T.Type, size: Int? = nil, _ body: ([T]) throws -> Void
  ) throws {
    let size = max(size ?? (request.fetchBatchSize > 0 ? request.fetchBatchSize : 1024), 1)
    let parts = try ObjectFetcher(workspace).prepare(request)
    guard parts.count == 1, let part = parts.first, part.asked == nil else {
      let identifiers = try ObjectFetcher(workspace).fetchIdentifiers(request)
      for start in stride(from: 0, to: identifiers.count, by: size) {
        var batch = identifiers[start..<min(start + size, identifiers.count)].map {
          workspace.object(with: $0)
        }
        try hand(&batch, to: body)
      }
      return
    }
    var batch: [ManagedObject] = []
    // The receiver of a batch may save or process changes. The rows that were found before are then outdated.
    var isCurrent = true
    try part.plan.forEachRun(in: part.source) { run in
      guard let entity = part.state.entity(run.entityNumber, workspace) else { return }
      // The source is kept for all rows of the block, even if objects are evicted after each batch.
      let source = isCurrent ? entity.source(of: run.block) : RowSource(entity, block: run.block)
      for row in run {
        let number = try source.number(row)
        if isCurrent {
          batch.append(unsafe entity.object(number, at: Unmanaged.passUnretained(source), row))
        } else {
          let key = ObjectKey(entity: run.entityNumber, number: number)
          batch.append(
            workspace.object(with: ObjectID(store: part.state.tag, key: key)))
        }
        guard batch.count == size else { continue }
        try hand(&batch, to: body)
        isCurrent = isCurrent && workspace.drafts.state(of: part.state.tag) === part.state
        if isCurrent {
          let shown = request.includesPendingChanges ? part.state.source : part.state.baseSource
          isCurrent = shown === part.source
        }
      }
    }
    if !batch.isEmpty { try hand(&batch, to: body) }
  }

  /// Passes the existing objects of a batch to `body`, and evicts the objects that the program does not keep.
  private func hand<T: ManagedObject>(
    _ batch: inout [ManagedObject], to body: ([T]) throws -> Void
  ) throws {
    try Prefetcher(workspace).locate(batch)
    batch.removeAll { $0.source.isUnresolved || !workspace.isThere($0) }
    if !batch.isEmpty { try body(batch.checked(as: T.self)) }
    batch.removeAll(keepingCapacity: true)
    guard !workspace.settings.retainsRegisteredObjects else { return }
    workspace.sweep()
    for state in workspace.drafts.states {
      for entity in state.knownEntities { entity.forgetSources() }
    }
  }
}
