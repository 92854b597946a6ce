import Foundation
import ObjectModel
import Rows

/// A predicate as operations on columns that select rows of a batch.
///
/// A scan node is made from a bound predicate and has the same meaning (``Interpreter``). Conditions that no column
/// test covers are evaluated row by row, only for the rows that all other conditions have kept.
indirect enum ScanNode: Sendable {
  case constant(Bool)
  case and([ScanNode])
  case or([ScanNode])
  case not(ScanNode)
  case column(LayoutColumn, ColumnTest)
  /// A test of a value that is computed from columns. The predicate means the same, for batches without such a column.
  case computed(ColumnExpression, ColumnTest, BoundPredicate)
  /// A comparison of two columns of the same family.
  case columns(LayoutColumn, ColumnRelation, LayoutColumn)
  /// A test whether the object at a to-one relationship is in a set of objects.
  case related(RelatedTest)
  /// A test whether the object is among the owners found from the objects at the other end of a to-many relationship.
  case owning(OwningTest)
  case rows(BoundPredicate)
}

extension ScanNode {
  /// The numbers of the columns that decide the result; `nil` if the result also depends on other data.
  var columns: Set<UInt16>? {
    switch self {
    case .constant: []
    case .and(let nodes), .or(let nodes):
      nodes.reduce(into: Set<UInt16>?.some([])) { all, node in
        all = node.columns.flatMap { all?.union($0) }
      }
    case .not(let node): node.columns
    case .column(let column, _): [column.number]
    case .computed(let expression, _, _): expression.columns
    case .columns(let left, _, let right): [left.number, right.number]
    case .related, .owning, .rows: nil
    }
  }
}

/// A condition on the value of one column. Only `isNull` can be true for a row without a value.
enum ColumnTest: Sendable {
  /// No value if true; any value if false.
  case isNull(Bool)
  /// A whole number within bounds, or outside them if inverted.
  case integers(ClosedRange<Int64>, inverted: Bool)
  /// One of several whole numbers, in ascending order.
  case integerSet([Int64])
  /// A floating-point number within bounds, or outside them if inverted.
  case reals(ClosedRange<Double>, inverted: Bool)
  /// A text that matches the pattern.
  case text(TextPattern)
  /// One of several texts, in the order of their bytes.
  case textSet([[UInt8]])
  /// Bytes equal to the given ones, or different from them if inverted.
  case bytes([UInt8], inverted: Bool)
}

/// The required order of the values in two columns.
struct ColumnRelation: OptionSet, Sendable {
  let rawValue: UInt8
  static let less = ColumnRelation(rawValue: 1)
  static let same = ColumnRelation(rawValue: 2)
  static let greater = ColumnRelation(rawValue: 4)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init?(_ operation: QueryPredicate.Operator) {
    switch operation {
    case .equal: self = .same
    case .notEqual: self = [.less, .greater]
    case .lessThan: self = .less
    case .lessThanOrEqual: self = [.less, .same]
    case .greaterThan: self = .greater
    case .greaterThanOrEqual: self = [.greater, .same]
    default: return nil
    }
  }
}

/// A test of the object that a to-one relationship refers to. One scan finds all objects that pass, as a set.
struct RelatedTest: Sendable {
  let column: LayoutColumn
  let layouts: [Layout]
  /// The condition that selects the objects of the set. If `holdsForNone` is true, the condition is negated.
  let node: ScanNode
  /// Whether the test is true for an empty reference. The set then contains the objects that fail the test.
  let holdsForNone: Bool
  /// The position of the set among the sets of a run.
  let index: Int
}

/// A test of the number of objects at a to-many relationship that meet a condition.
struct OwningTest: Sendable {
  /// The rows that lead back to the owner: objects at the other end, or links.
  struct Rows: Sendable {
    let layout: Layout
    /// The column that contains the owner.
    let owner: LayoutColumn
    let node: ScanNode
  }

  let rows: [Rows]
  /// The required number of objects; `nil` if at least one is required.
  let count: (range: ClosedRange<Int64>, inverted: Bool)?
  let index: Int
}

/// Makes scan nodes from bound predicates.
struct ScanPlanner {
  let model: Model
  let schema: Schema
  /// The number of sets that a run needs.
  private(set) var setCount = 0

  init(_ model: Model, _ schema: Schema) {
    self.model = model
    self.schema = schema
  }

  mutating func plan(_ predicate: BoundPredicate) -> ScanNode {
    switch predicate {
    case .constant(let flag): return .constant(flag)
    case .not(let part): return .not(plan(part))
    case .and(let parts):
      // The cheap tests come first, so that the expensive ones run on fewer rows.
      let nodes = parts.map { plan($0) }
      return .and(nodes.enumerated().sorted { ($0.1.cost, $0.0) < ($1.1.cost, $1.0) }.map(\.1))
    case .or(let parts): return .or(parts.map { plan($0) })
    case .comparison(let comparison): return plan(comparison) ?? .rows(predicate)
    }
  }

  private mutating func plan(_ comparison: BoundComparison) -> ScanNode? {
    if comparison.modifier != .direct { return planCollection(comparison) }
    if let node = planOneWay(comparison) { return node }
    guard comparison.left.isConstant, let turned = comparison.turned else { return nil }
    return planOneWay(turned)
  }

  private mutating func planOneWay(_ comparison: BoundComparison) -> ScanNode? {
    if let steps = comparison.left.ownSteps { return plan(steps, comparison) }
    if comparison.right.isConstant, let computed = ColumnExpression(comparison.left),
      let test = ColumnTest.of(computed.columnKind, comparison)
    {
      return .computed(computed, test, .comparison(comparison))
    }
    return planSubquery(comparison) ?? planAggregate(comparison)
  }

  /// Plans a comparison of an aggregate over objects behind a to-one relationship, such as
  /// `max(department.employees.salary) > 998`. The aggregate is computed once for each object at that relationship.
  private mutating func planAggregate(_ comparison: BoundComparison) -> ScanNode? {
    guard case .function(let function, let arguments) = comparison.left, function.isAggregate,
      arguments.count == 1, let path = arguments[0].ownSteps, comparison.right.isConstant,
      case .toOne(let column, destination: let entity)? = path.first,
      path.contains(where: \.isToMany), let ofNone = comparison.holdsForNone(of: function)
    else { return nil }
    var inner = comparison
    inner.left = .function(function, [.path(.this, Array(path.dropFirst()))])
    return related(column, entity, .comparison(inner), isForNone: ofNone)
  }

  private mutating func plan(_ steps: [PathStep], _ comparison: BoundComparison) -> ScanNode? {
    switch steps.first {
    case .attribute(let column)? where steps.count == 1,
      .toOne(let column, _)? where steps.count == 1:
      if comparison.right.isConstant {
        return ColumnTest.of(column.kind, comparison).map { .column(column, $0) }
      }
      guard let other = comparison.right.ownSteps, other.count == 1,
        let otherColumn = other[0].column, comparison.options.isEmpty,
        let relation = ColumnRelation(comparison.operation),
        column.kind.comparesInPlace(with: otherColumn.kind)
      else { return nil }
      return .columns(column, relation, otherColumn)
    case .toOne(let column, destination: let entity)?:
      guard comparison.right.isConstant else { return nil }
      var inner = comparison
      inner.left = .path(.this, Array(steps.dropFirst()))
      return related(column, entity, .comparison(inner), isForNone: comparison.holdsForNull)
    default: return planCount(steps, comparison)
    }
  }

  private mutating func related(
    _ column: LayoutColumn, _ entity: String, _ predicate: BoundPredicate, isForNone: Bool
  ) -> ScanNode {
    let node = plan(isForNone ? .not(predicate) : predicate)
    setCount += 1
    return .related(
      RelatedTest(
        column: column, layouts: schema.layouts(ofFamily: entity, in: model), node: node,
        holdsForNone: isForNone, index: setCount - 1))
  }

  // MARK: - To-many relationships

  /// Plans `ANY` and `ALL` of a path to many objects.
  ///
  /// Each step is evaluated once for all objects at its end, so the time grows with the number of objects and not
  /// with the number of pairs.
  private mutating func planCollection(_ comparison: BoundComparison) -> ScanNode? {
    guard let steps = comparison.left.ownSteps, comparison.right.isConstant,
      let first = steps.first
    else { return nil }
    let rest = Array(steps.dropFirst())
    let isAll = comparison.modifier == .all
    var inner = comparison
    inner.left = rest.isEmpty ? .this : .path(.this, rest)
    switch first {
    case .toOne(let column, destination: let entity):
      guard rest.contains(where: \.isToMany) else { return nil }
      // If the reference is empty, so is the collection at the end of the path.
      return related(column, entity, .comparison(inner), isForNone: isAll)
    case .toMany(let relationship):
      if !rest.contains(where: \.isToMany) {
        guard !rest.contains(where: \.isCollection) else { return nil }
        inner.modifier = .direct
      }
      guard relationship.inverse != nil else { return planLinks(relationship, inner, isAll) }
      let predicate = BoundPredicate.comparison(inner)
      let node = owning(relationship, isAll ? .not(predicate) : predicate, count: nil)
      return isAll ? .not(node) : node
    case .attribute, .collection: return nil
    }
  }

  /// Plans `ANY` and `ALL` of objects that links refer to. Each link is an object that refers to both ends.
  private mutating func planLinks(
    _ relationship: ToManyRelationship, _ inner: BoundComparison, _ isAll: Bool
  ) -> ScanNode? {
    guard let side = schema.links(of: relationship.entity, relationship.name) else { return nil }
    var rows: [OwningTest.Rows] = []
    for side in side.table.isSymmetric ? [side, side.turned] : [side] {
      let test: ScanNode
      if case .this = inner.left {
        guard let column = ColumnTest.of(side.destination.kind, inner) else { return nil }
        test = .column(side.destination, column)
      } else {
        // A link may refer to a deleted object, whose values are missing.
        let isForNone = inner.modifier == .direct ? inner.holdsForNull : isAll
        test = related(
          side.destination, relationship.destination, .comparison(inner), isForNone: isForNone)
      }
      rows.append(
        .init(layout: side.table.layout, owner: side.owner, node: isAll ? .not(test) : test))
    }
    setCount += 1
    let node = ScanNode.owning(OwningTest(rows: rows, count: nil, index: setCount - 1))
    return isAll ? .not(node) : node
  }

  /// Plans `stops.@count > 2` and `SUBQUERY(stops, $s, …).@count > 2`.
  private mutating func planCount(
    _ steps: [PathStep], _ comparison: BoundComparison
  ) -> ScanNode? {
    guard case .toMany(let relationship)? = steps.first, relationship.inverse != nil,
      steps.count == 2, case .collection(.count, _) = steps[1],
      case .integers(let range, let inverted)? = ColumnTest.of(.int64, comparison)
    else { return nil }
    return owning(relationship, .constant(true), count: (range, inverted))
  }

  private mutating func owning(
    _ relationship: ToManyRelationship, _ predicate: BoundPredicate,
    count: (ClosedRange<Int64>, Bool)?
  ) -> ScanNode {
    let node = plan(predicate)
    setCount += 1
    let rows = schema.layouts(ofFamily: relationship.destination, in: model).map {
      OwningTest.Rows(layout: $0, owner: relationship.inverse!, node: node)
    }
    return .owning(
      OwningTest(
        rows: rows, count: count.map { (range: $0.0, inverted: $0.1) }, index: setCount - 1))
  }

  /// Plans a comparison of the number of a subquery's objects.
  private mutating func planSubquery(_ comparison: BoundComparison) -> ScanNode? {
    guard case .path(.subquery(let subquery), let steps) = comparison.left,
      comparison.modifier == .direct, comparison.right.isConstant, steps.count == 1,
      case .collection(.count, _) = steps[0], let own = subquery.own,
      let path = subquery.collection.ownSteps
    else { return nil }
    if case .toOne(let column, destination: let entity)? = path.first {
      // The predicate reads only the elements, so all objects of the entity share the result.
      var (inner, moved) = (comparison, subquery)
      moved.collection = .path(.this, Array(path.dropFirst()))
      inner.left = .path(.subquery(moved), steps)
      let isForNone = (try? comparison.holds(Operand(0), comparison.right.constant ?? .null))
      return isForNone.map { related(column, entity, .comparison(inner), isForNone: $0) }
    }
    guard path.count == 1, case .toMany(let relationship) = path[0], relationship.inverse != nil,
      case .integers(let range, let inverted)? = ColumnTest.of(.int64, comparison)
    else { return nil }
    return owning(relationship, own, count: (range, inverted))
  }
}

extension PathStep {
  fileprivate var isCollection: Bool { if case .collection = self { true } else { false } }

  fileprivate var column: LayoutColumn? {
    switch self {
    case .attribute(let column), .toOne(let column, _): column
    default: nil
    }
  }
}

extension ScanNode {
  /// The approximate cost of a row, used to put the cheap tests first.
  fileprivate var cost: Int {
    switch self {
    case .constant: 0
    case .column(_, .text(let pattern)):
      switch pattern.operation {
      case .contains, .like: 20
      case .matches, .text: 200
      default: pattern.comparesBytes ? 5 : 15
      }
    case .column(let column, _): column.kind == .string || column.kind == .uri ? 6 : 1
    case .columns: 4
    case .computed: 10
    case .related, .owning: 30
    case .and(let nodes), .or(let nodes): nodes.reduce(0) { $0 + $1.cost }
    case .not(let node): node.cost
    case .rows: 1000
    }
  }
}

extension ColumnKind {
  /// Returns whether values of the two kinds are compared as the same type.
  fileprivate func comparesInPlace(with other: ColumnKind) -> Bool {
    switch (content, other.content) {
    case (.string, .string), (.string, .uri), (.uri, .string), (.uri, .uri): true
    case (.date, .date), (.object, .object): true
    case (.float, .float), (.float, .double), (.double, .float), (.double, .double): true
    case (.boolean, _), (.integer, _): other.isWhole
    default: false
    }
  }
}

extension BoundComparison {
  /// The same comparison with its sides exchanged; `nil` if that would change the meaning.
  fileprivate var turned: BoundComparison? {
    let opposite: [QueryPredicate.Operator: QueryPredicate.Operator] = [
      .equal: .equal, .notEqual: .notEqual, .lessThan: .greaterThan, .greaterThan: .lessThan,
      .lessThanOrEqual: .greaterThanOrEqual, .greaterThanOrEqual: .lessThanOrEqual,
    ]
    guard modifier == .direct, let operation = opposite[operation] else { return nil }
    var turned = self
    turned.left = right
    turned.right = left
    turned.operation = operation
    turned.pattern = left.constant?.text.flatMap { try? TextPattern($0, operation, options) }
    return turned
  }

  /// Returns whether the comparison is true for the function's value over no elements; `nil` if the function computes
  /// no single value.
  package func holdsForNone(of function: QueryExpression.Function) -> Bool? {
    let value: Operand
    switch function {
    case .count, .sum: value = Operand(0)
    case .min, .max, .average, .median, .standardDeviation: value = .null
    default: return nil
    }
    return try? holds(value, right.constant ?? .null)
  }

  /// Whether the comparison is true if the left side is null.
  package var holdsForNull: Bool {
    // Without a text no pattern is matched, so nothing is thrown.
    (try? holds(.null, right.constant ?? .null)) ?? false
  }
}
