/// The supported encodings of XML texts (spec §5.2.1).
///
/// An unsupported declared encoding is an error that names it. So libxml2 always gets UTF-8, and no conversion
/// library determines the meaning of a text.
package enum XMLEncoding: Sendable, Hashable {
  case utf8
  case ascii
  case latin1
  case utf16(isBigEndian: Bool)

  /// Returns the encoding that the first bytes of a text show.
  ///
  /// - Parameter start: The first bytes, four or more unless the text is shorter.
  /// - Returns: The encoding, and the number of bytes of its byte order mark; `nil` for a text of single bytes
  ///   without a mark, for which the declaration names the encoding.
  package static func ofFirstBytes(_ start: [UInt8]) -> (encoding: XMLEncoding, markByteCount: Int)?
  {
    let bytes = (0..<4).map { $0 < start.count ? start[$0] : 0xAA }
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0xEF, 0xBB, 0xBF): return (.utf8, 3)
    case (0xFE, 0xFF, _): return (.utf16(isBigEndian: true), 2)
    case (0xFF, 0xFE, _): return (.utf16(isBigEndian: false), 2)
    case (0x00, 0x3C, _): return (.utf16(isBigEndian: true), 0)
    case (0x3C, 0x00, _): return (.utf16(isBigEndian: false), 0)
    default: return nil
    }
  }

  /// Whether the first bytes belong to a text in UTF-32.
  static func isUTF32(_ start: [UInt8]) -> Bool {
    guard start.count >= 4 else { return false }
    let marks: [[UInt8]] = [
      [0, 0, 0xFE, 0xFF], [0xFF, 0xFE, 0, 0], [0, 0, 0, 0x3C], [0x3C, 0, 0, 0],
    ]
    return marks.contains { start.starts(with: $0) }
  }

  /// Returns the encoding of a name in a declaration; `nil` if it is not supported, or contradicts the first bytes.
  ///
  /// - Parameter found: The encoding that the first bytes show; `nil` for single bytes.
  static func named(_ name: String, found: XMLEncoding?) -> XMLEncoding? {
    let name = name.uppercased()
    switch (name, found) {
    case ("UTF-8", nil), ("UTF-8", .utf8), ("UTF8", nil), ("UTF8", .utf8): return .utf8
    case ("US-ASCII", nil), ("ASCII", nil): return .ascii
    case ("ISO-8859-1", nil), ("ISO_8859-1", nil), ("LATIN1", nil): return .latin1
    case ("UTF-16", .utf16): return found
    case ("UTF-16BE", .utf16(isBigEndian: true)), ("UTF-16LE", .utf16(isBigEndian: false)):
      return found
    default: return nil
    }
  }

  /// The number of bytes in a unit of the text.
  package var unitByteCount: Int {
    if case .utf16 = self { 2 } else { 1 }
  }

  /// Whether the bytes of a unit are a line feed.
  package func isLineFeed(_ unit: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .utf16(let isBigEndian): unit.elementsEqual(isBigEndian ? [0, 0x0A] : [0x0A, 0])
    default: unit.first == 0x0A
    }
  }

  /// The name of the encoding in messages.
  var title: String {
    switch self {
    case .utf8: "UTF-8"
    case .ascii: "US-ASCII"
    case .latin1: "ISO-8859-1"
    case .utf16: "UTF-16"
    }
  }
}

extension XMLEncoding {
  /// Returns a value of the XML declaration at the start of a text.
  ///
  /// - Parameters:
  ///   - name: The name of the value, such as `encoding`.
  ///   - text: The start of the text, as single bytes.
  /// - Returns: `nil` if there is no declaration, or it does not have the value.
  static func declared(_ name: String, in text: some Sequence<UInt8>) -> String? {
    var declaration = Array(text.prefix { $0 != UInt8(ascii: ">") })[...]
    guard declaration.starts(with: "<?xml".utf8),
      declaration.dropFirst(5).first.map(isSpace) ?? false
    else { return nil }
    let word = Array(name.utf8)
    while let start = declaration.firstIndex(of: word[0]) {
      declaration = declaration[start...]
      guard declaration.starts(with: word) else {
        declaration.removeFirst()
        continue
      }
      var rest = declaration.dropFirst(word.count).drop(while: isSpace)
      guard rest.first == UInt8(ascii: "=") else {
        declaration.removeFirst()
        continue
      }
      rest = rest.dropFirst().drop(while: isSpace)
      guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = rest.dropFirst().firstIndex(of: quote)
      else { return nil }
      return String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self)
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
