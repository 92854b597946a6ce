public import ObjectModel
public import ObjectQuery
import Rows

/// The result of a request, kept up to date: a count, identifiers, values or aggregates, without a list of objects.
///
///     let open = try LiveResult.count(ToDo.where { $0.isDone == false }, in: context)
///     open.onChange = { print("open:", $0) }
///     for await count in open.values { … }
///
/// Observers are notified at the end of the context's turn if the result has changed. If membership depends on an
/// object's own values only, the cost of updating a count depends on the number of changes. Otherwise each change that
/// may affect the result evaluates the request again. Used in its context's turn.
public final class LiveResult<Output: Equatable & Sendable> {
  /// The context in which the request is evaluated.
  public let context: ManagedObjectContext
  /// The request of the result.
  public let request: QueryRequest
  /// Called in the context's turn with each new result.
  public var onChange: ((Output) -> Void)?

  private var workspace: Workspace { context.workspace }
  private var current: Output
  private var query: FetchedQuery
  private let ask: (Workspace, FetchedQuery, ResultsFollowing) throws -> Output
  /// Returns the result after changes of single objects; `nil` if the request has to be evaluated again.
  private let adjust: (Output, FetchedQuery, [ViewChange]) throws -> Output?
  private var following: ResultsFollowing
  private var isStale = false
  /// The last update round whose changes the result contains.
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
    following = try workspace.beginFollowing(states)
    current = try ask(workspace, query, following)
    round = following.round
    following.add(self)
  }

  deinit { streams.finish() }

  /// The present result of the request.
  public var value: Output {
    workspace.checkPlace()
    return current
  }

  /// A stream of the present result, and then of each new result. It ends when this object is deallocated.
  public var values: AsyncStream<Output> { streams.stream(beginningWith: value) }
}

extension LiveResult: ResultsFollower {
  var asksObjects: Bool { false }
  var asksForSaved: Bool { !request.includesPendingChanges }

  func isAsked(_ entity: UInt16, in tag: StoreTag) -> Bool { query.isAsked(entity, in: tag) }

  func follow(_ changes: [ViewChange]) throws {
    guard isStale || round != following.round && query.concerns(changes) else { return }
    let wasStale = isStale
    // After an error the next update evaluates the request again.
    isStale = true
    let adjusted = try wasStale ? nil : adjust(current, query, changes)
    take(try adjusted ?? ask(workspace, query, following))
  }

  func followStores() throws {
    guard query.isOutdated(in: workspace) else { return }
    isStale = true
    let next = try FetchedQuery(request, nil, in: workspace)
    following = try workspace.beginFollowing(next.states(in: workspace))
    let found = try ask(workspace, next, following)
    query = next
    take(found)
  }

  private func take(_ next: Output) {
    isStale = false
    round = following.round
    guard next != current else { return }
    current = next
    // An observer may change objects, and these changes are reported after this one.
    streams.yield(next)
    onChange?(next)
  }
}

extension LiveResult where Output == Int {
  /// Returns the number of objects that a request finds, kept up to date.
  ///
  /// - Throws: `QueryError` if the request does not fit the model; the error of a damaged store.
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
  /// Returns the identifiers of the objects that a request finds, in its order, kept up to date.
  ///
  /// - Throws: The errors of ``count(_:in:)``.
  public static func identifiers<Object>(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext
  ) throws -> LiveResult {
    try LiveResult(request.query, in: context) { workspace, query, following in
      try query.load(in: workspace, following).identifiers
    }
  }
}

extension LiveResult where Output == ResultTable {
  /// Returns the values, groups or aggregates of a request, kept up to date.
  ///
  /// - Throws: The errors of ``count(_:in:)``; ``ContextError`` if the entity's objects are in several stores.
  public static func table<Object>(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext
  ) throws -> LiveResult {
    try LiveResult(request.query, in: context) { workspace, query, following in
      try query.table(in: workspace, following)
    }
  }
}

extension FetchedQuery {
  /// Returns the number of objects that the query finds.
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

  /// Returns the count after some changes, given the count before; `nil` if the objects have to be counted again.
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

  /// Returns the values, groups or aggregates of the request.
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
