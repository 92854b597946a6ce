import Foundation
import ObjectModel
import ObjectQuery
import Rows

extension SQLTranslator {
  /// Returns the single value of an expression.
  mutating func scalar(
    _ expression: BoundExpression, _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLScalar {
    try deeper { (walk) throws(NotTranslatable) in
      try walk.checked(walk.scalarOnce(expression, scope))
    }
  }

  private mutating func scalarOnce(
    _ expression: BoundExpression, _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLScalar {
    switch expression {
    case .constant(.value(let value)): return try constant(value)
    case .this: return try object(scope.this)
    case .slot(let slot):
      guard let row = scope.slots[slot] else { throw NotTranslatable() }
      return try object(row)
    case .path(let base, let steps): return try path(base, steps, scope)
    case .function(let function, let arguments):
      return try self.function(function, arguments, scope)
    case .call(let target, .secondsSinceReferenceDate, _):
      return try seconds(try scalar(target, scope))
    case .cast(let target, .number):
      let value = try scalar(target, scope)
      return value.kind == .date ? try seconds(value) : try number(value)
    case .element(let collection, .size):
      return try aggregate(.count, over: try elements(collection, scope))
    case .conditional(let condition, let then, let otherwise):
      return try conditional(
        try self.condition(condition, scope), try scalar(then, scope),
        try scalar(otherwise, scope))
    case .fetch(let fetch) where fetch.countOnly:
      return try aggregate(.count, over: try elements(expression, scope))
    case .groupValue(.key(let index)): return scope.groupKeys[index]
    case .groupValue(.aggregate(let index)): return scope.groupAggregates[index]
    case .constant(.list), .list, .call, .cast, .element, .set, .subquery, .fetch:
      throw NotTranslatable()
    }
  }

  private func number(_ value: SQLScalar) throws(NotTranslatable) -> SQLScalar {
    guard value.isNumber else { throw NotTranslatable() }
    var value = value
    value.output = nil
    return value
  }

  private func seconds(_ date: SQLScalar) throws(NotTranslatable) -> SQLScalar {
    guard date.kind == .date else { throw NotTranslatable() }
    var seconds = date
    (seconds.kind, seconds.output, seconds.constant) = (.real, nil, nil)
    return seconds
  }

  private func conditional(
    _ condition: String, _ then: SQLScalar, _ otherwise: SQLScalar
  ) throws(NotTranslatable) -> SQLScalar {
    let known = then.kind == .null ? otherwise : then
    guard then.kind != .object, otherwise.kind != .object,
      then.kind == .null || otherwise.kind == .null || then.kind == otherwise.kind
    else { throw NotTranslatable() }
    func either(_ one: String, _ other: String) -> String {
      "(CASE WHEN \(condition) THEN \(one) ELSE \(other) END)"
    }
    var result = SQLScalar(known.kind, either(then.value, otherwise.value))
    result.isNarrow = then.isNarrow && otherwise.isNarrow
    result.isSurelyWhole = then.isSurelyWhole && otherwise.isSurelyWhole
    if then.presence != nil || otherwise.presence != nil {
      result.presence = either(then.isPresent, otherwise.isPresent)
    } else if then.output == otherwise.output {
      result.output = then.output
    }
    return result
  }

  // MARK: - Functions

  private mutating func function(
    _ function: QueryExpression.Function, _ arguments: [BoundExpression], _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLScalar {
    guard let row = SQLFunction.all[function] else { throw NotTranslatable() }
    return try row.scalar(&self, arguments, scope)
  }

  func absolute(_ value: SQLScalar) throws(NotTranslatable) -> SQLScalar {
    guard value.isNumber else { throw NotTranslatable() }
    var result = SQLScalar(value.kind, "abs(\(value.value))")
    result.presence = value.presence
    if value.kind == .integer { result.output = .number }
    (result.isNarrow, result.isSurelyWhole) = (value.isNarrow, value.isSurelyWhole)
    return result
  }

  /// Returns the result of an arithmetic operation.
  ///
  /// The dialect computes like the search of the rows: integers as long as they fit, and NULL for a division by zero. A
  /// floating-point result that is "not a number" is NULL in SQL, but counts as a value that differs from all
  /// values.
  func arithmetic(
    _ function: QueryExpression.Function, _ left: SQLScalar, _ right: SQLScalar
  ) throws(NotTranslatable) -> SQLScalar {
    let kind: SQLScalar.Kind
    switch (left.kind, right.kind, function) {
    case (.integer, .integer, _): kind = .integer
    case (.integer, .real, _), (.real, .integer, _), (.real, .real, _): kind = .real
    case (.date, .date, .subtract): kind = .real
    case (.date, .integer, .add), (.date, .real, .add), (.integer, .date, .add),
      (.real, .date, .add), (.date, .integer, .subtract), (.date, .real, .subtract):
      kind = .date
    default: throw NotTranslatable()
    }
    // A date that was computed is more precise than a number of 64 bits.
    for side in [left, right] where side.kind == .date && side.column == nil && side.constant == nil
    {
      throw NotTranslatable()
    }
    if kind == .integer {
      var result = SQLScalar(
        .integer, try dialect.integer(function, [left.value, right.value]))
      // An integer result that overflows becomes a floating-point number, and computing with it gives other results.
      guard left.isSurelyWhole, right.isSurelyWhole else { throw NotTranslatable() }
      result.isSurelyWhole = left.isNarrow && right.isNarrow
      result.output = .number
      return result
    }
    // Tables may contain dates without a fraction as integers.
    let (one, other) = (dialect.real(left.value), dialect.real(right.value))
    var result = SQLScalar(kind, try dialect.real(function, one, other))
    result.presence = "\(left.isPresent) AND \(right.isPresent)"
    if function == .divide { result.presence! += " AND (\(other) = 0) IS NOT TRUE" }
    return result
  }
}
