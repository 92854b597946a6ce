/// One token of Swift source.
struct SourceToken: Equatable {
  enum Kind: Equatable {
    /// A name, a keyword or a name in backticks.
    case word
    case number
    /// A whole string literal with its delimiters and interpolations.
    case string
    case regularExpression
    /// One character that belongs to no other kind of token.
    case mark(Character)
  }

  let kind: Kind
  /// The place of the token: offsets of bytes in the source.
  let range: Range<Int>
  /// Whether the token is the first of its line.
  let beginsLine: Bool
  /// Whether white space or a comment stands before the token.
  let hasSpaceBefore: Bool

  func isMark(_ character: Character) -> Bool { kind == .mark(character) }
}

/// A problem in the source that the compiler shows at its place.
struct SourceProblem: Error, Equatable {
  /// An edit that solves the problem.
  struct Fix: Equatable {
    /// The text of the button that applies the edit.
    let message: String
    let range: Range<Int>
    let text: String

    /// Returns a fix that writes a text in the place of another.
    static func writing(_ text: String, at range: Range<Int>) -> Fix {
      Fix(message: "Write \(text)", range: range, text: text)
    }

    /// Returns a fix that removes a part of the source.
    static func removing(_ part: String, at range: Range<Int>) -> Fix {
      Fix(message: "Remove \(part)", range: range, text: "")
    }
  }

  let message: String
  /// The place of the problem: offsets of bytes in the source.
  let range: Range<Int>
  var fix: Fix?
}

extension SourceProblem {
  init(_ message: String, at range: Range<Int>, fix: Fix? = nil) {
    self.init(message: message, range: range, fix: fix)
  }
}
