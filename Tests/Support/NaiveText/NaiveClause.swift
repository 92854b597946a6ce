/// A part of a query as the naive search takes it.
package struct NaiveClause: Sendable {
  package var text: String
  package var isPhrase: Bool
  package var isPrefix: Bool
  package var isExcluded: Bool

  /// The clause in the language of queries.
  package var query: String {
    (isExcluded ? "-" : "") + (isPhrase ? "\"\(text)\"" : text) + (isPrefix ? "*" : "")
  }
}
