import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Tracing

/// Answers fetch requests in the turn of a context.
///
/// Searches the rows of each store, with the rows of the context's own changes above them.
struct ObjectFetcher {
  let workspace: Workspace

  init(_ workspace: Workspace) { self.workspace = workspace }

  /// Calls `body`, and sends an event about the fetch if there is a handler.
  @inline(__always)
  func traced<R>(
    _ request: QueryRequest, count: (R) -> Int?, _ body: () throws -> R
  ) rethrows -> R {
    try Trace.measure(.fetch, at: workspace.onlyPath, request.inWords, count: count, body)
  }

  func fetch<T: ManagedObject>(_ request: QueryRequest, as type: T.Type) throws -> [T] {
    let objects = try traced(request, count: \.count) {
      let objects = try found(request) { $0.requireClass(T.self) }
      try Prefetcher(workspace).read(objects, for: request)
      return objects
    }
    // SAFETY: Every object is of the class, and both arrays contain only pointers to the objects.
    return unsafe unsafeBitCast(objects, to: [T].self)
  }

  func fetchIdentifiers(_ request: QueryRequest) throws -> [ObjectID] {
    try traced(request, count: \.count) {
      let parts = try prepare(request)
      if parts.count == 1 {
        return try parts[0].keys().map {
          ObjectID(store: parts[0].state.tag, key: $0)
        }
      }
      return try merged(request).map { ObjectID(store: $0.state.tag, key: $0.key) }
    }
  }

  func count(for request: QueryRequest) throws -> Int {
    try traced(request, count: \.self) {
      let parts = try prepare(request)
      if parts.count == 1 { return try parts[0].count() }
      var unlimited = request
      unlimited.fetchLimit = 0
      unlimited.fetchOffset = 0
      let count = try prepare(unlimited).reduce(0) { try $0 + $1.count() }
      return request.window(of: count).count
    }
  }

  func fetchTable(_ request: QueryRequest) throws -> ResultTable {
    try traced(request, count: \.rows.count) {
      var request = request
      request.resultType = .dictionaries
      let parts = try prepare(request)
      guard parts.count == 1 else { throw ContextError.inSeveralStores(request.entity) }
      return try parts[0].table()
    }
  }

  func forEachPart(
    of request: QueryRequest, rowCount: Int, _ body: (ResultTable, ViewSource) throws -> Void
  ) throws {
    var request = request
    request.resultType = .dictionaries
    let parts = try prepare(request)
    guard parts.count == 1 else { throw ContextError.inSeveralStores(request.entity) }
    let part = parts[0]
    if let table = try part.asked?.table(part.plan.request) {
      return try table.forEachPart(rowCount: rowCount) { try body($0, part.source) }
    }
    try part.plan.forEachPart(in: part.source, rowCount: rowCount) { try body($0, part.source) }
  }

  func forEachRun(of request: QueryRequest, _ body: (FoundRows, ViewSource) throws -> Void) throws {
    let parts = try prepare(request)
    guard parts.count == 1 else { throw ContextError.inSeveralStores(request.entity) }
    let part = parts[0]
    try part.plan.forEachRun(in: part.source) { try body($0, part.source) }
  }

  func rows(
    of keys: [ObjectKey], in entity: String
  ) throws -> [(block: Block, entity: UInt16, row: Int)] {
    let parts = try prepare(QueryRequest(entity))
    guard parts.count == 1 else { throw ContextError.inSeveralStores(entity) }
    let source = parts[0].source
    var places = [(block: Block, entity: UInt16, row: Int)?](repeating: nil, count: keys.count)
    for (number, indices) in Dictionary(grouping: keys.indices, by: { keys[$0].entity }) {
      guard let layout = source.schema[number],
        source.model.entity(layout.entity, isOrInheritsFrom: entity)
      else { continue }
      let found = try source.view.rows(of: indices.map { keys[$0].number }, layout)
      for row in found.rows {
        places[indices[row.key]] = (found.blocks[row.block], number, row.row)
      }
    }
    return places.compactMap(\.self)
  }

  /// Answers a request in each store, and returns the ways and the work.
  func explain(_ request: QueryRequest) throws -> [QueryExplanation] {
    try prepare(request).map { part in
      let state = part.state
      // The store is asked if the context shows its rows alone.
      let isHidden = part.asked == nil && state.persistent.features.querying != nil
      var explanation = try QueryPlan.explain(
        reason: isHidden ? "the context has unsaved changes, which only the context knows" : nil,
        in: part.source,
        {
          try QueryPlan(
            request, model: state.graph.model, schema: state.graph.schema, store: state.tag)
        }, askStore: part.asked.map { asked in { try asked.resultCount($0) } })
      explanation.store = state.persistent.path
      return explanation
    }
  }

  func prepare(_ request: QueryRequest) throws -> [FetchPart] {
    workspace.checkPlace()
    workspace.takeWaiting()
    guard workspace.coordinator.model[request.entity] != nil else {
      throw ContextError.unknownEntity(request.entity, in: workspace.coordinator.model)
    }
    try workspace.propagateDeletionsOrThrow()
    try workspace.sealAll()
    let states = try workspace.states(holding: request.entity, among: request.affectedStores)
    guard !states.isEmpty else {
      throw ContextError(
        .noStore, "No store of the coordinator contains the entity \"\(request.entity)\".")
    }
    return try states.map { state in
      try workspace.advance(state)
      let source = request.includesPendingChanges ? state.source : state.baseSource
      var plan = try QueryPlan(
        request, model: state.graph.model, schema: state.graph.schema, store: state.tag)
      if let mayGoOnSearching = workspace.settings.mayGoOnSearching {
        plan.watch = SearchWatch { _, _ in mayGoOnSearching() }
      }
      return FetchPart(
        state: state, source: source, plan: plan, asked: AskedStore(state, request))
    }
  }

  /// Returns the objects that a request finds.
  ///
  /// - Parameter check: Receives the entity of each object, at least once for each entity.
  private func found(
    _ request: QueryRequest, check: (EntityState) -> Void
  ) throws -> [ManagedObject] {
    let parts = try prepare(request)
    guard parts.count == 1, let part = parts.first else {
      let objects = try merged(request).compactMap { workspace.object(at: $0.key, in: $0.state) }
      for object in objects { check(object.source.entity) }
      return objects
    }
    if let keys = try part.keysToOpen() {
      let objects = keys.compactMap { workspace.object(at: $0, in: part.state) }
      for object in objects { check(object.source.entity) }
      return objects
    }
    for entity in part.state.knownEntities { entity.forgetPassingSources() }
    // Sorted objects alternate between blocks, so the source of each block is looked up once.
    var sources: [RowSource?] = []
    var gathered = GatheredRows()
    try part.plan.forEachRun(in: part.source) { run in
      if sources.isEmpty {
        gathered.reserve(run.foundCount)
        sources = Array(repeating: nil, count: run.blockCount)
      }
      let source: RowSource
      if let known = sources[run.blockIndex] {
        source = known
      } else {
        guard let entity = part.state.entity(run.entityNumber, workspace) else { return }
        check(entity)
        source = entity.source(of: run.block)
        sources[run.blockIndex] = source
      }
      try gathered.add(source, count: run.count) { run.row(at: $0) }
    }
    gathered.finish()
    return gathered.objects
  }

  /// Returns the keys that several stores find, in the order of the request.
  private func merged(
    _ request: QueryRequest
  ) throws -> [(state: StoreState, key: ObjectKey)] {
    var found: [(one: (state: StoreState, key: ObjectKey), place: CompiledOrder.Place)] = []
    var order: CompiledOrder?
    let parts = try prepare(request.fromTheFirst)
    let statistics = try QueryPlan.statistics(parts.lazy.map { ($0.plan, $0.source) })
    for var part in parts {
      var own = try CompiledOrder(
        request, model: part.state.graph.model, schema: part.state.graph.schema,
        store: part.state.tag)
      (part.plan.statistics, own.statistics) = (statistics, statistics)
      order = order ?? own
      for key in try part.keys() {
        guard let place = try own.place(of: key, in: part.source) else { continue }
        found.append(((part.state, key), place))
      }
    }
    return order?.merged(found, request) ?? []
  }
}

extension [ManagedObject] {
  /// Returns the same objects as objects of a class. They must be of that class.
  func checked<T: ManagedObject>(as type: T.Type) -> [T] {
    var checked: ManagedObject.Type?
    for object in self where Swift.type(of: object) != checked {
      object.source.entity.requireClass(T.self)
      checked = Swift.type(of: object)
    }
    // SAFETY: Every object is of the class, and both arrays contain only pointers to the objects.
    return unsafe unsafeBitCast(self, to: [T].self)
  }
}
