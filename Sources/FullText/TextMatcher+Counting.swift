extension TextMatcher {
  /// Returns how often a text in UTF-8 contains each of ``TextQuery/requiredTerms``, and its number of words.
  package mutating func counts(in text: Span<UInt8>) -> TermCounts {
    var counts = TermCounts(frequencies: [], wordCount: 0)
    count(text, into: &counts)
    return counts
  }

  /// Counts as ``counts(in:)`` does, into counts of the caller, so that a scan of many texts does not allocate.
  package mutating func count(_ text: Span<UInt8>, into counts: inout TermCounts) {
    let (words, terms) = (words, termBits)
    counts.frequencies.removeAll(keepingCapacity: true)
    counts.frequencies.append(contentsOf: repeatElement(0, count: terms.count))
    counts.wordCount = 0
    splitter.split(text) { word, _ in
      counts.wordCount += 1
      let found = words.matches(word)
      if found != 0 {
        for (index, bit) in terms.enumerated() where found & bit != 0 {
          counts.frequencies[index] += 1
        }
      }
      return true
    }
  }
}
