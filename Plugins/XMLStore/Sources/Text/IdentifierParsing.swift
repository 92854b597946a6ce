import Foundation
import ObjectModel

/// Parses identifiers from their text.
enum IdentifierParsing {
  /// Returns the UUID that a text spells; `nil` if the text is invalid.
  static func uuid(_ text: Span<UInt8>) -> UUID? {
    let text = NumberParsing.trimmed(text)
    guard text.count == 36 else { return nil }
    var letters: [UInt8] = []
    for index in text.indices { letters.append(text[index]) }
    return UUID(spelled: String(decoding: letters, as: UTF8.self))
  }

  /// Returns the number of an identifier such as `z102` (spec §5.3.2); `nil` if the text is invalid.
  static func identifier(_ text: Span<UInt8>) -> UInt64? {
    guard text.count >= 2, text.count <= 16, text[0] == UInt8(ascii: "z"),
      text[1] != UInt8(ascii: "0")
    else { return nil }
    var number: UInt64 = 0
    for index in 1..<text.count {
      let digit = text[index] &- 0x30
      guard digit <= 9 else { return nil }
      number = number &* 10 &+ UInt64(digit)
    }
    return number <= 1 << 48 - 1 ? number : nil
  }
}
