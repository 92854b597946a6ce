public import Foundation
public import ObjectModel

/// A value that may be the argument of a placeholder in the text of a predicate.
///
///     try QueryPredicate("name == %@ AND start > %@", name, Date())
///
/// A collection becomes `{…}`; `nil` is `NULL`.
public protocol QueryArgument {
  /// The value as an expression.
  var queryExpression: QueryExpression { get }
}

extension QueryExpression: QueryArgument {
  public var queryExpression: QueryExpression { self }
}

extension Value: QueryArgument {
  /// The value. A 32-bit floating-point number becomes a 64-bit number.
  public var queryExpression: QueryExpression {
    if case .float(let number) = self { return .constant(.double(Double(number))) }
    return .constant(self)
  }
}

extension String: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.string(self)) }
}

extension Substring: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.string(String(self))) }
}

extension Bool: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.boolean(self)) }
}

extension QueryArgument where Self: BinaryInteger {
  /// The number. A number that does not fit in 64 bits with a sign becomes a floating-point number.
  public var queryExpression: QueryExpression {
    .constant(Int64(exactly: self).map { .integer($0) } ?? .double(Double(self)))
  }
}

extension Int: QueryArgument {}
extension Int8: QueryArgument {}
extension Int16: QueryArgument {}
extension Int32: QueryArgument {}
extension Int64: QueryArgument {}
extension UInt: QueryArgument {}
extension UInt8: QueryArgument {}
extension UInt16: QueryArgument {}
extension UInt32: QueryArgument {}
extension UInt64: QueryArgument {}

extension Double: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.double(self)) }
}

extension Float: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.double(Double(self))) }
}

extension Decimal: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.decimal(self)) }
}

extension Date: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.date(self)) }
}

extension UUID: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.uuid(self)) }
}

extension URL: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.uri(absoluteString)) }
}

extension Data: QueryArgument {
  public var queryExpression: QueryExpression { .constant(.binary(self)) }
}

extension ObjectID: QueryArgument {
  public var queryExpression: QueryExpression { .object(self) }
}

extension Array: QueryArgument where Element: QueryArgument {
  /// The elements, as a collection.
  public var queryExpression: QueryExpression { .aggregate(map(\.queryExpression)) }
}

extension Set: QueryArgument where Element: QueryArgument {
  /// The elements, as a collection without a defined order.
  public var queryExpression: QueryExpression { .aggregate(map(\.queryExpression)) }
}

extension ClosedRange: QueryArgument where Bound: QueryArgument {
  /// The two bounds, as `BETWEEN` takes them.
  public var queryExpression: QueryExpression {
    .aggregate([lowerBound.queryExpression, upperBound.queryExpression])
  }
}

extension Optional: QueryArgument where Wrapped: QueryArgument {
  public var queryExpression: QueryExpression { self?.queryExpression ?? .null }
}

extension QueryRequest: QueryArgument {
  /// The objects that the request finds, for `FETCH(%@, …)`.
  ///
  /// Only the entity and the predicate are used, because a predicate's meaning does not depend on order and limits.
  public var queryExpression: QueryExpression {
    .fetch(entity: entity, predicate ?? .constant(true), countOnly: resultType == .count)
  }
}
