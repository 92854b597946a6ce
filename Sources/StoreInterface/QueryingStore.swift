public import ObjectModel
public import ObjectQuery

/// A store that answers requests by itself: the third level, beside those that give all rows and those
/// that give rows by key and take changes.
///
/// Each method answers exactly as a scan of the snapshot's rows would, or not at all: a store that means
/// something else by a comparison, an order or a function leaves the request to the rows. An object of another
/// store is none of this one's. Stores say that they answer with ``StoreCapabilities/querying``.
public protocol QueryingStore: Store {
  /// The objects a request finds, in its order; `nil` when they have to be looked for among the rows.
  func keys(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> [ObjectKey]?

  /// How many objects a request finds, its limit and offset counted.
  func count(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int?

  /// The values, groups or aggregates that a request asks for.
  func table(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws
    -> ResultTable?
}

extension QueryingStore {
  /// Left to the rows.
  public func keys(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? { nil }

  /// Left to the rows.
  public func count(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> Int? { nil }

  /// Left to the rows.
  public func table(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable? { nil }
}

extension Store {
  /// The objects a request finds in a snapshot of this store, in its order: by the store's own means
  /// where it has them, and among the rows elsewhere. Either gives the same.
  ///
  /// - Throws: `QueryError` when the request does not fit the model, or what the store throws.
  public func keys(
    _ request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey] {
    let plan = try snapshot.plan(request, tag)
    return try querying?.keys(answering: request, in: snapshot)
      ?? plan.keys(in: snapshot.querySource(tag))
  }

  /// How many objects a request finds in a snapshot of this store.
  ///
  /// - Throws: As ``keys(_:in:)``.
  public func count(_ request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int {
    let plan = try snapshot.plan(request, tag)
    return try querying?.count(answering: request, in: snapshot)
      ?? plan.count(in: snapshot.querySource(tag))
  }

  /// The values, groups or aggregates that a request asks of a snapshot of this store.
  ///
  /// - Throws: As ``keys(_:in:)``.
  public func table(
    _ request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable {
    let plan = try snapshot.plan(request, tag)
    return try querying?.table(answering: request, in: snapshot)
      ?? plan.table(in: snapshot.querySource(tag))
  }

  /// Calls `body` with the results of a request part by part, and with the objects of the snapshot: the rows of
  /// ``table(_:in:)``, a few at a time.
  ///
  /// - Parameter rowCount: The most rows of a part.
  /// - Throws: The errors of ``table(_:in:)`` and of `body`.
  package func forEachPart(
    of request: QueryRequest, in snapshot: any StoreSnapshot, rowCount: Int,
    _ body: (ResultTable, ViewSource) throws -> Void
  ) throws {
    let plan = try snapshot.plan(request, tag)
    let source = try snapshot.querySource(tag)
    if let table = try querying?.table(answering: request, in: snapshot) {
      return try table.forEachPart(rowCount: rowCount) { try body($0, source) }
    }
    try plan.forEachPart(in: source, rowCount: rowCount) { try body($0, source) }
  }

  private var querying: (any QueryingStore)? {
    capabilities.contains(.querying) ? self as? any QueryingStore : nil
  }
}

extension StoreSnapshot {
  /// Binds a request, whoever is to answer it: what does not fit the model is refused alike.
  fileprivate func plan(_ request: QueryRequest, _ store: StoreTag) throws -> QueryPlan {
    try QueryPlan(request, model: model, schema: schema, store: store)
  }

  fileprivate func querySource(_ store: StoreTag) throws -> ViewSource {
    ViewSource(view, model: try model, schema: schema, store: store)
  }
}
