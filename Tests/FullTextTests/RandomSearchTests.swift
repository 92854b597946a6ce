import NaiveText
import TestEffort
import Testing

@testable import FullText

@Suite("Random texts")
struct RandomSearchTests {
  /// The full work is large, and the ordinary work is small, because the naive search is slow.
  private func seeds(full: Int, ordinary: Int) -> [UInt64] {
    Effort.seeds(Effort.factor < 1 ? ordinary * 4 : full)
  }

  @Test("A text has the words that the naive search finds")
  func naiveWords() {
    for seed in seeds(full: 5000, ordinary: 300) {
      var random = TextGenerator(seed: seed)
      let text = random.text()

      let found = words(text).map { Array($0.utf8) }

      #expect(
        found == NaiveSearch.words(text).map { Array($0.text.utf8) },
        "seed \(seed): \(text.debugDescription)")
    }
  }

  @Test("The matcher, the index and the naive search give the same answers")
  func naiveAnswers() throws {
    var hits = 0
    let seeds = seeds(full: 10_000, ordinary: 300)
    for seed in seeds {
      var random = TextGenerator(seed: seed)
      let clauses = random.clauses().filter { !NaiveSearch.words($0.text).isEmpty }
      let text = clauses.map(\.query).joined(separator: " ")
      guard clauses.contains(where: { !$0.isExcluded }) else { continue }
      let query = try TextQuery(text)
      var matcher = TextMatcher(query)
      let texts = (0..<4).map { _ in random.text() }

      let found = texts.map { matcher.matches($0) }

      let expected = texts.map { NaiveSearch.matches(clauses, $0) }
      #expect(found == expected, "seed \(seed): \(text.debugDescription) in \(texts)")
      #expect(SmallIndex(texts).find(query) == expected, "seed \(seed): \(text.debugDescription)")
      #expect(try TextQuery(query.description) == query, "seed \(seed): \(text.debugDescription)")
      hits += found.count { $0 }
    }

    // Searches without hits would test little.
    #expect(hits > seeds.count / 8)
  }
}

/// An index over the words of texts.
private struct SmallIndex {
  private let texts: [String]
  private var entries: [[UInt8]: Set<Int>] = [:]

  init(_ texts: [String]) {
    self.texts = texts
    var splitter = WordSplitter()
    for (index, text) in texts.enumerated() {
      splitter.split(text.utf8.span) { word, _ in
        entries[[UInt8](copying: word), default: []].insert(index)
        return true
      }
    }
  }

  /// Returns for each text whether it meets a query.
  func find(_ query: TextQuery) -> [Bool] {
    var candidates = Set(texts.indices)
    for term in query.terms {
      let found =
        term.isPrefix
        ? entries.filter { $0.key.starts(with: term.bytes) }.values.reduce(into: []) {
          $0.formUnion($1)
        }
        : entries[term.bytes] ?? []
      if term.isExcluded { candidates.subtract(found) } else { candidates.formIntersection(found) }
    }
    var matcher = TextMatcher(query)
    return texts.indices.map { index in
      candidates.contains(index) && (!query.needsText || matcher.matches(texts[index]))
    }
  }
}
