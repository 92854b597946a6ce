import Foundation
import ObjectModel
import Rows

/// The bounds that a predicate sets for the object's own columns. No object with values outside of them meets the
/// predicate.
struct ColumnBounds {
  /// The bounds of a column: a list of values, a prefix, or an interval.
  private enum Bound {
    case anyOf([Value])
    case prefix(String)
    case between(lower: (Value, Bool)?, upper: (Value, Bool)?)
  }
  private var bounds: [UInt16: Bound] = [:]

  var isEmpty: Bool { bounds.isEmpty }

  init(_ predicate: BoundPredicate?) {
    guard let predicate else { return }
    add(predicate)
  }

  private mutating func add(_ predicate: BoundPredicate) {
    switch predicate {
    case .and(let parts): for part in parts { add(part) }
    case .comparison(let comparison): add(comparison)
    case .constant, .or, .not: break
    }
  }

  private mutating func add(_ comparison: BoundComparison) {
    var comparison = comparison
    if comparison.left.isConstant, let turned = comparison.operation.turned {
      (comparison.left, comparison.right) = (comparison.right, comparison.left)
      comparison.operation = turned
    }
    guard comparison.modifier == .direct,
      comparison.options.isDisjoint(
        with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]),
      let steps = comparison.left.ownSteps, steps.count == 1, let column = steps[0].ownColumn,
      let operand = comparison.right.constant
    else { return }
    func value(_ operand: Operand) -> Value? {
      guard case .value(let value) = operand else { return nil }
      return value.exact(in: column.kind)
    }
    switch (comparison.operation, operand) {
    case (.equal, _): if let value = value(operand) { narrow(column, .anyOf([value])) }
    case (.in, .list(let items)):
      // A comparison with null is false.
      let values = items.filter { !$0.isNull }.map { value($0) }
      if !values.contains(nil) { narrow(column, .anyOf(values.compactMap { $0 })) }
    case (.between, .list(let items)):
      if items.count == 2, let low = value(items[0]), let high = value(items[1]) {
        narrow(column, .between(lower: (low, true), upper: (high, true)))
      }
    case (.beginsWith, _):
      if column.kind == .string, case .value(.string(let text)) = operand, !text.isEmpty {
        narrow(column, .prefix(text))
      }
    case (.lessThan, _), (.lessThanOrEqual, _):
      if let value = value(operand), !value.isNull {
        narrow(
          column,
          .between(lower: nil, upper: (value, comparison.operation == .lessThanOrEqual)))
      }
    case (.greaterThan, _), (.greaterThanOrEqual, _):
      if let value = value(operand), !value.isNull {
        narrow(
          column,
          .between(lower: (value, comparison.operation == .greaterThanOrEqual), upper: nil))
      }
    default: break
    }
  }

  /// Combines the known and the new bound of a column, and keeps the narrower one if that is easy to see. Either
  /// bound alone would be correct.
  private mutating func narrow(_ column: LayoutColumn, _ bound: Bound) {
    switch (bounds[column.number], bound) {
    case (.anyOf(let known)?, .anyOf(let new)):
      if new.count < known.count { bounds[column.number] = bound }
    case (.anyOf?, _): break
    case (.between(let lower, let upper)?, .between(let newLower, let newUpper)):
      bounds[column.number] = .between(lower: lower ?? newLower, upper: upper ?? newUpper)
    case (.prefix?, .between): break
    default: bounds[column.number] = bound
    }
  }

  /// Returns the value of a column that is fixed to one value; `nil` for any other column.
  func single(_ column: UInt16) -> Value? {
    if case .anyOf(let values)? = bounds[column], values.count == 1 { values[0] } else { nil }
  }

  /// Returns the ranges of an index that can contain matches; `nil` if the first column is unbounded.
  func choice(_ index: IndexLayout) -> IndexPlan.Choice? {
    var fixed: [Value] = []
    for column in index.columns {
      guard let value = single(column.number) else { break }
      fixed.append(value)
    }
    if fixed.count < index.columns.count, let bound = bounds[index.columns[fixed.count].number] {
      return IndexPlan.Choice(index: index, ranges: ColumnBounds.ranges(fixed, bound))
    }
    guard !fixed.isEmpty else { return nil }
    return IndexPlan.Choice(index: index, ranges: [IndexRange(equalTo: IndexBound(fixed))])
  }

  private static func ranges(_ fixed: [Value], _ bound: Bound) -> [IndexRange] {
    switch bound {
    case .anyOf(let values):
      return values.map { IndexRange(equalTo: IndexBound(fixed + [$0])) }
    case .prefix(let text):
      return [IndexRange(equalTo: IndexBound(fixed + [.string(text)], isPrefix: true))]
    case .between(let lower, let upper):
      // Nulls come first in an index and are outside of every range.
      let low = lower ?? (.null, false)
      return [
        IndexRange(
          lower: IndexBound(fixed + [low.0]), includesLower: low.1,
          upper: upper.map { IndexBound(fixed + [$0.0]) }
            ?? (fixed.isEmpty ? nil : IndexBound(fixed)),
          includesUpper: upper?.1 ?? true)
      ]
    }
  }
}

extension PathStep {
  /// The object's own column that the step reads.
  fileprivate var ownColumn: LayoutColumn? {
    switch self {
    case .attribute(let column), .toOne(let column, _): column
    case .toMany, .collection: nil
    }
  }
}

extension QueryPredicate.Operator {
  /// The operator with the same meaning if the sides are exchanged; `nil` for an operator that cannot be exchanged.
  fileprivate var turned: QueryPredicate.Operator? {
    switch self {
    case .equal: .equal
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    default: nil
    }
  }
}

extension Value {
  /// Returns the value in a form that an index over a column of the given kind compares as predicates do; `nil` if
  /// that is impossible, or the index would treat it as another value.
  fileprivate func exact(in kind: ColumnKind) -> Value? {
    switch (self, kind.content) {
    case (.null, _), (.boolean, .boolean), (.date, .date), (.decimal, .decimal),
      (.string, .string), (.uri, .uri), (.uuid, .uuid), (.object, .object), (.integer, .integer):
      return self
    case (.integer(let value), .decimal): return .decimal(Decimal(value))
    case (.integer(let value), .double):
      return Double(exactly: value).map { .double($0) }
    case (.double(let value), .double): return value.isNaN ? nil : self
    default: return nil
    }
  }
}
