/// Functions that read JSON (RFC 8259) in place. The caller keeps a place in the bytes; each function reads or skips
/// one element, and moves the place to its end.
package enum JSONBytes {
  /// The default for the maximum depth of nested values.
  package static let mostDepth = 32

  /// An error in the text, with its place.
  package struct Fault: Error {
    /// The index of the byte.
    package let place: Int
    /// The description of the error.
    package let reason: String

    /// Creates an error at a place.
    package init(place: Int, reason: String) {
      self.place = place
      self.reason = reason
    }
  }

  private static func fault(_ place: Int, _ reason: String) -> Fault {
    Fault(place: place, reason: reason)
  }

  /// Moves to the next byte that is not white space.
  package static func skipSpace(_ bytes: [UInt8], _ place: inout Int) {
    while place < bytes.count, [0x20, 0x09, 0x0D, 0x0A].contains(bytes[place]) { place += 1 }
  }

  /// Skips a required character.
  package static func expect(
    _ character: Unicode.Scalar, _ bytes: [UInt8], _ place: inout Int
  ) throws(Fault) {
    skipSpace(bytes, &place)
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else {
      throw fault(place, "'\(character)' is expected.")
    }
    place += 1
  }

  /// Skips a character if it comes next, and returns whether it did.
  package static func take(_ character: Unicode.Scalar, _ bytes: [UInt8], _ place: inout Int)
    -> Bool
  {
    skipSpace(bytes, &place)
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  // MARK: - Skipping

  /// Skips a value. Checks the syntax of the value, but not the contents of its strings.
  package static func skip(_ bytes: [UInt8], _ place: inout Int, depth: Int = 0) throws(Fault) {
    skipSpace(bytes, &place)
    guard place < bytes.count else { throw fault(place, "A value is expected.") }
    switch bytes[place] {
    case 0x22: try skipString(bytes, &place)
    case 0x7B:
      guard depth < mostDepth else { throw fault(place, "Values are nested too deeply.") }
      place += 1
      if take("}", bytes, &place) { return }
      repeat {
        skipSpace(bytes, &place)
        try skipString(bytes, &place)
        try expect(":", bytes, &place)
        try skip(bytes, &place, depth: depth + 1)
      } while take(",", bytes, &place)
      try expect("}", bytes, &place)
    case 0x5B:
      guard depth < mostDepth else { throw fault(place, "Values are nested too deeply.") }
      place += 1
      if take("]", bytes, &place) { return }
      repeat { try skip(bytes, &place, depth: depth + 1) } while take(",", bytes, &place)
      try expect("]", bytes, &place)
    default: _ = try word(bytes, &place)
    }
  }

  private static func skipString(_ bytes: [UInt8], _ place: inout Int) throws(Fault) {
    guard place < bytes.count, bytes[place] == 0x22 else {
      throw fault(place, "A string in quotes is expected.")
    }
    place += 1
    while place < bytes.count {
      switch bytes[place] {
      case 0x22:
        place += 1
        return
      case 0x5C: place += 2
      case ..<0x20: throw fault(place, "A string contains a control character that is not escaped.")
      default: place += 1
      }
    }
    throw fault(bytes.count, "A string has no closing quote.")
  }

  // MARK: - Reading

  /// Returns the unquoted word that begins at `place`: a number, `true`, `false` or `null`.
  package static func word(_ bytes: [UInt8], _ place: inout Int) throws(Fault) -> String {
    let start = place
    while place < bytes.count, isOfWord(bytes[place]) { place += 1 }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    guard ["true", "false", "null"].contains(word) || isNumber(bytes[start..<place]) else {
      throw fault(
        start, word.isEmpty ? "A value is expected." : "'\(word.prefix(40))' is not a value.")
    }
    return word
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    func digits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == 0x2D { rest = rest.dropFirst() }
    let startsWithZero = rest.first == 0x30
    let whole = digits()
    guard whole == 1 || (whole > 1 && !startsWithZero) else { return false }
    if rest.first == 0x2E {
      rest = rest.dropFirst()
      guard digits() > 0 else { return false }
    }
    if rest.first == 0x65 || rest.first == 0x45 {
      rest = rest.dropFirst()
      if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Returns the string that begins at `place`.
  package static func string(_ bytes: [UInt8], _ place: inout Int) throws(Fault) -> String {
    skipSpace(bytes, &place)
    let start = place + 1
    try skipString(bytes, &place)
    let inner = bytes[start..<place - 1]
    guard inner.contains(0x5C) else {
      guard let text = try? String(copying: UTF8Span(validating: inner.span)) else {
        throw fault(start, "A string is not UTF-8.")
      }
      return text
    }
    return try unescaped(inner)
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) throws(Fault) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      guard bytes[place] == 0x5C else {
        text.append(bytes[place])
        place += 1
        continue
      }
      let escape = place
      // A backslash is never the last byte, because it would have escaped the quote that ends the text.
      place += 2
      switch bytes[escape + 1] {
      case 0x22, 0x5C, 0x2F: text.append(bytes[escape + 1])
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x6E: text.append(0x0A)
      case 0x72: text.append(0x0D)
      case 0x74: text.append(0x09)
      case 0x75:
        var unit = try codeUnit(bytes, &place, escape)
        if (0xD800..<0xDC00).contains(unit), place + 1 < bytes.endIndex, bytes[place] == 0x5C,
          bytes[place + 1] == 0x75
        {
          place += 2
          let low = try codeUnit(bytes, &place, escape)
          guard (0xDC00..<0xE000).contains(low) else {
            throw fault(escape, "An escaped surrogate is not part of a pair.")
          }
          unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else {
          throw fault(escape, "An escaped surrogate is not part of a pair.")
        }
        text.append(contentsOf: String(Character(scalar)).utf8)
      default: throw fault(escape, "The escape is unknown.")
      }
    }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw fault(bytes.startIndex, "A string is not UTF-8.")
    }
    return string
  }

  private static func codeUnit(
    _ bytes: ArraySlice<UInt8>, _ place: inout Int, _ escape: Int
  ) throws(Fault) -> UInt32 {
    guard place + 4 <= bytes.endIndex,
      bytes[place..<place + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
    else { throw fault(escape, "Four hexadecimal digits are expected.") }
    place += 4
    return unit
  }
}
