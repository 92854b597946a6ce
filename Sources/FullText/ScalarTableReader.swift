/// Reads the text of a scalar table, part by part.
struct ScalarTableReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next byte; `nil` at the end.
  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// Whether a space or the end follows the next byte.
  var isSingle: Bool { place + 1 >= bytes.count || bytes[place + 1] <= 0x20 }

  /// Passes over the rest of a part and the space after it.
  mutating func skip() {
    while let byte = next, byte > 0x20 { place += 1 }
    while let byte = next, byte <= 0x20 { place += 1 }
  }

  mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: sign) else { return false }
    place += 1
    return true
  }

  mutating func number() -> UInt32 { number(base: 16) }

  mutating func decimal() -> UInt32 { number(base: 10) }

  private mutating func number(base: UInt32) -> UInt32 {
    var result: UInt32 = 0
    while let byte = next {
      let digit =
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        default: base
        }
      guard digit < base else { break }
      result = result * base + digit
      place += 1
    }
    return result
  }
}
