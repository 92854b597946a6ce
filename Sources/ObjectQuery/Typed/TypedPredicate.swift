/// A condition on objects of one class, checked by the compiler.
///
///     let soon = Trip.where { $0.start > .now && $0.name.begins(with: "L", .caseInsensitive) }
///
/// Names are properties of the class, values are of their types, and conditions on different classes do not go together.
/// Its ``predicate`` is one like any other, and ``init(_:)`` takes any predicate.
public struct TypedPredicate<Root>: Sendable, Hashable {
  /// The condition as a tree.
  public let predicate: QueryPredicate

  /// Takes any predicate as a condition on objects of the class.
  ///
  /// Names that the entity does not have are refused when a request is bound to a model.
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
