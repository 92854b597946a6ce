import Foundation
import ObjectModel
import TextMatching

extension PredicateParser {
  /// The precedence levels of operators, the weakest first.
  enum Level: Int, Comparable {
    case or
    case and
    case not
    case comparison
    case set
    case bitOr
    case bitXor
    case bitAnd
    case shift
    case sum
    case product
    case power

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    var next: Level { Level(rawValue: rawValue + 1) ?? .power }
  }

  /// An operator between two parts.
  private enum Infix {
    case or
    case and
    case comparison(QueryPredicate.Operator, isNegated: Bool)
    case set(QueryExpression.SetOperator)
    case function(QueryExpression.Function)

    var level: Level {
      switch self {
      case .or: .or
      case .and: .and
      case .comparison: .comparison
      case .set: .set
      case .function(.bitwiseOr): .bitOr
      case .function(.bitwiseXor): .bitXor
      case .function(.bitwiseAnd): .bitAnd
      case .function(.leftShift), .function(.rightShift): .shift
      case .function(.add), .function(.subtract): .sum
      case .function(.power): .power
      case .function: .product
      }
    }
  }

  /// Reads a part whose operators bind at least as strongly as the given level.
  ///
  /// The parser climbs precedence levels: one call reads all operators of its levels, so a part in brackets needs few
  /// calls, independent of the number of levels.
  mutating func part(_ least: Level) throws(QueryError) -> Part {
    var left = try prefixed(least)
    while let infix = try infix(), infix.level >= least {
      switch infix {
      case .or, .and: left = try joined(left, infix)
      case .comparison: left = try compared(left, infix, nil, at: left.start)
      case .set, .function: left = try computed(left, infix)
      }
    }
    return left
  }

  /// Returns the next operator without consuming it; `nil` if the next token is not an operator.
  private func infix() throws(QueryError) -> Infix? {
    switch token {
    case .sign(let sign): return Self.infixSigns[sign]
    case .word(let word, isName: false):
      let capitals = word.uppercased()
      if let operation = QueryPredicate.Operator(rawValue: capitals) {
        return .comparison(operation, isNegated: false)
      }
      switch capitals {
      case "AND": return .and
      case "OR": return .or
      case "UNION", "INTERSECT", "MINUS": return .set(.init(rawValue: capitals)!)
      case "NOT":
        if case .word(let next, isName: false)? = try following(),
          let operation = QueryPredicate.Operator(rawValue: next.uppercased())
        {
          return .comparison(operation, isNegated: true)
        }
        throw fault(
          "NOT must precede a whole comparison or a word such as IN: NOT x == y, x NOT IN y.",
          start)
      default: return nil
      }
    default: return nil
    }
  }

  private static let infixSigns: [String: Infix] = {
    var signs: [String: Infix] = [
      "&&": .and, "||": .or, "+": .function(.add), "-": .function(.subtract),
      "*": .function(.multiply), "/": .function(.divide), "**": .function(.power),
      "&": .function(.bitwiseAnd), "|": .function(.bitwiseOr), "^": .function(.bitwiseXor),
      "<<": .function(.leftShift), ">>": .function(.rightShift),
    ]
    let comparisons: [String: QueryPredicate.Operator] = [
      "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .lessThan,
      "<=": .lessThanOrEqual, "=<": .lessThanOrEqual, ">": .greaterThan,
      ">=": .greaterThanOrEqual, "=>": .greaterThanOrEqual,
    ]
    for (sign, operation) in comparisons {
      signs[sign] = .comparison(operation, isNegated: false)
    }
    return signs
  }()

  // MARK: - Prefixes

  /// Reads a part with its prefixes: NOT, a modifier such as ANY, or a minus.
  private mutating func prefixed(_ least: Level) throws(QueryError) -> Part {
    if least <= .not, keyword(among: ["NOT"]) != nil || isSign("!") { return try negated() }
    if least <= .comparison,
      let modifier = keyword(among: ["ANY", "SOME", "ALL", "NONE"])
    {
      return try modified(modifier)
    }
    return isSign("-") ? try signed() : try postfixed()
  }

  private mutating func negated() throws(QueryError) -> Part {
    let start = start
    try advance()
    try goDeeper()
    let inner = try part(.not)
    depth -= 1
    return try made(.predicate(.not(try predicate(inner))), above: [inner], at: start)
  }

  private mutating func modified(_ modifier: String) throws(QueryError) -> Part {
    let start = start
    try advance()
    let left = try part(.set)
    guard let infix = try infix(), case .comparison = infix else {
      // A predicate in brackets may follow, but "ANY (a == b)" has no meaning.
      _ = try expression(left)
      throw unexpected("an operator such as == after the operand of \(modifier)")
    }
    return try compared(left, infix, modifier, at: start)
  }

  /// Reads a minus. Before a number it belongs to the number; before any other value it subtracts the value from 0.
  private mutating func signed() throws(QueryError) -> Part {
    let start = start
    try advance()
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
      try goDeeper()
      let inner = isSign("-") ? try signed() : try postfixed()
      depth -= 1
      return try made(
        .expression(.function(.subtract, [.constant(.integer(0)), try expression(inner)])),
        above: [inner], at: start)
    }
  }

  // MARK: - Operators between parts

  private mutating func joined(_ first: Part, _ infix: Infix) throws(QueryError) -> Part {
    var parts = [first]
    var predicates = [try predicate(first)]
    while let next = try self.infix(), next.level == infix.level {
      try advance()
      let right = try part(infix.level.next)
      // A value behind AND is the second bound in SQL.
      if case .expression = right.kind, case .comparison(let last)? = predicates.last,
        last.operation == .between, case .constant = last.right
      {
        let upper = try expression(right)
        throw fault(
          "BETWEEN needs two bounds in braces: BETWEEN {\(last.right), \(upper)}.", right.start)
      }
      predicates.append(try predicate(right))
      parts.append(right)
    }
    let whole: QueryPredicate = infix.level == .or ? .or(predicates) : .and(predicates)
    return try made(.predicate(whole), above: parts, at: first.start)
  }

  /// Reads the operator and the right side of a comparison.
  ///
  /// Trees do not contain negated operators. So `ANY x NOT IN y` becomes the negation of `ALL x IN y`, and `ALL x
  /// NOT IN y` becomes the negation of `ANY x IN y`.
  private mutating func compared(
    _ left: Part, _ infix: Infix, _ modifier: String?, at start: Int
  ) throws(QueryError) -> Part {
    guard case .comparison(let operation, let isNegated) = infix else {
      preconditionFailure("The operator must be a comparison.")
    }
    if case .predicate(.comparison) = left.kind, !left.isBracketed {
      throw fault("Comparisons can't be chained: write \"a < b AND b < c\".", self.start)
    }
    let leftValue = try expression(left)
    let place = self.start
    if isNegated { try advance() }
    let options = try options()
    try advance()
    let right = try part(.set)
    let isAll = (modifier == "ALL") != isNegated
    let comparison = QueryPredicate.Comparison(
      leftValue, operation, try expression(right),
      modifier: modifier == nil ? .direct : isAll ? .all : .any, options: options)
    let part = try made(
      .predicate(.comparison(comparison)), above: [left, right], at: start, operatorStart: place)
    guard (modifier == "NONE") != isNegated else { return part }
    return try made(.predicate(.not(.comparison(comparison))), above: [part], at: start)
  }

  private mutating func computed(_ left: Part, _ infix: Infix) throws(QueryError) -> Part {
    let leftValue = try expression(left)
    let place = start
    try advance()
    // Powers bind to the right: `2 ** 3 ** 2` is `2 ** (3 ** 2)`.
    let isPower = infix.level == .power
    if isPower { try goDeeper() }
    let right = try part(isPower ? .power : infix.level.next)
    if isPower { depth -= 1 }
    let rightValue = try expression(right)
    let whole: QueryExpression
    switch infix {
    case .set(let operation): whole = .set(operation, leftValue, rightValue)
    case .function(let function): whole = .function(function, [leftValue, rightValue])
    case .or, .and, .comparison: preconditionFailure("The operator does not compute a value.")
    }
    return try made(
      .expression(whole), above: [left, right], at: left.start, operatorStart: place)
  }

  /// Returns a sentence that suggests an operator for an unknown word.
  func suggestion(for word: String) -> String {
    switch word.uppercased() {
    case "IS":
      let isNegated =
        if case .word(let next, isName: false)? = try? following() {
          next.uppercased() == "NOT"
        } else {
          false
        }
      return isNegated ? " Write != NULL." : " Write == NULL."
    case "ILIKE": return " Write LIKE[c], which ignores case."
    case "GLOB": return " Did you mean \"LIKE\"?"
    case "SIMILAR": return " Did you mean \"MATCHES\"?"
    case "EQ", "EQUALS": return " Write ==."
    case "NE": return " Write !=."
    case "LT": return " Write <."
    case "LE": return " Write <=."
    case "GT": return " Write >."
    case "GE": return " Write >=."
    case "STARTSWITH", "HASPREFIX": return " Did you mean \"BEGINSWITH\"?"
    case "HASSUFFIX": return " Did you mean \"ENDSWITH\"?"
    case "REGEX", "REGEXP", "RLIKE": return " Did you mean \"MATCHES\"?"
    default: break
    }
    var suggestion = NameSuggestion()
    let words =
      QueryPredicate.Operator.allCases.map(\.rawValue).filter { $0.first!.isLetter }
      + ["AND", "OR", "UNION", "INTERSECT", "MINUS"]
    return suggestion.sentence(for: word, among: words)
  }

  /// Returns the reason why a word of the language cannot be the beginning of a value.
  func misplaced(_ word: String) -> String {
    let capitals = word.uppercased()
    let reason: String
    switch capitals {
    case "AND", "OR": reason = "\"\(word)\" joins two predicates, but no predicate precedes it."
    case "UNION", "INTERSECT", "MINUS":
      reason = "\"\(word)\" joins two collections, but no collection precedes it."
    case "ANY", "SOME", "ALL", "NONE":
      reason = "\"\(word)\" must precede a whole comparison: \(capitals) stops.nights > 1."
    case "NOT": reason = "\"\(word)\" must precede a whole comparison: NOT x == y."
    default:
      reason = "\"\(word)\" compares two values, but no value precedes it: x \(capitals) y."
    }
    return "\(reason) Write a property of that name as \"#\(word)\"."
  }
}
