public import ObjectModel
public import ObjectQuery
import Rows

/// What a request gives, kept right: a number, identifiers, values or aggregates, without a list of
/// objects.
///
///     let open = try LiveResult.count(ToDo.where { $0.isDone == false }, in: context)
///     open.onChange = { print("open:", $0) }
///     for await count in open.values { … }
///
/// Told at the end of its context's turn, when it is another one. Where membership follows from an
/// object's own values, a count costs what was changed; everything else is asked anew when something that
/// matters has changed. Used in its context's turn.
public final class LiveResult<Output: Equatable & Sendable> {
  /// The context that is looked in.
  public let context: ManagedObjectContext
  /// What is asked for.
  public let request: QueryRequest
  /// Called in the context's turn with what the request gives by now.
  public var onChange: ((Output) -> Void)?

  private var workspace: Workspace { context.workspace }
  private var current: Output
  private var query: FetchedQuery
  private let ask: (Workspace, FetchedQuery, ResultsFollowing) throws -> Output
  /// What becomes of the output when single objects change; `nil` when it has to be asked for.
  private let adjust: (Output, FetchedQuery, [ViewChange]) throws -> Output?
  private var following: ResultsFollowing
  private var isStale = false
  /// Up to which telling of changes the value has them all.
  private var round: Int
  private let streams = StreamHub<Output>()

  fileprivate init(
    _ request: QueryRequest, in context: ManagedObjectContext,
    ask:
      @escaping (Workspace, FetchedQuery, ResultsFollowing) throws -> Output,
    adjust: @escaping (Output, FetchedQuery, [ViewChange]) throws -> Output? = { _, _, _ in nil }
  ) throws {
    let workspace = context.workspace
    workspace.checkPlace()
    self.context = context
    self.request = request
    self.ask = ask
    self.adjust = adjust
    query = try FetchedQuery(request, nil, in: workspace)
    let states = try query.states(in: workspace)
    following = try FollowerUpdate(workspace).begin(states)
    current = try ask(workspace, query, following)
    round = following.round
    following.add(self)
  }

  deinit { streams.finish() }

  /// What the request gives.
  public var value: Output {
    workspace.checkPlace()
    return current
  }

  /// What the request gives now, and then whenever it is something else. Ends when this is let go.
  public var values: AsyncStream<Output> { streams.stream(beginningWith: value) }
}

extension LiveResult: ResultsFollower {
  var asksObjects: Bool { false }
  var asksForSaved: Bool { !request.includesPendingChanges }

  func isAsked(_ entity: UInt16, in tag: StoreTag) -> Bool { query.isAsked(entity, in: tag) }

  func follow(_ changes: [ViewChange]) throws {
    guard isStale || round != following.round && query.concerns(changes) else { return }
    let wasStale = isStale
    // What fails halfway is asked for from the beginning the next time.
    isStale = true
    let adjusted = try wasStale ? nil : adjust(current, query, changes)
    take(try adjusted ?? ask(workspace, query, following))
  }

  func followStores() throws {
    guard query.isOutdated(in: workspace) else { return }
    isStale = true
    let next = try FetchedQuery(request, nil, in: workspace)
    following = try FollowerUpdate(workspace).begin(next.states(in: workspace))
    let found = try ask(workspace, next, following)
    query = next
    take(found)
  }

  private func take(_ next: Output) {
    isStale = false
    round = following.round
    guard next != current else { return }
    current = next
    // Whoever is called may change something, which is told after this.
    streams.yield(next)
    onChange?(next)
  }
}

extension LiveResult where Output == Int {
  /// How many objects a request finds.
  ///
  /// - Throws: `QueryError` when the request does not fit the model, or what a damaged store throws.
  public static func count<Object>(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext
  ) throws -> LiveResult {
    try LiveResult(
      request.query, in: context,
      ask: { workspace, query, following in try query.count(in: workspace, following) },
      adjust: { count, query, changes in try query.count(count, after: changes) })
  }
}

extension LiveResult where Output == [ObjectID] {
  /// The identifiers of the objects that a request finds, in its order.
  ///
  /// - Throws: As ``count(_:in:)``.
  public static func identifiers<Object>(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext
  ) throws -> LiveResult {
    try LiveResult(request.query, in: context) { workspace, query, following in
      try query.load(in: workspace, following).identifiers
    }
  }
}

extension LiveResult where Output == ResultTable {
  /// The values, groups or aggregates that a request asks for.
  ///
  /// - Throws: As ``count(_:in:)``; ``ContextError`` when the entity's objects are in several stores.
  public static func table<Object>(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext
  ) throws -> LiveResult {
    try LiveResult(request.query, in: context) { workspace, query, following in
      try query.table(in: workspace, following)
    }
  }
}

extension FetchedQuery {
  /// How many objects are found.
  fileprivate func count(
    in workspace: Workspace, _ following: ResultsFollowing
  ) throws -> Int {
    let states = try states(in: workspace)
    if states.count == 1 {
      return try plan(request, states[0]).count(in: source(states[0], following))
    }
    var unlimited = request
    unlimited.fetchLimit = 0
    unlimited.fetchOffset = 0
    let count = try states.reduce(0) { count, state in
      try count + plan(unlimited, state).count(in: source(state, following))
    }
    return request.window(of: count).count
  }

  /// How many objects are found when it was so many before some changes; `nil` when they have to be
  /// counted.
  fileprivate func count(_ count: Int, after changes: [ViewChange]) throws -> Int? {
    guard isIncremental, let change = changes.first(where: { isAsked($0.state.tag) }),
      let keys = change.keys
    else { return nil }
    let mine = keys.filter { isAsked($0.entity, in: change.state.tag) }
    guard mine.count < 4096 else { return nil }
    var count = count
    for key in mine {
      if try finds(key, in: change.before, change.state) { count -= 1 }
      if try finds(key, in: change.after, change.state) { count += 1 }
    }
    return count
  }

  /// The values, groups or aggregates asked for.
  fileprivate func table(
    in workspace: Workspace, _ following: ResultsFollowing
  ) throws -> ResultTable {
    let states = try states(in: workspace)
    guard states.count == 1 else { throw ContextError.inSeveralStores(request.entity) }
    var request = request
    request.resultType = .dictionaries
    return try plan(request, states[0]).table(in: source(states[0], following))
  }
}
