import Foundation

/// A word, a literal or a sign of a predicate's text.
enum Token: Equatable {
  /// A name or a keyword. After a `#` it is always a name.
  case word(String, isName: Bool)
  /// A collection operator with its `@`.
  case operation(String)
  case variable(String)
  case integer(UInt64)
  case real(Double)
  case string(String)
  /// A placeholder, without the `%` and the length modifiers.
  case placeholder(Character)
  case sign(String)
  case end

  /// The token in the words of an error message.
  var words: String {
    switch self {
    case .word(let word, _): "\"\(word)\""
    case .operation(let name): "\"\(name)\""
    case .variable(let name): "\"$\(name)\""
    case .integer(let number): "the number \(number)"
    case .real(let number): "the number \(number)"
    case .string: "a text"
    case .placeholder(let letter): "\"%\(letter)\""
    case .sign(let sign): "\"\(sign)\""
    case .end: "the end of the text"
    }
  }
}

/// Splits the text of a predicate into tokens.
struct PredicateLexer {
  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private func byte(_ ahead: Int = 0) -> UInt8 {
    offset + ahead < bytes.count ? bytes[offset + ahead] : 0
  }

  /// Skips white space and returns the offset of the next token.
  mutating func skipSpace() -> Int {
    while offset < bytes.count, PredicateLexer.isSpace(bytes[offset]) { offset += 1 }
    return offset
  }

  /// Returns the next token.
  mutating func next() throws(QueryError) -> Token {
    _ = skipSpace()
    guard offset < bytes.count else { return .end }
    let first = byte()
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quoted())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: ".") where (0x30...0x39).contains(byte(1)): return try number()
    case UInt8(ascii: "$"): return .variable(try name(after: "$"))
    case UInt8(ascii: "#"): return .word(try name(after: "#"), isName: true)
    case UInt8(ascii: "@"):
      offset += 1
      guard PredicateLexer.startsWord(byte()) else {
        throw fault("A collection operator such as \"@count\" is expected after \"@\".", offset)
      }
      return .operation("@" + (try word()))
    case UInt8(ascii: "%"): return try placeholder()
    case _ where PredicateLexer.startsWord(first): return .word(try word(), isName: false)
    default: return try sign()
    }
  }

  // MARK: - Words

  private mutating func word() throws(QueryError) -> String {
    let start = offset
    var isASCII = true
    while offset < bytes.count, PredicateLexer.continuesWord(bytes[offset]) {
      isASCII = isASCII && bytes[offset] < 0x80
      offset += 1
    }
    let word = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isASCII { return word }
    var place = start
    for scalar in word.unicodeScalars {
      if let advice = PredicateLexer.advice(about: scalar) { throw fault(advice, place) }
      place += UTF8.width(scalar)
    }
    return word
  }

  /// Returns advice about a character that looks like a sign, with the correct sign; `nil` for letters.
  ///
  /// Such characters come from text that was copied from a web page or a letter.
  static func advice(about scalar: Unicode.Scalar) -> String? {
    let sign: String
    switch scalar {
    case "\u{2018}"..."\u{201F}", "\u{2039}", "\u{203A}", "\u{AB}", "\u{BB}", "\u{FF02}",
      "\u{FF07}":
      return "\"\(scalar)\" is a typographic quote. Write straight quotes: 'text' or \"text\"."
    case "\u{2260}": sign = "!="
    case "\u{2264}": sign = "<="
    case "\u{2265}": sign = ">="
    case "\u{2010}"..."\u{2015}", "\u{2212}": sign = "-"
    case "\u{D7}", "\u{22C5}": sign = "*"
    case "\u{F7}": sign = "/"
    case _ where scalar.value >= 0x80 && scalar.properties.isWhitespace:
      return "This is not a plain space. Write a plain space instead."
    default: return nil
    }
    return "\"\(scalar)\" is not a sign of the language. Write \(sign) instead."
  }

  private mutating func name(after sign: String) throws(QueryError) -> String {
    offset += 1
    if byte() == UInt8(ascii: "\"") { return try quoted() }
    guard PredicateLexer.startsWord(byte()) else {
      throw fault("A name is expected after \"\(sign)\".", offset)
    }
    return try word()
  }

  /// Reads the rest of a function's name that contains colons, such as `:to:`. Returns an empty text unless a bracket
  /// follows.
  mutating func colons() -> String {
    var end = offset
    guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return "" }
    while end < bytes.count,
      bytes[end] == UInt8(ascii: ":") || PredicateLexer.continuesWord(bytes[end])
    {
      end += 1
    }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "("), bytes[end - 1] == UInt8(ascii: ":")
    else { return "" }
    defer { offset = end }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }

  /// Reads the option letters in brackets after an operator; returns `nil` if they are absent.
  mutating func options() throws(QueryError) -> TextOptions? {
    let before = offset
    // No value begins with this bracket, so white space may come before it.
    guard skipSpace() < bytes.count, byte() == UInt8(ascii: "[") else {
      offset = before
      return nil
    }
    offset += 1
    var options: TextOptions = []
    while byte() != UInt8(ascii: "]") {
      switch byte() | 0x20 {
      case UInt8(ascii: "c"): options.insert(.caseInsensitive)
      case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
      case UInt8(ascii: "n"): options.insert(.normalized)
      case UInt8(ascii: "l"): options.insert(.localeSensitive)
      default:
        throw fault(
          "The options of an operator are [c], [d], [n] and [l], alone or together.",
          offset < bytes.count ? offset : before)
      }
      offset += 1
    }
    offset += 1
    return options
  }

  static func startsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  static func continuesWord(_ byte: UInt8) -> Bool {
    startsWord(byte) || (0x30...0x39).contains(byte)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  // MARK: - Literals

  private mutating func quoted() throws(QueryError) -> String {
    let start = offset
    let quote = byte()
    var text: [UInt8] = []
    offset += 1
    while true {
      guard offset < bytes.count else {
        let rest = String(decoding: bytes[(start + 1)...], as: UTF8.self)
        let odd = rest.unicodeScalars.first { ("\u{2018}"..."\u{201F}").contains($0) }
        throw fault(
          "The text that begins here has no closing quote."
            + (odd.map { " \"\($0)\" is a typographic quote and does not close a text." } ?? ""),
          start)
      }
      let byte = bytes[offset]
      offset += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      if byte != UInt8(ascii: "\\") {
        text.append(byte)
        continue
      }
      try escape(into: &text)
    }
  }

  private mutating func escape(into text: inout [UInt8]) throws(QueryError) {
    let letter = byte()
    offset += 1
    switch letter {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "a"): text.append(0x07)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "v"): text.append(0x0B)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): text.append(letter)
    case UInt8(ascii: "x"): try scalar(digits: 2, into: &text)
    case UInt8(ascii: "u"): try unicode(into: &text)
    case UInt8(ascii: "U"): try scalar(digits: 8, into: &text)
    // `*` and `?` are escaped for LIKE, so the backslash stays in the text. It also stays before any other character.
    default:
      text.append(UInt8(ascii: "\\"))
      offset -= 1
    }
  }

  private mutating func hexadecimal(_ digits: Int) throws(QueryError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = Character(UnicodeScalar(byte())).hexDigitValue else {
        throw fault("\(digits) hexadecimal digits are expected here.", offset)
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  private mutating func scalar(digits: Int, into text: inout [UInt8]) throws(QueryError) {
    let start = offset
    guard let scalar = UnicodeScalar(try hexadecimal(digits)) else {
      throw fault("No character has this number.", start)
    }
    text.append(contentsOf: Array(String(Character(scalar)).utf8))
  }

  /// Reads `\uXXXX`, or two of them if the first is the first half of a surrogate pair.
  private mutating func unicode(into text: inout [UInt8]) throws(QueryError) {
    let start = offset
    var value = try hexadecimal(4)
    if (0xD800..<0xDC00).contains(value), byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u")
    {
      offset += 2
      let low = try hexadecimal(4)
      guard (0xDC00..<0xE000).contains(low) else {
        throw fault("The second half of a surrogate pair is expected here.", offset - 4)
      }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = UnicodeScalar(value) else {
      throw fault("No character has this number.", start)
    }
    text.append(contentsOf: Array(String(Character(scalar)).utf8))
  }

  private mutating func number() throws(QueryError) -> Token {
    let start = offset
    if byte() == 0x30, let radix = [0x78: 16, 0x6F: 8, 0x62: 2][Int(byte(1) | 0x20)] {
      offset += 2
      let digits = digits { $0.hexDigitValue.map { $0 < radix } ?? false }
      guard !digits.isEmpty, let value = UInt64(digits, radix: radix) else {
        throw fault("This is not a whole number of 64 bits in base \(radix).", start)
      }
      return try ended(.integer(value), start)
    }
    var text = digits { $0.isASCII && $0.isNumber }
    var isReal = false
    // A dot belongs to a number only if a digit follows: "2.@count" is not a number.
    if byte() == UInt8(ascii: "."), (0x30...0x39).contains(byte(1)) {
      isReal = true
      offset += 1
      text += "." + digits { $0.isASCII && $0.isNumber }
    }
    if byte() | 0x20 == UInt8(ascii: "e") {
      let hasSign = [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte(1))
      if (0x30...0x39).contains(byte(hasSign ? 2 : 1)) {
        isReal = true
        text += "e" + (byte(1) == UInt8(ascii: "-") ? "-" : "")
        offset += hasSign ? 2 : 1
        text += digits { $0.isASCII && $0.isNumber }
      }
    }
    if !isReal, let value = UInt64(text) { return try ended(.integer(value), start) }
    guard let value = Double(text.hasPrefix(".") ? "0" + text : text), value.isFinite else {
      throw fault("This number is too large.", start)
    }
    return try ended(.real(value), start)
  }

  private mutating func digits(_ isDigit: (Character) -> Bool) -> String {
    let start = offset
    while offset < bytes.count, bytes[offset] < 0x80,
      isDigit(Character(UnicodeScalar(bytes[offset])))
    {
      offset += 1
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func ended(_ token: Token, _ start: Int) throws(QueryError) -> Token {
    guard PredicateLexer.continuesWord(byte()) else { return token }
    return try duration(token, start)
  }

  /// Reads the unit behind a number. The result is a number of seconds: `30d` is 2592000.
  private mutating func duration(_ count: Token, _ start: Int) throws(QueryError) -> Token {
    let place = offset
    let unit = try word()
    guard let seconds = PredicateLexer.secondsOfUnits[unit] else {
      let isMonthOrYear = ["M", "mo", "month", "months", "y", "year", "years"].contains(unit)
      throw fault(
        isMonthOrYear
          ? "Months and years differ in length. The units of a duration are w, d, h, m (minutes) and s."
          : "A letter or digit follows the number directly.", place)
    }
    switch count {
    case .integer(let number):
      let (product, isOver) = number.multipliedReportingOverflow(by: seconds)
      return isOver ? .real(Double(number) * Double(seconds)) : .integer(product)
    case .real(let number):
      let product = number * Double(seconds)
      guard product.isFinite else { throw fault("This number is too large.", start) }
      return .real(product)
    default: throw fault("A letter or digit follows the number directly.", place)
    }
  }

  private static let secondsOfUnits: [String: UInt64] = [
    "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800,
  ]

  // MARK: - Signs and placeholders

  private static let signs = [
    "==", "=<", "=>", "!=", "<>", "<=", ">=", "<<", ">>", "&&", "||", "**", "=", "<", ">", "!",
    "+", "-", "*", "/", "&", "|", "^", "(", ")", "{", "}", "[", "]", ",", ".",
  ].map { (text: $0, bytes: Array($0.utf8)) }

  private mutating func sign() throws(QueryError) -> Token {
    for sign in PredicateLexer.signs where bytes[offset...].starts(with: sign.bytes) {
      offset += sign.bytes.count
      return .sign(sign.text)
    }
    let character = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).first!
    throw fault("\"\(character)\" has no meaning here.", offset)
  }

  private mutating func placeholder() throws(QueryError) -> Token {
    let start = offset
    offset += 1
    // Ignore the length of a number, which only C needs: `%ld`, `%lu`, `%qi` are `%d`, `%u`, `%i`.
    while [UInt8(ascii: "l"), UInt8(ascii: "h"), UInt8(ascii: "q"), UInt8(ascii: "z")]
      .contains(byte())
    {
      offset += 1
    }
    let letter = Character(UnicodeScalar(byte()))
    guard "@KdiuxXofFgGeEaA".contains(letter), offset < bytes.count else {
      throw fault(
        "The placeholder is unknown. The placeholders are %@, %K, %d and %f, and the variants of %d and %f.",
        start)
    }
    offset += 1
    return .placeholder(letter)
  }

  private func fault(_ message: String, _ offset: Int) -> QueryError {
    QueryError(.syntax, message, offset: offset)
  }
}
