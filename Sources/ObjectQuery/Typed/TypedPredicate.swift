/// A condition on objects of one class, checked by the compiler.
///
///     let soon = Trip.where { $0.start > .now && $0.name.begins(with: "L", .caseInsensitive) }
///
/// Names must be properties of the class, values must have their types, and conditions on different classes cannot be
/// combined. Its ``predicate`` is an ordinary predicate, and ``init(_:)`` takes any predicate.
public struct TypedPredicate<Root>: Sendable, Hashable {
  /// The condition as a tree.
  public let predicate: QueryPredicate

  /// Takes any predicate as a condition on objects of the class.
  ///
  /// Names that the entity does not have cause an error when a request is bound to a model.
  public init(_ predicate: QueryPredicate) { self.predicate = predicate }

  /// Returns a condition that is true if both conditions are true.
  public static func && (left: Self, right: Self) -> Self {
    Self(left.predicate && right.predicate)
  }

  /// Returns a condition that is true if either condition is true.
  public static func || (left: Self, right: Self) -> Self {
    Self(left.predicate || right.predicate)
  }

  /// Returns a condition that is true if the condition is false.
  public static prefix func ! (condition: Self) -> Self { Self(!condition.predicate) }
}

extension TypedPredicate: CustomStringConvertible {
  /// The condition as text that reads back as an equal tree.
  public var description: String { predicate.description }
}
