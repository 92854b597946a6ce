import Foundation
import SeededRandom
import TestEffort
import Testing

@testable import FullText

@Suite("Relevance")
struct RelevanceTests {
  /// Returns the texts with their scores, the most relevant first.
  private func ranked(_ query: String, _ texts: [String]) throws -> [(text: String, score: Double)]
  {
    let query = try TextQuery(query)
    var matcher = TextMatcher(query)
    var statistics = TextStatistics(query)
    let counts = texts.map { matcher.counts(in: $0.utf8.span) }
    for count in counts { statistics.add(count) }
    let relevance = Relevance(statistics)
    return zip(texts, counts.map(relevance.score)).map { ($0, $1) }.sorted { $0.1 > $1.1 }
  }

  @Test(
    "Frequent terms, rare terms and short texts score higher",
    arguments: [
      ("a", ["a b b b", "a a b b", "b b b b"], "a a b b"),
      ("a", ["a b b b b b", "a b", "c"], "a b"),
      ("rare common", ["common x", "rare x", "common y", "common z"], "rare x"),
      ("\"common rare\"", ["common x", "rare x", "common y", "common z"], "rare x"),
      ("a -b", ["b", "a"], "a"),
      ("bro*", ["bread brown", "brown bronze", "bread bread"], "brown bronze"),
      ("東京", ["京都 東京", "大阪 京都", "東京 東京"], "東京 東京"),
    ])
  func order(_ query: String, _ texts: [String], _ first: String) throws {
    let ranked = try ranked(query, texts)

    #expect(ranked[0].text == first)
    #expect(ranked[0].score > ranked[1].score)
  }

  @Test("A term is counted once, whatever the number of its clauses")
  func terms() throws {
    let query = try TextQuery("fox \"brown fox\" fox* -dog -\"red fox\"")
    var matcher = TextMatcher(query)

    let counts = matcher.counts(in: "The Fox, a foxy brown fox; a red dog".utf8.span)

    // The terms are the words fox and brown, and the prefix fox.
    #expect(
      query.requiredTerms.map { String(decoding: $0.bytes, as: UTF8.self) }
        == ["fox", "brown", "fox"])
    #expect(counts == TermCounts(frequencies: [2, 1, 3], wordCount: 9))
  }

  @Test("The score is that of BM25 with k1 = 1.2 and b = 0.75")
  func formula() {
    let relevance = Relevance(TextStatistics(textCount: 10, wordCount: 50, textCounts: [3, 10]))

    let score = relevance.score(TermCounts(frequencies: [2, 1], wordCount: 8))

    let damping = 1.2 * (1 - 0.75 + 0.75 * 8 / 5)
    let rare = log(1 + (10 - 3 + 0.5) / 3.5) * (2 * 2.2 / (2 + damping))
    let common = log(1 + 0.5 / 10.5) * (2.2 / (1 + damping))
    #expect(abs(score - rare - common) < 1e-14)
    // The last bit is the same on each machine.
    #expect(score.bitPattern == 4_608_914_351_504_041_060)
  }

  @Test("The statistics of two parts are those of all texts")
  func parts() throws {
    let query = try TextQuery("a b*")
    var matcher = TextMatcher(query)
    let counts = ["a", "b c", "", "a bb b", "d"].map { matcher.counts(in: $0.utf8.span) }
    var (all, first, second) = (
      TextStatistics(query), TextStatistics(query), TextStatistics(query)
    )
    for count in counts { all.add(count) }
    for count in counts[..<2] { first.add(count) }
    for count in counts[2...] { second.add(count) }

    first.add(second)

    #expect(first == all)
    #expect(all == TextStatistics(textCount: 5, wordCount: 7, textCounts: [2, 2]))
  }

  @Test("No texts, and texts without words, score 0")
  func nothing() throws {
    let relevance = Relevance(TextStatistics(try TextQuery("a b")))

    #expect(relevance.score(TermCounts(frequencies: [0, 0], wordCount: 0)) == 0)
    #expect(try ranked("a", ["", ""]).map(\.score) == [0, 0])
  }

  @Test("Counts beyond the number of texts give a finite score")
  func excess() {
    let relevance = Relevance(TextStatistics(textCount: 1, wordCount: 0, textCounts: [.max]))

    let score = relevance.score(TermCounts(frequencies: [.max], wordCount: .max))

    #expect(score.isFinite && score >= 0)
  }

  @Test("The logarithm differs from the C library's by at most three units in the last place")
  func logarithm() {
    for seed in Effort.seeds(20_000) {
      var random = SeededGenerator(seed: seed)
      let number = 1 + pow(10, Double.random(in: -6...15, using: &random))
      let expected = log(number)
      #expect(
        abs(Relevance.logarithm(number) - expected) <= 3 * max(expected.ulp, 1e-16),
        "seed \(seed): \(number)")
    }
    #expect(Relevance.logarithm(1) == 0)
  }
}
