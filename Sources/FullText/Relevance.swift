/// Scores how well a text answers a query, by the formula BM25 (spec §15.6).
///
/// A text scores high if it contains the terms often, if few texts contain them, and if it is short. The words of
/// a phrase count one by one. Scores of different queries or of different sets of texts can't be compared.
///
///     var statistics = TextStatistics(query)
///     for note in notes { statistics.add(matcher.counts(in: note.utf8.span)) }
///     let relevance = Relevance(statistics)
///     let score = relevance.score(matcher.counts(in: note.utf8.span))
///
/// The same numbers give the same score, to the last bit, on each machine: the arithmetic, including the
/// logarithm, consists of the basic operations, which IEEE 754 defines exactly.
package struct Relevance: Sendable {
  /// The saturation of repeated terms.
  package static let saturation = 1.2
  /// The influence of a text's length.
  package static let lengthInfluence = 0.75

  /// The weight of each term, which is higher for rarer terms.
  private let weights: [Double]
  private let averageWordCount: Double

  package init(_ statistics: TextStatistics) {
    let textCount = Double(statistics.textCount)
    averageWordCount =
      statistics.textCount > 0 ? Double(statistics.wordCount) / textCount : 0
    weights = statistics.textCounts.map { count in
      let count = Double(min(max(count, 0), statistics.textCount))
      return Self.logarithm(1 + (textCount - count + 0.5) / (count + 0.5))
    }
  }

  /// Returns the score of a text. The score is 0 if the text does not contain a term, and otherwise positive.
  package func score(_ counts: TermCounts) -> Double {
    precondition(
      counts.frequencies.count == weights.count, "The counts must be those of the same query.")
    // If all texts are empty, the average is 0 and can't divide. The score is 0 for each length then.
    let length = averageWordCount > 0 ? Double(counts.wordCount) / averageWordCount : 1
    let damping = Self.saturation * (1 - Self.lengthInfluence + Self.lengthInfluence * length)
    var score = 0.0
    for (weight, frequency) in zip(weights, counts.frequencies) where frequency > 0 {
      let frequency = Double(frequency)
      score += weight * (frequency * (Self.saturation + 1) / (frequency + damping))
    }
    return score
  }

  /// Returns the natural logarithm of a number that is at least 1.
  ///
  /// The logarithms of C libraries differ in the last bit, so two texts could have another order on another machine.
  static func logarithm(_ number: Double) -> Double {
    var exponent = Double(number.exponent)
    var significand = number.significand
    // The series needs the fewest terms for numbers near 1.
    if significand > 1.414_213_562_373_095_1 {
      significand /= 2
      exponent += 1
    }
    let ratio = (significand - 1) / (significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    for divisor in stride(from: 23.0, through: 1, by: -2) { sum = sum * square + 1 / divisor }
    return exponent * 0.693_147_180_559_945_3 + 2 * ratio * sum
  }
}
