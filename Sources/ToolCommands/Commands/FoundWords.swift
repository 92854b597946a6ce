import FullText
import ObjectModel
import ObjectQuery

/// Marks the words that a predicate has found in a text: `…took the [tram] to [Lisbon]…`.
///
/// A reader of a long text wants to see the place of a hit first, so of a longer text only that part is shown.
struct FoundWords {
  /// The matchers of the texts that the predicate looks for words in, by key path.
  private var matchers: [String: TextMatcher] = [:]

  /// The most characters of a text that are shown.
  private static let characterCount = 160

  init(_ predicate: QueryPredicate?) {
    if let predicate { add(predicate) }
  }

  private mutating func add(_ predicate: QueryPredicate) {
    switch predicate {
    case .and(let parts), .or(let parts): for part in parts { add(part) }
    case .comparison(let comparison):
      guard comparison.operation == .text,
        case .keyPath(.evaluatedObject, let path) = comparison.left,
        case .constant(.string(let text)) = comparison.right, let query = try? TextQuery(text)
      else { return }
      matchers[path.joined(separator: ".")] = TextMatcher(query)
    case .constant, .not: break
    }
  }

  /// Returns a text with its found words marked; `nil` if none of the words are looked for in the column.
  mutating func marked(_ text: String, ofColumn name: String) -> String? {
    guard matchers.index(forKey: name) != nil else { return nil }
    let excerpt = matchers[name]!.excerpt(of: text, characterLimit: FoundWords.characterCount)
    return excerpt.marks.isEmpty ? nil : excerpt.marked(start: "[", end: "]")
  }
}
