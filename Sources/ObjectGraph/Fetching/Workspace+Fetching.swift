import Foundation
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Fetching. A request is answered on rows: the store's, and above them those of the context's own changes.
extension Workspace {
  func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
    try fetch(request) { _ in }
  }

  /// - Parameter check: Looks at every entity that objects were found of.
  private func fetch(
    _ request: FetchRequest, check: (EntityState) -> Void
  ) throws -> [ManagedObject] {
    let objects = try found(request, check: check)
    try look(at: objects, request)
    return objects
  }

  /// Reads what a request asks for beyond the objects it finds.
  func look(at objects: [ManagedObject], _ request: FetchRequest) throws {
    if !request.returnsObjectsAsFaults { for object in objects { realize(object) } }
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
    }
  }

  func fetch<T: ManagedObject>(
    _ type: T.Type, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0
  ) throws -> [T] {
    let request = FetchRequest(T.entityName, where: predicate, sortedBy: sortKeys, limit: limit)
    return try fetch(request, as: T.self)
  }

  func fetch<T: ManagedObject>(_ request: FetchRequest, as type: T.Type) throws -> [T] {
    let objects = try fetch(request) { $0.requireClass(T.self) }
    // SAFETY: Every object is of the class, and an array of objects of a class is one of pointers.
    return unsafe unsafeBitCast(objects, to: [T].self)
  }

  func fetchIdentifiers(_ request: FetchRequest) throws -> [ObjectID] {
    let parts = try prepare(request)
    if parts.count == 1 {
      return try parts[0].keys().map {
        ObjectID(store: parts[0].state.tag, key: $0)
      }
    }
    return try merged(request).map { ObjectID(store: $0.state.tag, key: $0.key) }
  }

  func count(for request: FetchRequest) throws -> Int {
    let parts = try prepare(request)
    if parts.count == 1 { return try parts[0].count() }
    var unlimited = request
    unlimited.fetchLimit = 0
    unlimited.fetchOffset = 0
    let count = try prepare(unlimited).reduce(0) { try $0 + $1.count() }
    return request.window(of: count).count
  }

  func fetchTable(_ request: FetchRequest) throws -> ResultTable {
    var request = request
    request.resultType = .dictionaries
    let parts = try prepare(request)
    guard parts.count == 1 else { throw ContextError.inSeveralStores(request.entity) }
    return try parts[0].table()
  }

  func forEachPart(
    of request: FetchRequest, rowCount: Int, _ body: (ResultTable, ViewSource) throws -> Void
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
}

// How it is done.
extension Workspace {
  /// A request as one store answers it.
  struct FetchPart {
    let state: StoreState
    let source: ViewSource
    let plan: QueryPlan
    let asked: AskedStore?
  }

  func prepare(_ request: FetchRequest) throws -> [FetchPart] {
    checkPlace()
    takeWaiting()
    guard coordinator.model[request.entity] != nil else {
      throw ContextError.unknownEntity(request.entity, in: coordinator.model)
    }
    try propagateDeletionsOrThrow()
    try sealAll()
    let states = try states(holding: request.entity, among: request.affectedStores)
    guard !states.isEmpty else {
      throw ContextError(.noStore, "The coordinator has no store that holds \"\(request.entity)\".")
    }
    return try states.map { state in
      try advance(state)
      let source = request.includesPendingChanges ? state.source : state.baseSource
      var plan = try QueryPlan(
        request, model: state.graph.model, schema: state.graph.schema, store: state.tag)
      if let mayGoOnSearching = settings.mayGoOnSearching {
        plan.watch = SearchWatch { _, _ in mayGoOnSearching() }
      }
      return FetchPart(
        state: state, source: source, plan: plan, asked: AskedStore(state, request))
    }
  }

  /// The objects that a request finds.
  private func found(
    _ request: FetchRequest, check: (EntityState) -> Void
  ) throws -> [ManagedObject] {
    let parts = try prepare(request)
    guard parts.count == 1, let part = parts.first else {
      let objects = try merged(request).compactMap { object(at: $0.key, in: $0.state) }
      for object in objects { check(object.source.entity) }
      return objects
    }
    if let keys = try part.keysToOpen() {
      let objects = keys.compactMap { object(at: $0, in: part.state) }
      for object in objects { check(object.source.entity) }
      return objects
    }
    for entity in part.state.knownEntities { entity.forgetPassingSources() }
    // Sorted objects lie now in this block, now in that: each is looked up once.
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
        guard let entity = part.state.entity(run.entityNumber, self) else { return }
        check(entity)
        source = entity.source(of: run.block)
        sources[run.blockIndex] = source
      }
      try gathered.add(source, count: run.count) { run.row(at: $0) }
    }
    gathered.finish()
    return gathered.objects
  }

  /// What several stores find, in the order that the request asks for.
  private func merged(
    _ request: FetchRequest
  ) throws -> [(state: StoreState, key: ObjectKey)] {
    var found: [(one: (state: StoreState, key: ObjectKey), place: CompiledOrder.Place)] = []
    var order: CompiledOrder?
    for part in try prepare(request.fromTheFirst) {
      let own = try CompiledOrder(
        request, model: part.state.graph.model, schema: part.state.graph.schema,
        store: part.state.tag)
      order = order ?? own
      for key in try part.keys() {
        guard let place = try own.place(of: key, in: part.source) else { continue }
        found.append(((part.state, key), place))
      }
    }
    return order?.merged(found, request) ?? []
  }

  /// Looks up the objects at the ends of some paths at once.
  private func prefetch(_ paths: [String], of objects: [ManagedObject]) throws {
    for path in paths {
      var current = objects
      for name in path.split(separator: ".").map(String.init) {
        var next: [ManagedObject] = []
        var seen: Set<ManagedObject> = []
        for object in current {
          realize(object)
          switch object.source.entity.graph[name]?.place {
          case .toOne(let toOne):
            if let key = object.reference(column: toOne.column), let state = state(of: object),
              let other = self.object(at: key, in: state), seen.insert(other).inserted
            {
              next.append(other)
            }
          case .toMany(let toMany):
            for other in relatedObjects(of: object, toMany) where seen.insert(other).inserted {
              next.append(other)
            }
          default: break
          }
        }
        try locate(next)
        current = next
      }
    }
  }

  /// Looks up objects that were not looked up yet, block by block.
  func locate(_ objects: [ManagedObject]) throws {
    var open: [ObjectIdentifier: (entity: EntityState, objects: [ManagedObject])] = [:]
    for object in objects where object.source.isUnresolved {
      let entity = object.source.entity
      open[ObjectIdentifier(entity), default: (entity, [])].objects.append(object)
    }
    for (entity, objects) in open.values {
      guard let state = knownState(of: entity.store) else { continue }
      let found = try View(state.tables).rows(
        of: objects.map(\.key.number), entity.graph.layout)
      for place in found.rows {
        noteFound(objects[place.key])
        objects[place.key].point(
          to: entity.source(of: found.blocks[place.block]), row: place.row)
      }
    }
  }
}

// MARK: - Fetched properties

extension Workspace {
  /// What a fetched property of an object finds. It may be in any store.
  func fetch(_ property: FetchedProperty, for object: ManagedObject) throws -> [ManagedObject] {
    var request = try FetchRequest(property.request)
    request.predicate = try request.predicate?.replacing("FETCH_SOURCE") { path in
      try value(of: object, at: path)
    }
    return try fetch(request)
  }

  /// What is at the end of a path from an object, which may be in another store than those that are asked.
  private func value(of object: ManagedObject, at path: [String]) throws -> QueryExpression {
    if path.contains(where: { $0.hasPrefix("@") }) {
      var request = FetchRequest(
        object.entity.name,
        where: .comparison(.init(.evaluatedObject, .equal, .object(object.objectID))))
      request.propertiesToFetch = [FetchedValue("value", .keyPath(of: .evaluatedObject, path))]
      request.affectedStores = [object.source.entity.store.uuid]
      return .constant(try fetchTable(request).rows.first?.first ?? .null)
    }
    var objects = [object]
    var isMany = false
    for (index, name) in path.enumerated() {
      let last = path[index...].joined(separator: ".")
      let graph = objects.first?.source.entity.graph
      if graph?[last]?.isAttribute ?? false {
        let values = objects.map { QueryExpression.constant($0[last]) }
        return isMany ? .aggregate(values) : values[0]
      }
      var next: [ManagedObject] = []
      for one in objects {
        realize(one)
        switch one.source.entity.graph[name]?.place {
        case .toOne: if let other = one.value(forKey: name) as? ManagedObject { next.append(other) }
        case .toMany(let toMany):
          isMany = true
          next += relatedObjects(of: one, toMany)
        default: throw ContextError.unknownProperty(last, of: one.source.entity.graph)
        }
      }
      objects = next
    }
    let found = objects.map { QueryExpression.object($0.objectID) }
    return isMany ? .aggregate(found) : found.first ?? .constant(.null)
  }
}
