/// A word, a number or a punctuation mark of a Swift file.
struct SwiftToken: Equatable {
  let text: String
  /// The line that the token is on; the first line has the number 1.
  let line: Int

  var isWord: Bool {
    guard let first = text.unicodeScalars.first else { return false }
    return first.properties.isAlphabetic || first == "_" || first == "`" || first == "$"
  }
}

extension SourceFile {
  /// The tokens of the file without comments and without the text of literals.
  ///
  /// Code in an interpolation is part of the tokens, because the compiler reads it too.
  var tokens: [SwiftToken] {
    var scanner = SwiftScanner(lines.joined(separator: "\n"))
    scanner.scanCode(untilParenthesis: false)
    return scanner.tokens
  }
}

/// Divides Swift code into tokens.
///
/// The format lint forbids block comments, so the scanner does not know them.
private struct SwiftScanner {
  private(set) var tokens: [SwiftToken] = []
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Adds the tokens up to the end, or up to the parenthesis that closes an interpolation.
  mutating func scanCode(untilParenthesis: Bool) {
    var depth = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        index += 1
      case UInt8(ascii: " "): index += 1
      case UInt8(ascii: "/") where isFollowed(by: "/"): skipLine()
      case UInt8(ascii: "\""): skipText(hashes: 0)
      case UInt8(ascii: "#"):
        let hashes = bytes[index...].prefix { $0 == byte }.count
        let next = index + hashes < bytes.count ? bytes[index + hashes] : 0
        if next == UInt8(ascii: "\"") {
          index += hashes
          skipText(hashes: hashes)
        } else if next == UInt8(ascii: "/") {
          skipPattern(hashes: hashes)
        } else {
          addMark(1)
        }
      case UInt8(ascii: "-") where isFollowed(by: ">"): addMark(2)
      default:
        if isWordByte(byte) {
          addWord()
        } else {
          if byte == UInt8(ascii: "(") { depth += 1 }
          if byte == UInt8(ascii: ")") {
            if untilParenthesis, depth == 0 { return }
            depth -= 1
          }
          addMark(1)
        }
      }
    }
  }

  private func isFollowed(by mark: Unicode.Scalar) -> Bool {
    index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: mark)
  }

  /// Returns whether the given bytes, of which there is at least one, are next.
  private func isNext(_ text: [UInt8]) -> Bool {
    bytes[index] == text[0] && bytes[index...].starts(with: text)
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"),
      UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func addWord() {
    let start = index
    while index < bytes.count, isWordByte(bytes[index]) { index += 1 }
    let word = bytes[start..<index]
    tokens.append(SwiftToken(text: String(decoding: word, as: UTF8.self), line: line))
  }

  private mutating func addMark(_ count: Int) {
    let mark = bytes[index..<index + count]
    tokens.append(SwiftToken(text: String(decoding: mark, as: UTF8.self), line: line))
    index += count
  }

  private mutating func skipLine() {
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
  }

  /// Skips a string literal, beginning at its opening quote, and scans its interpolations.
  private mutating func skipText(hashes: Int) {
    let fence = Array(repeating: UInt8(ascii: "#"), count: hashes)
    let quotes = isNext(Array(repeating: UInt8(ascii: "\""), count: 3)) ? 3 : 1
    let end = Array(repeating: UInt8(ascii: "\""), count: quotes) + fence
    let escape = [UInt8(ascii: "\\")] + fence
    tokens.append(SwiftToken(text: "\"\"", line: line))
    index += quotes
    while index < bytes.count, !isNext(end) {
      if isNext(escape) {
        index += escape.count
        if index < bytes.count, bytes[index] == UInt8(ascii: "(") {
          index += 1
          scanCode(untilParenthesis: true)
        }
      }
      if index < bytes.count, bytes[index] == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
    index += end.count
  }

  /// Skips a regular expression between `#/` and `/#`.
  private mutating func skipPattern(hashes: Int) {
    let end = [UInt8(ascii: "/")] + Array(repeating: UInt8(ascii: "#"), count: hashes)
    index += end.count
    while index < bytes.count, !isNext(end) {
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
    index += end.count
  }
}
