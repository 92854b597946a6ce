public import ObjectModel

extension TypedExpression {
  private func compared(
    _ operation: QueryPredicate.Operator, _ right: QueryExpression, _ options: TextOptions = []
  ) -> TypedPredicate<Root> {
    TypedPredicate(.comparison(.init(queryExpression, operation, right, options: options)))
  }

  private func compared(
    _ operation: QueryPredicate.Operator, _ right: some AttributeValue, _ options: TextOptions = []
  ) -> TypedPredicate<Root> {
    compared(operation, right.storedValue.queryExpression, options)
  }

  /// Whether the value is the given one; with `nil`, whether there is none.
  public static func == (left: Self, right: Value) -> TypedPredicate<Root> {
    left.compared(.equal, right)
  }

  /// Whether the value is another than the given one, and not missing; with `nil`, whether there is
  /// one.
  public static func != (left: Self, right: Value) -> TypedPredicate<Root> {
    left.compared(.notEqual, right)
  }

  /// Whether two values are equal, and neither is missing.
  public static func == <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.equal, right.queryExpression)
  }

  /// Whether two values are different, and neither is missing.
  public static func != <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.notEqual, right.queryExpression)
  }

  /// Whether the value is among the given ones.
  public func isIn(_ values: some Sequence<Value.Bare>) -> TypedPredicate<Root> {
    compared(.in, .aggregate(values.map(\.storedValue.queryExpression)))
  }
}

extension TypedExpression where Value.Bare: Comparable {
  /// Whether the value is less.
  public static func < (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.lessThan, right)
  }

  /// Whether the value is less or equal.
  public static func <= (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.lessThanOrEqual, right)
  }

  /// Whether the value is greater.
  public static func > (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.greaterThan, right)
  }

  /// Whether the value is greater or equal.
  public static func >= (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.greaterThanOrEqual, right)
  }

  /// Whether the left value is less.
  public static func < <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.lessThan, right.queryExpression)
  }

  /// Whether the left value is less or equal.
  public static func <= <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.lessThanOrEqual, right.queryExpression)
  }

  /// Whether the left value is greater.
  public static func > <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.greaterThan, right.queryExpression)
  }

  /// Whether the left value is greater or equal.
  public static func >= <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.greaterThanOrEqual, right.queryExpression)
  }

  /// Whether the value lies within the given bounds, or is one of them.
  public func isBetween(_ range: ClosedRange<Value.Bare>) -> TypedPredicate<Root> {
    compared(
      .between,
      .aggregate([
        range.lowerBound.storedValue.queryExpression, range.upperBound.storedValue.queryExpression,
      ]))
  }
}

extension TypedExpression where Value.Bare == String {
  /// Whether the text is the given one.
  public func equals(_ text: String, _ options: TextOptions) -> TypedPredicate<Root> {
    compared(.equal, text, options)
  }

  /// Whether the text begins with the given one.
  public func begins(
    with prefix: String, _ options: TextOptions = []
  ) -> TypedPredicate<Root> { compared(.beginsWith, prefix, options) }

  /// Whether the text ends with the given one.
  public func ends(with suffix: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.endsWith, suffix, options)
  }

  /// Whether the given text is part of the text.
  public func contains(_ part: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.contains, part, options)
  }

  /// Whether the text has the given form: `?` stands for one character, `*` for any number.
  public func isLike(_ pattern: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.like, pattern, options)
  }

  /// Whether the whole text matches a regular expression.
  public func matches(_ pattern: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.matches, pattern, options)
  }
}
