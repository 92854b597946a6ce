import ObjectModel
import ObjectQuery
import StoreInterface

/// A store that answers requests by itself, and the snapshot that it is asked of: where a context shows just
/// what that snapshot holds.
///
/// Above it there may be no changes, neither the context's own nor its ancestors': the store knows of none.
struct AskedStore: Sendable {
  private let store: any QueryingStore
  private let snapshot: any StoreSnapshot

  /// - Returns: `nil` when the rows have to be searched.
  init?(_ state: StoreState, _ request: QueryRequest) {
    guard state.persistent.store.capabilities.contains(.querying),
      let store = state.persistent.store as? any QueryingStore, state.base.layers.isEmpty,
      !(request.includesPendingChanges && state.hasChanges),
      // A store that was given another model since has other names.
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
}

/// A part of a fetch that one store answers: by itself where it can, and else by a search of the rows. Either gives
/// the same.
protocol AnsweredPart {
  /// The store, where it can be asked.
  var asked: AskedStore? { get }
  /// The plan of the request.
  var plan: QueryPlan { get }
  /// The rows.
  var source: ViewSource { get }
}

extension AnsweredPart {
  /// The objects found, in order.
  func keys() throws -> [ObjectKey] {
    try asked?.keys(plan.request) ?? plan.keys(in: source)
  }

  /// How many there are.
  func count() throws -> Int { try asked?.count(plan.request) ?? plan.count(in: source) }

  /// The values, groups or aggregates.
  func table() throws -> ResultTable { try asked?.table(plan.request) ?? plan.table(in: source) }

  /// The keys of the objects to open; `nil` when their rows are to be searched, or would all be read
  /// afterwards anyway.
  func keysToOpen() throws -> [ObjectKey]? {
    guard plan.request.predicate != nil || plan.request.fetchLimit > 0 else { return nil }
    return try asked?.keys(plan.request)
  }
}

extension FetchPart: AnsweredPart {}
extension SearchPart: AnsweredPart {}
