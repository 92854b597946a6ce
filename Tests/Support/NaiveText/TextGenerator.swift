package import SeededRandom

/// Makes random texts and queries in which hits are frequent.
package struct TextGenerator {
  private var random: SeededGenerator

  /// Creates the generator of a seed.
  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  package static let pieces = [
    "a", "b", "ab", "Ab", "abc", "über", "u\u{308}ber", "UBER", "straße", "STRASSE", "don't",
    "don’t", "3.14", "1,5",
    "x_y", "_x_", "東京", "東京都", "都", "京", "か", "が", "か\u{3099}", "ガ", "ไทย", "กิน", "กิ", "한국", "각",
    "한국",
    "שלום", "צה\"ל", "ש\u{5B0}", "ёлка", "елка", "हिन्दी", "हि", "ΌΔΟΣ", "οδος", "ı", "İ", "i", "ﬁ",
    "fi",
    "a\u{AD}b", "a\u{200D}b", "가\u{11A8}", "\u{9C7}\u{9BE}", "\u{9CB}", "豈", "\u{8C48}", "2nd",
    "ա\u{5B0}\u{93C}",
    "ա\u{93C}\u{5B0}",
  ]
  package static let separators = [
    " ", " ", " ", " ", ", ", ". ", "-", "\n", "", "", "'", ".", "·", "_", ":", "👍🏽", "\u{301}",
    "\u{5B0}", "\"", "*",
    "、", "\u{200B}", "🇵🇹", "²", "\u{903}",
  ]

  /// Returns a number of a range.
  package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Returns one of some values.
  package mutating func any<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

  /// Returns a pattern of values.
  package mutating func pattern() -> ValuePattern { ValuePattern.random(using: &random) }

  /// Returns a text of ASCII, mostly of signs that have special rules.
  package mutating func ascii() -> String {
    let signs = Array("aB1._',  -\"")
    let count = any([0, 1, 5, 20, 200])
    return String((0..<count).map { _ in any(signs) })
  }

  /// Returns a text: the empty, a single word, one word repeated and a long text are as likely as an ordinary one.
  package mutating func text() -> String {
    switch pattern() {
    case .missing: return ""
    case .empty: return any(Self.pieces)
    case .equal:
      let piece = any(Self.pieces)
      let separator = any(Self.separators)
      return (0..<number(1..<9)).map { _ in piece }.joined(separator: separator)
    case .greatest:
      let count = any([30, 33, 63, 64, 65, 130])
      let joint = any(["", "", "_", "'", "\u{5B0}", "\u{93C}"])
      let word = (0..<count).map { _ in any(Self.pieces) + joint }.joined()
      return words(6) + word + any(Self.separators) + words(6)
    case .ordinary: return words(20)
    }
  }

  private mutating func words(_ limit: Int) -> String {
    (0..<number(0..<limit)).map { _ in any(Self.pieces) + any(Self.separators) }.joined()
  }

  /// Returns the parts of a query, at least one of them required.
  package mutating func clauses() -> [NaiveClause] {
    let count = number(1..<5)
    return (0..<count).map { index in
      let isPhrase = number(0..<3) == 0
      let text =
        isPhrase
        ? (0..<number(1..<4)).map { _ in any(Self.pieces) }.joined(
          separator: any([" ", "-", ", "])
        )
        .filter { $0 != "\"" }
        : any(Self.pieces)
      return NaiveClause(
        text: text, isPhrase: isPhrase, isPrefix: !isPhrase && number(0..<3) == 0,
        isExcluded: index > 0 && number(0..<3) == 0)
    }
  }
}
