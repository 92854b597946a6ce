public import ObjectQuery

/// A request for the objects of a class, checked by the compiler.
///
///     let soon = try context.fetch(Trip.where { $0.start > .now }.sorted(by: \.start))
@dynamicMemberLookup
public struct EntityRequest<Object: ManagedObject>: Sendable, Hashable {
  /// The request as backends see it.
  public var request: FetchRequest

  /// A request for all objects of the class.
  public init() { request = FetchRequest(Object.entityName) }

  /// A request for the objects that meet a condition.
  public init(
    _ condition: (EntityField<Object, Object>) throws -> TypedPredicate<Object>
  ) rethrows {
    request = FetchRequest(
      Object.entityName, where: try condition(EntityField<Object, Object>([])).predicate)
  }

  /// A setting of the request, such as `fetchLimit` or `includesSubentities`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<FetchRequest, Value>) -> Value {
    get { request[keyPath: path] }
    set { request[keyPath: path] = newValue }
  }

  /// Returns the request with one more key to sort by, behind those that it has.
  public func sorted<Value>(
    by path: KeyPath<Object, Value>, ascending: Bool = true, options: TextOptions = []
  ) -> EntityRequest {
    var sorted = self
    let name = PropertyPaths.name(of: path, in: Object.self)
    sorted.request.sortKeys.append(SortKey(name, ascending: ascending, options: options))
    return sorted
  }

  /// Returns the request for so many objects at most.
  public func limited(to count: Int) -> EntityRequest {
    var limited = self
    limited.request.fetchLimit = count
    return limited
  }

  /// Returns the request that loads the objects of a relationship too.
  public func prefetching<Value>(_ path: KeyPath<Object, Value>) -> EntityRequest {
    var prefetching = self
    prefetching.request.relationshipKeyPathsForPrefetching.append(
      PropertyPaths.name(of: path, in: Object.self))
    return prefetching
  }
}

extension EntityMapped where Self: ManagedObject {
  /// Returns a request for the objects that meet a condition.
  ///
  ///     Trip.where { $0.name.begins(with: "L") && !$0.stops.isEmpty }
  public static func `where`(
    _ condition: (EntityField<Self, Self>) throws -> TypedPredicate<Self>
  ) rethrows -> EntityRequest<Self> { try EntityRequest(condition) }

  /// A request for all objects.
  public static var all: EntityRequest<Self> { EntityRequest() }
}
