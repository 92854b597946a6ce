import ObjectModel

/// A position among the tokens of one statement.
struct ModelTextCursor {
  private let tokens: [ModelTextToken]
  private var position = 0

  init(_ statement: ModelTextStatement) { tokens = statement.tokens }

  /// The place of the next token, or of the last token at the end of the statement.
  var place: ModelTextFault.Place? {
    (position < tokens.count ? tokens[position] : tokens.last)?.place
  }

  var isAtEnd: Bool { position == tokens.count }

  /// The next token; `nil` at the end of the statement.
  var next: ModelTextToken.Kind? { isAtEnd ? nil : tokens[position].kind }

  var afterNext: ModelTextToken.Kind? {
    position + 1 < tokens.count ? tokens[position + 1].kind : nil
  }

  /// Returns a fault at the next token: `expected` and the token that was found.
  func fault(expecting expected: String) -> ModelTextFault {
    let found = isAtEnd ? "the end of the statement" : "'\(tokens[position].text)'"
    return ModelTextFault(place, "The text must contain \(expected) here, not \(found).")
  }

  mutating func skip() { position += 1 }

  /// Takes a symbol, and returns whether it was next.
  mutating func accept(_ symbol: String) -> Bool {
    guard next == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  /// Takes a word, and returns whether it was next.
  mutating func acceptWord(_ word: String) -> Bool {
    guard next == .name(word) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ symbol: String, before part: String) throws(ModelTextFault) {
    guard accept(symbol) else { throw fault(expecting: "'\(symbol)' before \(part)") }
  }

  /// Takes a name, with or without quotation marks.
  mutating func name(_ meaning: String) throws(ModelTextFault) -> String {
    switch next {
    case .name(let name), .string(let name):
      position += 1
      return name
    default: throw fault(expecting: meaning)
    }
  }

  /// Takes names that are separated by commas.
  mutating func names(_ meaning: String) throws(ModelTextFault) -> [String] {
    var names = [try name(meaning)]
    while accept(",") { names.append(try name(meaning)) }
    return names
  }

  /// Takes a text in quotation marks.
  mutating func string(_ meaning: String) throws(ModelTextFault) -> String {
    guard case .string(let text) = next else {
      throw fault(expecting: "\(meaning) in quotation marks")
    }
    position += 1
    return text
  }

  mutating func integer(_ meaning: String) throws(ModelTextFault) -> Int {
    guard case .number(let digits) = next, let number = Int(digits) else {
      throw fault(expecting: meaning)
    }
    position += 1
    return number
  }

  /// Takes a key path: names with points between them, or a text in quotation marks.
  mutating func keyPath(_ meaning: String) throws(ModelTextFault) -> String {
    if case .string(let path) = next {
      position += 1
      return path
    }
    var path = try name(meaning)
    while accept(".") { path += "." + (try name("a name after the point")) }
    return path
  }

  func expectEnd() throws(ModelTextFault) {
    guard isAtEnd else { throw fault(expecting: "a comma or the end of the statement") }
  }
}
