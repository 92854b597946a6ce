/// Writes the lines of a list: all of them to a file or a pipe, and to a terminal as many as it has room for.
///
/// Write each line, and at the end let the list note how many lines of a kind had no room.
package struct ScreenfulOfLines {
  private let console: Console
  private let most: Int
  /// The number of lines, also of those that are not shown.
  package private(set) var count = 0

  /// - Parameter showsAll: Whether a terminal gets all lines.
  package init(_ console: Console, showsAll: Bool = false) {
    self.console = console
    let height = console.output.isTerminal && !showsAll ? console.height : nil
    // A terminal also needs room for the command, the notes and the prompt.
    most = height.map { max(5, $0 - 6) } ?? .max
  }

  /// Writes a line if there is room for it. Only then is the line made.
  package mutating func write(_ line: () -> String) throws {
    if count < most { try console.output.writeLine(line()) }
    count += 1
  }

  /// Prints the number of lines that were not shown.
  ///
  /// - Parameter word: The word for a line, in the singular.
  package func noteRest(of word: String) throws {
    guard count > most else { return }
    let rest = count - most
    try console.messages.writeLine(
      "\(rest) more \(word)\(rest == 1 ? "" : "s"). '--all' shows all.")
  }
}
