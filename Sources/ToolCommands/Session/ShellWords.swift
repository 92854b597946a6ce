/// Splits a line into words as a shell does: at spaces that are not within quotes.
///
/// Within `'…'` every character is literal. Within `"…"` every character is literal except in `\"` and `\\`. Elsewhere,
/// a backslash makes the next character literal. `#` at the beginning of a word begins a comment.
enum ShellWords {
  /// Returns the words of a line.
  ///
  /// - Throws: ``CommandError`` when a quote is not closed.
  static func split(_ line: String) throws(CommandError) -> [String] {
    let scan = Scan(line)
    if let quote = scan.quote { throw .wrongUsage("A quote \(quote) is not closed.") }
    if scan.endsInBackslash { throw .wrongUsage("The line ends with a backslash.") }
    return scan.words + (scan.word.map { [$0] } ?? [])
  }

  /// Returns the words of a line that the user has not finished: the finished words, the last word, and the quote
  /// within which the line ends.
  ///
  /// The last word is empty after a space.
  static func unfinished(_ line: String) -> (words: [String], last: String, quote: Character?) {
    let scan = Scan(line)
    return (scan.words, scan.word ?? "", scan.quote)
  }

  /// Returns the parts of a line between its spaces outside of quotes, with the quotes.
  static func pieces(of line: String) -> [String] {
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

    init(_ line: String) {
      var rest = line[...]
      while let character = rest.popFirst() {
        switch character {
        case " ", "\t", "\r", "\n", "\r\n":
          if let done = word { words.append(done) }
          word = nil
        case "#" where word == nil: return
        case "\\":
          guard let next = rest.popFirst() else {
            endsInBackslash = true
            return
          }
          word = (word ?? "") + String(next)
        case "'", "\"": readQuote(character, &rest)
        default: word = (word ?? "") + String(character)
        }
      }
    }

    private mutating func readQuote(_ quote: Character, _ rest: inout Substring) {
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
  static func quoted(_ word: String) -> String {
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
  static func escaped(_ word: String, within quote: Character?) -> String {
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
