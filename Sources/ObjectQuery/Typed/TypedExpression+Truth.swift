// A truth value is a condition on its own: `$0.isOpen && !$0.isFull`.

extension TypedExpression where Value == Bool {
  /// Returns the condition that the value is true.
  public var isTrue: TypedPredicate<Root> { self == true }

  /// Returns the condition that the value is false.
  public static prefix func ! (value: Self) -> TypedPredicate<Root> { value == false }

  /// Returns a condition that is true if both values are true.
  public static func && <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value == Bool {
    left.isTrue && right.isTrue
  }

  /// Returns a condition that is true if the value and the condition are true.
  public static func && (left: Self, right: TypedPredicate<Root>) -> TypedPredicate<Root> {
    left.isTrue && right
  }

  /// Returns a condition that is true if the condition and the value are true.
  public static func && (left: TypedPredicate<Root>, right: Self) -> TypedPredicate<Root> {
    left && right.isTrue
  }

  /// Returns a condition that is true if either value is true.
  public static func || <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value == Bool {
    left.isTrue || right.isTrue
  }

  /// Returns a condition that is true if the value or the condition is true.
  public static func || (left: Self, right: TypedPredicate<Root>) -> TypedPredicate<Root> {
    left.isTrue || right
  }

  /// Returns a condition that is true if the condition or the value is true.
  public static func || (left: TypedPredicate<Root>, right: Self) -> TypedPredicate<Root> {
    left || right.isTrue
  }
}
