import ObjectModel
import ObjectQuery
import Rows

/// Finds rows and takes their values, without an object for each row.
///
/// One object serves as the cursor: it is in no table of the context, and stands at each row in turn. So the values are read by the
/// code that reads objects, and no hook of a class runs.
struct SnapshotFetcher {
  private let workspace: Workspace
  private let paths: SnapshotPaths
  private var cursor: ManagedObject?

  init(_ workspace: Workspace, including paths: SnapshotPaths) {
    (self.workspace, self.paths) = (workspace, paths)
  }

  /// Calls `body` with the source of each snapshot that a request finds, in its order.
  ///
  /// - Parameters:
  ///   - type: The class of the objects.
  ///   - reserve: Receives the number of snapshots, if it is known before the first.
  mutating func forEach<T: ManagedObject>(
    _ request: QueryRequest, as type: T.Type, reserve: (Int) -> Void,
    _ body: (SnapshotSource) throws -> Void
  ) throws {
    let fetcher = ObjectFetcher(workspace)
    _ = try fetcher.traced(request, count: \.self) {
      var count = 0
      try forEach(request, as: type, fetcher, reserve) { source in
        count += 1
        try body(source)
      }
      return count
    }
  }

  private mutating func forEach<T: ManagedObject>(
    _ request: QueryRequest, as type: T.Type, _ fetcher: ObjectFetcher, _ reserve: (Int) -> Void,
    _ body: (SnapshotSource) throws -> Void
  ) throws {
    let parts = try fetcher.prepare(request)
    guard parts.count == 1, let part = parts.first, !needsObjects(part) else {
      var request = request
      request.relationshipKeyPathsForPrefetching += paths.all
      let objects = try fetcher.fetch(request, as: type)
      reserve(objects.count)
      for object in objects { try body(SnapshotSource(object, including: paths)) }
      return
    }
    for entity in part.state.knownEntities { entity.forgetPassingSources() }
    if let keys = try part.keysToOpen() {
      reserve(keys.count)
      return try forEachRow(of: keys, in: part.state) { try pass($0, $1, to: body) }
    }
    var sources: [RowSource?] = []
    try part.plan.forEachRun(in: part.source) { run in
      if sources.isEmpty {
        reserve(run.foundCount)
        sources = Array(repeating: nil, count: run.blockCount)
      }
      guard
        let source = sources[run.blockIndex]
          ?? part.state.entity(run.entityNumber, workspace)?.source(of: run.block)
      else { return }
      sources[run.blockIndex] = source
      for index in 0..<run.count { try pass(source, run.row(at: index), to: body) }
    }
  }

  /// Whether a path leads along a relationship whose members are found by an object's own key.
  private func needsObjects(_ part: FetchPart) -> Bool {
    guard let graph = part.state.graph[part.plan.request.entity] else { return true }
    return !paths.names.keys.allSatisfy {
      if case .toOne = graph[$0]?.place { true } else { false }
    }
  }

  /// Calls `body` with the rows of objects, in the order of the keys.
  private func forEachRow(
    of keys: [ObjectKey], in state: StoreState, _ body: (RowSource, Int) throws -> Void
  ) throws {
    var places: [(source: RowSource, row: Int)?] = Array(repeating: nil, count: keys.count)
    for (number, indices) in Dictionary(grouping: keys.indices, by: { keys[$0].entity }) {
      guard let entity = state.entity(number, workspace) else { continue }
      let rows = try View(state.tables).rows(
        of: indices.map { keys[$0].number }, entity.graph.layout)
      for place in rows.rows {
        places[indices[place.key]] = (entity.source(of: rows.blocks[place.block]), place.row)
      }
    }
    for case let place? in places { try body(place.source, place.row) }
  }

  private mutating func pass(
    _ source: RowSource, _ row: Int, to body: (SnapshotSource) throws -> Void
  ) throws {
    let entity = source.entity
    let number = try source.number(row)
    // A row of changes gives only some values, and its object knows the row below.
    if source.isOwn {
      // SAFETY: The entity keeps its source, and the source has the row.
      let object = unsafe entity.object(number, at: Unmanaged.passUnretained(source), row)
      return try body(SnapshotSource(object, including: paths))
    }
    let key = ObjectKey(entity: entity.graph.number, number: number)
    try body(
      SnapshotSource(
        place(at: source, row, key), ObjectID(store: entity.store.tag, key: key), including: paths))
  }

  private mutating func place(at source: RowSource, _ row: Int, _ key: ObjectKey) -> ManagedObject {
    if let cursor {
      if cursor.source === source {
        cursor.row = UInt32(row)
      } else {
        cursor.point(to: source, row: row)
      }
      return cursor
    }
    // SAFETY: The object retains the source as the objects of the context do, by `lend()`.
    let made = ManagedObject(
      unsafe ObjectBirth(
        key: key, source: Unmanaged.passUnretained(source), row: UInt32(row), state: .realized))
    cursor = made
    return made
  }
}
