/// A manual page in the language of troff, with the macros of man(7).
package struct Roff {
  package private(set) var text: String
  /// Whether the last line is a heading, behind which no macro begins a paragraph.
  private var isAfterHeading = false

  /// The first line of each page that the tool writes. A file with this line may be replaced by a newer page.
  package static let firstLine = ".\\\" Written by 'quire man'."
  /// The maximum width of a line of the source, for programs that check pages.
  private static let width = 78

  package init(_ title: String, section: Int, source: String, manual: String) {
    let fields = [title.uppercased(), "\(section)", "", source, manual]
    text = Roff.firstLine + "\n.TH " + fields.map(Roff.argument).joined(separator: " ") + "\n"
    // Names such as quire-fetch must not be broken, and a wide gap between options looks like two columns.
    for request in [".nh", ".ad l"] { add(request) }
  }

  // MARK: - Parts of a page

  package mutating func section(_ heading: String) {
    add(".SH \(Roff.argument(heading))")
    isAfterHeading = true
  }

  /// Adds a paragraph of text that is escaped already.
  package mutating func paragraph(_ escaped: String) {
    if !isAfterHeading { add(".PP") }
    add(lines: escaped)
  }

  /// Adds lines of text that is escaped already, without a paragraph before them.
  package mutating func add(lines escaped: String) {
    var line = ""
    for word in escaped.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > Roff.width {
        add(Roff.guarded(line))
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty { add(Roff.guarded(line)) }
  }

  /// Ends the line of the text before.
  package mutating func breakLine() { add(".br") }

  /// Adds a term and its meaning, both escaped already.
  package mutating func definition(_ term: String, _ meaning: String) {
    add(".TP")
    add(Roff.guarded(term))
    add(lines: meaning)
  }

  /// Adds a line that keeps its spaces and is not filled.
  package mutating func literal(_ line: String) {
    for request in [".PP", ".RS 4", ".nf"] { add(request) }
    add(Roff.guarded(Roff.bold(line)))
    for request in [".fi", ".RE"] { add(request) }
  }

  /// Adds definitions with a deeper indentation.
  package mutating func indented(_ body: (inout Roff) -> Void) {
    add(".RS")
    body(&self)
    add(".RE")
  }

  private mutating func add(_ line: String) {
    text += line + "\n"
    isAfterHeading = false
  }

  // MARK: - Escaping

  /// Returns text in the form in which troff prints it, within a line.
  ///
  /// Some of these characters would be printed as typographic ones otherwise, which a terminal's user can't copy into a
  /// command: hyphens, quotes, carets and tildes.
  package static func escaped(_ text: some StringProtocol) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case _ where scalar.value == 0x20 || (0x21..<0x7F).contains(scalar.value):
        result.unicodeScalars.append(scalar)
      case _ where scalar.properties.isWhitespace: result += " "
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
  }

  package static func bold(_ text: some StringProtocol) -> String { "\\fB\(escaped(text))\\fR" }

  package static func italic(_ text: some StringProtocol) -> String { "\\fI\(escaped(text))\\fR" }

  /// Returns text in which lines are not broken.
  package static func unbreakable(_ escaped: String) -> String {
    escaped.replacing(" ", with: "\\~")
  }

  /// Returns a line that begins with no control character.
  private static func guarded(_ line: String) -> String {
    line.first == "." || line.first == "'" ? "\\&" + line : line
  }

  /// Returns text as an argument of a macro.
  private static func argument(_ text: String) -> String { "\"\(escaped(text))\"" }
}
