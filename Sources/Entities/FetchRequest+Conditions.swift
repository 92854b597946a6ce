public import ObjectGraph
public import ObjectQuery

extension FetchRequest {
  /// Makes a request for the objects that meet a condition.
  public init(
    _ condition: (EntityField<Object, Object>) throws -> TypedPredicate<Object>
  ) rethrows {
    self.init(Object.self, where: try condition(EntityField<Object, Object>([])).predicate)
  }

  /// Returns the request with one more sort key: a property of an object that a relationship refers to.
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

  /// Returns the request with one more sort key: a value that is computed from properties.
  ///
  ///     let longest = Trip.all.sorted(ascending: false) { $0.name.length }
  public func sorted<Value>(
    ascending: Bool = true, options: TextOptions = [],
    by value: (EntityField<Object, Object>) -> ComputedExpression<Object, Value>
  ) -> FetchRequest {
    var sorted = self
    sorted.query.sortKeys.append(
      SortKey(
        value(EntityField<Object, Object>([])).queryExpression, ascending: ascending,
        options: options))
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

  func path<Value>(
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

  /// Returns a request for the objects that meet at least one of several conditions. No condition finds no object.
  ///
  ///     var parts: [TypedPredicate<Trip>] = []
  ///     if !name.isEmpty { parts.append(TypedPredicate { $0.name.contains(name) }) }
  ///     parts.append(TypedPredicate { $0.start > now })
  ///     let found = try context.fetch(Trip.where(anyOf: parts))
  public static func `where`(anyOf conditions: [TypedPredicate<Self>]) -> FetchRequest<Self> {
    FetchRequest(Self.self, where: .or(conditions.map(\.predicate)))
  }

  /// Returns a request for the objects that meet all of several conditions. Without a condition it finds all objects.
  public static func `where`(allOf conditions: [TypedPredicate<Self>]) -> FetchRequest<Self> {
    FetchRequest(Self.self, where: .and(conditions.map(\.predicate)))
  }

  /// A request for all objects.
  public static var all: FetchRequest<Self> { FetchRequest() }
}

extension TypedPredicate where Root: ManagedObject {
  /// Makes a condition that a program keeps and joins with further conditions.
  ///
  ///     let long = TypedPredicate<Trip> { $0.stops.count > 5 }
  ///     let found = try context.fetch(Trip.where(allOf: [long, TypedPredicate { $0.start > now }]))
  public init(
    _ condition: (EntityField<Root, Root>) throws -> TypedPredicate<Root>
  ) rethrows { self = try condition(EntityField<Root, Root>([])) }
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
