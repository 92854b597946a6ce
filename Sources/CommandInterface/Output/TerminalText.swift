/// Text of files in a form that is safe for a terminal. Characters that control the terminal, or change the order of the
/// displayed text, are spelled out, such as `\u{1B}`.
///
/// Text for files and pipes is not changed.
package enum TerminalText {
  /// Returns text with the characters that control a terminal spelled out, except line breaks and tabs.
  package static func shown(_ bytes: [UInt8]) -> [UInt8] {
    replacing(bytes) { $0 == "\n" || $0 == "\t" ? nil : spelled($0) }
  }

  /// Returns JSON with the characters that control a terminal escaped. The value of the JSON stays the same.
  package static func shownJSON(_ bytes: [UInt8]) -> [UInt8] {
    replacing(bytes) { scalar in
      guard scalar != "\n", steers(scalar) else { return nil }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
  }

  /// Returns JSON with the characters that control a terminal escaped. The value of the JSON stays the same.
  package static func shownJSON(_ text: String) -> String {
    String(decoding: shownJSON(Array(text.utf8)), as: UTF8.self)
  }

  /// Returns the spelling of a scalar that controls a terminal, such as `\u{1B}`; `nil` for any other scalar.
  package static func spelled(_ scalar: Unicode.Scalar) -> String? {
    guard steers(scalar) else { return nil }
    return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  }

  /// Returns whether a scalar controls a terminal: control characters, line separators, and the embeddings, overrides and
  /// isolates of bidirectional text.
  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F: false
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x206F, 0xFFF9...0xFFFB: true
    default: false
    }
  }

  /// Replaces scalars. No scalar of more than 16 bits controls a terminal.
  private static func replacing(
    _ bytes: [UInt8], _ replacement: (Unicode.Scalar) -> String?
  ) -> [UInt8] {
    guard bytes.contains(where: { $0 >= 0x7F || ($0 < 0x20 && $0 != 0x0A) }) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if let text = replacement(scalar) {
        result.append(contentsOf: text.utf8)
      } else {
        result.append(contentsOf: UTF8.encode(scalar)!)
      }
    }
    return result
  }
}

/// Returns the text with characters that control a terminal spelled out. Line breaks stay.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { $0 != "\n" && TerminalText.spelled($0) != nil })
  else {
    return text
  }
  return text.unicodeScalars.reduce(into: "") { result, scalar in
    if scalar != "\n", let spelled = TerminalText.spelled(scalar) {
      result += spelled
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
}
