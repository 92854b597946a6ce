/// Splits a line into words as a shell does: at spaces that are not within quotes.
///
/// Within `'…'` every character is literal. Within `"…"` every character is literal except in `\"` and `\\`. Elsewhere, a
/// backslash makes the next character literal. `#` at the beginning of a word begins a comment.
enum ShellWords {
  /// Returns the words of a line.
  ///
  /// - Throws: ``CommandError`` when a quote is not closed.
  static func split(_ line: String) throws(CommandError) -> [String] {
    var words: [String] = []
    var word: String?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\r", "\n", "\r\n":
        if let done = word { words.append(done) }
        word = nil
      case "#" where word == nil: return words
      case "\\":
        guard let next = rest.popFirst() else {
          throw .wrongUsage("The line ends with a backslash.")
        }
        word = (word ?? "") + String(next)
      case "'", "\"":
        var quoted = ""
        while true {
          guard let next = rest.popFirst() else {
            throw .wrongUsage("A quote \(character) is not closed.")
          }
          if next == character { break }
          if character == "\"", next == "\\", let escaped = rest.first,
            escaped == "\"" || escaped == "\\"
          {
            quoted.append(rest.removeFirst())
          } else {
            quoted.append(next)
          }
        }
        word = (word ?? "") + quoted
      default: word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
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

  /// Returns a word, quoted if necessary so that it is read back as one word.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.allSatisfy {
        $0.isLetter || $0.isNumber || "_-./=+,:@%".contains($0)
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
