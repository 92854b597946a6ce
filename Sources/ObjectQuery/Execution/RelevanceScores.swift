import FullText

/// A calculator of the relevance of single objects (spec §15.6).
struct RelevanceScores {
  private struct Part {
    let text: BoundExpression
    var matcher: TextMatcher
    let relevance: Relevance
  }

  private var parts: [Part]
  private var counts = TermCounts(frequencies: [], wordCount: 0)

  init(_ relevance: BoundRelevance, _ statistics: RelevanceStatistics) {
    parts = zip(relevance.parts, statistics.parts).map { part, statistics in
      Part(
        text: part.text, matcher: TextMatcher(part.query), relevance: Relevance(statistics))
    }
  }

  /// Returns the sum of an object's scores for all comparisons. A missing text adds nothing.
  mutating func score(of subject: Subject, _ interpreter: Interpreter) throws -> Double {
    var score = 0.0
    for index in parts.indices {
      guard let text = try interpreter.value(parts[index].text, for: subject).text else { continue }
      parts[index].matcher.count(text.utf8.span, into: &counts)
      score += parts[index].relevance.score(counts)
    }
    return score
  }
}
