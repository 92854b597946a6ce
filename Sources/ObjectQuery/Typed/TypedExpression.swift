public import Foundation
public import ObjectModel

/// An expression with a value of a known type for each object of a class: an attribute, or a value computed from attributes.
public protocol TypedExpression<Root, Value>: Sendable {
  /// The class whose objects have the value.
  associatedtype Root
  /// The type of the value.
  associatedtype Value: AttributeValue

  /// The expression as a tree.
  var queryExpression: QueryExpression { get }
}

/// A value computed from other values: `$0.days * 2`, `$0.stops.count`.
public struct ComputedExpression<Root, Value: AttributeValue>: TypedExpression, Hashable {
  /// The expression as a tree.
  public let queryExpression: QueryExpression

  /// Takes any expression as an expression of this type. The expression is not checked.
  public init(_ expression: QueryExpression) { queryExpression = expression }
}

// MARK: - Arithmetic

/// A type of attribute values that are numbers.
public protocol NumericAttributeValue: BoundedAttributeValue {}

extension Int: NumericAttributeValue {}
extension Int16: NumericAttributeValue {}
extension Int32: NumericAttributeValue {}
extension Int64: NumericAttributeValue {}
extension Double: NumericAttributeValue {}
extension Float: NumericAttributeValue {}
extension Decimal: NumericAttributeValue {}

extension TypedExpression where Value.Bare: NumericAttributeValue {
  public static func + <Other: TypedExpression>(
    left: Self, right: Other
  ) -> ComputedExpression<Root, Value>
  where Other.Root == Root, Other.Value.Bare == Value.Bare { computed(.add, left, right) }

  public static func + (left: Self, right: Value.Bare) -> ComputedExpression<Root, Value> {
    computed(.add, left, right)
  }

  public static func - <Other: TypedExpression>(
    left: Self, right: Other
  ) -> ComputedExpression<Root, Value>
  where Other.Root == Root, Other.Value.Bare == Value.Bare { computed(.subtract, left, right) }

  public static func - (left: Self, right: Value.Bare) -> ComputedExpression<Root, Value> {
    computed(.subtract, left, right)
  }

  public static func * <Other: TypedExpression>(
    left: Self, right: Other
  ) -> ComputedExpression<Root, Value>
  where Other.Root == Root, Other.Value.Bare == Value.Bare { computed(.multiply, left, right) }

  public static func * (left: Self, right: Value.Bare) -> ComputedExpression<Root, Value> {
    computed(.multiply, left, right)
  }

  /// Returns the quotient, truncated to a whole number if both are whole.
  public static func / <Other: TypedExpression>(
    left: Self, right: Other
  ) -> ComputedExpression<Root, Value>
  where Other.Root == Root, Other.Value.Bare == Value.Bare { computed(.divide, left, right) }

  /// Returns the quotient, truncated to a whole number if both are whole.
  public static func / (left: Self, right: Value.Bare) -> ComputedExpression<Root, Value> {
    computed(.divide, left, right)
  }

  private static func computed(
    _ function: QueryExpression.Function, _ left: Self, _ right: some TypedExpression
  ) -> ComputedExpression<Root, Value> {
    ComputedExpression(.function(function, [left.queryExpression, right.queryExpression]))
  }

  private static func computed(
    _ function: QueryExpression.Function, _ left: Self, _ right: Value.Bare
  ) -> ComputedExpression<Root, Value> {
    ComputedExpression(
      .function(function, [left.queryExpression, right.storedValue.queryExpression]))
  }
}

extension TypedExpression {
  /// Returns the value, or the given value for an object without one.
  ///
  ///     Trip.where { ($0.title ?? "Untitled") == name }
  ///
  /// No index helps a condition on the result. `$0.title == nil || $0.title == name` can use one.
  public static func ?? (left: Self, right: Value.Bare) -> ComputedExpression<Root, Value.Bare> {
    let value = left.queryExpression
    return ComputedExpression(
      .conditional(
        .comparison(.init(value, .notEqual, .null)), value, right.storedValue.queryExpression))
  }
}
