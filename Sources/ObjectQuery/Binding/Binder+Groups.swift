import ObjectModel

/// The state for binding the values of groups.
struct GroupBinding {
  /// The keys by which objects are grouped.
  var keys: [(source: QueryExpression, expression: BoundExpression, type: OperandType)] = []
  /// The aggregates found so far, each computed from all objects of a group.
  var aggregates: [Aggregate] = []
  /// The expressions that names stand for, in addition to properties.
  var named: [String: QueryExpression] = [:]
  /// The positions of the aggregates found so far.
  fileprivate var positions: [QueryExpression: Int] = [:]
}

/// A value computed from all objects of a group.
package struct Aggregate: Sendable {
  package let function: QueryExpression.Function
  /// The argument of the function; the object itself for `count:(SELF)`.
  package let argument: BoundExpression
}

/// A value that all objects of a group share.
package enum GroupValue: Sendable {
  case key(Int)
  case aggregate(Int)
}

extension Binder {
  /// Binds an expression that has one value for a whole group; returns `nil` for any other expression.
  mutating func bindGroupValue(
    _ expression: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType)? {
    guard let known = groups else { return nil }
    if let index = known.keys.firstIndex(where: { $0.source == expression }) {
      return (.groupValue(.key(index)), known.keys[index].type)
    }
    switch expression {
    case .keyPath(of: .evaluatedObject, let path):
      return try bindName(path.joined(separator: "."))
    case .variable(let name): return variables[name] == nil ? try bindName(name) : nil
    case .function(let function, let arguments)
    where function.isAggregate && arguments.count == 1:
      return try bindAggregate(function, arguments[0])
    default: return nil
    }
  }

  private mutating func bindName(
    _ name: String
  ) throws(QueryError) -> (BoundExpression, OperandType)? {
    guard let named = groups?.named, let expression = named[name] else { return nil }
    // Within this expression, names refer to properties only.
    groups!.named = [:]
    defer { groups!.named = named }
    return try bind(expression)
  }

  private mutating func bindAggregate(
    _ function: QueryExpression.Function, _ argument: QueryExpression
  ) throws(QueryError) -> (BoundExpression, OperandType)? {
    let whole = QueryExpression.function(function, [argument])
    let known = groups!
    groups = nil
    defer { groups = groups ?? known }
    let (bound, argumentType) = try bind(argument)
    // An aggregate over a collection has a value for each object, such as the sum of the costs of its stops, and not
    // for the group.
    guard !argumentType.isCollection, !bound.isConstant else { return nil }
    // The types are checked as for a collection of such values.
    let (_, type) = try bind(.function(function, [.aggregate([argument])]))
    var changed = known
    if changed.positions[whole] == nil {
      changed.positions[whole] = changed.aggregates.count
      changed.aggregates.append(Aggregate(function: function, argument: bound))
    }
    groups = changed
    return (.groupValue(.aggregate(changed.positions[whole]!)), type)
  }
}

// MARK: - References to the object

extension BoundPredicate {
  /// Whether the predicate reads the evaluated object.
  var readsObject: Bool {
    switch self {
    case .constant: false
    case .and(let parts), .or(let parts): parts.contains(where: \.readsObject)
    case .not(let part): part.readsObject
    case .comparison(let comparison):
      comparison.left.readsObject || comparison.right.readsObject
    }
  }
}

extension BoundExpression {
  /// Whether the expression reads the evaluated object.
  var readsObject: Bool {
    switch self {
    case .this: true
    case .constant, .slot, .groupValue, .fetch: false
    case .path(let base, _): base.readsObject
    case .list(let parts), .function(_, let parts): parts.contains(where: \.readsObject)
    case .call(let target, _, let arguments):
      target.readsObject || arguments.contains(where: \.readsObject)
    case .element(let collection, .at(let place)): collection.readsObject || place.readsObject
    case .element(let collection, _): collection.readsObject
    case .set(_, let left, let right): left.readsObject || right.readsObject
    case .subquery(let subquery):
      subquery.collection.readsObject || subquery.predicate.readsObject
    case .conditional(let condition, let then, let otherwise):
      condition.readsObject || then.readsObject || otherwise.readsObject
    case .cast(let value, _): value.readsObject
    }
  }
}
