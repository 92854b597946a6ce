/// Decides for many texts whether they meet a full-text query.
///
/// The matcher has its tables and buffers ready, so it does not allocate memory for a text. It reads a text once, and
/// only until the answer is certain. A copy of a matcher is independent, so give each thread its own copy.
package struct TextMatcher: Sendable {
  package let query: TextQuery
  var splitter = WordSplitter()
  let words: WordLookup
  /// The bits of the first and of the last words of the clauses.
  let starts: UInt64
  let ends: UInt64
  /// The last words of the required and of the excluded clauses.
  let requiredEnds: UInt64
  /// The last words of clauses that are prefixes.
  let prefixEnds: UInt64
  /// For each bit of a last word, the number of words in its clause.
  let clauseLengths: [Int]
  /// For each of ``TextQuery/requiredTerms``, the bit of its first word in the clauses.
  let termBits: [UInt64]
  private let excludedEnds: UInt64

  /// Prepares a query for many texts.
  package init(_ query: TextQuery) {
    self.query = query
    var starts: UInt64 = 0
    var required: UInt64 = 0
    var excluded: UInt64 = 0
    var prefixes: UInt64 = 0
    var lengths: [Int] = []
    var words: [TextQuery.Word] = []
    for clause in query.clauses {
      starts |= 1 << UInt64(words.count)
      for (length, word) in clause.words.enumerated() {
        words.append(word)
        lengths.append(length + 1)
      }
      let end: UInt64 = 1 << UInt64(words.count - 1)
      if clause.isExcluded { excluded |= end } else { required |= end }
      if words[words.count - 1].isPrefix { prefixes |= end }
    }
    self.words = WordLookup(words)
    termBits = query.requiredTerms.map { term in
      let word = TextQuery.Word(bytes: term.bytes, isPrefix: term.isPrefix)
      return 1 << UInt64(words.firstIndex(of: word)!)
    }
    self.starts = starts
    requiredEnds = required
    excludedEnds = excluded
    prefixEnds = prefixes
    clauseLengths = lengths
    ends = required | excluded
  }

  /// Returns whether a text in UTF-8 meets the query.
  package mutating func matches(_ text: Span<UInt8>) -> Bool {
    let (words, starts, required, excluded) = (words, starts, requiredEnds, excludedEnds)
    var active: UInt64 = 0
    var found: UInt64 = 0
    splitter.split(text) { word, _ in
      // Each bit is a word of a clause. A bit is set if the clause matches up to this word of the text.
      active = (active << 1 | starts) & words.matches(word)
      found |= active
      // An exclusion may follow anywhere in the text, so only a query without exclusions is met before the end.
      return found & excluded == 0 && (excluded != 0 || found & required != required)
    }
    return found & excluded == 0 && found & required == required
  }

  /// Calls a closure with each word of a text, and with the clauses that end there as bits of their last words.
  mutating func follow(_ text: Span<UInt8>, _ body: (UInt64, WordLocation) -> Void) {
    let (words, starts, ends) = (words, starts, ends)
    var active: UInt64 = 0
    splitter.split(text) { word, location in
      active = (active << 1 | starts) & words.matches(word)
      body(active & ends, location)
      return true
    }
  }
}
