import Foundation
import ObjectModel

/// Parses predicates and expressions.
///
/// One grammar with precedence serves both. A bracket may contain either kind, and the kind is known only at the
/// closing bracket. So each part is read once and its kind is checked afterwards. The time is proportional to the
/// length of the text.
struct PredicateParser {
  private let text: String
  private var lexer: PredicateLexer
  private var arguments: [(any QueryArgument)?]
  private var nextArgument = 0
  /// The next token and its offset.
  private(set) var token = Token.end
  private(set) var start = 0
  /// The offset of the first text in quotes that contains a placeholder.
  private var quotedPlaceholder: Int?
  var depth = 0
  private var nodeCount = 0
  /// The parts read so far with their places; `nil` unless the caller asks for places.
  private var places: [Place]?

  /// A part of the text and its place, in UTF-8 bytes.
  struct Place {
    let part: QueryPart
    let start: Int
    let end: Int
    /// The start of the operator between two values; the start of the part if it lacks one.
    let operatorStart: Int
  }

  /// A parsed predicate or expression, with its depth and its start.
  struct Part {
    enum Kind {
      case predicate(QueryPredicate)
      case expression(QueryExpression)

      var part: QueryPart {
        switch self {
        case .predicate(let predicate): .predicate(predicate)
        case .expression(let expression): .expression(expression)
        }
      }
    }

    var kind: Kind
    var depth = 1
    var start: Int
    /// Whether the part is a literal that is not in brackets.
    var isLiteral = false
    /// Whether the part is a path that may get more names: `(a.b).c` is not `a.b.c`.
    var isOpenPath = false
    /// Whether the part is in brackets.
    var isBracketed = false
  }

  init(_ text: String, _ arguments: [(any QueryArgument)?]) throws(QueryError) {
    self.text = text
    self.arguments = arguments
    lexer = PredicateLexer(text)
    guard text.utf8.count <= QueryLimits.textByteCount else {
      throw QueryError(
        .tooLarge, "The text has more than \(QueryLimits.textByteCount) bytes.")
    }
    try advance()
  }

  // MARK: - Whole texts

  static func predicate(
    _ text: String, _ arguments: [(any QueryArgument)?]
  ) throws(QueryError) -> QueryPredicate {
    do {
      var parser = try PredicateParser(text, arguments)
      let part = try parser.part(.or)
      let predicate = try parser.predicate(part)
      try parser.finish()
      return predicate
    } catch { throw error.inText(text) }
  }

  static func expression(
    _ text: String, _ arguments: [(any QueryArgument)?]
  ) throws(QueryError) -> QueryExpression {
    do {
      var parser = try PredicateParser(text, arguments)
      let part = try parser.part(.or)
      let expression = try parser.expression(part)
      try parser.finish()
      return expression
    } catch { throw error.inText(text) }
  }

  /// Parses a predicate or an expression, and returns all its parts with their places.
  static func places(
    _ text: String, _ arguments: [(any QueryArgument)?]
  ) throws(QueryError) -> [Place] {
    var parser = try PredicateParser(text, arguments)
    parser.places = []
    _ = try parser.part(.or)
    guard parser.token == .end else { throw parser.unexpected("the end") }
    return parser.places ?? []
  }

  private func finish() throws(QueryError) {
    guard token == .end else {
      var error = unexpected("an operator or the end")
      if case .word(let word, isName: false) = token,
        ["ORDER", "GROUP", "HAVING", "LIMIT"].contains(word.uppercased())
      {
        error = fault(
          error.message + " The order, the groups and the limit are given beside the condition.",
          start)
      }
      throw error
    }
    guard nextArgument == arguments.count else {
      if let offset = quotedPlaceholder {
        throw fault(
          """
          A placeholder in quotes is text, so it uses no argument. Write %@ without quotes: a value \
          needs no quotes.
          """, offset, .badArgument)
      }
      throw fault(
        """
        The text has placeholders for \(nextArgument) arguments, but \(arguments.count) are given.
        """, start, .badArgument)
    }
  }

  // MARK: - Tokens

  mutating func advance() throws(QueryError) {
    start = lexer.skipSpace()
    token = try lexer.next()
    if quotedPlaceholder == nil, case .string(let text) = token,
      text.contains("%@") || text.contains("%K") || text.contains("%d")
    {
      quotedPlaceholder = start
    }
  }

  func isSign(_ sign: String) -> Bool { token == .sign(sign) }

  /// Returns the next token in capitals if it is one of the given keywords, which must be in capitals.
  func keyword(among keywords: Set<String>) -> String? {
    guard case .word(let word, isName: false) = token else { return nil }
    let capitals = word.uppercased()
    return keywords.contains(capitals) ? capitals : nil
  }

  /// Returns the token after the next one.
  func following() throws(QueryError) -> Token? {
    var lexer = lexer
    return try lexer.next()
  }

  mutating func take(_ sign: String) throws(QueryError) -> Bool {
    guard isSign(sign) else { return false }
    try advance()
    return true
  }

  mutating func need(_ sign: String, _ place: String) throws(QueryError) {
    guard try take(sign) else { throw unexpected("\"\(sign)\" \(place)") }
  }

  func unexpected(_ expected: String) -> QueryError {
    fault("Expected \(expected), found \(token.words).", start)
  }

  func fault(
    _ message: String, _ offset: Int, _ code: QueryError.Code = .syntax
  ) -> QueryError {
    QueryError(code, message, offset: offset)
  }

  // MARK: - Parts

  func predicate(_ part: Part) throws(QueryError) -> QueryPredicate {
    switch part.kind {
    case .predicate(let predicate): return predicate
    case .expression:
      if case .word(let word, isName: false) = token, !Self.reserved.contains(word.uppercased()) {
        throw fault("The operator \"\(word)\" is unknown." + suggestion(for: word), start)
      }
      throw fault(
        "A comparison is expected: an operator such as == must follow, found \(token.words).",
        start)
    }
  }

  func expression(_ part: Part) throws(QueryError) -> QueryExpression {
    guard case .expression(let expression) = part.kind else {
      throw fault("A value is expected here, not a predicate.", part.start)
    }
    return expression
  }

  /// Makes a part of the tree from the parts below it.
  ///
  /// - Parameter operatorStart: The start of the operator between two parts.
  mutating func made(
    _ kind: Part.Kind, above parts: [Part], at start: Int, operatorStart: Int? = nil
  ) throws(QueryError) -> Part {
    places?.append(
      Place(
        part: kind.part, start: start, end: self.start, operatorStart: operatorStart ?? start))
    nodeCount += 1
    guard nodeCount <= QueryLimits.nodeCount else {
      throw fault("The predicate has more than \(QueryLimits.nodeCount) parts.", start, .tooLarge)
    }
    let depth = 1 + (parts.map(\.depth).max() ?? 0)
    guard depth <= QueryLimits.depth else { throw tooDeep(start) }
    return Part(kind: kind, depth: depth, start: start)
  }

  private func tooDeep(_ start: Int) -> QueryError {
    fault("The predicate is nested more than \(QueryLimits.depth) levels deep.", start, .tooLarge)
  }

  /// Records that the next part is one level deeper. The caller must decrement `depth` afterwards, unless an error
  /// ends the parsing.
  mutating func goDeeper() throws(QueryError) {
    depth += 1
    guard depth <= QueryLimits.depth else { throw tooDeep(start) }
  }

  // MARK: - Arguments

  mutating func argument(for placeholder: Character) throws(QueryError) -> QueryExpression {
    nextArgument += 1
    guard nextArgument <= arguments.count else {
      throw fault(
        "Placeholder \(nextArgument), \"%\(placeholder)\", has no argument: \(arguments.count) "
          + "are given.", start, .badArgument)
    }
    let expression = arguments[nextArgument - 1]?.queryExpression ?? .null
    func refuse(_ expected: String) -> QueryError {
      fault(
        "Argument \(nextArgument), for \"%\(placeholder)\", must be \(expected).", start,
        .badArgument)
    }
    switch placeholder {
    case "@": return expression
    case "K":
      guard case .constant(.string(let path)) = expression else { throw refuse("a key path") }
      let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard !names.contains("") else { throw refuse("a key path: names with dots between them") }
      if names[0].uppercased() == "SELF" {
        return names.count == 1
          ? .evaluatedObject : .keyPath(of: .evaluatedObject, Array(names.dropFirst()))
      }
      return .keyPath(of: .evaluatedObject, names)
    default:
      guard case .constant(let value) = expression, let number = Number(value) else {
        throw refuse("a number")
      }
      if "fFgGeEaA".contains(placeholder) {
        if case .decimal = number { return expression }
        return .constant(.double(number.double))
      }
      guard case .integer = number else { throw refuse("a whole number") }
      return .constant(number.value)
    }
  }

  /// Returns the whole name of a function with colons, if the last word begins one.
  mutating func functionName(_ word: String) -> String { word + lexer.colons() }

  mutating func options() throws(QueryError) -> TextOptions {
    // The options come directly after the operator, so the next token is not read yet.
    try lexer.options() ?? []
  }
}

extension QueryError {
  /// Returns the error with the text in which it occurred.
  func inText(_ text: String) -> QueryError {
    var error = self
    error.text = text
    return error
  }
}
