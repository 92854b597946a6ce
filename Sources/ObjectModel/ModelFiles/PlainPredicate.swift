/// A predicate of a plain kind: comparisons of paths, variables and constants, joined by AND, OR and NOT.
///
/// Models keep predicates as text, and the module for the whole language depends on this module. Most predicates of
/// models are in the part of the language that is read here, and can be archived in structured form.
indirect enum PlainPredicate {
  case constant(Bool)
  case not(PlainPredicate)
  case all([PlainPredicate])
  case any([PlainPredicate])
  case comparison(Comparison)

  /// Two expressions with an operator between them.
  struct Comparison {
    var left: Expression
    var right: Expression
    var comparator: Comparator
    var quantifier = Quantifier.none
    /// Whether the comparison ignores case.
    var ignoresCase = false
    var ignoresDiacritics = false
  }

  /// An operator, with its number in archives.
  enum Comparator: Int64 {
    case less = 0
    case lessOrEqual
    case greater
    case greaterOrEqual
    case equal
    case unequal
    case matches
    case like
    case beginsWith
    case endsWith
    case isIn
    case contains = 99
    case between
  }

  /// The number of values on the left that must meet the comparison, with its number in archives.
  enum Quantifier: Int64 {
    case none = 0
    case all
    case any
  }

  /// An operand of a comparison.
  indirect enum Expression {
    case own
    case path(String)
    case variable(String)
    case variablePath(String, path: String)
    case nothing
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case list([Expression])
  }
}

extension PlainPredicate {
  /// Parses the predicate of a text; `nil` if the text is no predicate, or is a predicate of another kind.
  init?(_ text: String) {
    guard let tokens = PlainPredicateToken.all(in: text) else { return nil }
    var parser = PlainPredicateParser(tokens)
    guard let predicate = parser.predicate(), parser.isAtEnd else { return nil }
    self = predicate
  }
}

private struct PlainPredicateParser {
  /// The maximum depth of a predicate, deeper than any predicate that a person writes.
  private static let maximumDepth = 32

  private let tokens: [PlainPredicateToken]
  private var place = 0
  private var depth = 0

  init(_ tokens: [PlainPredicateToken]) { self.tokens = tokens }

  var isAtEnd: Bool { place == tokens.count }

  private mutating func take(_ token: PlainPredicateToken) -> Bool {
    guard place < tokens.count, tokens[place] == token else { return false }
    place += 1
    return true
  }

  private mutating func take() -> PlainPredicateToken? {
    guard place < tokens.count else { return nil }
    place += 1
    return tokens[place - 1]
  }

  mutating func predicate() -> PlainPredicate? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { return nil }
    return parts(separatedBy: [.keyword("OR"), .symbol("||")]) { $0.conjunction() }
      .map { $0.count == 1 ? $0[0] : .any($0) }
  }

  private mutating func conjunction() -> PlainPredicate? {
    parts(separatedBy: [.keyword("AND"), .symbol("&&")]) { $0.negation() }
      .map { $0.count == 1 ? $0[0] : .all($0) }
  }

  private mutating func parts(
    separatedBy separators: [PlainPredicateToken],
    _ part: (inout PlainPredicateParser) -> PlainPredicate?
  ) -> [PlainPredicate]? {
    var parts: [PlainPredicate] = []
    repeat {
      guard let next = part(&self) else { return nil }
      parts.append(next)
    } while separators.contains { take($0) }
    return parts
  }

  private mutating func negation() -> PlainPredicate? {
    var count = 0
    while take(.keyword("NOT")) || take(.symbol("!")) { count += 1 }
    guard count <= Self.maximumDepth, var predicate = primary() else { return nil }
    for _ in 0..<count { predicate = .not(predicate) }
    return predicate
  }

  private mutating func primary() -> PlainPredicate? {
    if take(.symbol("(")) {
      guard let predicate = predicate(), take(.symbol(")")) else { return nil }
      return predicate
    }
    if take(.keyword("TRUEPREDICATE")) { return .constant(true) }
    if take(.keyword("FALSEPREDICATE")) { return .constant(false) }
    let quantifier: PlainPredicate.Quantifier =
      take(.keyword("ANY")) ? .any : take(.keyword("ALL")) ? .all : .none
    guard let left = expression(), let comparator = comparator() else { return nil }
    var comparison = PlainPredicate.Comparison(
      left: left, right: .nothing, comparator: comparator, quantifier: quantifier)
    if take(.symbol("[")) {
      guard case .name(let letters)? = take(), take(.symbol("]")) else { return nil }
      guard ["c", "d", "cd", "dc"].contains(letters) else { return nil }
      comparison.ignoresCase = letters.contains("c")
      comparison.ignoresDiacritics = letters.contains("d")
    }
    guard let right = expression() else { return nil }
    comparison.right = right
    return .comparison(comparison)
  }

  private mutating func comparator() -> PlainPredicate.Comparator? {
    switch take() {
    case .symbol("<"): .less
    case .symbol("<="), .symbol("=<"): .lessOrEqual
    case .symbol(">"): .greater
    case .symbol(">="), .symbol("=>"): .greaterOrEqual
    case .symbol("=="), .symbol("="): .equal
    case .symbol("!="), .symbol("<>"): .unequal
    case .keyword("MATCHES"): .matches
    case .keyword("LIKE"): .like
    case .keyword("BEGINSWITH"): .beginsWith
    case .keyword("ENDSWITH"): .endsWith
    case .keyword("IN"): .isIn
    case .keyword("CONTAINS"): .contains
    case .keyword("BETWEEN"): .between
    default: nil
    }
  }

  private mutating func expression() -> PlainPredicate.Expression? {
    switch take() {
    case .name(let path): return .path(path)
    case .variable(let name, nil): return .variable(name)
    case .variable(let name, let path?): return .variablePath(name, path: path)
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .text(let text): return .text(text)
    case .keyword("SELF"): return .own
    case .keyword("TRUE"), .keyword("YES"): return .boolean(true)
    case .keyword("FALSE"), .keyword("NO"): return .boolean(false)
    case .keyword("NIL"), .keyword("NULL"): return .nothing
    case .symbol("{"):
      var members: [PlainPredicate.Expression] = []
      if take(.symbol("}")) { return .list([]) }
      depth += 1
      defer { depth -= 1 }
      guard depth <= Self.maximumDepth else { return nil }
      repeat {
        guard let member = expression() else { return nil }
        members.append(member)
      } while take(.symbol(","))
      return take(.symbol("}")) ? .list(members) : nil
    default: return nil
    }
  }
}
