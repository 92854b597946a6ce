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

  /// Returns the condition that the value is equal to the given value; with `nil`, that it is missing.
  public static func == (left: Self, right: Value) -> TypedPredicate<Root> {
    left.compared(.equal, right)
  }

  /// Returns the condition that there is a value different from the given one; with `nil`, that there is a value.
  public static func != (left: Self, right: Value) -> TypedPredicate<Root> {
    left.compared(.notEqual, right)
  }

  /// Returns the condition that two values are equal and neither is missing.
  public static func == <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.equal, right.queryExpression)
  }

  /// Returns the condition that two values are different and neither is missing.
  public static func != <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.notEqual, right.queryExpression)
  }

  /// Returns the condition that the value is one of the given values.
  public func isIn(_ values: some Sequence<Value.Bare>) -> TypedPredicate<Root> {
    compared(.in, .aggregate(values.map(\.storedValue.queryExpression)))
  }
}

extension TypedExpression where Value.Bare: Comparable {
  /// Returns the condition that the value is less.
  public static func < (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.lessThan, right)
  }

  /// Returns the condition that the value is less or equal.
  public static func <= (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.lessThanOrEqual, right)
  }

  /// Returns the condition that the value is greater.
  public static func > (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.greaterThan, right)
  }

  /// Returns the condition that the value is greater or equal.
  public static func >= (left: Self, right: Value.Bare) -> TypedPredicate<Root> {
    left.compared(.greaterThanOrEqual, right)
  }

  /// Returns the condition that the left value is less.
  public static func < <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.lessThan, right.queryExpression)
  }

  /// Returns the condition that the left value is less or equal.
  public static func <= <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.lessThanOrEqual, right.queryExpression)
  }

  /// Returns the condition that the left value is greater.
  public static func > <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.greaterThan, right.queryExpression)
  }

  /// Returns the condition that the left value is greater or equal.
  public static func >= <Other: TypedExpression>(
    left: Self, right: Other
  ) -> TypedPredicate<Root> where Other.Root == Root, Other.Value.Bare == Value.Bare {
    left.compared(.greaterThanOrEqual, right.queryExpression)
  }

  /// Returns the condition that the value is between the given bounds, or equal to one of them.
  public func isBetween(_ range: ClosedRange<Value.Bare>) -> TypedPredicate<Root> {
    compared(
      .between,
      .aggregate([
        range.lowerBound.storedValue.queryExpression, range.upperBound.storedValue.queryExpression,
      ]))
  }
}

extension TypedExpression where Value.Bare == String {
  /// Returns the condition that the text is equal to the given text.
  public func equals(_ text: String, _ options: TextOptions) -> TypedPredicate<Root> {
    compared(.equal, text, options)
  }

  /// Returns the condition that the text begins with the given text.
  public func begins(
    with prefix: String, _ options: TextOptions = []
  ) -> TypedPredicate<Root> { compared(.beginsWith, prefix, options) }

  /// Returns the condition that the text ends with the given text.
  public func ends(with suffix: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.endsWith, suffix, options)
  }

  /// Returns the condition that the text contains the given text.
  public func contains(_ part: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.contains, part, options)
  }

  /// Returns the condition that the text begins with the given text, under the name that Swift's texts have.
  public func hasPrefix(_ prefix: String) -> TypedPredicate<Root> { begins(with: prefix) }

  /// Returns the condition that the text ends with the given text, under the name that Swift's texts have.
  public func hasSuffix(_ suffix: String) -> TypedPredicate<Root> { ends(with: suffix) }

  /// Returns the condition that the text matches a pattern: `?` stands for one character, `*` for any number.
  public func isLike(_ pattern: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.like, pattern, options)
  }

  /// Returns the condition that the text contains the words of a full-text query, such as `quick bro* -lazy`.
  public func matches(text query: String) -> TypedPredicate<Root> { compared(.text, query, []) }

  /// Returns the condition that the whole text matches a regular expression.
  public func matches(_ pattern: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
    compared(.matches, pattern, options)
  }
}

extension Sequence {
  /// Returns the condition that a value is one of the elements.
  ///
  ///     Trip.where { names.contains($0.name) }
  ///
  /// The same as ``TypedExpression/isIn(_:)``. The elements are read when the predicate is made.
  public func contains<Test: TypedExpression>(_ value: Test) -> TypedPredicate<Test.Root>
  where Element == Test.Value.Bare { value.isIn(self) }
}
