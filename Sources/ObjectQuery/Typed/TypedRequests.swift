public import ObjectModel

/// A path to sort objects of an entity by, and a direction.
public struct TypedSortKey<Root: EntityType>: Sendable, Hashable {
  /// The key as requests have it.
  public let sortKey: SortKey
}

extension AttributePath {
  /// The least first; text may pass over case and the like.
  public func ascending(_ options: TextOptions = []) -> TypedSortKey<Root> {
    key(isAscending: true, options)
  }

  /// The greatest first; text may pass over case and the like.
  public func descending(_ options: TextOptions = []) -> TypedSortKey<Root> {
    key(isAscending: false, options)
  }

  private func key(isAscending: Bool, _ options: TextOptions) -> TypedSortKey<Root> {
    TypedSortKey(
      sortKey: SortKey(
        pathElements.joined(separator: "."), ascending: isAscending, options: options))
  }
}

extension QueryRequest {
  /// A request for objects of an entity type.
  ///
  ///     QueryRequest(
  ///       Trip.self, where: Trip.start > now, sortedBy: Trip.start.ascending(), limit: 20)
  public init<Root: EntityType>(
    _: Root.Type, where predicate: TypedPredicate<Root>? = nil,
    sortedBy sortKeys: TypedSortKey<Root>..., limit: Int = 0
  ) {
    self.init(
      Root.entityName, where: predicate?.predicate, sortedBy: sortKeys.map(\.sortKey),
      limit: limit)
  }
}
