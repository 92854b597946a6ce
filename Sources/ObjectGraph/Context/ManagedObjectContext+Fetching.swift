public import Foundation
public import ObjectModel
public import ObjectQuery

// Fetching in the turn of the context.
extension ManagedObjectContext {
  /// Returns the objects that a request finds, in its order.
  ///
  /// Unsaved changes count unless the request excludes them.
  ///
  /// - Throws: `QueryError` if the request does not fit the model; `StoreError` if a store is damaged.
  public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
    try ObjectFetcher(workspace).fetch(request)
  }

  /// Returns the objects of a class's entity that meet a predicate.
  ///
  ///     let late = try context.fetch(Trip.self, where: "start > %@", now, sortedBy: [SortKey("start")])
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0
  ) throws -> [T] {
    try ObjectFetcher(workspace).fetch(type, where: predicate, sortedBy: sortKeys, limit: limit)
  }

  /// Returns the objects of a class that a request finds.
  ///
  /// - Precondition: The request is for objects of that class.
  /// - Throws: As ``fetch(_:)``.
  public func fetch<T: ManagedObject>(_ request: FetchRequest, as type: T.Type) throws -> [T] {
    try ObjectFetcher(workspace).fetch(request, as: type)
  }

  /// Returns the identifiers of the objects that a request finds, in its order.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchIdentifiers(_ request: FetchRequest) throws -> [ObjectID] {
    try ObjectFetcher(workspace).fetchIdentifiers(request)
  }

  /// Returns the number of objects that a request finds.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func count(for request: FetchRequest) throws -> Int {
    try ObjectFetcher(workspace).count(for: request)
  }

  /// Returns the values, groups or aggregates that a request asks for.
  ///
  /// - Throws: As ``fetch(_:)``; ``ContextError`` if the entity's objects are in several stores.
  public func fetchTable(_ request: FetchRequest) throws -> ResultTable {
    try ObjectFetcher(workspace).fetchTable(request)
  }

  /// Calls `body` with the rows of ``fetchTable(_:)-(FetchRequest)``, a few at a time, and with the objects as the
  /// context shows them.
  ///
  /// - Parameter rowCount: The largest number of rows in a part.
  /// - Throws: The errors of ``fetchTable(_:)-(FetchRequest)`` and of `body`.
  package func forEachPart(
    of request: FetchRequest, rowCount: Int, _ body: (ResultTable, ViewSource) throws -> Void
  ) throws {
    try ObjectFetcher(workspace).forEachPart(of: request, rowCount: rowCount, body)
  }

  /// Calls `body` with the objects that a request finds, a batch at a time.
  ///
  /// The memory used does not grow with the number of objects. A sorted request needs eight bytes for each object.
  ///
  ///     try context.forEachBatch(of: FetchRequest("Trip"), size: 500) { trips in
  ///       for case let trip as Trip in trips { trip.name = trip.name.capitalized }
  ///       try context.save()
  ///     }
  ///
  /// The request is answered once. Each object shows its state at the time of its batch. Objects deleted by then are
  /// left out.
  ///
  /// - Parameters:
  ///   - size: The number of objects in a batch; `nil` for the request's `fetchBatchSize`, or for 1024 if that is 0.
  ///   - body: Receives the objects of one batch. Objects that it does not keep are evicted.
  /// - Throws: As ``fetch(_:)-(FetchRequest)``; the errors of `body`.
  public func forEachBatch(
    of request: FetchRequest, size: Int? = nil, _ body: ([ManagedObject]) throws -> Void
  ) throws {
    try BatchWalk(workspace).forEachBatch(of: request, size: size, body)
  }
}

// Fetching by typed requests.
extension ManagedObjectContext {
  /// Returns the objects that a request finds, in its order.
  ///
  /// - Throws: `QueryError` if the request does not fit the model; `StoreError` if a store is damaged.
  public func fetch<Object: ManagedObject>(_ request: EntityRequest<Object>) throws -> [Object] {
    try fetch(request.request, as: Object.self)
  }

  /// Returns the objects that meet one of Foundation's predicates.
  ///
  ///     try context.fetch(#Predicate<Trip> { $0.name.contains("Lis") })
  ///
  /// - Throws: As ``fetch(_:)-(EntityRequest<Object>)``.
  public func fetch<Object: ManagedObject>(_ predicate: Predicate<Object>) throws -> [Object] {
    try fetch(FetchRequest(predicate), as: Object.self)
  }

  /// Returns the number of objects that a request finds.
  ///
  /// - Throws: As ``fetch(_:)-(EntityRequest<Object>)``.
  public func count<Object: ManagedObject>(for request: EntityRequest<Object>) throws -> Int {
    try count(for: request.request)
  }
}

// Fetching while the context is free for other work.
extension ManagedObjectContext {
  /// Finds the objects of a request while the context is free for other work, and passes them to `body` in a turn.
  ///
  ///     let names = try await context.fetch(request, as: Trip.self, progress: progress) { trips in
  ///       trips.map(\.name)
  ///     }
  ///
  /// The search reads the state that the context shows at its beginning, with unsaved changes unless the request
  /// excludes them. Later changes do not count, but objects that were deleted meanwhile are left out. Prefetched
  /// objects are looked up in the context's turn.
  ///
  /// - Parameters:
  ///   - progress: Receives the number of rows that were read, and of all rows. Cancelling the progress or the task ends
  ///     the search between two blocks.
  ///   - body: Receives the objects in a turn, and returns a result that may be used elsewhere.
  /// - Precondition: The objects are of the class.
  /// - Throws: `CancellationError` if the search was cancelled; ``ContextError`` with the code
  ///   ``ContextError/Code/notSupported`` if the context is confined to a thread; the errors of ``fetch(_:)`` and
  ///   `body`.
  public func fetch<T: ManagedObject, R: Sendable>(
    _ request: FetchRequest, as type: T.Type, progress: Progress? = nil,
    _ body: @escaping @Sendable ([T]) throws -> R
  ) async throws -> R {
    try await BackgroundSearch(workspace).fetch(request, as: type, progress: progress, body)
  }

  /// Finds the objects of a class's entity that meet a predicate while the context is free for other work, and passes
  /// them to `body` in a turn.
  ///
  /// - Throws: As ``fetch(_:as:progress:_:)``.
  public func fetch<T: ManagedObject, R: Sendable>(
    _ type: T.Type, where predicate: QueryPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0, progress: Progress? = nil, _ body: @escaping @Sendable ([T]) throws -> R
  ) async throws -> R {
    try await BackgroundSearch(workspace).fetch(
      type, where: predicate, sortedBy: sortKeys, limit: limit, progress: progress, body)
  }

  /// Finds the identifiers of a request's objects, in its order, while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:as:progress:_:)``; `nil` for no reports.
  /// - Throws: As ``fetch(_:as:progress:_:)``.
  public func fetchIdentifiers(
    _ request: FetchRequest, progress: Progress?
  ) async throws -> [ObjectID] {
    try await BackgroundSearch(workspace).fetchIdentifiers(request, progress: progress)
  }

  /// Counts the objects of a request while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:as:progress:_:)``; `nil` for no reports.
  /// - Throws: As ``fetch(_:as:progress:_:)``.
  public func count(for request: FetchRequest, progress: Progress?) async throws -> Int {
    try await BackgroundSearch(workspace).count(for: request, progress: progress)
  }

  /// Finds the values, groups or aggregates of a request while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:as:progress:_:)``; `nil` for no reports.
  /// - Throws: As ``fetch(_:as:progress:_:)``; ``ContextError`` if the entity's objects are in several stores.
  public func fetchTable(_ request: FetchRequest, progress: Progress?) async throws -> ResultTable {
    try await BackgroundSearch(workspace).fetchTable(request, progress: progress)
  }
}
