import Foundation
import NaiveText
import ObjectModel
import ObjectQuery

/// A random predicate for notes with one or two full-text queries, and its naive evaluation.
struct NoteQuery {
  /// A full-text query over one text.
  private struct Part {
    let field: String
    let clauses: [(clause: NaiveClause, words: [NaiveSearch.Word])]

    init(_ generator: inout TextGenerator) {
      field = generator.any(["title", "body", "body"])
      var clauses: [(clause: NaiveClause, words: [NaiveSearch.Word])] = []
      // A query needs a required clause with a word.
      while !clauses.contains(where: { !$0.clause.isExcluded }) {
        clauses = generator.clauses().map { ($0, NaiveSearch.words($0.text)) }
          .filter { !$0.words.isEmpty }
      }
      self.clauses = clauses
    }

    var predicate: QueryPredicate {
      .comparison(
        .init(
          .path(field), .text,
          .constant(.string(clauses.map(\.clause.query).joined(separator: " ")))))
    }

    func isMet(by words: [String: [NaiveSearch.Word]]) -> Bool {
      words[field].map { NaiveSearch.matches(clauses, $0) } ?? false
    }
  }

  private enum Form: CaseIterable {
    case alone, both, either, excluded, withRank, notAlone
  }

  private let form: Form
  private let parts: [Part]

  init(_ generator: inout TextGenerator) {
    form = generator.any(Form.allCases + [.alone, .alone])
    let count = [.both, .either, .excluded].contains(form) ? 2 : 1
    var parts: [Part] = []
    for _ in 0..<count { parts.append(Part(&generator)) }
    self.parts = parts
  }

  var predicate: QueryPredicate {
    let all = parts.map(\.predicate)
    let ranked = QueryPredicate.comparison(
      .init(.path("rank"), .greaterThan, .constant(.integer(1))))
    return switch form {
    case .alone: all[0]
    case .both: .and(all)
    case .either: .or(all)
    case .excluded: .and([all[0], .not(all[1])])
    case .withRank: .and([ranked, all[0]])
    case .notAlone: .not(all[0])
    }
  }

  func isMet(by words: [String: [NaiveSearch.Word]], rank: Int64) -> Bool {
    let met = parts.map { $0.isMet(by: words) }
    return switch form {
    case .alone: met[0]
    case .both: met[0] && met[1]
    case .either: met[0] || met[1]
    case .excluded: met[0] && !met[1]
    case .withRank: met[0] && rank > 1
    case .notAlone: !met[0]
    }
  }

  // MARK: - Relevance

  /// Whether the predicate has a query that counts for the relevance.
  var hasRelevance: Bool { form != .notAlone }

  /// Returns the relevance of each note among some notes.
  func scores(of notes: [[String: [NaiveSearch.Word]]]) -> [Double] {
    var scores = [Double](repeating: 0, count: notes.count)
    for part in form == .excluded ? [parts[0]] : parts {
      let texts = notes.map { $0[part.field] }
      let lengths = texts.compactMap { $0?.count }
      let average = Double(lengths.reduce(0, +)) / Double(max(lengths.count, 1))
      for term in Set(part.clauses.flatMap(NoteQuery.terms)) {
        let frequencies = texts.map { text in
          text.map { $0.count { term.matches($0) } } ?? 0
        }
        let textCount = Double(frequencies.count { $0 > 0 })
        let weight = log(1 + (Double(lengths.count) - textCount + 0.5) / (textCount + 0.5))
        for (index, frequency) in frequencies.enumerated() where frequency > 0 {
          let damping = 1.2 * (0.25 + 0.75 * Double(texts[index]!.count) / average)
          scores[index] += weight * Double(frequency) * 2.2 / (Double(frequency) + damping)
        }
      }
    }
    return scores
  }

  private struct Term: Hashable {
    let bytes: [UInt8]
    let isPrefix: Bool

    func matches(_ word: NaiveSearch.Word) -> Bool {
      isPrefix ? word.text.utf8.starts(with: bytes) : word.text.utf8.elementsEqual(bytes)
    }
  }

  /// Returns the words of a required clause. The last character of a run is a prefix, or part of the pair before it.
  private static func terms(
    _ clause: NaiveClause, _ words: [NaiveSearch.Word]
  ) -> [Term] {
    guard !clause.isExcluded else { return [] }
    var words = words[...]
    var isPrefix = clause.isPrefix
    if words.last?.isLast == true {
      let hasPair = words.dropLast().last?.isPair == true
      if hasPair { words.removeLast() }
      isPrefix = !hasPair
    }
    return words.enumerated().map { index, word in
      Term(bytes: Array(word.text.utf8), isPrefix: isPrefix && index == words.count - 1)
    }
  }
}
