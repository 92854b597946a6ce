/// The place of a word in its text.
package struct WordLocation: Sendable, Hashable {
  /// The role of a word in its text.
  package enum Kind: Sendable, Hashable {
    /// A word of letters and digits.
    case ordinary
    /// Two neighbours in a run of a script without spaces.
    case pair
    /// The last character of such a run, which begins no pair.
    case last
  }

  /// The number of words before this one.
  package var position: Int
  /// The bytes of the text from which the word was made.
  package var range: Range<Int>
  package var kind: Kind
  /// The end of the first character of a pair in the text, and otherwise the end of ``range``.
  package var headEnd: Int
  /// The number of bytes in the folded first character of a pair, and otherwise in the whole word.
  package var headByteCount: Int
}
