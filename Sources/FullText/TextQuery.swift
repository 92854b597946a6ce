/// A full-text query, such as `quick bro* -lazy "exact phrase"`.
///
/// A text meets the query if it contains each required word, prefix and phrase, and no excluded one. There are two ways
/// to find such texts, with the same answer: a ``TextMatcher`` scans a text, and an index looks up ``terms``.
///
///     let query = try TextQuery("quick bro* -lazy")
///     var matcher = TextMatcher(query)
///     let found = notes.filter { matcher.matches($0.utf8.span) }
///
/// An index intersects the texts of the required terms and removes the texts of the excluded terms. If ``needsText`` is
/// true, the result contains every text that meets the query and possibly others, so the matcher must check each one.
package struct TextQuery: Sendable, Hashable {
  /// The largest number of words, which is the number of bits in the state of a matcher.
  package static let wordLimit = 64

  /// A word or a prefix to look up.
  package struct Term: Sendable, Hashable {
    /// The folded word in UTF-8.
    package var bytes: [UInt8]
    /// Whether words that begin with the bytes are meant, and not only the word itself.
    package var isPrefix: Bool
    /// Whether a text must not contain the word.
    package var isExcluded: Bool
  }

  /// A word of a clause.
  struct Word: Sendable, Hashable {
    var bytes: [UInt8]
    var isPrefix: Bool
  }

  /// One or more consecutive words that a text must contain or must not contain.
  struct Clause: Sendable, Hashable {
    var words: [Word]
    var isExcluded: Bool
    /// The clause in its shortest spelling.
    var text: String
  }

  let clauses: [Clause]

  /// Reads a query.
  ///
  /// - Throws: ``TextQueryError`` with the place of the fault and the way to mend it.
  package init(_ text: String) throws(TextQueryError) {
    var parser = TextQueryParser(text)
    clauses = try parser.parse()
  }

  /// The distinct words and prefixes that an index looks up.
  ///
  /// The words of an excluded phrase are left out, because a text without the phrase may contain its words.
  package var terms: [Term] {
    var terms: [Term] = []
    for clause in clauses where !clause.isExcluded || clause.words.count == 1 {
      for word in clause.words {
        let term = Term(
          bytes: word.bytes, isPrefix: word.isPrefix, isExcluded: clause.isExcluded)
        if !terms.contains(term) { terms.append(term) }
      }
    }
    return terms
  }

  /// The distinct words and prefixes of the required clauses, which determine the relevance of a text (spec §15.6).
  package var requiredTerms: [Term] { terms.filter { !$0.isExcluded } }

  /// Whether a matcher must check the texts that an index finds, because a phrase depends on the order of its words.
  package var needsText: Bool { clauses.contains { $0.words.count > 1 } }
}

extension TextQuery: CustomStringConvertible {
  /// The query in its shortest spelling, folded, from which an equal query can be read.
  package var description: String { clauses.map(\.text).joined(separator: " ") }
}
