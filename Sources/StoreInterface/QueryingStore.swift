public import ObjectModel
public import ObjectQuery

/// A store that answers fetch requests itself. This is the third level of a store. The first level returns all rows;
/// the second returns rows by key and accepts changes.
///
/// Each method returns exactly what a scan of the snapshot's rows would, or `nil`. A store that treats a comparison,
/// an order or a function differently must return `nil`; the rows are scanned then. An object of another store equals
/// no object of this store. A store declares with ``StoreCapabilities/querying`` that it answers requests, and
/// passes itself to its ``StoreFeatures``.
public protocol QueryingStore: Store {
  /// Returns the objects that a request finds, in order; `nil` if the caller must scan the rows.
  func keys(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> [ObjectKey]?

  /// Returns the number of objects that a request finds, after its limit and offset; `nil` if the caller must scan
  /// the rows.
  func count(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int?

  /// Returns the values, groups or aggregates of a request; `nil` if the caller must scan the rows.
  func table(answering request: QueryRequest, in snapshot: any StoreSnapshot) throws
    -> ResultTable?
}

extension QueryingStore {
  /// Returns `nil`: the caller scans the rows.
  public func keys(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? { nil }

  /// Returns `nil`: the caller scans the rows.
  public func count(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> Int? { nil }

  /// Returns `nil`: the caller scans the rows.
  public func table(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable? { nil }
}

extension QueryingStore {
  /// Answers a request of any kind; `nil` if the caller must scan the rows.
  ///
  /// - Returns: The number of results.
  package func resultCount(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> Int? {
    switch request.resultType {
    case .count: try count(answering: request, in: snapshot)
    case .dictionaries: try table(answering: request, in: snapshot)?.rows.count
    default: try keys(answering: request, in: snapshot)?.count
    }
  }
}

extension Store {
  /// Returns the objects that a request finds in a snapshot of this store, in order. The store answers the request if
  /// it can; otherwise the rows are scanned. Both give the same result.
  ///
  /// - Throws: `QueryError` if the request does not fit the model; the errors of the store.
  public func keys(
    _ request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey] {
    let plan = try snapshot.plan(request, tag)
    return try features.querying?.keys(answering: request, in: snapshot)
      ?? plan.keys(in: snapshot.querySource(tag))
  }

  /// Returns the number of objects that a request finds in a snapshot of this store.
  ///
  /// - Throws: As ``keys(_:in:)``.
  public func count(_ request: QueryRequest, in snapshot: any StoreSnapshot) throws -> Int {
    let plan = try snapshot.plan(request, tag)
    return try features.querying?.count(answering: request, in: snapshot)
      ?? plan.count(in: snapshot.querySource(tag))
  }

  /// Returns the values, groups or aggregates of a request in a snapshot of this store.
  ///
  /// - Throws: As ``keys(_:in:)``.
  public func table(
    _ request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable {
    let plan = try snapshot.plan(request, tag)
    return try features.querying?.table(answering: request, in: snapshot)
      ?? plan.table(in: snapshot.querySource(tag))
  }

  /// Answers a request in a snapshot of this store, and returns the way and the work.
  ///
  /// - Throws: As ``keys(_:in:)``.
  public func explain(
    _ request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> QueryExplanation {
    let store = features.querying
    return try QueryPlan.explain(
      in: snapshot.querySource(tag), { try snapshot.plan(request, tag) },
      askStore: store.map { store in { try store.resultCount(answering: $0, in: snapshot) } })
  }

  /// Calls `body` with the rows of ``table(_:in:)``, a few at a time, and with the objects of the snapshot.
  ///
  /// - Parameter rowCount: The maximum number of rows in a part.
  /// - Throws: The errors of ``table(_:in:)`` and of `body`.
  package func forEachPart(
    of request: QueryRequest, in snapshot: any StoreSnapshot, rowCount: Int,
    _ body: (ResultTable, ViewSource) throws -> Void
  ) throws {
    let plan = try snapshot.plan(request, tag)
    let source = try snapshot.querySource(tag)
    if let table = try features.querying?.table(answering: request, in: snapshot) {
      return try table.forEachPart(rowCount: rowCount) { try body($0, source) }
    }
    try plan.forEachPart(in: source, rowCount: rowCount) { try body($0, source) }
  }
}

extension StoreSnapshot {
  /// Binds a request to the model, also if the store answers it, so that every store rejects the same requests.
  fileprivate func plan(_ request: QueryRequest, _ store: StoreTag) throws -> QueryPlan {
    try QueryPlan(request, model: model, schema: schema, store: store)
  }

  fileprivate func querySource(_ store: StoreTag) throws -> ViewSource {
    ViewSource(view, model: try model, schema: schema, store: store)
  }
}
