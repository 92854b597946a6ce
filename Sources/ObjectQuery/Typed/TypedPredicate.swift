/// A condition on objects of one entity, checked by the compiler.
///
///     let soon = Trip.start > now && Trip.name.begins(with: "L", .caseInsensitive)
///     let request = QueryRequest(Trip.self, where: soon, sortedBy: Trip.start.ascending())
///
/// Names are properties of the entity type, values are of their types, and conditions on different
/// entities do not go together. What it says is a ``QueryPredicate`` like any other, and both may be
/// mixed through ``predicate`` and ``init(_:)``.
public struct TypedPredicate<Root>: Sendable, Hashable {
  /// The condition as a tree.
  public let predicate: QueryPredicate

  /// A condition that was written otherwise, as one on objects of this entity.
  ///
  /// Nothing is checked here: names that the entity does not have are refused when a request is
  /// bound to a model.
  public init(_ predicate: QueryPredicate) { self.predicate = predicate }

  /// True when both are.
  public static func && (left: Self, right: Self) -> Self {
    Self(left.predicate && right.predicate)
  }

  /// True when either is.
  public static func || (left: Self, right: Self) -> Self {
    Self(left.predicate || right.predicate)
  }

  /// True when the condition is not.
  public static prefix func ! (condition: Self) -> Self { Self(!condition.predicate) }
}

extension TypedPredicate: CustomStringConvertible {
  /// The condition as text that reads back as an equal tree.
  public var description: String { predicate.description }
}
