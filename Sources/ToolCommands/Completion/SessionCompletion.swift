import CommandInterface

/// The completions of a line of a session.
struct SessionCompletion {
  private let completion: Completion

  init(_ session: Session) {
    completion = Completion(
      of: session.actions.map(\.command), SessionNames(model: session.model),
      commonOptions: [Candidate("--help", "Shows the command's help")])
  }

  /// Returns the words that may replace the last part of the last word of a line.
  func candidates(for line: String) -> LineEditor.Candidates {
    let (words, word, quote) = ShellWords.unfinished(line)
    let suggestions = completion.suggestions(for: word, behind: words, within: quote)
    let part = suggestions.part
    // A part with quotes or backslashes is typed in another form than it is read.
    guard line.hasSuffix(part) else { return LineEditor.Candidates(word: "", all: []) }
    return LineEditor.Candidates(
      word: part,
      all: suggestions.candidates.map { candidate in
        typed(candidate.text, within: quote)
          + (candidate.isOpen ? "" : (quote.map { String($0) } ?? "") + " ")
      })
  }

  /// Returns a word as the user types it in the session, after the given open quote if there is one.
  private func typed(_ word: String, within quote: Character?) -> String {
    let special = quote == nil ? " '\"\\" : quote == "\"" ? "\"\\" : ""
    if quote == "'" { return ShellWords.escaped(word, within: quote) }
    return word.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : String($1) }
  }
}
