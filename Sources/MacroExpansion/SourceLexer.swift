/// Splits Swift source into tokens.
///
/// Knows the parts of Swift's lexical structure that decide where a token ends: nested comments, all kinds of strings,
/// interpolations, regular expressions, and names in backticks.
struct SourceLexer {
  /// The deepest nesting of interpolations and of types that is read.
  static let mostDepth = 64

  private let bytes: [UInt8]
  private var offset = 0
  /// The number of interpolations around the current position.
  private var depth = 0
  private var tokens: [SourceToken] = []
  private var beginsLine = true
  private var hasSpaceBefore = true

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the tokens of a source.
  ///
  /// - Throws: ``SourceProblem`` for a comment, a string or a name that does not end.
  static func tokens(of bytes: [UInt8]) throws(SourceProblem) -> [SourceToken] {
    var lexer = SourceLexer(bytes)
    while try lexer.skipSpace() { try lexer.readToken() }
    return lexer.tokens
  }

  private func byte(_ distance: Int = 0) -> UInt8? {
    let index = offset + distance
    return index < bytes.count ? bytes[index] : nil
  }

  private func isAt(_ text: StaticString) -> Bool {
    bytes[offset...].starts(with: Array(text.description.utf8))
  }

  // MARK: White space and comments

  /// Skips white space and comments.
  ///
  /// - Returns: Whether there is a token.
  private mutating func skipSpace() throws(SourceProblem) -> Bool {
    while let next = byte() {
      switch next {
      case 0x0A, 0x0D:
        beginsLine = true
        offset += 1
      case 0x20, 0x09, 0x0B, 0x0C, 0: offset += 1
      case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
        while let next = byte(), next != 0x0A, next != 0x0D { offset += 1 }
      case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): try skipComment()
      default: return true
      }
      hasSpaceBefore = true
    }
    return false
  }

  private mutating func skipComment() throws(SourceProblem) {
    let start = offset
    var depth = 0
    repeat {
      if isAt("/*") {
        depth += 1
        offset += 2
      } else if isAt("*/") {
        depth -= 1
        offset += 2
      } else {
        guard let next = byte() else {
          throw SourceProblem("The comment does not end.", at: start..<start + 2)
        }
        if next == 0x0A { beginsLine = true }
        offset += 1
      }
    } while depth > 0
  }

  // MARK: Tokens

  private mutating func readToken() throws(SourceProblem) {
    let start = offset
    let kind = try readKind()
    tokens.append(
      SourceToken(
        kind: kind, range: start..<offset, beginsLine: beginsLine, hasSpaceBefore: hasSpaceBefore))
    beginsLine = false
    hasSpaceBefore = false
  }

  private mutating func readKind() throws(SourceProblem) -> SourceToken.Kind {
    guard let first = byte() else { return .word }
    if let poundCount = literalStart(UInt8(ascii: "\"")) {
      try readString(poundCount)
      return .string
    }
    if let poundCount = literalStart(UInt8(ascii: "/")), poundCount > 0 || canBeginRegex() {
      if try readRegularExpression(poundCount) { return .regularExpression }
    }
    switch first {
    case UInt8(ascii: "`"):
      try readQuotedName()
      return .word
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      readNumber()
      return .number
    case UInt8(ascii: "$"), UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
      while let next = byte(), SourceLexer.isWordByte(next) { offset += 1 }
      return .word
    default:
      offset += 1
      return .mark(Character(Unicode.Scalar(first)))
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func readQuotedName() throws(SourceProblem) {
    let start = offset
    repeat {
      offset += 1
      guard let next = byte(), next != 0x0A else {
        throw SourceProblem("The name does not end with a backtick.", at: start..<start + 1)
      }
    } while byte() != UInt8(ascii: "`")
    offset += 1
  }

  private mutating func readNumber() {
    while let next = byte() {
      if SourceLexer.isWordByte(next) {
        offset += 1
        // The sign of an exponent is not an operator.
        let isHexadecimal = bytes[..<offset].suffix(40).contains(UInt8(ascii: "x"))
        if next | 0x20 == UInt8(ascii: isHexadecimal ? "p" : "e"),
          byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+")
        {
          offset += 1
        }
      } else if next == UInt8(ascii: "."), let digit = byte(1),
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
      {
        offset += 1
      } else {
        return
      }
    }
  }

  // MARK: Literals

  /// Returns the number of `#` before a delimiter at the current position; `nil` if the delimiter does not follow.
  private func literalStart(_ delimiter: UInt8) -> Int? {
    var count = 0
    while byte(count) == UInt8(ascii: "#") { count += 1 }
    return byte(count) == delimiter ? count : nil
  }

  /// Returns whether a string ends at the current position.
  private func isAtEnd(_ quoteCount: Int, _ poundCount: Int) -> Bool {
    (0..<quoteCount).allSatisfy { byte($0) == UInt8(ascii: "\"") }
      && (0..<poundCount).allSatisfy { byte(quoteCount + $0) == UInt8(ascii: "#") }
  }

  private mutating func readString(_ poundCount: Int) throws(SourceProblem) {
    let start = offset
    offset += poundCount
    // An empty single-line string begins with two quotes, and a multi-line string with three.
    let quoteCount = isAt("\"\"\"") ? 3 : 1
    offset += quoteCount
    while !isAtEnd(quoteCount, poundCount) {
      guard let next = byte(), quoteCount == 3 || next != 0x0A else {
        throw SourceProblem("The string does not end.", at: start..<start + 1)
      }
      offset += 1
      guard next == UInt8(ascii: "\\"),
        (0..<poundCount).allSatisfy({ byte($0) == UInt8(ascii: "#") })
      else { continue }
      offset += poundCount
      if byte() == UInt8(ascii: "(") {
        try skipInterpolation()
      } else if byte() != nil, byte() != 0x0A {
        offset += 1
      }
    }
    offset += quoteCount + poundCount
  }

  /// Skips an expression in parentheses, which may contain strings.
  private mutating func skipInterpolation() throws(SourceProblem) {
    let start = offset
    guard depth < SourceLexer.mostDepth else {
      throw SourceProblem("The interpolations are nested too deeply.", at: start..<start + 1)
    }
    var inner = SourceLexer(bytes)
    inner.offset = offset
    inner.depth = depth + 1
    var depth = 0
    repeat {
      guard try inner.skipSpace() else {
        throw SourceProblem("The interpolation does not end.", at: start..<start + 1)
      }
      try inner.readToken()
      switch inner.tokens.last?.kind {
      case .mark("("): depth += 1
      case .mark(")"): depth -= 1
      default: break
      }
    } while depth > 0
    offset = inner.offset
  }

  /// Returns whether an expression may begin after a slash at the current position, so that the slash is not a division.
  private func canBeginRegex() -> Bool {
    guard let next = byte(1), next != 0x20, next != 0x09, next != 0x0A,
      next != UInt8(ascii: "/"), next != UInt8(ascii: "*")
    else { return false }
    guard let last = tokens.last else { return true }
    switch last.kind {
    case .number, .string, .regularExpression: return false
    case .mark(let character): return !")]}?!>".contains(character)
    case .word:
      let words: Set<String> = ["return", "in", "case", "if", "while", "guard", "try", "await"]
      return words.contains(String(decoding: bytes[last.range], as: UTF8.self))
    }
  }

  /// Reads a regular expression.
  ///
  /// - Returns: Whether there is one. A slash without a second slash in its line is an operator.
  private mutating func readRegularExpression(_ poundCount: Int) throws(SourceProblem) -> Bool {
    let start = offset
    var index = offset + poundCount + 1
    var isInClass = false
    while index < bytes.count, poundCount > 0 || bytes[index] != 0x0A {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "/") where !isInClass || poundCount > 0:
        let rest = bytes[(index + 1)...].prefix(poundCount)
        if rest.count == poundCount, rest.allSatisfy({ $0 == UInt8(ascii: "#") }) {
          offset = index + 1 + poundCount
          return true
        }
      default: break
      }
      index += 1
    }
    if poundCount > 0 {
      throw SourceProblem("The regular expression does not end.", at: start..<start + 1)
    }
    return false
  }
}
