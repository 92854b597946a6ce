import ObjectModel
import ObjectQuery
public import Observation

/// The objects that a request finds, as a list that stays up to date, like Core Data's `NSFetchedResultsController`.
///
///     let trips = try FetchedResults(
///       Trip.all.sorted(by: \.name), in: context,
///       sections: FetchedSections("name") { String($0.plainText.prefix(1)) })
///     trips.onChange = { change in … }
///
/// The list is updated each time that the context processes its changes. All changes count: the context's own work,
/// undo, saves of child contexts, and merged saves of another context.
///
/// If the place of an object depends on its own values only, an update costs as much as its changes, however long the
/// list is. The place may also depend on related objects (`owner.name`, `ANY stops.cost > 3`), or the request may have
/// a limit. A change that matters then loads the list again. `now()` stays the same until the request or the queried
/// stores change, or the program calls ``performFetch()``. A store that is added later is included when the context processes its changes.
///
/// Used in its context's turn. The list holds identifiers; objects are made when the program reads them. Swift's
/// Observation tracks the list: `withObservationTracking` announces new objects, a new order or new sections.
public final class FetchedResults<Object: ManagedObject>: Observable {
  /// The context whose objects the list shows.
  public let context: ManagedObjectContext
  /// The request of the list.
  ///
  /// A new request, or a changed one, takes effect with ``performFetch()``:
  ///
  ///     results.request.predicate = try QueryPredicate("cost > 3")
  ///     try results.performFetch()
  ///
  /// ``change(to:)`` does both in one step, and leaves the request as it was after an error.
  public var request: FetchRequest<Object>
  /// The division of the results into sections; `nil` for no sections.
  public let sectioning: FetchedSections?
  /// Called in the context's turn when the list has changed. It may read and change objects.
  public var onChange: ((FetchedResultsChange) -> Void)?
  /// Receives each change of the list in several calls, for a program that has such a delegate.
  ///
  /// ``onChange`` receives the same changes, each as one value.
  public weak var delegate: (any FetchedResultsChange.Delegate<Object>)?
  /// The reason why the list stays as it was; `nil` when the list shows all changes.
  ///
  /// Set when a change of objects makes a section come twice. The list then keeps its last state, and is loaded again
  /// after each further change until it can be divided into sections.
  public private(set) var failure: ContextError?
  /// Called in the context's turn when ``failure`` is set. If it is `nil`, the context's next save throws the failure.
  public var onFailure: ((ContextError) -> Void)?

  private var workspace: Workspace { context.workspace }
  private(set) var list = FetchedSnapshot()
  private var query: FetchedQuery
  /// The observation of the context; `nil` before the first fetch.
  private var following: ResultsFollowing?
  private var isStale = false
  /// The last update round whose changes the list contains.
  private var round = 0
  private let streams = FetchedStreams()
  private let registrar = ObservationRegistrar()
  private let snapshotPath = \FetchedResults<Object>.snapshot

  /// Creates the list of the objects that a request finds, and keeps it up to date.
  ///
  /// - Parameters:
  ///   - performsFetch: Whether the list is loaded now. If it is `false`, the list is empty until ``performFetch()``.
  /// - Precondition: The objects are of the request's class.
  /// - Throws: `QueryError` if the request does not fit the model; ``ContextError`` if no store holds such objects, or
  ///   a section comes twice; `StoreError` if a store is damaged.
  public init(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext,
    sections: FetchedSections? = nil, performsFetch: Bool = true
  ) throws {
    context.workspace.checkPlace()
    self.context = context
    sectioning = sections
    self.request = request
    query = try FetchedQuery(request.query.forObjects, sections, in: context.workspace)
    if performsFetch { try performFetch() }
  }

  /// Loads the list from the newest commit of each store, and keeps it up to date from then on.
  ///
  /// The first fetch reports no change, because there was no list before. A later fetch is needed only for a request
  /// with `now()`, and after a change of ``request``: it reports the difference like any change.
  ///
  /// - Throws: The errors of ``init(_:in:sections:performsFetch:)``. The list is unchanged then.
  public func performFetch() throws {
    workspace.checkPlace()
    let next = try FetchedQuery(request.query.forObjects, sectioning, in: workspace)
    guard following == nil else { return try ask(next) }
    let following = try workspace.beginFollowing(next.states(in: workspace))
    let found = try next.load(in: workspace, following)
    if let failure = next.failure(of: found) { throw failure }
    (query, self.following, round) = (next, following, following.round)
    registrar.withMutation(of: self, keyPath: snapshotPath) { list = found }
    following.add(self)
  }

  /// Replaces the request. The observers receive the difference like any change.
  ///
  /// - Throws: The errors of ``init(_:in:sections:performsFetch:)``. The list is unchanged then.
  public func change(to request: FetchRequest<Object>) throws {
    workspace.checkPlace()
    let next = try FetchedQuery(request.query.forObjects, sectioning, in: workspace)
    if following == nil {
      (query, self.request) = (next, request)
    } else {
      try ask(next) { self.request = request }
    }
  }

  /// Replaces the query, and reports the difference of its results.
  ///
  /// - Parameter prepare: Called before the difference is reported.
  private func ask(_ next: FetchedQuery, _ prepare: () -> Void = {}) throws {
    let following = try workspace.beginFollowing(next.states(in: workspace))
    let found = try next.load(in: workspace, following)
    if let failure = next.failure(of: found) { throw failure }
    (query, self.following) = (next, following)
    prepare()
    take(found, in: following.round) { _ in false }
  }

  deinit { streams.finish() }
}

// MARK: - Results

extension FetchedResults {
  /// The list as a value.
  public var snapshot: FetchedSnapshot {
    workspace.checkPlace()
    registrar.access(self, keyPath: snapshotPath)
    return list
  }
  public var objects: [Object] { indices.map { self[$0] } }
  public var sections: [FetchedSection] { snapshot.sections }
  /// The titles of an index beside the list: one title for consecutive sections with the same title.
  public var sectionIndexTitles: [String] {
    var titles: [String] = []
    for section in sections where section.indexTitle != titles.last {
      titles.append(section.indexTitle)
    }
    return titles
  }

  /// Returns the first section with an index title; `nil` if no section has the title.
  public func section(forIndexTitle title: String) -> Int? {
    sections.firstIndex { $0.indexTitle == title }
  }

  /// Returns the objects of one section.
  public func objects(inSection section: Int) -> [Object] {
    sections[section].range.map { self[$0] }
  }

  /// Returns the place of an object in the list; `nil` if the list does not contain the object.
  ///
  /// If the place of an object depends on its own values only, the cost is a binary search by the sort keys.
  public func place(of object: Object) -> FetchedPlace? {
    workspace.checkPlace()
    let id = object.objectID
    if query.isIncremental, let following, let state = try? workspace.state(of: id.store) {
      let source = following.source(of: state)
      if let place = try? query.order(in: state)?.place(of: id.key, in: source),
        let index = try? query.index(of: place, in: list.identifiers, source, state)
      {
        return list.place(at: index)
      }
      return nil
    }
    return list.identifiers.firstIndex(of: id).map { list.place(at: $0) }
  }

  /// A stream of the changes of the list from now on. It ends when the list is deallocated.
  public var changes: AsyncStream<FetchedResultsChange> {
    workspace.checkPlace()
    return streams.changes.stream()
  }
  /// A stream of the present list, and then of each new state of the list.
  public var snapshots: AsyncStream<FetchedSnapshot> {
    streams.snapshots.stream(beginningWith: snapshot)
  }
}

extension FetchedResults: RandomAccessCollection {
  /// The first index, which is 0.
  public var startIndex: Int { 0 }
  /// The index after the last object.
  public var endIndex: Int {
    workspace.checkPlace()
    registrar.access(self, keyPath: snapshotPath)
    return list.identifiers.count
  }
  /// Returns the object at an index of the list.
  public subscript(position: Int) -> Object {
    registrar.access(self, keyPath: snapshotPath)
    return object(with: list.identifiers[position])
  }
  /// Returns the object with an identifier that the list contains or has contained.
  func object(with id: ObjectID) -> Object { workspace.object(with: id).typed() }
}

// MARK: - Updates

extension FetchedResults: ResultsFollower {
  var asksObjects: Bool { query.asksObjects }
  var asksForSaved: Bool { !query.request.includesPendingChanges }

  func isAsked(_ entity: UInt16, in tag: StoreTag) -> Bool { query.isAsked(entity, in: tag) }

  func follow(_ changes: [ViewChange]) throws {
    let keys = changes.map { ($0.state.tag, $0.keys) }
    func isTouched(_ id: ObjectID) -> Bool {
      keys.contains { $0.0 == id.store && $0.1?.contains(id.key) ?? true }
    }
    guard let following else { return }
    if isStale { return try reload(following) { _ in true } }
    if round == following.round {
      // The list was loaded during this update round, so it already contains and has reported all insertions and
      // deletions.
      return tell(
        FetchedResultsChange(list, list, ListChange(from: list, to: list, touched: isTouched)))
    }
    round = following.round
    isStale = true
    guard let change = try query.difference(changes, list, in: workspace) else {
      if query.concerns(changes) { return try reload(following, isTouched) }
      isStale = false
      return
    }
    if refuses(change.after) { return }
    isStale = false
    tell(change)
  }

  func followStores() throws {
    guard query.isOutdated(in: workspace) else { return }
    isStale = true
    let next = try FetchedQuery(query.request, sectioning, in: workspace)
    let following = try workspace.beginFollowing(next.states(in: workspace))
    let found = try next.load(in: workspace, following)
    (query, self.following) = (next, following)
    take(found, in: following.round) { _ in false }
  }

  private func reload(_ following: ResultsFollowing, _ touched: (ObjectID) -> Bool) throws {
    isStale = true
    take(try query.load(in: workspace, following), in: following.round, touched)
  }

  /// Adopts loaded results, and reports the difference from the earlier list.
  private func take(
    _ found: FetchedSnapshot, in round: Int, _ touched: (ObjectID) -> Bool
  ) {
    let wasStale = isStale
    self.round = round
    isStale = true
    if refuses(found) { return }
    isStale = false
    tell(
      FetchedResultsChange(
        list, found, ListChange(from: list, to: found) { wasStale || touched($0) }))
  }

  /// Whether a section name occurs twice in a list. Reports that failure once.
  private func refuses(_ found: FetchedSnapshot) -> Bool {
    let isKnown = failure != nil
    failure = query.failure(of: found)
    guard let failure else { return false }
    if isKnown { return true }
    if let onFailure { onFailure(failure) } else { workspace.record(failure) }
    return true
  }

  private func tell(_ change: FetchedResultsChange) {
    if change.before == change.after {
      if change.isEmpty {
        list = change.after
        return
      }
      delegate?.resultsWillChange(self)
      list = change.after
    } else {
      delegate?.resultsWillChange(self)
      registrar.withMutation(of: self, keyPath: snapshotPath) { list = change.after }
    }
    // An observer may replace the request. That difference is reported after this one.
    streams.changes.yield(change)
    streams.snapshots.yield(change.after)
    if let delegate { change.report(to: delegate, about: self) }
    onChange?(change)
  }
}

/// The streams of a list.
private struct FetchedStreams: Sendable {
  let changes = StreamHub<FetchedResultsChange>()
  let snapshots = StreamHub<FetchedSnapshot>()

  func finish() {
    changes.finish()
    snapshots.finish()
  }
}

extension QueryRequest {
  /// The same request, but with objects as its result.
  fileprivate var forObjects: QueryRequest {
    var request = self
    request.resultType = .objects
    return request
  }
}
