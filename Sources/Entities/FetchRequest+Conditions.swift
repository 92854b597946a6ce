public import ObjectGraph
public import ObjectQuery

extension FetchRequest {
  /// Makes a request for the objects that meet a condition.
  public init(
    _ condition: (EntityField<Object, Object>) throws -> TypedPredicate<Object>
  ) rethrows {
    self.init(Object.self, where: try condition(EntityField<Object, Object>([])).predicate)
  }

  /// Returns the request with one more sort key: a property of an object that a relationship leads to.
  ///
  ///     let stops = Stop.all.sorted { $0.trip.name }.sorted(by: \.name)
  public func sorted<Value>(
    ascending: Bool = true, options: TextOptions = [],
    _ field: (EntityField<Object, Object>) -> EntityField<Object, Value>
  ) -> FetchRequest {
    var sorted = self
    sorted.query.sortKeys.append(
      SortKey(path(to: field), ascending: ascending, options: options))
    return sorted
  }

  /// Returns the request with one more relationship to prefetch.
  ///
  ///     let stops = Stop.all.prefetching { $0.trip.owner }
  public func prefetching<Value>(
    _ field: (EntityField<Object, Object>) -> EntityField<Object, Value>
  ) -> FetchRequest {
    var prefetching = self
    prefetching.query.relationshipKeyPathsForPrefetching.append(path(to: field))
    return prefetching
  }

  private func path<Value>(
    to field: (EntityField<Object, Object>) -> EntityField<Object, Value>
  ) -> String {
    field(EntityField<Object, Object>([])).pathElements.joined(separator: ".")
  }
}

extension EntityMapped where Self: ManagedObject {
  /// Returns a request for the objects that meet a condition.
  ///
  ///     Trip.where { $0.name.begins(with: "L") && !$0.stops.isEmpty }
  public static func `where`(
    _ condition: (EntityField<Self, Self>) throws -> TypedPredicate<Self>
  ) rethrows -> FetchRequest<Self> { try FetchRequest(condition) }

  /// A request for all objects.
  public static var all: FetchRequest<Self> { FetchRequest() }
}

// The compiler chooses this function by the type of the closure's result.
extension EntityMapped where Self: ManagedObject {
  /// Returns a request for the objects whose truth value is true.
  ///
  ///     Tour.where { $0.isOpen }
  public static func `where`(
    _ value: (EntityField<Self, Self>) throws -> some TypedExpression<Self, Bool>
  ) rethrows -> FetchRequest<Self> { try FetchRequest { try value($0).isTrue } }
}
