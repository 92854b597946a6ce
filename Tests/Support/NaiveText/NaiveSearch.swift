import Foundation

/// A search in the simplest way: Foundation normalizes and folds, a regular expression finds the words, and a phrase is
/// compared at each place. The classes are complete only for the scalars of ``TextGenerator``.
package enum NaiveSearch {
  package struct Word: Hashable, Sendable {
    package var text: String
    /// Whether the word is a pair of a run without spaces.
    package var isPair = false
    /// Whether the word is the last character of such a run.
    package var isLast = false
  }

  /// A scalar with its marks: its class as a letter, and its folded text.
  private struct Unit {
    var symbol: Character
    var text: String
  }

  private static let expression = try! NSRegularExpression(
    pattern: """
      X+|[LHN](?:C*[LHN]|(?<=[LH])A[LH]|(?<=N)A(?=N)N|(?<=[LH])D[LH]|(?<=N)S(?=N)N|(?<=H)Q(?=H)H)*
      """)

  /// Returns the words of a text.
  package static func words(_ text: String) -> [Word] {
    let units = units(text)
    let symbols = String(units.map(\.symbol))
    let range = NSRange(location: 0, length: symbols.utf16.count)
    var words: [Word] = []
    for match in expression.matches(in: symbols, range: range) {
      let run = units[match.range.location..<match.range.location + match.range.length]
      if run.first!.symbol == "X" {
        let texts = run.map { cut(composed($0.text), 32) }
        for (one, other) in zip(texts, texts.dropFirst()) {
          words.append(Word(text: one + other, isPair: true))
        }
        words.append(Word(text: texts.last!, isLast: true))
      } else {
        words.append(Word(text: cut(composed(run.map(\.text).joined()), 64)))
      }
    }
    return words
  }

  private static func composed(_ text: String) -> String {
    text.precomposedStringWithCanonicalMapping
  }

  private static func cut(_ text: String, _ limit: Int) -> String {
    guard text.unicodeScalars.count > limit else { return text }
    var scalars = Array(text.unicodeScalars.prefix(limit))
    while "_'·.,״".unicodeScalars.contains(scalars.last!) { scalars.removeLast() }
    return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  private static func units(_ text: String) -> [Unit] {
    var units: [Unit] = []
    var base: Unicode.Scalar?
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      let isIgnored = scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{200B}"
      if isIgnored || 0x1F3FB...0x1F3FF ~= scalar.value {
        continue
      }
      let isSpacing = scalar.properties.generalCategory == .spacingMark
      if isSpacing || scalar.properties.isGraphemeExtend {
        guard !units.isEmpty, base != nil, "LHNX".contains(units.last!.symbol) else { continue }
        let isAfterLow = units.last!.text.unicodeScalars.contains { $0.value < 0x510 }
        let isKept = isSpacing && !scalar.properties.isGraphemeExtend || !isAfterLow
        if scalar.value >= 0x510, isKept {
          units[units.count - 1].text.unicodeScalars.append(scalar)
        }
        continue
      }
      base = scalar
      let symbol = symbol(scalar)
      let folded =
        switch symbol {
        case "A": "'"
        case "Q": "״"
        default:
          String(scalar).folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        }
      units.append(Unit(symbol: symbol, text: folded.decomposedStringWithCanonicalMapping))
    }
    return units
  }

  private static func symbol(_ scalar: Unicode.Scalar) -> Character {
    switch scalar.value {
    case 0x27, 0x2019: return "A"
    case 0x22: return "Q"
    case 0xB7, 0x5F4: return "D"
    case 0x2C, 0x2E: return "S"
    case 0x5D0...0x5EA: return "H"
    case 0xE00...0xE7F, 0x3040...0x30FF, 0x4E00...0x9FFF: return "X"
    default: break
    }
    if scalar.properties.generalCategory == .decimalNumber { return "N" }
    if scalar.properties.generalCategory == .connectorPunctuation { return "C" }
    return scalar.properties.isAlphabetic ? "L" : "O"
  }

  // MARK: - Matching

  /// Returns whether a text meets the clauses of a query.
  package static func matches(_ clauses: [NaiveClause], _ text: String) -> Bool {
    matches(clauses.map { ($0, words($0.text)) }, words(text))
  }

  /// Returns whether a text with the given words meets the clauses of a query, each with its words.
  package static func matches(
    _ clauses: [(clause: NaiveClause, words: [Word])], _ text: [Word]
  ) -> Bool {
    clauses.allSatisfy { clause, words in
      if words.isEmpty { return true }
      return places(clause, words, text).isEmpty == clause.isExcluded
    }
  }

  /// Returns the places of the text at which a clause matches.
  private static func places(_ clause: NaiveClause, _ words: [Word], _ text: [Word]) -> [Int] {
    text.indices.filter { start in
      words.indices.allSatisfy { index in
        let place = start + index
        let word = words[index]
        // The last character of a run at the end of a clause may continue in the text.
        let isOpen = index == words.count - 1 && (word.isLast || clause.isPrefix)
        guard place < text.count else { return false }
        return isOpen
          ? text[place].text.utf8.starts(with: word.text.utf8)
          : Array(text[place].text.utf8) == Array(word.text.utf8)
      }
    }
  }
}
