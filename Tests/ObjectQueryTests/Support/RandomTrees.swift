import Foundation
import ObjectModel
import ObjectQuery
import SeededRandom

/// Random trees of every shape, with odd names and values.
struct RandomTrees {
  var random: SeededGenerator

  private mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }
  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  mutating func predicate(_ depth: Int) -> QueryPredicate {
    if depth == 0 { return chance(20) ? .constant(chance(50)) : comparison(0) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      return .and((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(depth - 1) })
    case 1:
      return .or((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(depth - 1) })
    case 2: return .not(predicate(depth - 1))
    default: return comparison(depth - 1)
    }
  }

  private mutating func comparison(_ depth: Int) -> QueryPredicate {
    .comparison(
      .init(
        expression(depth), pick(QueryPredicate.Operator.allCases), expression(depth),
        modifier: pick(QueryPredicate.Modifier.allCases),
        options: TextOptions(rawValue: UInt8.random(in: 0...15, using: &random))))
  }

  mutating func expression(_ depth: Int) -> QueryExpression {
    if depth <= 0 { return leaf() }
    func some(_ range: ClosedRange<Int>) -> [QueryExpression] {
      (0..<Int.random(in: range, using: &random)).map { _ in expression(depth - 1) }
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .aggregate(some(0...3))
    case 1: return .keyPath(of: expression(depth - 1), path())
    case 2: return .function(pick(QueryExpression.Function.allCases), some(0...3))
    case 3:
      return .function(
        pick([.add, .subtract, .multiply, .divide, .power]),
        [expression(depth - 1), expression(depth - 1)])
    case 4: return .call(expression(depth - 1), name(), some(0...2))
    case 5: return .element(of: expression(depth - 1), index(depth - 1))
    case 6:
      return .set(
        pick(QueryExpression.SetOperator.allCases), expression(depth - 1), expression(depth - 1))
    case 7:
      return .subquery(expression(depth - 1), variable: name(), predicate(depth - 1))
    case 8:
      return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
    case 9: return .cast(expression(depth - 1), pick(QueryExpression.CastType.allCases))
    case 10: return .fetch(entity: name(), predicate(depth - 1), countOnly: chance(50))
    default: return leaf()
    }
  }

  private mutating func index(_ depth: Int) -> QueryExpression.Index {
    pick([.first, .last, .size, .at(expression(depth))])
  }

  private mutating func leaf() -> QueryExpression {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .evaluatedObject
    case 1: return .variable(name())
    case 2: return .keyPath(of: .evaluatedObject, path())
    case 3:
      let key = ObjectKey(
        entity: .random(in: 1...9, using: &random), number: .random(in: 1...9, using: &random))
      return chance(50)
        ? .object(ObjectID(store: StoreTag(rawValue: .random(in: 0...3, using: &random)), key: key))
        : .constant(.object(key))
    default: return .constant(value())
    }
  }

  private mutating func path() -> [String] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in name() }
  }

  mutating func name() -> String {
    pick([
      "name", "stops", "@count", "@sum", "and", "IN", "self", "first", "SIZE", "cast", "sum", "né",
      "a b", "a.b", "", "1st", "#x", "\"", "'", "\\", "line\nbreak", "\u{1}", "@", "@a b", "🙂",
      "%K",
      "function", "nil", "TRUEPREDICATE", "fetch",
    ])
  }

  mutating func value() -> Value {
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return .null
    case 1: return .boolean(chance(50))
    case 2: return .integer(pick([0, -1, 1, .max, .min, 42, 1 << 53]))
    case 3:
      return .double(
        pick([
          0, -0.0, 1, -1.5, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 1e16, 0.1,
          123456789.25,
        ]))
    case 4: return .decimal(pick([0, 5, Decimal(string: "-0.001")!, Decimal(string: "1e30")!]))
    case 5:
      return .date(Date(timeIntervalSinceReferenceDate: pick([0, -1.25, 8e8, .infinity, 1e-7])))
    case 6:
      return .uuid(
        UUID(
          uuid: (
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, .random(in: 0...255, using: &random)
          )))
    case 7: return .uri(name())
    case 8: return .binary(Data((0..<Int.random(in: 0...5, using: &random)).map { UInt8($0) }))
    default:
      return .string(
        pick([name(), "", "2001-01-01", "5", "inf", "\u{7F}\r\t", "e\u{301}", "*?\\"]))
    }
  }
}
