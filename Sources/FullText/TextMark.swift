/// A part of a text that a query hits.
package struct TextMark: Sendable, Hashable {
  /// The bytes of the text in UTF-8.
  package var range: Range<Int>
  /// The clauses that hit the part, as bits of their last words.
  var clauses: UInt64
}

extension TextMatcher {
  /// Returns the parts of a text that the required clauses of the query hit, in order and without overlaps.
  ///
  /// A phrase is one part, from its first word to its last. A prefix marks the whole word, or one character in a script
  /// without spaces. The text need not meet the query.
  package mutating func marks(in text: Span<UInt8>) -> [TextMark] {
    var marks: [TextMark] = []
    // The starts of the last 64 words. No phrase is longer.
    var starts = InlineArray<64, Int>(repeating: 0)
    let lengths = clauseLengths
    let (required, prefixes) = (requiredEnds, prefixEnds)
    follow(text) { ended, location in
      starts[location.position & 63] = location.range.lowerBound
      var rest = ended & required
      guard rest != 0 else { return }
      let isWhole = rest & ~prefixes != 0
      var mark = TextMark(
        range: location.range.lowerBound..<(isWhole ? location.range.upperBound : location.headEnd),
        clauses: rest)
      while rest != 0 {
        let length = lengths[rest.trailingZeroBitCount]
        let start = starts[(location.position - length + 1) & 63]
        if start < mark.range.lowerBound { mark.range = start..<mark.range.upperBound }
        rest &= rest - 1
      }
      while let last = marks.last, last.range.upperBound >= mark.range.lowerBound {
        mark.range =
          min(
            last.range.lowerBound, mark.range.lowerBound)..<max(
            last.range.upperBound, mark.range.upperBound)
        mark.clauses |= last.clauses
        marks.removeLast()
      }
      marks.append(mark)
    }
    return marks
  }
}
