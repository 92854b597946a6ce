public import ObjectGraph
public import ObjectQuery

extension FetchRequest {
  /// A request for the objects that meet a condition.
  public init(
    _ condition: (EntityField<Object, Object>) throws -> TypedPredicate<Object>
  ) rethrows {
    self.init(Object.self, where: try condition(EntityField<Object, Object>([])).predicate)
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
