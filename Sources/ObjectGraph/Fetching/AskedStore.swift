import ObjectModel
import ObjectQuery
import StoreInterface

/// A store that answers requests itself, with the snapshot that the request reads. Used if a context shows exactly the
/// rows of that snapshot.
///
/// There may be no unsaved changes of the context and no changes of its ancestors above the snapshot, because the store
/// does not know them.
struct AskedStore: Sendable {
  private let store: any QueryingStore
  private let snapshot: any StoreSnapshot

  /// Creates the query.
  ///
  /// - Returns: `nil` if the rows have to be searched.
  init?(_ state: StoreState, _ request: QueryRequest) {
    guard let store = state.persistent.features.querying, state.base.layers.isEmpty,
      !(request.includesPendingChanges && state.hasChanges),
      // A store that was migrated to another model since has different names.
      state.base.snapshot.schema == state.graph.schema
    else { return nil }
    self.store = store
    snapshot = state.base.snapshot
  }

  fileprivate func keys(_ request: QueryRequest) throws -> [ObjectKey]? {
    try store.keys(answering: request, in: snapshot)
  }

  fileprivate func count(_ request: QueryRequest) throws -> Int? {
    try store.count(answering: request, in: snapshot)
  }

  func table(_ request: QueryRequest) throws -> ResultTable? {
    try store.table(answering: request, in: snapshot)
  }

  /// Answers a request of any kind, and returns the number of results.
  func resultCount(_ request: QueryRequest) throws -> Int? {
    try store.resultCount(answering: request, in: snapshot)
  }
}

/// A part of a fetch that one store answers: itself if it can, or else by a search of its rows. Both ways give the same
/// result.
protocol AnsweredPart {
  /// The store, if it can answer the request itself.
  var asked: AskedStore? { get }
  /// The plan of the request.
  var plan: QueryPlan { get }
  var source: ViewSource { get }
}

extension AnsweredPart {
  /// Returns the keys of the found objects, in order.
  func keys() throws -> [ObjectKey] {
    try asked?.keys(plan.request) ?? plan.keys(in: source)
  }

  /// Returns the number of found objects.
  func count() throws -> Int { try asked?.count(plan.request) ?? plan.count(in: source) }

  /// Returns the values, groups or aggregates of the request.
  func table() throws -> ResultTable { try asked?.table(plan.request) ?? plan.table(in: source) }

  /// Returns the keys of the objects to open. Returns `nil` if a search is needed, or if all rows would be read
  /// afterwards anyway.
  func keysToOpen() throws -> [ObjectKey]? {
    guard plan.request.predicate != nil || plan.request.fetchLimit > 0 else { return nil }
    return try asked?.keys(plan.request)
  }
}

extension FetchPart: AnsweredPart {}
extension SearchPart: AnsweredPart {}
