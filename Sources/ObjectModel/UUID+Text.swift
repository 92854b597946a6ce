package import Foundation

extension UUID {
  /// Creates the UUID of a text of 36 characters, with letters of either case; `nil` for any other text.
  ///
  /// Foundation's own initializer also accepts a space in place of a digit.
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
