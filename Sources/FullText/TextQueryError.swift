/// An error of a full-text query that can't be read.
package struct TextQueryError: Error, Sendable, Hashable {
  /// The kind of fault.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The second quotation mark of a phrase is missing.
    package static let unclosedQuote = Code(rawValue: "unclosedQuote")
    /// The query only excludes words.
    package static let onlyExclusions = Code(rawValue: "onlyExclusions")
    /// The query consists of punctuation, or of nothing.
    package static let noWord = Code(rawValue: "noWord")
    /// A `*` is not directly after a word.
    package static let loneStar = Code(rawValue: "loneStar")
    /// A `*` is within a word.
    package static let innerStar = Code(rawValue: "innerStar")
    /// A `-` is not directly before a word.
    package static let loneMinus = Code(rawValue: "loneMinus")
    /// The query has more words than the limit.
    package static let tooManyWords = Code(rawValue: "tooManyWords")
  }

  package let code: Code
  /// The place of the fault in the query, in UTF-8 bytes from its start; `nil` if the query as a whole has the fault.
  package let offset: Int?
  /// The description of the fault and its remedy, in sentences.
  package let message: String
}

extension TextQueryError: CustomStringConvertible {
  package var description: String { message }
}

extension TextQueryError {
  static func unclosedQuote(at offset: Int) -> TextQueryError {
    TextQueryError(
      code: .unclosedQuote, offset: offset,
      message: #"The phrase after this " does not end. Add a " after its last word."#)
  }

  static func onlyExclusions() -> TextQueryError {
    TextQueryError(
      code: .onlyExclusions, offset: nil,
      message: """
        The query only excludes words. Add a word without - that the text must contain.
        """)
  }

  static func noWord() -> TextQueryError {
    TextQueryError(
      code: .noWord, offset: nil,
      message: "The query does not contain a word. Add one with at least one letter or digit.")
  }

  static func loneStar(at offset: Int) -> TextQueryError {
    TextQueryError(
      code: .loneStar, offset: offset,
      message: """
        A word is missing before this *. Write the * directly after the beginning of a word, as in bro*.
        """)
  }

  static func innerStar(at offset: Int) -> TextQueryError {
    TextQueryError(
      code: .innerStar, offset: offset,
      message: """
        A * can only be at the end of a word. Remove it, or put the text in quotation marks to \
        ignore its punctuation.
        """)
  }

  static func loneMinus(at offset: Int) -> TextQueryError {
    TextQueryError(
      code: .loneMinus, offset: offset,
      message: """
        A word is missing after this -. Write the - directly before the word to exclude, or remove it.
        """)
  }

  static func tooManyWords(at offset: Int) -> TextQueryError {
    TextQueryError(
      code: .tooManyWords, offset: offset,
      message: """
        The query has more than \(TextQuery.wordLimit) words, counted with the words of its \
        phrases. Remove the words from here on.
        """)
  }
}
