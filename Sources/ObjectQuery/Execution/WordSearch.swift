import FullText
import ObjectModel
import Rows

/// The search for the words of a full-text query in an index of words.
struct WordSearch: Sendable {
  private let index: IndexLayout
  private let query: TextQuery
  /// Whether the predicate consists of the query alone.
  private let isWhole: Bool

  /// The column of the texts.
  var columns: [LayoutColumn] { index.columns }

  /// Whether the entries may suffice for the answer, so that the texts need not be read.
  var mayBeExact: Bool { isWhole && !query.needsText }

  /// The number of texts with a word, for each text with the rarest word, above which the texts are read instead.
  private static let mostEntries = 64

  /// Returns the search for each entity, if its texts have an index of words. Of several queries, one is enough to find
  /// candidates.
  static func searches(
    _ predicate: BoundPredicate?, _ layouts: [Layout], _ schema: Schema
  ) -> [UInt16: WordSearch] {
    guard let predicate, schema.indexes.contains(where: \.isOfWords) else { return [:] }
    let parts: [BoundPredicate]
    if case .and(let all) = predicate { parts = all } else { parts = [predicate] }
    var found: [UInt16: WordSearch] = [:]
    for part in parts {
      guard case .comparison(let comparison) = part, comparison.modifier == .direct,
        let query = comparison.pattern?.words?.query, let steps = comparison.left.ownSteps,
        steps.count == 1, case .attribute(let column) = steps[0]
      else { continue }
      for layout in layouts where found[layout.entityNumber] == nil {
        guard
          let index = schema.wordIndex(ofEntity: layout.entityNumber, column: column.number)
        else { continue }
        found[layout.entityNumber] = WordSearch(
          index: index, query: query, isWhole: parts.count == 1)
      }
    }
    return found
  }

  /// Returns whether the index saves reading all texts.
  func isKept(in indexed: IndexedView) throws -> Bool { try indexed.isKept(index) }

  /// Returns the objects whose texts may meet the query, in ascending order, and whether all of them meet the predicate.
  func objects(in indexed: IndexedView) throws -> (numbers: [UInt64], isExact: Bool) {
    var isExact = mayBeExact
    let terms = query.terms
    let required = try terms.filter { !$0.isExcluded }.map { term in
      (term: term, count: try indexed.mostKeys(index, in: WordSearch.range(of: term)))
    }
    var numbers: [UInt64]?
    for (term, count) in required.sorted(by: { $0.count < $1.count }) {
      if let known = numbers {
        if known.isEmpty { break }
        if count / known.count > WordSearch.mostEntries {
          isExact = false
          continue
        }
        numbers = known.intersection(try objects(term, indexed))
      } else {
        numbers = try objects(term, indexed)
      }
    }
    var found = numbers ?? []
    if isExact {
      for term in terms where term.isExcluded && !found.isEmpty {
        found = found.subtracting(try objects(term, indexed))
      }
    }
    return (found, isExact)
  }

  /// Returns the range of the entries with a word.
  private static func range(of term: TextQuery.Term) -> IndexRange {
    IndexRange(
      equalTo: IndexBound(
        [.string(String(decoding: term.bytes, as: UTF8.self))], isPrefix: term.isPrefix))
  }

  /// Returns the objects with a word, in ascending order.
  private func objects(_ term: TextQuery.Term, _ indexed: IndexedView) throws -> [UInt64] {
    let found = try indexed.keys(index, in: WordSearch.range(of: term))
    guard term.isPrefix else { return found }
    // A text may contain several words with the same beginning.
    var numbers: [UInt64] = []
    for number in found.sorted() where number != numbers.last { numbers.append(number) }
    return numbers
  }
}

/// Ascending numbers as a set.
extension [UInt64] {
  fileprivate func intersection(_ other: [UInt64]) -> [UInt64] {
    var common: [UInt64] = []
    compare(other) { number, isInBoth in if isInBoth { common.append(number) } }
    return common
  }

  fileprivate func subtracting(_ other: [UInt64]) -> [UInt64] {
    var rest: [UInt64] = []
    compare(other) { number, isInBoth in if !isInBoth { rest.append(number) } }
    return rest
  }

  /// Calls `body` with each number, and with whether the other array contains it.
  private func compare(_ other: [UInt64], _ body: (UInt64, Bool) -> Void) {
    var place = 0
    for number in self {
      while place < other.count, other[place] < number { place += 1 }
      body(number, place < other.count && other[place] == number)
    }
  }
}
