import ObjectModel

/// `Did you mean 'model'?`: the word of `known` that `word` was probably meant to be; `nil` when none
/// is near.
func suggestion(for word: String, among known: [String]) -> String? {
  var suggestion = NameSuggestion()
  return suggestion.nearest(to: word, among: known).map { "Did you mean '\($0)'?" }
}
