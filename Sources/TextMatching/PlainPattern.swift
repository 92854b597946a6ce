/// The check of a pattern that consists of plain parts only, all of which ICU accepts.
///
/// ICU needs about eight million instructions for its first pattern in a process, mostly for tables of Unicode's
/// properties. A model is checked whenever a store opens, and most patterns are plain: letters, digits, `.`, classes of
/// ASCII, groups, `|`, anchors, and counts. For any other pattern ICU decides.
package struct PlainPattern {
  private var rest: Substring.UTF8View
  private var depth = 0

  private static let deepestNesting = 20
  private static let largestCount = 255

  /// Returns whether a pattern is plain, and therefore valid.
  package static func accepts(_ pattern: String) -> Bool {
    guard pattern.utf8.count <= 1000 else { return false }
    var reader = PlainPattern(rest: pattern[...].utf8)
    return reader.readAlternatives() && reader.rest.isEmpty
  }

  private init(rest: Substring.UTF8View) { self.rest = rest }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads parts up to the end of the group or of the pattern.
  private mutating func readAlternatives() -> Bool {
    while let byte = rest.first, byte != UInt8(ascii: ")") {
      if take("|") || take("^") || take("$") { continue }
      guard readAtom(), readCount() else { return false }
    }
    return true
  }

  /// Reads a character, a class or a group.
  private mutating func readAtom() -> Bool {
    guard let byte = rest.popFirst() else { return false }
    switch byte {
    case UInt8(ascii: "("):
      depth += 1
      guard depth <= Self.deepestNesting else { return false }
      // After `(?` only the group without a number is plain.
      if take("?"), !take(":") { return false }
      guard readAlternatives(), take(")") else { return false }
      depth -= 1
      return true
    case UInt8(ascii: "["): return readClass()
    case UInt8(ascii: "\\"): return rest.popFirst().map(Self.isPlainAfterBackslash) ?? false
    case UInt8(ascii: "."): return true
    default: return Self.isLiteral(byte)
    }
  }

  /// Reads the rest of a class, such as `^a-z_]`.
  private mutating func readClass() -> Bool {
    _ = take("^")
    var isEmpty = true
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "]"): return !isEmpty
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst(), Self.isPlainAfterBackslash(next) else { return false }
      case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "%"),
        UInt8(ascii: "_"):
        break
      case _ where Self.isLetterOrDigit(byte):
        guard take("-") else { break }
        guard let last = rest.popFirst(), Self.isLetterOrDigit(last), last >= byte else {
          return false
        }
      default: return false
      }
      isEmpty = false
    }
    return false
  }

  /// Reads a count of repetitions, if one follows, such as `*` or `{2,3}`. Returns `false` if the count is not plain.
  private mutating func readCount() -> Bool {
    if take("*") || take("+") || take("?") { return isNoCount }
    guard take("{") else { return true }
    guard let least = readNumber() else { return false }
    if take(","), rest.first != UInt8(ascii: "}") {
      guard let most = readNumber(), most >= least else { return false }
    }
    return take("}") && isNoCount
  }

  /// Whether no second count follows, which would have another meaning.
  private var isNoCount: Bool { rest.first.map { !"*+?{".utf8.contains($0) } ?? true }

  private mutating func readNumber() -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty, digits.count <= 4 else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 & 15) }
    rest = rest.dropFirst(digits.count)
    return number <= Self.largestCount ? number : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Whether a character means itself everywhere outside of classes.
  private static func isLiteral(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || " @_-/:,;=%&~\"'<>!".utf8.contains(byte)
  }

  /// Whether a character after a backslash is a class such as `\d`, or means itself.
  private static func isPlainAfterBackslash(_ byte: UInt8) -> Bool {
    "dDwWsS.-+*?()[]{}|\\/^$".utf8.contains(byte)
  }
}
