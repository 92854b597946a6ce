public import Foundation
public import ObjectModel
public import ObjectQuery

// Fetching in the turn of the context.
extension ManagedObjectContext {
  /// The objects that a request finds, in its order.
  ///
  /// Changes that are not saved count, unless the request says otherwise.
  ///
  /// - Throws: `QueryError` when the request does not fit the model, or what a damaged store throws.
  public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
    try ObjectFetcher(workspace).fetch(request)
  }

  /// The objects of a class's entity that meet a predicate.
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

  /// The objects of a class that a request finds.
  ///
  /// - Precondition: The request is for objects of that class.
  /// - Throws: As ``fetch(_:)``.
  public func fetch<T: ManagedObject>(_ request: FetchRequest, as type: T.Type) throws -> [T] {
    try ObjectFetcher(workspace).fetch(request, as: type)
  }

  /// The identifiers of the objects that a request finds, in its order.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func fetchIdentifiers(_ request: FetchRequest) throws -> [ObjectID] {
    try ObjectFetcher(workspace).fetchIdentifiers(request)
  }

  /// How many objects a request finds.
  ///
  /// - Throws: As ``fetch(_:)``.
  public func count(for request: FetchRequest) throws -> Int {
    try ObjectFetcher(workspace).count(for: request)
  }

  /// The values, groups or aggregates that a request asks for.
  ///
  /// - Throws: As ``fetch(_:)``; ``ContextError`` when the entity's objects are in several stores.
  public func fetchTable(_ request: FetchRequest) throws -> ResultTable {
    try ObjectFetcher(workspace).fetchTable(request)
  }

  /// Calls `body` with the results of a request part by part, and with the objects as the context shows them: the rows
  /// of ``fetchTable(_:)-(FetchRequest)``, a few at a time.
  ///
  /// - Parameter rowCount: The most rows of a part.
  /// - Throws: The errors of ``fetchTable(_:)-(FetchRequest)`` and of `body`.
  package func forEachPart(
    of request: FetchRequest, rowCount: Int, _ body: (ResultTable, ViewSource) throws -> Void
  ) throws {
    try ObjectFetcher(workspace).forEachPart(of: request, rowCount: rowCount, body)
  }

  /// Walks through the objects that a request finds, so many at a time, in memory that stays the same
  /// however many there are. A request that sorts needs eight bytes for each.
  ///
  ///     try context.forEachBatch(of: FetchRequest("Trip"), size: 500) { trips in
  ///       for case let trip as Trip in trips { trip.name = trip.name.capitalized }
  ///       try context.save()
  ///     }
  ///
  /// Which objects these are is found once, and each shows what it is when its turn comes. Those that were deleted
  /// meanwhile are left out.
  ///
  /// - Parameters:
  ///   - size: How many objects a batch has; the request's `fetchBatchSize` unless said otherwise, or
  ///     1024 where that says nothing.
  ///   - body: Gets the objects of one batch. Those it does not keep are let go.
  /// - Throws: As ``fetch(_:)-(FetchRequest)``, and what `body` throws.
  public func forEachBatch(
    of request: FetchRequest, size: Int? = nil, _ body: ([ManagedObject]) throws -> Void
  ) throws {
    try BatchWalk(workspace).forEachBatch(of: request, size: size, body)
  }
}

// Fetching while the context is free for other work.
extension ManagedObjectContext {
  /// Finds the objects of a request while the context is free for other work, and hands them out in its
  /// turn.
  ///
  ///     let names = try await context.fetch(request, as: Trip.self, progress: progress) { trips in
  ///       trips.map(\.name)
  ///     }
  ///
  /// The search is on what the context shows when it begins, unsaved changes included unless the request
  /// says otherwise. What is changed while it runs does not count, but for objects that were deleted:
  /// those are left out. Objects that the request prefetches are looked up in the context's turn.
  ///
  /// - Parameters:
  ///   - progress: Is told how many rows were looked at, of how many. Cancelling it ends the search, as
  ///     cancelling the task does: between two blocks.
  ///   - body: Gets the objects, where they may be used, and makes of them what is wanted elsewhere.
  /// - Precondition: The objects are of the class.
  /// - Throws: `CancellationError` when the search was cancelled, ``ContextError`` with the code
  ///   ``ContextError/Code/notSupported`` when the context is confined to a thread; else as
  ///   ``fetch(_:)``, and what `body` throws.
  public func fetch<T: ManagedObject, R: Sendable>(
    _ request: FetchRequest, as type: T.Type, progress: Progress? = nil,
    _ body: @escaping @Sendable ([T]) throws -> R
  ) async throws -> R {
    try await BackgroundSearch(workspace).fetch(request, as: type, progress: progress, body)
  }

  /// Finds the objects of a class's entity that meet a predicate while the context is free for other
  /// work, and hands them out in its turn.
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
  /// - Parameter progress: As for ``fetch(_:as:progress:_:)``; `nil` when nobody wants to know.
  /// - Throws: As ``fetch(_:as:progress:_:)``.
  public func fetchIdentifiers(
    _ request: FetchRequest, progress: Progress?
  ) async throws -> [ObjectID] {
    try await BackgroundSearch(workspace).fetchIdentifiers(request, progress: progress)
  }

  /// Counts the objects of a request while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:as:progress:_:)``; `nil` when nobody wants to know.
  /// - Throws: As ``fetch(_:as:progress:_:)``.
  public func count(for request: FetchRequest, progress: Progress?) async throws -> Int {
    try await BackgroundSearch(workspace).count(for: request, progress: progress)
  }

  /// Finds the values, groups or aggregates of a request while the context is free for other work.
  ///
  /// - Parameter progress: As for ``fetch(_:as:progress:_:)``; `nil` when nobody wants to know.
  /// - Throws: As ``fetch(_:as:progress:_:)``; ``ContextError`` when the entity's objects are in several
  ///   stores.
  public func fetchTable(_ request: FetchRequest, progress: Progress?) async throws -> ResultTable {
    try await BackgroundSearch(workspace).fetchTable(request, progress: progress)
  }
}
