/// The layout of help: text in lines of a limited width.
package enum HelpText {
  /// The maximum width of help that does not appear on a terminal.
  package static let maximumWidth = 100

  /// Returns two columns with terms on the left and their meanings on the right.
  ///
  /// - Parameter others: Terms of other lists, whose meanings begin in the same column.
  package static func definitions(
    _ rows: [(term: String, meaning: String)], alignedWith others: [String] = [], width: Int
  ) -> String {
    let column = min(24, ((rows.map(\.term) + others).map(\.count).max() ?? 0) + 4)
    return rows.map { row in
      let meaning = wrapped(row.meaning, width: width, indent: column)
      // A term that is too long for its column gets its own line.
      if row.term.count + 4 > column {
        return wrapped(row.term, width: width, indent: 2, hanging: 6) + "\n\(meaning)"
      }
      return "  \(row.term)" + meaning.dropFirst(row.term.count + 2)
    }.joined(separator: "\n")
  }

  /// Returns the text, broken between words into lines of at most `width` columns. A longer word is broken before one
  /// of its vertical bars, as in `--format text|json`.
  ///
  /// - Parameters:
  ///   - indent: The number of spaces before the first line.
  ///   - hanging: The number of spaces before each other line; `nil` for as many as before the first line.
  package static func wrapped(_ text: String, width: Int, indent: Int = 0, hanging: Int? = nil)
    -> String
  {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    return lines(of: words, width: width, indent: indent, hanging: hanging)
  }

  /// Returns a line of a shell, broken between its words into lines that a shell reads as one.
  package static func commandLine(_ line: String, width: Int) -> String {
    // An option stays on the line of its value.
    let pieces = ShellWords.pieces(of: line).reduce(into: [String]()) { pieces, piece in
      if let last = pieces.last, last.hasPrefix("--"), !last.contains("="), !piece.hasPrefix("-") {
        pieces[pieces.count - 1] += " " + piece
      } else {
        pieces.append(piece)
      }
    }
    return lines(of: pieces, width: width, indent: 2, hanging: 8, ending: " \\")
  }

  /// Returns the words in lines of at most `width` columns.
  ///
  /// - Parameter ending: The end of each line but the last.
  private static func lines(
    of words: [String], width: Int, indent: Int, hanging: Int?, ending: String = ""
  ) -> String {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    func breakLine() {
      lines.append(line + ending)
      line = String(repeating: " ", count: hanging ?? indent)
      isEmpty = true
    }
    for (index, word) in words.enumerated() {
      let room = width - (index + 1 == words.count ? 0 : ending.count)
      if !isEmpty, line.count + 1 + word.count > room { breakLine() }
      if !isEmpty { line += " " }
      isEmpty = false
      guard line.count + word.count > room, ending.isEmpty else {
        line += word
        continue
      }
      for (index, part) in word.split(separator: "|").enumerated() {
        let piece = index == 0 ? String(part) : "|\(part)"
        if index > 0, line.count + piece.count > width { breakLine() }
        line += piece
        isEmpty = false
      }
    }
    return (lines + [line]).joined(separator: "\n")
  }

  package static func sentence(_ phrase: String) -> String {
    phrase.prefix(1).uppercased() + phrase.dropFirst() + "."
  }
}

extension Console {
  /// Writes a help, in lines that fit the terminal. Without a terminal a line has at most
  /// ``HelpText/maximumWidth`` columns.
  ///
  /// All help text is written by this method.
  ///
  /// - Parameters:
  ///   - help: Returns the help in lines of the given width.
  ///   - stream: The stream; `nil` for the output.
  package func writeHelp(_ help: (_ width: Int) -> String, to stream: Stream? = nil) throws {
    let stream = stream ?? output
    try stream.write(help(stream.isTerminal ? width : min(width, HelpText.maximumWidth)))
  }
}
