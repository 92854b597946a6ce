import Foundation
import ObjectModel
import ObjectQuery
import Rows

/// The query behind a list of results. It loads the list, and computes the changes of the list.
struct FetchedQuery {
  let request: QueryRequest
  private let sections: FetchedSections?
  /// The path of the transient attribute that names the sections; `nil` if no transient attribute does.
  private let transientPath: String?
  private let scope: RequestScope
  private let entities: Set<String>
  /// The tags of the stores that the query reads.
  private let tags: [StoreTag]
  private var parts: [StoreTag: Part] = [:]
  /// Whether the place of an object depends on no other object.
  let isIncremental: Bool
  /// The time of `now()` in the request, the same for every load.
  private let now = Date()

  /// The request compiled for one store.
  private struct Part {
    let predicate: CompiledPredicate?
    let order: CompiledOrder
  }

  init(
    _ request: QueryRequest, _ sections: FetchedSections?, in workspace: Workspace
  ) throws {
    var request = request
    var sections = sections
    var transientPath: String?
    if let path = sections?.path {
      if workspace.coordinator.model.property(path, of: request.entity)?.isTransient ?? false {
        sections = sections?.askingObjects()
        transientPath = path
      } else if request.sortKeys.first?.path != path {
        request.sortKeys.insert(SortKey(path), at: 0)
      }
    }
    guard request.includesPendingChanges || !(sections?.asksObjects ?? false) else {
      throw ContextError(
        .notSupported,
        "The request excludes unsaved changes, but a section name that is read from objects includes them."
      )
    }
    self.request = request
    self.sections = sections
    self.transientPath = transientPath
    guard workspace.coordinator.model[request.entity] != nil else {
      throw ContextError.unknownEntity(request.entity, in: workspace.coordinator.model)
    }
    scope = RequestScope(
      request, paths: sections?.path.map { [$0] } ?? [], model: workspace.coordinator.model)
    entities = scope.entities ?? []
    let states = try workspace.states(holding: request.entity, among: request.affectedStores)
    guard !states.isEmpty else {
      throw ContextError(
        .noStore, "No store of the coordinator contains the entity \"\(request.entity)\".")
    }
    tags = states.map(\.tag)
    isIncremental =
      scope.isLocal && states.count == 1 && request.fetchLimit == 0 && request.fetchOffset == 0
      && request.includesPendingChanges && request.resultType != .dictionaries
    for state in states {
      parts[state.tag] = Part(
        predicate: try request.predicate.map {
          try CompiledPredicate(
            $0, entity: request.entity, model: state.graph.model, schema: state.graph.schema,
            store: state.tag, now: now)
        },
        order: try CompiledOrder(
          request, model: state.graph.model, schema: state.graph.schema, store: state.tag, now: now)
      )
    }
  }

  func states(in workspace: Workspace) throws -> [StoreState] {
    try tags.compactMap { try workspace.state(of: $0) }
  }

  /// Whether the section names come from the objects.
  var asksObjects: Bool { sections?.asksObjects ?? false }

  /// Whether the same request would query other stores now.
  func isOutdated(in workspace: Workspace) -> Bool {
    let now = workspace.coordinator.stores.filter { store in
      store.graph[request.entity] != nil && (request.affectedStores?.contains(store.uuid) ?? true)
    }.map(\.tag)
    // The objects of a removed store can still be read. If no store is left, the query keeps its stores.
    return now != tags && !now.isEmpty
  }

  /// Whether the query reads the given store.
  func isAsked(_ tag: StoreTag) -> Bool { tags.contains(tag) }

  /// Whether the query may find objects of an entity.
  func isAsked(_ entity: UInt16, in tag: StoreTag) -> Bool {
    parts[tag]?.order.entityNumbers.contains(entity) ?? false
  }

  /// Whether an object exists and meets the predicate.
  func finds(_ key: ObjectKey, in source: ViewSource, _ state: StoreState) throws -> Bool {
    guard let part = parts[state.tag] else { return false }
    return try part.predicate?.holds(for: key, in: source) ?? (source.row(of: key) != nil)
  }

  func order(in state: StoreState) -> CompiledOrder? { parts[state.tag]?.order }

  /// Whether changes may affect the results.
  func concerns(_ changes: [ViewChange]) -> Bool {
    changes.contains { change in
      guard tags.contains(change.state.tag) else { return false }
      guard let keys = change.keys, scope.entities != nil else { return true }
      return keys.contains { key in
        // A key without an entity is the key of a link. Any link may affect the results.
        change.state.graph[key.entity].map { entities.contains($0.name) } ?? true
      }
    }
  }
}

// MARK: - Sections

extension FetchedQuery {
  /// Returns the error for a list in which a section name occurs twice; `nil` if no name does.
  func failure(of list: FetchedSnapshot) -> ContextError? {
    guard let name = list.repeatedSection else { return nil }
    let first = request.sortKeys.first.map { "\"\($0.path)\"" }
    let rule: String
    if let path = sections?.path {
      rule = """
        The results are sorted by "\(path)" first, so values of "\(path)" with the same section name \
        must be adjacent in that order.
        """
    } else {
      let order =
        transientPath.map { "by the stored values that \"\($0)\" is computed from" }
        ?? "by section"
      let now =
        first.map { "the results are sorted by \($0) first" } ?? "the request has no sort key"
      rule = "The first sort key must order the objects \(order); now \(now)."
    }
    return ContextError(
      .notSupported,
      """
      Can't divide the results of "\(request.entity)" into sections: the section "\(name)" occurs twice. \(rule)
      """)
  }
}

extension FetchedSnapshot {
  /// The name of the first section that an earlier section has too; `nil` if all names differ.
  fileprivate var repeatedSection: String? {
    // Neighbouring sections have different names, so a name can occur twice only among three or more sections.
    guard sections.count > 2 else { return nil }
    var seen: Set<String> = []
    return sections.first { !seen.insert($0.name).inserted }?.name
  }
}

// MARK: - Loading all results

extension FetchedQuery {
  /// Returns all results, loaded again.
  func load(
    in workspace: Workspace, _ following: ResultsFollowing
  ) throws -> FetchedSnapshot {
    var found: [(id: ObjectID, name: String)] = []
    let states = try states(in: workspace)
    if states.count == 1 {
      found = try load(request, states[0], following, in: workspace)
    } else {
      found = try merged(states, following, in: workspace)
    }
    return FetchedSnapshot(
      identifiers: found.map(\.id), sections: sectionRuns(found.map(\.name)))
  }

  /// Returns the view of a store that the query reads.
  func source(_ state: StoreState, _ following: ResultsFollowing) -> ViewSource {
    request.includesPendingChanges ? following.source(of: state) : state.baseSource
  }

  /// Returns the plan of a request for a store.
  ///
  /// - Parameter statistics: The sums over the texts of all stores, if there are several and the request sorts by relevance.
  func plan(
    _ request: QueryRequest, _ state: StoreState, _ statistics: RelevanceStatistics? = nil
  ) throws -> QueryPlan {
    var plan = try QueryPlan(
      request, model: state.graph.model, schema: state.graph.schema, store: state.tag, now: now)
    plan.statistics = statistics
    return plan
  }

  private func load(
    _ request: QueryRequest, _ state: StoreState, _ following: ResultsFollowing,
    in workspace: Workspace, _ statistics: RelevanceStatistics? = nil
  ) throws -> [(id: ObjectID, name: String)] {
    let source = source(state, following)
    let ids = try plan(request, state, statistics).keys(in: source).map {
      ObjectID(store: state.tag, key: $0)
    }
    let (path, nameOfValue): (String, @Sendable (Value) -> String)
    switch sections?.naming {
    case nil: return ids.map { ($0, "") }
    case .objects(let name): return ids.map { (id: $0, name: ask(name, of: $0, in: workspace)) }
    case .values(let ofPath, let name): (path, nameOfValue) = (ofPath, name)
    }
    var named = request
    named.resultType = .dictionaries
    named.propertiesToFetch = [FetchedValue(path)]
    // The table has one row for each object.
    named.returnsDistinctResults = false
    named.propertiesToGroupBy = []
    named.havingPredicate = nil
    let rows = try plan(named, state, statistics).table(in: source).rows
    var names: [Value: String] = [:]
    return zip(ids, rows).map { id, row in
      if let known = names[row[0]] { return (id, known) }
      let name = nameOfValue(row[0])
      names[row[0]] = name
      return (id, name)
    }
  }

  /// Asks an object for its section name.
  private func ask(
    _ name: (ManagedObject) -> String, of id: ObjectID, in workspace: Workspace
  ) -> String {
    let object = workspace.object(with: id)
    return workspace.observation.following?.asking { name(object) } ?? name(object)
  }

  /// Returns the results of several stores in one order. Equal objects follow the order of the stores.
  private func merged(
    _ states: [StoreState], _ following: ResultsFollowing, in workspace: Workspace
  ) throws -> [(id: ObjectID, name: String)] {
    var found: [(one: (id: ObjectID, name: String), place: CompiledOrder.Place)] = []
    let first = request.fromTheFirst
    let statistics =
      first.sortsByRelevance(in: states[0].graph.model)
      ? try QueryPlan.statistics(states.map { (try plan(first, $0), source($0, following)) }) : nil
    for state in states {
      guard var order = order(in: state) else { continue }
      order.statistics = statistics
      let source = source(state, following)
      for one in try load(first, state, following, in: workspace, statistics) {
        if let place = try order.place(of: one.id.key, in: source) { found.append((one, place)) }
      }
    }
    return order(in: states[0])?.merged(found, request) ?? []
  }

  /// Returns the sections: runs of equal names; one section if the list is not divided.
  private func sectionRuns(_ names: [String]) -> [FetchedSection] {
    if sections == nil { return [FetchedSection(name: "", range: 0..<names.count)] }
    var sections: [FetchedSection] = []
    var start = 0
    for index in names.indices where index + 1 == names.count || names[index + 1] != names[index] {
      sections.append(FetchedSection(name: names[index], range: start..<index + 1))
      start = index + 1
    }
    return sections
  }
}

// MARK: - Computing changes

extension FetchedQuery {
  /// Returns the index of an object with the given place in a list; `nil` if the list does not contain the object.
  func index(
    of place: CompiledOrder.Place, in list: [ObjectID], _ source: ViewSource, _ state: StoreState
  ) throws -> Int? {
    guard let order = order(in: state) else { return nil }
    let index = try FetchedQuery.position(of: place, in: list, source, order)
    return index < list.count && list[index].key == place.key ? index : nil
  }

  /// Returns the number of objects of a list that precede a place.
  private static func position(
    of place: CompiledOrder.Place, in list: [ObjectID], _ source: ViewSource,
    _ order: CompiledOrder
  ) throws -> Int {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      guard let other = try order.place(of: list[middle].key, in: source) else {
        throw ContextError(
          .noObject, "\(list[middle].uri) is in the results, but the object does not exist.")
      }
      if order.precedes(other, place) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the change of a list. Returns `nil` if the change can't be computed, so that the caller must load all
  /// results again if the changes concern the query.
  func difference(
    _ changes: [ViewChange], _ list: FetchedSnapshot, in workspace: Workspace
  ) throws -> FetchedResultsChange? {
    guard isIncremental, let change = changes.first(where: { tags.contains($0.state.tag) }),
      let keys = change.keys, let part = parts[change.state.tag]
    else { return nil }
    let mine = keys.filter { part.order.entityNumbers.contains($0.entity) }
    // After many changes a complete load is faster.
    guard mine.count < max(64, list.identifiers.count / 4) else { return nil }
    var edit = FetchedEdit(list, sections)
    for key in mine {
      let old = try part.order.place(of: key, in: change.before)
      var new = try part.order.place(of: key, in: change.after)
      if new != nil, try !finds(key, in: change.after, change.state) { new = nil }
      let index = try old.flatMap {
        try self.index(of: $0, in: list.identifiers, change.before, change.state)
      }
      guard let new else {
        if let index { edit.remove(index) }
        continue
      }
      let section = try sectionName(of: key, in: change.after, change.state, workspace)
      if let index {
        // A text may change without changing its place in the order.
        if let old, part.order.areEqual(old, new),
          list.sections[list.place(at: index).section].name == section
        {
          edit.update(index)
          continue
        }
        edit.remove(index)
      }
      let gap = try FetchedQuery.position(of: new, in: list.identifiers, change.before, part.order)
      edit.insert(
        ObjectID(store: change.state.tag, key: key), new, gap, section)
    }
    return edit.change(part.order)
  }

  private func sectionName(
    of key: ObjectKey, in source: ViewSource, _ state: StoreState, _ workspace: Workspace
  ) throws -> String {
    switch sections?.naming {
    case nil: return ""
    case .objects(let name):
      return ask(name, of: ObjectID(store: state.tag, key: key), in: workspace)
    case .values(let path, let name):
      guard let layout = state.graph.schema[key.entity], let index = layout.index(of: path) else {
        return ""
      }
      let value = try source.view.value(of: key, column: layout.columns[index])
      return name(value ?? .null)
    }
  }
}
