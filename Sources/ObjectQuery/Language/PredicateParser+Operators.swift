import Foundation
import ObjectModel

extension PredicateParser {
  /// How strongly operators bind, the weakest first.
  enum Level: Int, Comparable {
    case or
    case and
    case not
    case comparison
    case set
    case sum
    case product
    case power

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    var next: Level { Level(rawValue: rawValue + 1) ?? .power }
  }

  /// Reads a part whose operators bind at least as strongly as the given level.
  mutating func part(_ level: Level) throws(QueryError) -> Part {
    switch level {
    case .or: return try joined("OR", "||", .or) { .or($0) }
    case .and: return try joined("AND", "&&", .and) { .and($0) }
    case .not: return try negated()
    case .comparison: return try compared()
    case .set: return try combined()
    case .sum: return try chained(["+": .add, "-": .subtract], .sum)
    case .product: return try chained(["*": .multiply, "/": .divide], .product)
    case .power: return try power()
    }
  }

  // MARK: - AND, OR, NOT

  private mutating func joined(
    _ keyword: String, _ sign: String, _ level: Level,
    _ join: ([QueryPredicate]) -> QueryPredicate
  ) throws(QueryError) -> Part {
    let first = try part(level.next)
    guard self.keyword(among: [keyword]) != nil || isSign(sign) else { return first }
    var parts = [first]
    var predicates = [try predicate(first)]
    while self.keyword(among: [keyword]) != nil || isSign(sign) {
      try advance()
      let next = try part(level.next)
      predicates.append(try predicate(next))
      parts.append(next)
    }
    return try made(.predicate(join(predicates)), above: parts, at: first.start)
  }

  private mutating func negated() throws(QueryError) -> Part {
    guard keyword(among: ["NOT"]) != nil || isSign("!") else { return try part(.comparison) }
    let start = start
    try advance()
    let inner = try inside { (parser) throws(QueryError) in try parser.part(.not) }
    return try made(.predicate(.not(try predicate(inner))), above: [inner], at: start)
  }

  // MARK: - Comparisons

  private mutating func compared() throws(QueryError) -> Part {
    let start = start
    let modifier = keyword(among: ["ANY", "SOME", "ALL", "NONE"])
    if modifier != nil { try advance() }
    let left = try part(.set)
    guard let operation = try comparisonOperator(behind: left, modifier) else { return left }
    let options = try options()
    try advance()
    let right = try part(.set)
    let comparison = QueryPredicate.Comparison(
      try expression(left), operation, try expression(right),
      modifier: modifier == nil ? .direct : modifier == "ALL" ? .all : .any, options: options)
    let part = try made(.predicate(.comparison(comparison)), above: [left, right], at: start)
    try refuseChain()
    guard modifier == "NONE" else { return part }
    return try made(.predicate(.not(.comparison(comparison))), above: [part], at: start)
  }

  /// The operator that comes next, not yet passed over; `nil` when none does.
  private mutating func comparisonOperator(
    behind left: Part, _ modifier: String?
  ) throws(QueryError) -> QueryPredicate.Operator? {
    switch token {
    case .sign(let sign):
      if let operation = Self.comparisonSigns[sign] {
        _ = try expression(left)
        return operation
      }
    case .word(let word, isName: false):
      if let operation = QueryPredicate.Operator(rawValue: word.uppercased()) { return operation }
      if word.uppercased() == "NOT" {
        throw fault("NOT stands before a whole comparison: NOT (x IN y).", start)
      }
    default: break
    }
    if let modifier {
      // What follows may be a predicate in brackets: "ANY (a == b)" means nothing.
      _ = try expression(left)
      throw unexpected("an operator such as == behind what \(modifier) is of")
    }
    return nil
  }

  private func refuseChain() throws(QueryError) {
    guard case .sign(let sign) = token, Self.comparisonSigns[sign] != nil else { return }
    throw fault("Comparisons are not chained: write \"a < b AND b < c\".", start)
  }

  private static let comparisonSigns: [String: QueryPredicate.Operator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .lessThan,
    "<=": .lessThanOrEqual, "=<": .lessThanOrEqual, ">": .greaterThan, ">=": .greaterThanOrEqual,
    "=>": .greaterThanOrEqual,
  ]

  // MARK: - Sets and arithmetic

  private mutating func combined() throws(QueryError) -> Part {
    var left = try part(.sum)
    while let word = keyword(among: ["UNION", "INTERSECT", "MINUS"]) {
      try advance()
      let right = try part(.sum)
      let operation = QueryExpression.SetOperator(rawValue: word)!
      left = try made(
        .expression(.set(operation, try expression(left), try expression(right))),
        above: [left, right], at: left.start)
    }
    return left
  }

  private mutating func chained(
    _ functions: [String: QueryExpression.Function], _ level: Level
  ) throws(QueryError) -> Part {
    var left = try part(level.next)
    while case .sign(let sign) = token, let function = functions[sign] {
      try advance()
      let right = try part(level.next)
      left = try made(
        .expression(.function(function, [try expression(left), try expression(right)])),
        above: [left, right], at: left.start)
    }
    return left
  }

  /// Powers, which bind to the right: `2 ** 3 ** 2` is `2 ** (3 ** 2)`.
  private mutating func power() throws(QueryError) -> Part {
    let base = try signed()
    guard try take("**") else { return base }
    let exponent = try inside { (parser) throws(QueryError) in try parser.part(.power) }
    return try made(
      .expression(.function(.power, [try expression(base), try expression(exponent)])),
      above: [base, exponent], at: base.start)
  }

  /// A minus before a number belongs to it; before anything else it takes that from 0.
  private mutating func signed() throws(QueryError) -> Part {
    let start = start
    guard try take("-") else { return try postfixed() }
    switch token {
    case .integer(let magnitude):
      try advance()
      let value: Value =
        magnitude <= 1 << 63
        ? .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : .double(-Double(magnitude))
      return try literal(.constant(value), start)
    case .real(let number):
      try advance()
      return try literal(.constant(.double(-number)), start)
    default:
      let inner = try inside { (parser) throws(QueryError) in try parser.signed() }
      return try made(
        .expression(.function(.subtract, [.constant(.integer(0)), try expression(inner)])),
        above: [inner], at: start)
    }
  }

  func suggestion(for word: String) -> String {
    var suggestion = NameSuggestion()
    let words =
      QueryPredicate.Operator.allCases.map(\.rawValue).filter { $0.first!.isLetter }
      + ["AND", "OR", "UNION", "INTERSECT", "MINUS"]
    return suggestion.sentence(for: word, among: words)
  }
}
