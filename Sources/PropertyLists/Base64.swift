package import Foundation

/// Reads bytes from their text in base 64 (RFC 4648, section 4).
///
/// The text must be the one that a writer gives for its bytes. Foundation reads `Ywx==` and even `====`, so a damaged
/// text would become other bytes without an error.
package enum Base64 {
  /// For each character its six bits; 64 for blanks, 65 for `=`, 255 for invalid characters.
  private static let digits: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, letter) in letters.utf8.enumerated() { table[Int(letter)] = UInt8(value) }
    for blank in [0x20, 0x09, 0x0A, 0x0D] { table[blank] = 64 }
    table[0x3D] = 65
    return table
  }()

  /// Returns the bytes of a text without blanks; `nil` if the text is invalid.
  package static func data(_ text: String) -> Data? {
    guard !text.utf8.contains(where: { digits[Int($0)] == 64 }) else { return nil }
    return bytes(text.utf8.span).map { Data($0) }
  }

  /// Returns the bytes of a text with blanks anywhere; `nil` if the text is invalid.
  package static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (bits, count, padding) = (UInt32(0), 0, 0)
    for index in text.indices {
      let value = digits[Int(text[index])]
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
}
