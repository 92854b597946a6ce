import Foundation
import SQLTranslation

/// A condition of one column, from a `CHECK` of its table.
///
/// The comparisons with constants are understood that people write most: `price >= 0`, `grade BETWEEN 1 AND 6`,
/// `state IN ('open', 'done')`, `length(code) <= 8`, several of them joined by `AND`, and each with `OR … IS NULL`.
struct PlainCheck: Hashable {
  enum Rule: Hashable {
    /// `<`, `<=`, `>`, `>=`, `=` or `!=`.
    case compared(String, Constant)
    case among([Constant])
  }

  enum Constant: Hashable {
    case number(String)
    case text(String)
  }

  let column: String
  /// Whether the rule is about the number of characters of the value.
  let isAboutLength: Bool
  let rule: Rule

  /// Returns the conditions of a table, and the texts of the checks that are not understood.
  static func all(of table: PlainTable) -> (found: [PlainCheck], others: Int) {
    let tokens = SQLToken.all(in: table.text)
    var found: [PlainCheck] = []
    var others = 0
    for (index, token) in tokens.enumerated() where token.isWord("CHECK") {
      guard index + 1 < tokens.count, tokens[index + 1] == .sign("(") else { continue }
      var depth = 0
      let end = tokens[(index + 1)...].firstIndex { token in
        if token == .sign("(") { depth += 1 }
        if token == .sign(")") { depth -= 1 }
        return depth == 0
      }
      guard let end else { continue }
      var parser = CheckParser(tokens: tokens[(index + 2)..<end], table: table)
      if let conditions = parser.conditions() { found += conditions } else { others += 1 }
    }
    return (found, others)
  }
}

private struct CheckParser {
  var tokens: ArraySlice<SQLToken>
  let table: PlainTable

  /// Returns the conditions that must all be met; `nil` if the text contains anything else.
  mutating func conditions() -> [PlainCheck]? {
    guard let found = joined() else { return nil }
    return tokens.isEmpty ? found : nil
  }

  private mutating func joined() -> [PlainCheck]? {
    guard var found = alternative() else { return nil }
    while takes("AND") {
      guard let more = alternative() else { return nil }
      found += more
    }
    return found
  }

  /// Reads a condition that a missing value need not meet. A missing value meets every check anyway.
  private mutating func alternative() -> [PlainCheck]? {
    let start = tokens
    if column() != nil, takes("IS"), takes("NULL"), takes("OR") { return condition() }
    tokens = start
    guard let found = condition() else { return nil }
    guard takes("OR") else { return found }
    return column() != nil && takes("IS") && takes("NULL") ? found : nil
  }

  private mutating func condition() -> [PlainCheck]? {
    if takes(.sign("(")) {
      guard let found = joined(), takes(.sign(")")) else { return nil }
      return found
    }
    var isAboutLength = false
    if tokens.first?.isWord("LENGTH") == true, tokens.dropFirst().first == .sign("(") {
      tokens = tokens.dropFirst(2)
      isAboutLength = true
    }
    guard let name = column() else { return nil }
    if isAboutLength, !takes(.sign(")")) { return nil }
    func check(_ rule: PlainCheck.Rule) -> PlainCheck {
      PlainCheck(column: name, isAboutLength: isAboutLength, rule: rule)
    }
    if takes("BETWEEN") {
      guard let low = constant(), takes("AND"), let high = constant() else { return nil }
      return [check(.compared(">=", low)), check(.compared("<=", high))]
    }
    if takes("IN") {
      guard takes(.sign("(")), let first = constant() else { return nil }
      var all = [first]
      while takes(.sign(",")) {
        guard let next = constant() else { return nil }
        all.append(next)
      }
      return takes(.sign(")")) ? [check(.among(all))] : nil
    }
    guard case .sign(let sign)? = tokens.first,
      let usual = [
        "<": "<", "<=": "<=", ">": ">", ">=": ">=", "=": "=", "==": "=", "!=": "!=", "<>": "!=",
      ][sign]
    else { return nil }
    tokens = tokens.dropFirst()
    guard let other = constant() else { return nil }
    return [check(.compared(usual, other))]
  }

  private mutating func column() -> String? {
    guard let name = tokens.first?.column, let column = table[name] else { return nil }
    tokens = tokens.dropFirst()
    return column.name
  }

  private mutating func constant() -> PlainCheck.Constant? {
    let isNegative = takes(.sign("-"))
    switch tokens.first {
    case .number(let text) where Double(text) != nil:
      tokens = tokens.dropFirst()
      return .number((isNegative ? "-" : "") + text)
    case .text(let text) where !isNegative:
      tokens = tokens.dropFirst()
      return .text(text)
    default: return nil
    }
  }

  private mutating func takes(_ word: String) -> Bool {
    guard tokens.first?.isWord(word) == true else { return false }
    tokens = tokens.dropFirst()
    return true
  }

  private mutating func takes(_ token: SQLToken) -> Bool {
    guard tokens.first == token else { return false }
    tokens = tokens.dropFirst()
    return true
  }
}

extension PlainCheck {
  /// Returns the SQL condition of the rows that don't meet the rule.
  var violation: String {
    let cell = "x.\(quoted(column))"
    let value = isAboutLength ? "length(\(cell))" : cell
    switch rule {
    case .compared(let sign, let constant): return "NOT (\(value) \(sign) \(constant.sql))"
    case .among(let constants):
      return "\(value) NOT IN (\(constants.map(\.sql).joined(separator: ", ")))"
    }
  }
}

extension PlainCheck.Constant {
  var sql: String {
    switch self {
    case .number(let text): text
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    }
  }

  var predicate: String {
    switch self {
    case .number(let text): text
    case .text(let text):
      "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
  }
}
