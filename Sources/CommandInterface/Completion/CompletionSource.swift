/// A source of the words that the commands' own descriptions don't contain: the names in models, stores and documents.
package protocol CompletionSource {
  /// Returns the completions of a value of the given kind.
  ///
  /// - Parameters:
  ///   - value: The beginning of the value.
  ///   - stem: The part of the word before the value.
  ///   - line: The line that contains the word.
  func suggestions(
    of kind: ValueKind, for value: String, after stem: String, in line: PartialLine
  ) -> SuggestedWords
}
