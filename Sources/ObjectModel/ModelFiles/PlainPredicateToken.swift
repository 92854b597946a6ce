/// A token of a plain predicate.
enum PlainPredicateToken: Equatable {
  /// A keyword of the language, in capitals.
  case keyword(String)
  /// A name or a key path.
  case name(String)
  /// A variable, and the path that begins at the variable.
  case variable(String, path: String?)
  case integer(Int64)
  case real(Double)
  case text(String)
  case symbol(String)

  /// Returns the tokens of a text; `nil` if a part of the text is no token of a plain predicate.
  static func all(in text: String) -> [PlainPredicateToken]? {
    var scanner = Scanner(rest: text[...])
    var tokens: [PlainPredicateToken] = []
    while true {
      scanner.skipSpaces()
      if scanner.rest.isEmpty { return tokens }
      guard let token = scanner.token() else { return nil }
      tokens.append(token)
    }
  }

  /// The keywords of the whole language, including the part that is not read here. No keyword is a name.
  private static let keywords: Set<String> = [
    "ALL", "AND", "ANY", "ANYKEY", "BEGINSWITH", "BETWEEN", "CAST", "CONTAINS", "ENDSWITH", "FALSE",
    "FALSEPREDICATE", "FETCH", "FIRST", "FUNCTION", "IN", "INTERSECT", "LAST", "LIKE", "MATCHES",
    "MINUS", "NIL", "NO", "NONE", "NOT", "NULL", "OR", "SELF", "SIZE", "SOME", "SUBQUERY",
    "TERNARY",
    "TRUE", "TRUEPREDICATE", "UNION", "YES",
  ]

  private struct Scanner {
    var rest: Substring

    mutating func skipSpaces() { rest = rest.drop { $0.isWhitespace } }

    private mutating func take(while condition: (Character) -> Bool) -> Substring {
      let part = rest.prefix(while: condition)
      rest = rest.dropFirst(part.count)
      return part
    }

    mutating func token() -> PlainPredicateToken? {
      guard let first = rest.first else { return nil }
      if first == "\"" || first == "'" { return quoted(first) }
      if first.isNumber || first == "-" || first == "." { return number() }
      if first == "$" {
        rest.removeFirst()
        guard let path = path(), !path.hasPrefix("@") else { return nil }
        let parts = path.split(separator: ".", maxSplits: 1)
        return .variable(String(parts[0]), path: parts.count > 1 ? String(parts[1]) : nil)
      }
      if first.isLetter || first == "_" || first == "@" {
        guard let path = path() else { return nil }
        // The first name of a path may be a keyword, such as `SELF` in `SELF.name`.
        let start = String(path.prefix { $0 != "." }).uppercased()
        guard keywords.contains(start) else { return .name(path) }
        return start.count == path.count ? .keyword(start) : nil
      }
      for symbol in ["&&", "||", "==", "<=", "=<", ">=", "=>", "!=", "<>"] {
        if rest.hasPrefix(symbol) {
          rest.removeFirst(2)
          return .symbol(symbol)
        }
      }
      guard "<>=!()[]{},".contains(first) else { return nil }
      rest.removeFirst()
      return .symbol(String(first))
    }

    /// Reads names with dots between them; a collection operator begins with `@`.
    private mutating func path() -> String? {
      let path = take { $0.isLetter || $0.isNumber || "_.@".contains($0) }
      let names = path.split(separator: ".", omittingEmptySubsequences: false)
      let isPath = names.allSatisfy { name in
        let name = name.first == "@" ? name.dropFirst() : name
        return name.first.map { $0.isLetter || $0 == "_" } ?? false && !name.contains("@")
      }
      return isPath ? String(path) : nil
    }

    private mutating func number() -> PlainPredicateToken? {
      let sign = rest.first == "-" ? "-" : ""
      if !sign.isEmpty { rest.removeFirst() }
      let digits = take { $0.isASCII && ($0.isNumber || $0.isLetter || $0 == "." || $0 == "_") }
      guard let first = digits.first, first.isNumber else { return nil }
      if let integer = Int64(sign + digits) { return .integer(integer) }
      let isPlain = digits.allSatisfy { $0.isNumber || $0 == "." }
      guard isPlain, digits.last != ".", let real = Double(sign + digits) else { return nil }
      return .real(real)
    }

    private mutating func quoted(_ quote: Character) -> PlainPredicateToken? {
      rest.removeFirst()
      var text = ""
      while let next = rest.popFirst() {
        if next == quote { return .text(text) }
        guard next == "\\" else {
          text.append(next)
          continue
        }
        // The whole language defines the meaning of all further escapes.
        guard let escaped = rest.popFirst(), "\\\"'".contains(escaped) else { return nil }
        text.append(escaped)
      }
      return nil
    }
  }
}
