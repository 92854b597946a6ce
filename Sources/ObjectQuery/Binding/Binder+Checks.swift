import Foundation
import ObjectModel

extension Binder {
  /// Casts a constant text that is compared with a number, a date, a UUID or an object to that type.
  ///
  /// Only constants are cast: in `start > "2026-01-31"` the date is read once, when the predicate is bound.
  ///
  /// - Parameter isFixed: Whether both sides are constants. A text is not a number then, because no property says that a
  ///   number is meant.
  func coerce(
    _ expression: BoundExpression, _ type: OperandType, toFit other: OperandType, isFixed: Bool
  ) -> (BoundExpression, OperandType) {
    guard let operand = expression.constant, type.element == .text || type == .collection(.unknown)
    else { return (expression, type) }
    let target: QueryExpression.CastType
    switch other.element {
    case .number where !isFixed: target = .number
    case .date: target = .date
    case .uuid: target = .uuid
    case .object: target = .object
    default: return (expression, type)
    }
    guard let cast = operand.cast(each: target, store: store) else { return (expression, type) }
    return (.constant(cast), OperandType(cast))
  }

  /// Returns the right side of `IN` without the constants that no value of the left side is equal to, because their types
  /// have nothing in common. If no constant is left, the list stays as it is and is refused.
  func withoutIncomparable(
    _ right: BoundExpression, _ type: OperandType, _ comparison: QueryPredicate.Comparison,
    _ left: OperandType
  ) -> (BoundExpression, OperandType) {
    guard comparison.operation == .in, type == .collection(.unknown),
      case .list(let items)? = right.constant
    else { return (right, type) }
    let kept = items.filter { left.element.isComparable(to: OperandType($0)) }
    guard !kept.isEmpty, kept.count < items.count else { return (right, type) }
    let list = Operand.list(kept)
    return (.constant(list), OperandType(list))
  }

  /// Throws for comparisons that never have a meaning.
  func check(
    _ comparison: QueryPredicate.Comparison, _ left: OperandType, _ right: OperandType
  ) throws(QueryError) {
    let operation = comparison.operation
    var one = left
    if comparison.modifier != .direct {
      guard left.isCollection || left == .unknown || left == .null else {
        throw QueryError(
          .typeMismatch,
          "\(comparison.modifier.rawValue) needs a collection on its left, not \(left.words).")
      }
      one = left.element
    }
    switch operation {
    case .equal, .notEqual:
      try refuse(collection: one, in: comparison, unless: right.isCollection || right == .null)
      try refuse(text: right, forObject: one, in: comparison)
      try refuse(one, right, operation)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      try refuse(collection: one, in: comparison, unless: false)
      if case .object = one { throw Self.unordered(one, operation) }
      if one == .binary { throw Self.unordered(one, operation) }
      try refuse(one, right, operation)
    case .between:
      try refuse(collection: one, in: comparison, unless: false)
      guard right.isCollection || right == .unknown || right == .null else {
        throw QueryError(
          .typeMismatch, "BETWEEN needs two bounds in braces on its right, not \(right.words).")
      }
      if case .aggregate(let bounds) = comparison.right, bounds.count != 2 {
        throw QueryError(.typeMismatch, "BETWEEN needs two bounds, not \(bounds.count).")
      }
      try refuse(one, right.element, operation)
    case .in:
      guard right.isCollection || right == .text || right == .unknown || right == .null else {
        throw QueryError(
          .typeMismatch, "IN needs a collection or a text on its right, not \(right.words).")
      }
      try refuse(collection: one, in: comparison, unless: false)
      try refuse(one, right.element, operation)
    case .contains:
      guard one.isCollection || one == .text || one == .unknown || one == .null else {
        throw QueryError(
          .typeMismatch, "CONTAINS needs a collection or a text on its left, not \(one.words).")
      }
      try refuse(one.element, right, operation)
    case .beginsWith, .endsWith, .like, .matches, .text:
      if operation == .text, !comparison.options.isEmpty {
        throw QueryError(
          .notSupported,
          "TEXT has no options in brackets, because it always ignores case and diacritical marks.")
      }
      try refuse(collection: one, in: comparison, unless: false)
      for type in [one, right] where !type.isComparable(to: .text) {
        throw QueryError(
          .typeMismatch, "\(operation.rawValue) compares texts, not \(type.words).")
      }
    }
  }

  /// Throws if one of several constants of different types cannot be compared with the left side.
  func check(
    elements right: BoundExpression, _ comparison: QueryPredicate.Comparison,
    _ left: OperandType, _ rightType: OperandType
  ) throws(QueryError) {
    guard comparison.operation == .in || comparison.operation == .between,
      rightType == .collection(.unknown), case .list(let items)? = right.constant
    else { return }
    for item in items { try refuse(left.element, OperandType(item), comparison.operation) }
  }

  private func refuse(
    _ left: OperandType, _ right: OperandType, _ operation: QueryPredicate.Operator
  ) throws(QueryError) {
    guard !left.isComparable(to: right) else { return }
    var message = "\(operation.rawValue) can't compare \(left.words) with \(right.words)."
    if left == .date, right == .number {
      message += " Write a date in quotes, such as \"2026-01-31\", or compare YEAR of the date."
    }
    throw QueryError(.typeMismatch, message)
  }

  /// Throws for an object that is compared with a text, and names a property of the object that is a text.
  private func refuse(
    text: OperandType, forObject type: OperandType, in comparison: QueryPredicate.Comparison
  ) throws(QueryError) {
    guard text == .text, case .object(let entity?) = type, comparison.modifier == .direct,
      case .keyPath(of: .evaluatedObject, let path) = comparison.left
    else { return }
    let name = model.properties(of: entity).first { property in
      if case .attribute(let attribute) = property { return attribute.type == .string }
      return false
    }?.name
    throw QueryError(
      .typeMismatch,
      "\(comparison.operation.rawValue) can't compare \(type.words) with text. Compare a property of the object"
        + (name.map { ", such as \((path + [$0]).joined(separator: "."))." } ?? "."))
  }

  private func refuse(
    collection type: OperandType, in comparison: QueryPredicate.Comparison, unless isFine: Bool
  ) throws(QueryError) {
    guard type.isCollection, !isFine else { return }
    throw QueryError(
      .typeMismatch,
      """
      The left side of \(comparison.operation.rawValue) is \(type.words), not one value. Write \
      ANY, ALL or NONE before it, or an operator such as @count after it.
      """)
  }

  private static func unordered(
    _ type: OperandType, _ operation: QueryPredicate.Operator
  ) -> QueryError {
    QueryError(
      .typeMismatch, "\(operation.rawValue) needs values that have an order, not \(type.words).")
  }
}

// MARK: - Functions

extension Binder {
  mutating func bindCall(
    of function: QueryExpression.Function, _ arguments: [QueryExpression]
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    let traits = function.traits
    guard traits.counts.contains(arguments.count) else {
      throw QueryError(
        .typeMismatch,
        "\"\(function.rawValue)\" needs \(traits.countWords), not \(arguments.count).")
    }
    var bound: [BoundExpression] = []
    var types: [OperandType] = []
    for argument in arguments {
      let expression: BoundExpression
      let type: OperandType
      do { (expression, type) = try bind(argument) } catch {
        // The unit and the time zone of a date are texts.
        guard function == .trunc, !bound.isEmpty else { throw error }
        throw error.suggestingQuotes(around: argument, comparedWith: .text)
      }
      bound.append(expression)
      types.append(type)
    }
    try refuseAggregate(of: function, types, arguments)
    let result = try traits.type(
      FunctionArguments(
        function: function, types: types, constants: bound.map(\.constant)))
    if function == .now { return (.constant(.value(.date(now))), .date) }
    return (.function(function, bound), result)
  }

  /// Throws for an aggregate of one value of the object, which is that value and not the aggregate of all objects.
  private func refuseAggregate(
    of function: QueryExpression.Function, _ types: [OperandType],
    _ arguments: [QueryExpression]
  ) throws(QueryError) {
    guard function.isAggregate, refusesMissingValues, groups == nil, types.count == 1, let entity,
      case .keyPath(of: .evaluatedObject, let path) = arguments[0]
    else { return }
    switch types[0] {
    case .collection, .unknown, .null, .object: return
    default: break
    }
    let name = function.traits.names.first ?? function.printedName
    let operation = CollectionOperator.allCases.first { $0.function == function }
    let other = operation.map {
      " For all objects write FETCH(\"\(entity)\", TRUEPREDICATE, NO).@\($0.rawValue).\(path.joined(separator: "."))."
    }
    throw QueryError(
      .typeMismatch,
      "\"\(name)\" of one value is that value, and not computed from all objects." + (other ?? ""))
  }

  mutating func bindCall(
    of name: String, _ target: QueryExpression, _ arguments: [QueryExpression]
  ) throws(QueryError) -> (BoundExpression, OperandType) {
    guard let method = ValueMethod(rawValue: name) else {
      // A function may also be called by its name in the list of functions.
      if let function = QueryExpression.Function(rawValue: name) {
        return try bindCall(of: function, [target] + arguments)
      }
      throw QueryError(
        .notSupported,
        "FUNCTION has no method \"\(name)\"."
          + suggestion(name, among: ValueMethod.allCases.map(\.rawValue)))
    }
    guard arguments.count == method.argumentCount else {
      throw QueryError(
        .typeMismatch,
        "\"\(name)\" needs \(method.argumentCount) arguments, not \(arguments.count).")
    }
    let (bound, type) = try bind(target)
    if let expected = method.target, !type.element.isComparable(to: expected) {
      throw QueryError(
        .typeMismatch, "\"\(name)\" is a method of \(expected.words), not of \(type.words).")
    }
    var others: [BoundExpression] = []
    for argument in arguments { others.append(try bind(argument).0) }
    return (.call(bound, method, others), method.result)
  }
}

// MARK: - Subqueries that read only their element

extension BoundPredicate {
  /// Returns the predicate with the object itself in place of a subquery's variable.
  func replacingSlot(_ slot: Int) -> BoundPredicate {
    switch self {
    case .constant: self
    case .and(let parts): .and(parts.map { $0.replacingSlot(slot) })
    case .or(let parts): .or(parts.map { $0.replacingSlot(slot) })
    case .not(let part): .not(part.replacingSlot(slot))
    case .comparison(var comparison):
      {
        comparison.left = comparison.left.replacingSlot(slot)
        comparison.right = comparison.right.replacingSlot(slot)
        return .comparison(comparison)
      }()
    }
  }
}

extension BoundExpression {
  fileprivate func replacingSlot(_ slot: Int) -> BoundExpression {
    func replaced(_ part: BoundExpression) -> BoundExpression { part.replacingSlot(slot) }
    switch self {
    case .slot(slot): return .this
    case .constant, .this, .slot, .fetch, .groupValue: return self
    case .path(let base, let steps): return .path(replaced(base), steps)
    case .list(let parts): return .list(parts.map(replaced))
    case .function(let function, let arguments): return .function(function, arguments.map(replaced))
    case .call(let target, let method, let arguments):
      return .call(replaced(target), method, arguments.map(replaced))
    case .element(let collection, .at(let place)):
      return .element(replaced(collection), .at(replaced(place)))
    case .element(let collection, let index): return .element(replaced(collection), index)
    case .set(let operation, let left, let right):
      return .set(operation, replaced(left), replaced(right))
    case .subquery(var inner):
      inner.collection = replaced(inner.collection)
      inner.predicate = inner.predicate.replacingSlot(slot)
      return .subquery(inner)
    case .conditional(let condition, let then, let otherwise):
      return .conditional(condition.replacingSlot(slot), replaced(then), replaced(otherwise))
    case .cast(let value, let target): return .cast(replaced(value), target)
    }
  }
}
