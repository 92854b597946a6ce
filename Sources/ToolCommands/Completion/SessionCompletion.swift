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
    let (words, word, _) = ShellWords.unfinished(line)
    let suggestions = completion.suggestions(for: word, behind: words)
    let part = suggestions.part
    // A part with quotes or backslashes is typed in another form than it is read.
    guard line.hasSuffix(part) else { return LineEditor.Candidates(word: "", all: []) }
    return LineEditor.Candidates(
      word: part,
      all: suggestions.candidates.map { $0.text + ($0.isOpen ? "" : " ") })
  }
}
