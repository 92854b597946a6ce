/// The hidden command of the tool that completes a command line. The completion scripts of shells call it; its form may
/// change with the scripts.
///
/// ```text
/// quire complete [SHELL] -- WORD…
/// ```
///
/// The words are those behind `quire` up to the cursor, and the command completes the last one. It prints one candidate
/// a line, and after a tab the candidate's meaning, if there is one. A candidate is a whole word, the typed part
/// included. If the word may be a path, the command prints a line that begins with a tab instead:
///
/// ```text
/// TAB files TAB STEM TAB PART
/// ```
///
/// The shell then completes PART as the path of a file (or, for `folders`, of a folder), with STEM before it.
///
/// SHELL states the form of the words. The words of `bash` are as the user typed them, with quotes and backslashes, and
/// so are its candidates. From `fish` only the last word is as typed. Without SHELL no word has quotes.
///
/// The command prints no error, changes no file and does not wait for locks. Its exit code is 0.
package struct CompleteCommand {
  package static let name = "complete"

  /// Whether names may come from plug-ins.
  package let usesPlugins: Bool
  private let shell: Shell?
  private let words: [String]
  private let word: String
  /// The quote within which the last word ends.
  private let quote: Character?

  /// Reads the words behind the name of the command.
  package init(_ words: [String]) {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    shell = words[..<end].first.flatMap(Shell.init)
    var typed = words[end...].dropFirst().map { $0 }
    let last = typed.popLast() ?? ""
    (word, quote) = shell == .bash || shell == .fish ? CompleteCommand.read(last) : (last, nil)
    if shell == .bash { typed = typed.map { CompleteCommand.read($0).word } }
    if let index = typed.prefix(while: { $0 != "--" }).firstIndex(of: "--verbose") {
      typed.remove(at: index)
    }
    let options = typed.prefix { $0 != "--" }
    usesPlugins = !options.contains("--no-plugins")
    if let index = options.firstIndex(of: "--no-plugins") { typed.remove(at: index) }
    switch typed.first {
    case "-h", "--help": typed[0] = "help"
    case "--version": typed[0] = "version"
    default: break
    }
    self.words = typed
  }

  private static func read(_ word: String) -> (word: String, quote: Character?) {
    let read = ShellWords.unfinished(word)
    return (read.last, read.quote)
  }

  /// Returns the output of the command.
  package func answer(_ completion: Completion) -> String {
    let suggestions = completion.suggestions(for: word, behind: words, within: quote)
    if let paths = suggestions.paths {
      let fields = ["", paths.rawValue, suggestions.stem, suggestions.part]
      let isPlain = fields.allSatisfy { !$0.contains("\t") && !$0.contains("\n") }
      return isPlain ? fields.joined(separator: "\t") + "\n" : ""
    }
    return suggestions.candidates.map { candidate in
      let word = suggestions.stem + candidate.text
      let shown = shell == .bash ? ShellWords.escaped(word, within: quote) : word
      return shown + (candidate.meaning.isEmpty ? "" : "\t" + oneLine(candidate.meaning)) + "\n"
    }.joined()
  }
}
