/// The frequencies of a query's required terms in one text, and its length.
package struct TermCounts: Sendable, Hashable {
  /// For each of ``TextQuery/requiredTerms``, the number of words in the text that match the term.
  package var frequencies: [Int]
  /// The number of all words in the text.
  package var wordCount: Int

  package init(frequencies: [Int], wordCount: Int) {
    self.frequencies = frequencies
    self.wordCount = wordCount
  }
}
