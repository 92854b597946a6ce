import ObjectModel

/// One token of a model's text, with its place.
struct ModelTextToken {
  enum Kind: Hashable {
    /// A word: a name, a keyword or a type.
    case name(String)
    /// A text in quotation marks, with the escapes replaced.
    case string(String)
    /// A number, in the digits of the source.
    case number(String)
    /// One of `: , = ? [ ] . ... -`.
    case symbol(String)
  }

  var kind: Kind
  var place = ModelTextFault.Place()

  var text: String {
    switch kind {
    case .name(let name): name
    case .string(let text): ModelTextToken.quoted(text)
    case .number(let digits): digits
    case .symbol(let symbol): symbol
    }
  }

  /// Returns whether a name can be written without quotation marks.
  static func isPlain(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, ModelTextScanner.beginsName(first) else {
      return false
    }
    return name.unicodeScalars.allSatisfy(ModelTextScanner.isInName)
  }

  private static func quoted(_ text: String) -> String {
    text.inQuotationMarks { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: nil
      }
    }
  }
}

/// One statement of a model's text: its tokens, and the comments that stand with it.
struct ModelTextStatement {
  /// The tokens. They are empty after the last statement, if comments follow it.
  var tokens: [ModelTextToken] = []
  /// The comments before the statement, one for each line. An empty text is an empty line.
  var linesBefore: [String] = []
  /// The comment at the end of the statement's line.
  var trailingComment: String?

  /// Whether the statement begins a part of the model, and is not a member of the part before it.
  var isHeader: Bool {
    guard case .name(let word) = tokens.first?.kind else { return tokens.isEmpty }
    guard ModelTextReader.headers.contains(word) else { return false }
    return tokens.count < 2 || tokens[1].kind != .symbol(":")
  }
}

/// A scanner that divides the text of a model into statements.
///
/// A statement is one line. A line that ends with a comma is continued by the next line.
struct ModelTextScanner {
  private var statements: [ModelTextStatement] = []
  private var current = ModelTextStatement()

  /// Returns the statements of a text.
  ///
  /// - Throws: ``ModelTextFault`` for the first place that contains no token.
  static func statements(_ bytes: [UInt8]) throws(ModelTextFault) -> [ModelTextStatement] {
    var rest = bytes[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    var scanner = ModelTextScanner()
    var number = 0
    while let line = nextLine(&rest) {
      number += 1
      guard let text = String(validating: line, as: UTF8.self) else {
        throw ModelTextFault(.init(line: number), "The line is not valid UTF-8.")
      }
      try scanner.add(text.unicodeScalars, number)
    }
    return scanner.finish()
  }

  /// Takes the first line from the rest of the bytes, without its end: a line feed, or a carriage return and a line feed.
  private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
    var line = rest[rest.startIndex..<end]
    rest = rest[end...].dropFirst()
    if line.last == 0x0d { line = line.dropLast() }
    return line
  }

  private mutating func add(
    _ line: String.UnicodeScalarView, _ number: Int
  ) throws(ModelTextFault) {
    let isContinued = current.tokens.last?.kind == .symbol(",")
    if !isContinued, !current.tokens.isEmpty { endStatement() }
    let countBefore = current.tokens.count
    var comment: String?
    var index = line.startIndex
    var column = 1
    func advance() {
      index = line.index(after: index)
      column += 1
    }
    while index < line.endIndex {
      let scalar = line[index]
      if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
        advance()
        continue
      }
      if scalar == "#" {
        comment = Self.trimmed(String(line[index...]))
        break
      }
      let place = ModelTextFault.Place(line: number, column: column)
      let start = index
      let kind = try Self.token(line, &index, place)
      column += line.distance(from: start, to: index)
      current.tokens.append(ModelTextToken(kind: kind, place: place))
    }
    let isOnlyComment = current.tokens.count == countBefore
    switch comment {
    case let comment? where isOnlyComment: current.linesBefore.append(comment)
    case let comment?:
      if let first = current.trailingComment { current.linesBefore.append(first) }
      current.trailingComment = comment
    case nil where isOnlyComment && !isContinued:
      // Several empty lines are one.
      if current.linesBefore.last != "" { current.linesBefore.append("") }
    case nil: break
    }
  }

  private mutating func endStatement() {
    statements.append(current)
    current = ModelTextStatement()
  }

  private mutating func finish() -> [ModelTextStatement] {
    if current.linesBefore.last == "", current.tokens.isEmpty { current.linesBefore.removeLast() }
    if !current.tokens.isEmpty || !current.linesBefore.isEmpty { endStatement() }
    return statements
  }

  private static func trimmed(_ comment: String) -> String {
    var comment = comment
    while comment.last?.isWhitespace ?? false { comment.removeLast() }
    return comment
  }

  static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }

  static func isInName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .decimalNumber, .letterNumber, .nonspacingMark, .spacingMark, .enclosingMark: true
    default: beginsName(scalar)
    }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  /// Reads the token at an index, and moves the index behind it.
  private static func token(
    _ line: String.UnicodeScalarView, _ index: inout String.UnicodeScalarView.Index,
    _ place: ModelTextFault.Place
  ) throws(ModelTextFault) -> ModelTextToken.Kind {
    let rest = line[index...]
    let scalar = rest.first!
    if beginsName(scalar) {
      let name = rest.prefix(while: isInName)
      index = name.endIndex
      return .name(String(name))
    }
    let digits = scalar == "-" ? rest.dropFirst() : rest
    if let digit = digits.first, isDigit(digit) { return number(rest, &index) }
    if scalar == "\"" { return .string(try string(rest, &index, place)) }
    if rest.starts(with: "...".unicodeScalars) {
      index = line.index(index, offsetBy: 3)
      return .symbol("...")
    }
    guard ":,=?[].-".unicodeScalars.contains(scalar) else {
      throw ModelTextFault(
        place,
        "A model can't contain the character '\(Character(scalar))' here. Names with such characters need "
          + "quotation marks.")
    }
    index = line.index(after: index)
    return .symbol(String(Character(scalar)))
  }

  private static func number(
    _ rest: Substring.UnicodeScalarView, _ index: inout String.UnicodeScalarView.Index
  ) -> ModelTextToken.Kind {
    var end = rest.startIndex
    func skipDigits() { end = rest[end...].prefix(while: isDigit).endIndex }
    /// Skips the given characters if digits follow them.
    func skipDigits(after characters: [Unicode.Scalar]...) {
      var next = end
      for group in characters {
        if next < rest.endIndex, group.contains(rest[next]) {
          next = rest.index(after: next)
        } else if group != ["+", "-"] {
          return
        }
      }
      guard next < rest.endIndex, isDigit(rest[next]) else { return }
      end = next
      skipDigits()
    }
    if rest.first == "-" { end = rest.index(after: end) }
    skipDigits()
    skipDigits(after: ["."])
    skipDigits(after: ["e", "E"], ["+", "-"])
    index = end
    return .number(String(rest[..<end]))
  }

  private static func string(
    _ rest: Substring.UnicodeScalarView, _ index: inout String.UnicodeScalarView.Index,
    _ place: ModelTextFault.Place
  ) throws(ModelTextFault) -> String {
    var text = String.UnicodeScalarView()
    var next = rest.index(after: rest.startIndex)
    func take() -> Unicode.Scalar? {
      guard next < rest.endIndex else { return nil }
      defer { next = rest.index(after: next) }
      return rest[next]
    }
    while let scalar = take() {
      switch scalar {
      case "\"":
        index = next
        return String(text)
      case "\\":
        switch take() {
        case "n": text.append("\n")
        case "r": text.append("\r")
        case "t": text.append("\t")
        case let plain? where plain == "\"" || plain == "\\": text.append(plain)
        case "u":
          guard take() == "{" else { throw escapeFault(place) }
          let digits = rest[next...].prefix { $0 != "}" }
          next = digits.endIndex
          guard take() == "}", digits.count <= 6, let value = UInt32(String(digits), radix: 16),
            let scalar = Unicode.Scalar(value)
          else { throw escapeFault(place) }
          text.append(scalar)
        default: throw escapeFault(place)
        }
      default: text.append(scalar)
      }
    }
    throw ModelTextFault(place, "The text has no closing quotation mark in its line.")
  }

  private static func escapeFault(_ place: ModelTextFault.Place) -> ModelTextFault {
    ModelTextFault(
      place,
      "The text contains an unknown escape. The escapes are \\\" \\\\ \\n \\r \\t and \\u{…} with hexadecimal "
        + "digits.")
  }
}
