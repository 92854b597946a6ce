public import Foundation
public import ObjectModel
public import ObjectQuery
package import Rows

// Fetching in the turn of the context.
extension ManagedObjectContext {
  /// Returns the objects that a request finds, in its order.
  ///
  ///     let soon = try context.fetch(Trip.where { $0.start > .now })
  ///
  /// Unsaved changes are included unless the request excludes them.
  ///
  /// - Precondition: The objects are of the request's class.
  /// - Throws: `QueryError` if the request does not fit the model; `StoreError` if a store is damaged.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    try ObjectFetcher(workspace).fetch(request.query, as: Object.self)
  }

  /// Returns the objects that meet one of Foundation's predicates.
  ///
  ///     try context.fetch(#Predicate<Trip> { $0.name.contains("Lis") })
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  public func fetch<Object: ManagedObject>(_ predicate: Predicate<Object>) throws -> [Object] {
    try fetch(FetchRequest(predicate))
  }

  /// Returns the objects of a class's entity that meet a predicate.
  ///
  ///     let late = try context.fetch(
  ///       Trip.self, where: QueryPredicate("start > %@", now), sortedBy: [SortKey("start")])
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0
  ) throws -> [T] {
    try fetch(FetchRequest(type, where: predicate, sortedBy: sortKeys, limit: limit))
  }

  /// Returns the identifiers of the objects that a request finds, in its order.
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  public func fetchIdentifiers<Object>(_ request: FetchRequest<Object>) throws -> [ObjectID] {
    try ObjectFetcher(workspace).fetchIdentifiers(request.query)
  }

  /// Returns the number of objects that a request finds.
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  public func count<Object>(for request: FetchRequest<Object>) throws -> Int {
    try ObjectFetcher(workspace).count(for: request.query)
  }

  /// Answers a request, and returns the way and the work in each store: indexes and scans, blocks and rows, the
  /// statement of a database, sorts, times.
  ///
  ///     for part in try context.explain(Trip.where { $0.start > .now }) { print(part) }
  ///
  /// Ask for it when a fetch is slow. The result's `rows.read` is high without an index.
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``.
  public func explain<Object>(_ request: FetchRequest<Object>) throws -> [QueryExplanation] {
    try ObjectFetcher(workspace).explain(request.query)
  }

  /// Returns the values, groups or aggregates that a request asks for.
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``; ``ContextError`` if the entity's objects are in several stores.
  public func fetchTable<Object>(_ request: FetchRequest<Object>) throws -> ResultTable {
    try ObjectFetcher(workspace).fetchTable(request.query)
  }

  /// Calls `body` with parts of the table that ``fetchTable(_:)-(FetchRequest<Object>)`` returns, and with the view of
  /// the context.
  ///
  /// - Parameter rowCount: The largest number of rows in a part.
  /// - Throws: The errors of ``fetchTable(_:)-(FetchRequest<Object>)`` and of `body`.
  package func forEachPart(
    of request: QueryRequest, rowCount: Int, _ body: (ResultTable, ViewSource) throws -> Void
  ) throws {
    try ObjectFetcher(workspace).forEachPart(of: request, rowCount: rowCount, body)
  }

  /// Calls `body` with the rows of the objects that a request finds, in its order. Each call passes rows of one block, and the
  /// view of the context.
  ///
  /// No object is made. Blocks never change, so the caller may read their rows later and on another thread.
  ///
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``; ``ContextError`` if the entity's objects are in several stores; the
  ///   errors of `body`.
  package func forEachRun(
    of request: QueryRequest, _ body: (FoundRows, ViewSource) throws -> Void
  ) throws {
    try ObjectFetcher(workspace).forEachRun(of: request, body)
  }

  /// Returns the rows of objects of an entity and its subentities in the order of their keys, without objects that do not exist.
  ///
  /// - Precondition: No key occurs twice.
  /// - Throws: As ``forEachRun(of:_:)``.
  package func rows(
    of keys: [ObjectKey], in entity: String
  ) throws -> [(block: Block, entity: UInt16, row: Int)] {
    try ObjectFetcher(workspace).rows(of: keys, in: entity)
  }

  /// Calls `body` with the objects that a request finds, a batch at a time.
  ///
  /// The memory used does not grow with the number of objects. A sorted request needs eight bytes for each object.
  ///
  ///     try context.forEachBatch(of: Trip.all, size: 500) { trips in
  ///       for trip in trips { trip.name = trip.name.capitalized }
  ///       try context.save()
  ///     }
  ///
  /// The request is evaluated once. Each object shows its state at the time of its batch. Objects that were deleted by
  /// then are left out.
  ///
  /// - Parameters:
  ///   - size: The number of objects in a batch; `nil` for the request's `fetchBatchSize`, or for 1024 if that is 0.
  ///   - body: Receives the objects of one batch. Objects that it does not keep are evicted.
  /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``; the errors of `body`.
  public func forEachBatch<Object>(
    of request: FetchRequest<Object>, size: Int? = nil, _ body: ([Object]) throws -> Void
  ) throws {
    try BatchWalk(workspace).forEachBatch(of: request.query, as: Object.self, size: size, body)
  }
}

// Fetching while the context is free for other work.
extension ManagedObjectContext {
  /// Finds the objects of a request while the context is free for other work, and passes them to `body` in a turn.
  ///
  ///     let names = try await context.fetch(request, progress: progress) { trips in
  ///       trips.map(\.name)
  ///     }
  ///
  /// The search reads the state that the context shows when the search begins, with unsaved changes unless the request
  /// excludes them. Later changes are not seen, but objects that were deleted meanwhile are left out. Prefetched
  /// objects are looked up in the context's turn.
  ///
  /// - Parameters:
  ///   - progress: Receives the number of rows read so far, and the number of all rows. Cancelling the progress or the
  ///     task ends the search between two blocks.
  ///   - body: Receives the objects in a turn, and returns a result that may be used elsewhere.
  /// - Precondition: The objects are of the class.
  /// - Throws: `CancellationError` if the search was cancelled; ``ContextError`` with the code
  ///   ``ContextError/Code/notSupported`` if the context is confined to a thread; the errors of
  ///   ``fetch(_:)-(FetchRequest<Object>)`` and `body`.
  public func fetch<Object: ManagedObject, R: Sendable>(
    _ request: FetchRequest<Object>, progress: Progress? = nil,
    _ body: @escaping @Sendable ([Object]) throws -> R
  ) async throws -> R {
    try await BackgroundSearch(workspace).fetch(
      request.query, as: Object.self, progress: progress, body)
  }

  /// Finds the objects of a class's entity that meet a predicate, and passes them to `body` in a turn.
  ///
  /// The context is free for other work during the search.
  ///
  /// - Throws: As ``fetch(_:progress:_:)``.
  public func fetch<T: ManagedObject, R: Sendable>(
    _ type: T.Type, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0, progress: Progress? = nil, _ body: @escaping @Sendable ([T]) throws -> R
  ) async throws -> R {
    try await fetch(
      FetchRequest(type, where: predicate, sortedBy: sortKeys, limit: limit), progress: progress,
      body)
  }

  /// Finds the identifiers of a request's objects, in its order, while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:progress:_:)``; `nil` for no reports.
  /// - Throws: As ``fetch(_:progress:_:)``.
  public func fetchIdentifiers<Object>(
    _ request: FetchRequest<Object>, progress: Progress?
  ) async throws -> [ObjectID] {
    try await BackgroundSearch(workspace).fetchIdentifiers(request.query, progress: progress)
  }

  /// Counts the objects of a request while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:progress:_:)``; `nil` for no reports.
  /// - Throws: As ``fetch(_:progress:_:)``.
  public func count<Object>(
    for request: FetchRequest<Object>, progress: Progress?
  ) async throws -> Int {
    try await BackgroundSearch(workspace).count(for: request.query, progress: progress)
  }

  /// Finds the values, groups or aggregates of a request while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:progress:_:)``; `nil` for no reports.
  /// - Throws: As ``fetch(_:progress:_:)``; ``ContextError`` if the entity's objects are in several stores.
  public func fetchTable<Object>(
    _ request: FetchRequest<Object>, progress: Progress?
  ) async throws -> ResultTable {
    try await BackgroundSearch(workspace).fetchTable(request.query, progress: progress)
  }
}
