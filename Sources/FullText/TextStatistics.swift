/// The sums over all texts of a search that the relevance of each text depends on (spec §15.6.1).
///
/// All texts count, and not only the texts that meet the query. So the scores do not depend on the way in which the texts
/// that meet it were found.
package struct TextStatistics: Sendable, Hashable {
  package var textCount: Int
  /// The number of words in all texts.
  package var wordCount: Int
  /// For each of ``TextQuery/requiredTerms``, the number of texts with a word that matches the term.
  package var textCounts: [Int]

  package init(textCount: Int, wordCount: Int, textCounts: [Int]) {
    self.textCount = textCount
    self.wordCount = wordCount
    self.textCounts = textCounts
  }

  /// Creates the statistics of no texts.
  package init(_ query: TextQuery) {
    self.init(
      textCount: 0, wordCount: 0, textCounts: Array(repeating: 0, count: query.requiredTerms.count))
  }

  package mutating func add(_ counts: TermCounts) {
    precondition(
      counts.frequencies.count == textCounts.count, "The counts must be those of the same query.")
    textCount += 1
    wordCount += counts.wordCount
    for (index, frequency) in counts.frequencies.enumerated() where frequency > 0 {
      textCounts[index] += 1
    }
  }

  /// Adds the texts of another part of the same search, such as another store.
  package mutating func add(_ part: TextStatistics) {
    precondition(
      part.textCounts.count == textCounts.count, "The statistics must be those of the same query.")
    textCount += part.textCount
    wordCount += part.wordCount
    for (index, count) in part.textCounts.enumerated() { textCounts[index] += count }
  }
}
