/// A part of a text that shows the hits of a query.
///
///     let excerpt = matcher.excerpt(of: note, characterLimit: 80)
///     print(excerpt.marked(start: "[", end: "]"))
package struct TextExcerpt: Sendable, Hashable {
  package let text: String
  /// The hits in ``text``, in UTF-8 bytes from its start. They begin and end between characters.
  package let marks: [Range<Int>]
  /// Whether the original text continues before the excerpt.
  package let isCutAtStart: Bool
  /// Whether the original text continues after the excerpt.
  package let isCutAtEnd: Bool

  /// Returns the excerpt with a text before and after each hit, and with `…` where it is cut.
  package func marked(start: String, end: String) -> String {
    var result = isCutAtStart ? "…" : ""
    var place = text.startIndex
    for mark in marks {
      let first = text.utf8.index(text.startIndex, offsetBy: mark.lowerBound)
      let last = text.utf8.index(text.startIndex, offsetBy: mark.upperBound)
      result += text[place..<first]
      result += start
      result += text[first..<last]
      result += end
      place = last
    }
    result += text[place...]
    if isCutAtEnd { result += "…" }
    return result
  }
}

extension TextMatcher {
  /// Returns the part of a text with the most clauses of the query, and with the most hits among such parts.
  ///
  /// Only the first 1,000 hits can begin the excerpt. A text without hits is shown from its start. The
  /// excerpt begins and ends between words where a space is near.
  ///
  /// - Parameter characterLimit: The largest number of characters. The excerpt has at most 32 times as many bytes,
  ///   because a single character may have any number of marks.
  package mutating func excerpt(of text: String, characterLimit: Int) -> TextExcerpt {
    var finder = ExcerptFinder(text, marks(in: text.utf8.span), characterLimit: characterLimit)
    return finder.excerpt()
  }
}
