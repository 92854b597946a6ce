import TextMatching

/// Returns a suggestion such as `Did you mean 'model'?` with the word of `known` that resembles `word`, or `nil`.
package func suggestion(for word: String, among known: [String]) -> String? {
  var suggestion = NameSuggestion()
  return suggestion.nearest(to: word, among: known).map { "Did you mean '\($0)'?" }
}
