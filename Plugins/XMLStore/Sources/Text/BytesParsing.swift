import Foundation
import ObjectModel

/// Parses bytes and identifiers from their text.
enum BytesParsing {
  /// For each character its six bits; 64 for blanks, 65 for `=`, 255 for invalid characters.
  private static let base64: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, letter) in letters.utf8.enumerated() { table[Int(letter)] = UInt8(value) }
    for blank in [0x20, 0x09, 0x0A, 0x0D] { table[blank] = 64 }
    table[0x3D] = 65
    return table
  }()

  /// Returns the bytes of a text in base 64, with blanks anywhere (spec §5.4.5); `nil` if the text is invalid.
  static func base64(_ text: Span<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (bits, count, padding) = (UInt32(0), 0, 0)
    for index in text.indices {
      let value = base64[Int(text[index])]
      switch value {
      case 0..<64:
        guard padding == 0 else { return nil }
        bits = bits << 6 | UInt32(value)
        count += 1
        if count == 4 {
          bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
          bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
          bytes.append(UInt8(truncatingIfNeeded: bits))
          (bits, count) = (0, 0)
        }
      case 64: continue
      case 65: padding += 1
      default: return nil
      }
    }
    switch (count, padding) {
    case (0, 0): return bytes
    case (2, 2):
      guard bits & 0xF == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case (3, 1):
      guard bits & 0x3 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    default: return nil
    }
    return bytes
  }

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
