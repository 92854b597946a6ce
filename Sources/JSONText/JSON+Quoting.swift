extension JSON {
  /// Appends a text as a string in quotes.
  ///
  /// - Parameter escapesAllControls: Whether the controls from U+0080 to U+009F are written as escapes, which JSON does
  ///   not require.
  package static func append(
    quoted text: String, to bytes: inout [UInt8], escapesAllControls: Bool
  ) {
    bytes.append(0x22)
    var previous: UInt8 = 0
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C:
        bytes.append(0x5C)
        bytes.append(byte)
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case ..<0x20, 0x7F: appendEscape(byte, to: &bytes)
      // U+0080 to U+009F are two bytes: 0xC2, and a byte with the number of the character.
      case 0x80..<0xA0 where previous == 0xC2 && escapesAllControls:
        bytes.removeLast()
        appendEscape(byte, to: &bytes)
      default: bytes.append(byte)
      }
      previous = byte
    }
    bytes.append(0x22)
  }

  private static func appendEscape(_ character: UInt8, to bytes: inout [UInt8]) {
    bytes += (character < 0x10 ? "\\u000" : "\\u00").utf8
    bytes += String(character, radix: 16).utf8
  }
}
