/// A word that may replace the word that the user is typing, or its last part.
package struct Candidate: Hashable {
  package let text: String
  /// The meaning of the word in a few words; empty if the word says enough.
  package let meaning: String
  /// Whether the user may go on typing in the same word, so that no space follows.
  package let isOpen: Bool

  package init(_ text: String, _ meaning: String = "", isOpen: Bool = false) {
    self.text = text
    self.meaning = meaning
    self.isOpen = isOpen
  }
}

/// The completions of a word.
package struct SuggestedWords {
  /// The beginning of the word, which stays as it is: `name,` of the word `name,sto`.
  package var stem = ""
  /// The words that may follow the beginning.
  package var candidates: [Candidate] = []
  /// The paths that may follow the beginning; `nil` for none.
  package var paths: Paths?
  /// The part of a path that follows the beginning.
  package var part = ""

  /// The kind of paths that a value may be.
  package enum Paths: String {
    case files
    case folders
  }

  package static let none = SuggestedWords()

  /// Creates the completions of `part`, which follows `stem` in the word: the candidates that begin with the part.
  ///
  /// A candidate with control characters is left out. A shell would show them to the terminal, and a line break would
  /// look like the beginning of another candidate.
  package init(_ candidates: [Candidate], for part: some StringProtocol, after stem: String) {
    self.stem = stem
    self.part = String(part)
    self.candidates = candidates.filter { candidate in
      candidate.text.hasPrefix(part) && !candidate.text.isEmpty
        && printable(candidate.text) == candidate.text && !candidate.text.contains("\n")
    }.sorted { $0.text < $1.text }
  }

  /// Returns these completions together with others.
  ///
  /// If the two begin at different places of the word, one kind is enough: the first that has any candidate.
  package func joined(with others: SuggestedWords) -> SuggestedWords {
    guard !candidates.isEmpty, !others.candidates.isEmpty else {
      return candidates.isEmpty ? others : self
    }
    guard stem == others.stem else { return self }
    var all = self
    all.candidates += others.candidates
    return all
  }

  /// Creates the completions of a path, which follows `stem` in the word.
  package init(_ paths: Paths, for part: some StringProtocol, after stem: String) {
    self.stem = stem
    self.paths = paths
    self.part = String(part)
  }

  private init() {}
}
