/// The role of a scalar in a word.
///
/// The classes follow the word breaks of Unicode (UAX #29).
enum ScalarClass: UInt8 {
  /// A scalar outside of words, such as a space, a sign or an emoji.
  case other
  case letter
  /// A letter that a quotation mark may join to another one: `צה"ל`.
  case hebrewLetter
  case digit
  /// A letter of a script without spaces between words.
  case unspaced
  /// A mark that `[d]` ignores after a Latin, Greek or Cyrillic letter.
  case mark
  /// A mark that `[d]` never ignores, because it takes up space beside its letter.
  case spacingMark
  /// An invisible scalar that is left out of words, such as a soft hyphen.
  case ignored
  /// Punctuation that joins letters and digits, such as `_`.
  case connector
  /// An apostrophe, which joins two letters or two digits.
  case apostrophe
  /// A dot that joins two letters, such as `·` in the Catalan `col·lega`.
  case letterDot
  /// A separator between two digits.
  case numberSeparator
  case quotationMark

  /// The letters of the classes in the text of the table, in the order of the cases.
  static let symbols = Array(".LHNXMPICADSQ".utf8)

  /// Whether a word may end with the scalar.
  @inline(__always)
  var endsWords: Bool { rawValue <= ScalarClass.spacingMark.rawValue }
}
