package import Foundation

extension UUID {
  /// Returns the UUID that 36 characters spell, with letters of either case; `nil` for any other text.
  ///
  /// Foundation's own initializer also takes a space in the place of a digit.
  package init?(spelled text: String) {
    let bytes = Array(text.utf8)
    let isSpelled =
      bytes.count == 36
      && bytes.indices.allSatisfy { index in
        switch index {
        case 8, 13, 18, 23: bytes[index] == UInt8(ascii: "-")
        default: Character(Unicode.Scalar(bytes[index])).isHexDigit
        }
      }
    guard isSpelled, let uuid = UUID(uuidString: text) else { return nil }
    self = uuid
  }
}
