// SAFETY: A text is read while the column that contains it exists, at a row of the column's own block.

import FullText
import ObjectModel
import Rows

/// The comparisons with `TEXT` that determine the relevance of objects (spec §15.6).
struct BoundRelevance: Sendable {
  /// One comparison, with at most one text for each object.
  struct Part: Sendable {
    let text: BoundExpression
    let query: TextQuery
  }

  let parts: [Part]

  /// Finds the comparisons of a predicate.
  ///
  /// A comparison within `NOT` rates the objects that are not wanted, and a comparison of several texts, such as one
  /// with `ANY`, can't be rated by one text. So they are left out.
  ///
  /// - Throws: ``QueryError`` if no comparison is left.
  init(_ predicate: BoundPredicate?) throws(QueryError) {
    parts = predicate.map(BoundRelevance.parts) ?? []
    guard parts.isEmpty else { return }
    throw QueryError(
      .notSupported,
      """
      Can't sort by relevance: the predicate looks for no words. Add a condition such as \
      note TEXT 'lisbon tram', outside of NOT, ANY, ALL and SUBQUERY.
      """)
  }

  private static func parts(_ predicate: BoundPredicate) -> [Part] {
    switch predicate {
    case .constant, .not: return []
    case .and(let all), .or(let all): return all.flatMap(parts)
    case .comparison(let comparison):
      guard comparison.modifier == .direct, let query = comparison.pattern?.words?.query else {
        return []
      }
      return [Part(text: comparison.left, query: query)]
    }
  }

  /// Returns the sums over the texts of all objects of some entities. Every text is read, because an index of words does
  /// not contain the number of words in a text.
  func statistics(
    _ layouts: [Layout], _ run: ScanRun, _ interpreter: Interpreter
  ) throws -> RelevanceStatistics {
    var statistics = RelevanceStatistics(parts: parts.map { TextStatistics($0.query) })
    var matchers = parts.map { TextMatcher($0.query) }
    var counts = TermCounts(frequencies: [], wordCount: 0)
    for reader in try BatchReader.all(of: layouts, in: run.source) {
      unsafe try run.select(.constant(true), reader) { flags in
        for (index, part) in parts.enumerated() {
          if let column = part.column {
            let texts = try reader.column(column)
            let raw = unsafe texts.raw
            unsafe flags.forEachKept { row in
              if unsafe raw.isNull(row) { return }
              unsafe matchers[index].count(
                raw.bytes(row).bindMemory(to: UInt8.self).span, into: &counts)
              statistics.parts[index].add(counts)
            }
            continue
          }
          unsafe try flags.forEachKept { row in
            guard let text = try interpreter.value(part.text, for: reader.subject(row)).text
            else { return }
            matchers[index].count(text.utf8.span, into: &counts)
            statistics.parts[index].add(counts)
          }
        }
      }
    }
    return statistics
  }
}

extension BoundRelevance.Part {
  /// The column with the texts, if they are values of the objects themselves.
  fileprivate var column: LayoutColumn? {
    guard let steps = text.ownSteps, steps.count == 1, case .attribute(let column) = steps[0],
      column.kind == .string || column.kind == .uri
    else { return nil }
    return column
  }
}
