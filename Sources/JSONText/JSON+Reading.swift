// Reading JSON (RFC 8259), with the place of whatever is wrong.

/// Why a text is no JSON, and where.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The byte of the line, from 1.
  package let column: Int
  /// What was found.
  package let reason: String

  /// The place and the reason.
  package var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSON {
  /// The value that a text in UTF-8 says.
  ///
  /// Stricter than most: an object that says something twice is refused, because readers differ in which of
  /// both they believe.
  ///
  /// - Parameter depthLimit: How deep arrays and objects may lie in one another.
  package static func read(
    _ bytes: [UInt8], depthLimit: Int = 32
  ) throws(JSONError) -> JSON {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONError(line: 1, column: 1, reason: "The text is not UTF-8.")
    }
    var reader = JSONReader(bytes: bytes, depthLimit: depthLimit)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.place == bytes.count else {
      throw reader.error("Something follows the value.")
    }
    return value
  }

  /// The value of a name, of an object that has it.
  package subscript(name: String) -> JSON? {
    guard case .members(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  let depthLimit: Int
  var place = 0

  func error(_ reason: String) -> JSONError {
    let before = bytes[..<min(place, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return JSONError(
      line: before.count { $0 == 0x0A } + 1, column: before.count - lineStart + 1, reason: reason)
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
  }

  mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard depth < depthLimit else { throw error("It lies deeper than \(depthLimit) levels.") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw error("The text ends where a value should be.")
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
    guard bytes[place...].starts(with: word.utf8) else { throw error("There is no value here.") }
    place += word.utf8.count
    return value
  }

  private mutating func array(_ depth: Int) throws(JSONError) -> JSON {
    place += 1
    var values: [JSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { throw error("A comma or ] is missing.") }
    }
  }

  private mutating func object(_ depth: Int) throws(JSONError) -> JSON {
    place += 1
    var members: [JSON.Member] = []
    var names: Set<String> = []
    skipSpace()
    if take("}") { return .members([]) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("A name in quotes is missing.") }
      let start = place
      let name = try string()
      guard names.insert(name).inserted else {
        place = start
        throw error("The name \"\(name)\" is there twice.")
      }
      skipSpace()
      guard take(":") else { throw error("A colon is missing.") }
      members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .members(members) }
      guard take(",") else { throw error("A comma or } is missing.") }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func string() throws(JSONError) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += Array(String(try escaped()).utf8)
      case ..<0x20: throw error("A control character must be escaped.")
      default:
        text.append(byte)
        place += 1
      }
    }
    throw error("The text ends within quotes.")
  }

  private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
    place += 1
    guard let byte = next else { throw error("The text ends within quotes.") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let high = try hexadecimal()
      if let scalar = Unicode.Scalar(high) { return scalar }
      guard (0xD800..<0xDC00).contains(high), take("\\"), take("u"),
        case let low = try hexadecimal(), (0xDC00..<0xE000).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      else { throw error("Half of a character is missing.") }
      return scalar
    default: throw error("There is no such escape.")
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    guard bytes.count - place >= 4 else { throw error("The text ends within quotes.") }
    let digits = bytes[place..<place + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error("Four hexadecimal digits are missing.") }
    place += 4
    return value
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = place
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    _ = take("-")
    guard isDigit(next) else {
      place = start
      throw error("There is no value here.")
    }
    let isZero = take("0")
    while !isZero, isDigit(next) { place += 1 }
    if take(".") {
      guard isDigit(next) else { throw error("A digit is missing.") }
      while isDigit(next) { place += 1 }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      guard isDigit(next) else { throw error("A digit is missing.") }
      while isDigit(next) { place += 1 }
    }
    return .number(String(decoding: bytes[start..<place], as: UTF8.self))
  }
}
