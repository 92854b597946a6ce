/// Splits a line into words as a shell does: at spaces that are not within quotes.
///
/// Within `'…'` every character is literal. Within `"…"` every character is literal except in `\"` and `\\`. Elsewhere,
/// a backslash makes the next character literal, and joins two lines. `#` at the beginning of a word begins a comment,
/// which ends with its line.
package enum ShellWords {
  /// Returns the words of a line.
  ///
  /// - Throws: ``CommandError`` when a quote is not closed.
  package static func split(_ line: String) throws(CommandError) -> [String] {
    try Scan(line).finishedWords()
  }

  /// Returns the words of a line up to its first word that begins with one of some characters outside of quotes, and
  /// the rest of the line.
  ///
  /// - Throws: ``CommandError`` when a quote is not closed.
  package static func split(
    _ line: String, before marks: String
  ) throws(CommandError) -> (words: [String], rest: Substring) {
    let scan = Scan(line, before: marks)
    return (try scan.finishedWords(), scan.rest)
  }

  /// The state in which a line ends.
  package struct LineEnd: Hashable {
    /// The quote that the line leaves open.
    package var quote: Character?
    package var hasBackslash = false

    /// Whether the command goes on in the next line.
    package var isOpen: Bool { quote != nil || hasBackslash }
  }

  /// Returns the state in which a line ends that follows a line with the state `before`.
  package static func end(of line: String, after before: LineEnd = LineEnd()) -> LineEnd {
    let scan = Scan(line, within: before.quote)
    return LineEnd(quote: scan.quote, hasBackslash: scan.endsInBackslash)
  }

  /// Returns the words of a line that the user has not finished: the finished words, the last word, and the quote
  /// within which the line ends.
  ///
  /// The last word is empty after a space.
  package static func unfinished(_ line: String) -> (
    words: [String], last: String, quote: Character?
  ) {
    let scan = Scan(line)
    return (scan.words, scan.word ?? "", scan.quote)
  }

  /// Returns the parts of a line between its spaces outside of quotes, with the quotes.
  package static func pieces(of line: String) -> [String] {
    var quote: Character?
    return line.split { character in
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      }
      return quote == nil && character == " "
    }.map(String.init)
  }

  /// The words of a line that may end within a word.
  private struct Scan {
    var words: [String] = []
    /// The word in which the line ends; `nil` after a space.
    var word: String?
    /// The quote within which the line ends.
    var quote: Character?
    var endsInBackslash = false
    /// The part of the line that is not read.
    var rest: Substring

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - open: The quote within which the line begins.
    ///   - marks: The characters before which the scan ends if they begin a word outside of quotes.
    init(_ line: String, within open: Character? = nil, before marks: String = "") {
      rest = line[...]
      if let open { readQuote(open) }
      while let character = rest.first {
        if word == nil, marks.contains(character) { return }
        rest.removeFirst()
        switch character {
        case " ", "\t", "\r", "\n", "\r\n":
          if let done = word { words.append(done) }
          word = nil
        case "#" where word == nil: rest = rest.drop { !$0.isNewline }
        case "\\":
          guard let next = rest.popFirst() else {
            endsInBackslash = true
            return
          }
          if !next.isNewline { word = (word ?? "") + String(next) }
        case "'", "\"": readQuote(character)
        default: word = (word ?? "") + String(character)
        }
      }
    }

    func finishedWords() throws(CommandError) -> [String] {
      if let quote { throw .wrongUsage("A quote \(quote) is not closed.") }
      if endsInBackslash { throw .wrongUsage("The line ends with a backslash.") }
      return words + (word.map { [$0] } ?? [])
    }

    private mutating func readQuote(_ quote: Character) {
      var quoted = ""
      self.quote = quote
      while let next = rest.popFirst() {
        if next == quote {
          self.quote = nil
          break
        }
        if quote == "\"", next == "\\", let escaped = rest.first,
          escaped == "\"" || escaped == "\\"
        {
          quoted.append(rest.removeFirst())
        } else {
          quoted.append(next)
        }
      }
      word = (word ?? "") + quoted
    }
  }

  /// Returns a word, quoted if necessary so that it is read back as one word.
  package static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.allSatisfy {
        $0.isLetter || $0.isNumber || "_-./=+,:@%".contains($0)
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Returns a word in the form in which a shell reads it back, after the given open quote if there is one.
  ///
  /// Unlike ``quoted(_:)``, the method adds no quotes. The beginning of the result is then also the beginning of the
  /// word as the user typed it.
  package static func escaped(_ word: String, within quote: Character?) -> String {
    switch quote {
    case "'": return word.replacing("'", with: "'\\''")
    case "\"":
      return word.reduce(into: "") { $0 += "\"\\$`".contains($1) ? "\\\($1)" : String($1) }
    default:
      return word.reduce(into: "") { result, character in
        let isSpecial = " \t'\"\\$`&;|<>()*?[]{}!#~".contains(character)
        result += isSpecial ? "\\\(character)" : String(character)
      }
    }
  }
}
