import ObjectModel
import ObjectQuery

extension SQLTranslator {
  /// Returns a condition that is true exactly if a predicate holds.
  mutating func condition(
    _ predicate: BoundPredicate, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    try deeper { (walk) throws(NotTranslatable) in
      switch predicate {
      case .constant(let flag):
        return flag ? walk.dialect.trueCondition : walk.dialect.falseCondition
      case .and(let parts):
        return try walk.joined(parts, " AND ", ofNone: walk.dialect.trueCondition, scope)
      case .or(let parts):
        return try walk.joined(parts, " OR ", ofNone: walk.dialect.falseCondition, scope)
      case .not(let part): return try walk.checked("(\(walk.condition(part, scope)) IS NOT TRUE)")
      case .comparison(let comparison): return try walk.checked(walk.condition(comparison, scope))
      }
    }
  }

  private mutating func joined(
    _ parts: [BoundPredicate], _ word: String, ofNone: String, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    var conditions: [String] = []
    for part in parts { conditions.append(try condition(part, scope)) }
    return conditions.isEmpty ? ofNone : try checked("(\(conditions.joined(separator: word)))")
  }

  private mutating func condition(
    _ comparison: BoundComparison, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    // SQL does not compare texts without regard to case, diacritics or locale.
    guard
      comparison.options.isDisjoint(
        with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    else { throw NotTranslatable() }
    if let decided = try decidedOnce(comparison, scope) { return decided }
    switch comparison.modifier {
    case .direct: return try direct(comparison, scope)
    case .any, .all:
      let isAny = comparison.modifier == .any
      if case .list(let items)? = comparison.left.constant {
        return try each(of: items, isAny: isAny, comparison, scope)
      }
      let elements = try elements(comparison.left, scope)
      let test = try condition(comparison, try element(elements), scope)
      return isAny
        ? elements.exists(where: test)
        : "NOT \(elements.exists(where: "(\(test)) IS NOT TRUE"))"
    }
  }

  /// Returns a comparison with any or all of some constant values.
  private mutating func each(
    of items: [Operand], isAny: Bool, _ comparison: BoundComparison, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    guard comparison.right.constant?.isNull != true else { throw NotTranslatable() }
    var tests: [String] = []
    for item in items {
      guard let value = item.single else { throw NotTranslatable() }
      tests.append(
        value.isNull
          ? dialect.falseCondition : try condition(comparison, try constant(value), scope))
    }
    if tests.isEmpty { return isAny ? dialect.falseCondition : dialect.trueCondition }
    return "(\(tests.joined(separator: isAny ? " OR " : " AND ")))"
  }

  // MARK: - Comparisons of one value

  private mutating func direct(
    _ comparison: BoundComparison, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    if comparison.operation == .contains, comparison.left.isCollection {
      let part = try scalar(comparison.right, scope)
      return try membership(of: part, in: comparison.left, scope)
    }
    if comparison.left.constant?.isNull == true, comparison.asksForNull {
      return try presence(of: comparison.right, comparison.operation, scope)
    }
    return try condition(comparison, try scalar(comparison.left, scope), scope)
  }

  private mutating func presence(
    of expression: BoundExpression, _ operation: QueryPredicate.Operator, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    let value = try scalar(expression, scope)
    return operation == .equal ? value.isAbsent : value.isPresent
  }

  /// Returns a comparison with the given value as its left side.
  private mutating func condition(
    _ comparison: BoundComparison, _ left: SQLScalar, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    if comparison.asksForNull {
      guard comparison.right.constant?.isNull == true else { throw NotTranslatable() }
      return comparison.operation == .equal ? left.isAbsent : left.isPresent
    }
    switch comparison.operation {
    case .in:
      if comparison.right.isCollection {
        return try membership(of: left, in: comparison.right, scope)
      }
      return try contains(try scalar(comparison.right, scope), left)
    case .between:
      let (low, high) = try bounds(comparison.right, scope)
      return try
        "(\(compare(left, .greaterThanOrEqual, low)) AND \(compare(left, .lessThanOrEqual, high)))"
    case .contains: return try contains(left, try scalar(comparison.right, scope))
    case .beginsWith: return try begins(left, with: try scalar(comparison.right, scope))
    case .endsWith: return try ends(left, with: try scalar(comparison.right, scope))
    case .like: return try like(left, comparison.right.constant?.text)
    case .matches, .text: throw NotTranslatable()
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return try compare(left, comparison.operation, try scalar(comparison.right, scope))
    }
  }

  private mutating func bounds(
    _ expression: BoundExpression, _ scope: SQLScope
  ) throws(NotTranslatable) -> (SQLScalar, SQLScalar) {
    switch expression {
    case .constant(.list(let items)):
      guard items.count == 2, let low = items[0].single, let high = items[1].single else {
        throw NotTranslatable()
      }
      return (try constant(low), try constant(high))
    case .list(let parts) where parts.count == 2:
      return (try scalar(parts[0], scope), try scalar(parts[1], scope))
    default: throw NotTranslatable()
    }
  }

  /// Returns the condition that a collection contains a value.
  private mutating func membership(
    of value: SQLScalar, in collection: BoundExpression, _ scope: SQLScope
  ) throws(NotTranslatable) -> String {
    switch collection {
    case .constant(.list(let items)): return try membership(of: value, among: items)
    case .list(let parts):
      var tests: [String] = []
      for part in parts { tests.append(try compare(value, .equal, try scalar(part, scope))) }
      return tests.isEmpty ? dialect.falseCondition : "(\(tests.joined(separator: " OR ")))"
    default:
      let elements = try elements(collection, scope)
      return elements.exists(where: try compare(try element(elements), .equal, value))
    }
  }

  private mutating func membership(
    of value: SQLScalar, among items: [Operand]
  ) throws(NotTranslatable) -> String {
    var plain: [String] = []
    var others: [String] = []
    for item in items {
      guard let one = item.single else { throw NotTranslatable() }
      if one.isNull { continue }
      let constant = try constant(one)
      // A list can use an index. Values that need a more careful comparison are compared one by one.
      if value.kind != .object, value.column == nil, constant.presence == nil,
        value.isComparable(to: constant)
      {
        plain.append(constant.value)
      } else {
        others.append(try compare(value, .equal, constant))
      }
    }
    if !plain.isEmpty { others.append("\(value.value) IN (\(plain.joined(separator: ", ")))") }
    return others.isEmpty ? dialect.falseCondition : "(\(others.joined(separator: " OR ")))"
  }
}

extension SQLScalar {
  /// A condition that is true if there is no value.
  var isAbsent: String { presence.map { "NOT (\($0))" } ?? "(\(value) IS NULL)" }
}

extension BoundExpression {
  /// Whether the expression is a collection.
  var isCollection: Bool {
    switch self {
    case .constant(.list), .list, .subquery, .set: true
    case .fetch(let fetch): !fetch.countOnly
    case .path(let base, let steps):
      switch steps.last {
      case .collection(let operation, _): operation.function == nil
      default: base.isCollection || steps.contains { $0.isToMany || $0.isOperator }
      }
    case .function(let function, _): function == .distinct || function == .mode
    default: false
    }
  }
}

extension PathStep {
  /// Whether the step is an operator on a collection.
  var isOperator: Bool { if case .collection = self { true } else { false } }
}
