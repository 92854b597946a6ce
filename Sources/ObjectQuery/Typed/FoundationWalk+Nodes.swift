import Foundation
import ObjectModel

// MARK: - Values

extension PredicateExpressions.Variable: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    guard let value = walk.variables[key] else {
      throw QueryError(.missingVariable, "A variable of #Predicate has no value.")
    }
    return .expression(value)
  }
}

extension PredicateExpressions.Value: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    if let value = value as? any QueryArgument { return .expression(value.queryExpression) }
    if let value = value as? any AttributeValue {
      return .expression(value.storedValue.queryExpression)
    }
    if let values = value as? [any AttributeValue] {
      return .expression(.aggregate(values.map(\.storedValue.queryExpression)))
    }
    throw QueryError(
      .notSupported, "A value of type \(Output.self) can't be part of a predicate.")
  }
}

extension PredicateExpressions.NilLiteral: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.null)
  }
}

extension PredicateExpressions.KeyPath: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let base = try walk.expression(root)
    let isText = Root.Output.self is any StringProtocol.Type
    switch kind {
    case .collectionCount:
      return .expression(isText ? .function(.length, [base]) : base.appending("@count"))
    case .collectionIsEmpty:
      return .predicate(
        .comparison(
          isText
            ? .init(base, .equal, .constant(.string("")))
            : .init(base.appending("@count"), .equal, .constant(.integer(0)))))
    case .collectionFirst: return .expression(.element(of: base, .first))
    case .bidirectionalCollectionLast: return .expression(.element(of: base, .last))
    default: break
    }
    guard let type = Root.Output.self as? any PropertyMapped.Type else {
      throw QueryError(
        .notSupported,
        "#Predicate uses the path \(keyPath), but \(Root.Output.self) is not the type of an entity."
      )
    }
    guard let name = type.propertyNames[keyPath] else {
      throw FoundationWalk.unknown(keyPath, of: type)
    }
    return .expression(base.appending(name))
  }
}

extension QueryExpression {
  /// Returns a path that continues from this value.
  fileprivate func appending(_ name: String) -> QueryExpression {
    let names = name.split(separator: ".").map(String.init)
    if case .keyPath(let base, let path) = self { return .keyPath(of: base, path + names) }
    return .keyPath(of: self, names)
  }
}

// MARK: - Logic

extension PredicateExpressions.Conjunction: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .predicate(try walk.predicate(lhs) && walk.predicate(rhs))
  }
}

extension PredicateExpressions.Disjunction: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .predicate(try walk.predicate(lhs) || walk.predicate(rhs))
  }
}

extension PredicateExpressions.Negation: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .predicate(!(try walk.predicate(wrapped)))
  }
}

extension PredicateExpressions.Conditional: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(
      .conditional(
        try walk.predicate(test), try walk.expression(trueBranch),
        try walk.expression(falseBranch)))
  }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    walk.variables[variable.key] = try walk.expression(wrapped)
    return try walk.result(transform)
  }
}

extension PredicateExpressions.ForcedUnwrap: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    try walk.result(inner)
  }
}

extension PredicateExpressions.NilCoalesce: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let otherwise = try walk.expression(rhs)
    switch try walk.result(lhs) {
    case .predicate(let test):
      // A comparison with a missing value is false already, so `?? false` adds nothing.
      guard otherwise == .constant(.boolean(false)) else {
        throw QueryError(
          .notSupported, "After a condition, ?? can be followed by false only: ?? false.")
      }
      return .predicate(test)
    case .expression(.constant(let known)):
      return .expression(known.isNull ? otherwise : .constant(known))
    case .expression(let value):
      return .expression(
        .conditional(.comparison(.init(value, .notEqual, .null)), value, otherwise))
    }
  }
}

// MARK: - Comparing

extension PredicateExpressions.Equal: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .predicate(try walk.equality(lhs, LHS.Output.self, rhs, RHS.Output.self, isNegated: false))
  }
}

extension PredicateExpressions.NotEqual: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .predicate(try walk.equality(lhs, LHS.Output.self, rhs, RHS.Output.self, isNegated: true))
  }
}

extension FoundationWalk {
  /// Returns a predicate for equality or its negation with Swift's meaning: a missing value is equal to a missing
  /// value, and different from any other.
  fileprivate mutating func equality(
    _ left: Any, _ leftType: Any.Type, _ right: Any, _ rightType: Any.Type, isNegated: Bool
  ) throws(QueryError) -> QueryPredicate {
    let operation = isNegated ? QueryPredicate.Operator.notEqual : .equal
    let (one, other): (QueryExpression, QueryExpression)
    switch (try side(left), try side(right)) {
    case (.expression(let left), .expression(let right)): (one, other) = (left, right)
    case (.predicate(let test), .expression(.constant(.boolean(let value)))):
      return value != isNegated ? test : !test
    case (.expression(.constant(.boolean(let value))), .predicate(let test)):
      return value != isNegated ? test : !test
    default: (one, other) = (try expression(left), try expression(right))
    }
    let plain = QueryPredicate.comparison(.init(one, operation, other))
    if one == .null || other == .null { return plain }
    let mayMiss = (
      FoundationWalk.mayBeMissing(one, leftType), FoundationWalk.mayBeMissing(other, rightType)
    )
    func isMissing(_ value: QueryExpression) -> QueryPredicate {
      .comparison(.init(value, .equal, .null))
    }
    func isThere(_ value: QueryExpression) -> QueryPredicate {
      .comparison(.init(value, .notEqual, .null))
    }
    switch (mayMiss.0, mayMiss.1, isNegated) {
    case (true, true, false): return plain || (isMissing(one) && isMissing(other))
    case (true, true, true):
      return plain || (isMissing(one) && isThere(other)) || (isThere(one) && isMissing(other))
    case (true, false, true): return plain || isMissing(one)
    case (false, true, true): return plain || isMissing(other)
    default: return plain
    }
  }

  /// Returns the result of a side of an equality. An array or a dictionary is there the value of one attribute, and not a
  /// collection of values.
  private mutating func side(_ node: Any) throws(QueryError) -> Result {
    if let list = (node as? any FoundationListValue)?.list {
      return .expression(.constant(list.storedValue))
    }
    return try result(node)
  }

  private static func mayBeMissing(_ value: QueryExpression, _ type: Any.Type) -> Bool {
    if case .constant = value { return false }
    if case .object = value { return false }
    return type is any ExpressibleByNilLiteral.Type
  }
}

private protocol FoundationListValue {
  /// The value, if it is an array or a dictionary of values.
  var list: (any CodableValue)? { get }
}

extension PredicateExpressions.Value: FoundationListValue {
  fileprivate var list: (any CodableValue)? {
    value is any Collection ? value as? any CodableValue : nil
  }
}

extension PredicateExpressions.Comparison: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let operation: QueryPredicate.Operator =
      switch op {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqual
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqual
      @unknown default:
        throw QueryError(.notSupported, "#Predicate uses the unsupported comparison \(op).")
      }
    return .predicate(
      .comparison(.init(try walk.expression(lhs), operation, try walk.expression(rhs))))
  }
}

extension PredicateExpressions.Range: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.aggregate([try walk.expression(lower), try walk.expression(upper)]))
  }
}

extension PredicateExpressions.ClosedRange: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.aggregate([try walk.expression(lower), try walk.expression(upper)]))
  }
}

extension PredicateExpressions.RangeExpressionContains: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let value = try walk.expression(element)
    let bounds: [QueryExpression]
    let isClosed: Bool
    if let made = FoundationWalk.bounds(range) {
      (bounds, isClosed) = made
    } else if case .aggregate(let made) = try walk.expression(range), made.count == 2 {
      bounds = made
      isClosed = String(describing: type(of: range)).hasPrefix("ClosedRange")
    } else {
      throw QueryError(.notSupported, "Only ranges with two bounds are supported.")
    }
    if isClosed { return .predicate(.comparison(.init(value, .between, .aggregate(bounds)))) }
    return .predicate(
      .comparison(.init(value, .greaterThanOrEqual, bounds[0]))
        && .comparison(.init(value, .lessThan, bounds[1])))
  }
}

extension FoundationWalk {
  /// Returns the bounds of a range that was made outside the predicate, and whether the upper bound belongs to it.
  fileprivate static func bounds(_ node: Any) -> (bounds: [QueryExpression], isClosed: Bool)? {
    (node as? any FoundationRangeValue)?.bounds
  }
}

private protocol FoundationRangeValue {
  var bounds: (bounds: [QueryExpression], isClosed: Bool)? { get }
}

extension PredicateExpressions.Value: FoundationRangeValue {
  fileprivate var bounds: (bounds: [QueryExpression], isClosed: Bool)? {
    (value as? any BoundedRange)?.bounds
  }
}

private protocol BoundedRange {
  var bounds: (bounds: [QueryExpression], isClosed: Bool)? { get }
}

extension Range: BoundedRange {
  fileprivate var bounds: (bounds: [QueryExpression], isClosed: Bool)? {
    guard let low = lowerBound as? any QueryArgument, let high = upperBound as? any QueryArgument
    else { return nil }
    return ([low.queryExpression, high.queryExpression], false)
  }
}

extension ClosedRange: BoundedRange {
  fileprivate var bounds: (bounds: [QueryExpression], isClosed: Bool)? {
    guard let low = lowerBound as? any QueryArgument, let high = upperBound as? any QueryArgument
    else { return nil }
    return ([low.queryExpression, high.queryExpression], true)
  }
}

// MARK: - Arithmetic

extension PredicateExpressions.Arithmetic: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let function: QueryExpression.Function =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default:
        throw QueryError(.notSupported, "#Predicate uses the unsupported operation \(op).")
      }
    return .expression(.function(function, [try walk.expression(lhs), try walk.expression(rhs)]))
  }
}

extension PredicateExpressions.UnaryMinus: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.function(.subtract, [.constant(.integer(0)), try walk.expression(wrapped)]))
  }
}

extension PredicateExpressions.FloatDivision: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.function(.divide, [try walk.expression(lhs), try walk.expression(rhs)]))
  }
}

extension PredicateExpressions.IntDivision: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.function(.divide, [try walk.expression(lhs), try walk.expression(rhs)]))
  }
}

extension PredicateExpressions.IntRemainder: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.function(.modulus, [try walk.expression(lhs), try walk.expression(rhs)]))
  }
}

// MARK: - Types

extension PredicateExpressions.TypeCheck: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    guard let type = Desired.self as? any EntityMapped.Type else {
      throw QueryError(
        .notSupported,
        "#Predicate asks whether a value is of the type \(Desired.self), which is not the type of an entity."
      )
    }
    // The objects of an entity include those of its subentities, as the instances of a class do.
    let objects = QueryExpression.fetch(
      entity: type.entityName, .constant(true), countOnly: false)
    return .predicate(.comparison(.init(try walk.expression(input), .in, objects)))
  }
}

extension PredicateExpressions.ConditionalCast: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    throw QueryError(
      .notSupported,
      "#Predicate converts a value with as? \(Desired.self), which is not supported. Ask with is, or request the objects of \(Desired.self)."
    )
  }
}

// MARK: - Collections and text

extension PredicateExpressions.SequenceContains: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .predicate(
      .comparison(.init(try walk.expression(element), .in, try walk.expression(sequence))))
  }
}

extension PredicateExpressions.SequenceContainsWhere: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let some = try walk.subquery(sequence, variable.key, test)
    return .predicate(
      .comparison(.init(some.appending("@count"), .greaterThan, .constant(.integer(0)))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    let others = try walk.subquery(sequence, variable.key, test, negated: true)
    return .predicate(
      .comparison(.init(others.appending("@count"), .equal, .constant(.integer(0)))))
  }
}

extension PredicateExpressions.Filter: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(try walk.subquery(sequence, variable.key, filter))
  }
}

extension PredicateExpressions.SequenceMaximum: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.function(.max, [try walk.expression(elements)]))
  }
}

extension PredicateExpressions.SequenceMinimum: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(.function(.min, [try walk.expression(elements)]))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    .expression(
      .element(of: try walk.expression(wrapped), .at(try walk.expression(index))))
  }
}

extension PredicateExpressions.SequenceStartsWith: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    guard Base.Output.self is any StringProtocol.Type else {
      throw QueryError(.notSupported, "#Predicate uses starts(with:) on a value that is not text.")
    }
    return .predicate(
      .comparison(.init(try walk.expression(base), .beginsWith, try walk.expression(prefix))))
  }
}

extension PredicateExpressions.CollectionContainsCollection: FoundationNode {
  func result(_ walk: inout FoundationWalk) throws(QueryError) -> FoundationWalk.Result {
    guard Base.Output.self is any StringProtocol.Type else {
      throw QueryError(
        .notSupported, "#Predicate searches for a collection in a value that is not text.")
    }
    return .predicate(
      .comparison(.init(try walk.expression(base), .contains, try walk.expression(other))))
  }
}
