// Conversions of decimals to and from text: digits with a sign, a point and, when read, an exponent.
extension DecimalParts {
  /// Creates the number that the whole text represents, such as `-12.5` or `3e8`; `nil` when the text is not a number
  /// or has too many digits.
  package init?(text: Span<UInt8>) {
    self.init(0, exponent: 0)
    var index = 0
    var power = 0
    var digitCount = 0
    if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
      isNegative = text[index] == UInt8(ascii: "-")
      index += 1
    }
    var hasPoint = false
    // Zeros are counted and applied only when another digit follows. Zeros at the end only raise the power.
    var zeros = 0
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        digitCount += 1
        if hasPoint { power -= 1 }
        zeros += 1
        if byte != UInt8(ascii: "0") {
          guard magnitude == 0 || zeros <= 39 else { return nil }
          for _ in 0..<(magnitude == 0 ? 0 : zeros) {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            magnitude = product
          }
          let (sum, overflow) = magnitude.addingReportingOverflow(UInt128(byte & 15))
          guard !overflow else { return nil }
          magnitude = sum
          zeros = 0
        }
      } else {
        break
      }
      index += 1
    }
    guard digitCount > 0, digitCount <= 4096 else { return nil }
    if index < text.count {
      guard text[index] | 0x20 == UInt8(ascii: "e"),
        let exponent = DecimalParts.exponent(text.extracting(droppingFirst: index + 1))
      else { return nil }
      power += exponent
    }
    guard magnitude != 0 else {
      isNegative = false
      return
    }
    power += zeros
    // A power that is too great is reduced by appending zeros to the digits.
    while power > Int(Int8.max) {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      magnitude = product
      power -= 1
    }
    guard let exponent = Int8(exactly: power) else { return nil }
    self.exponent = exponent
  }

  /// Returns a whole number of up to four digits.
  private static func exponent(_ text: Span<UInt8>) -> Int? {
    var index = 0
    var isNegative = false
    if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
      isNegative = text[index] == UInt8(ascii: "-")
      index += 1
    }
    guard index < text.count, text.count - index <= 4 else { return nil }
    var value = 0
    while index < text.count {
      guard text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(text[index] & 15)
      index += 1
    }
    return isNegative ? -value : value
  }

  /// The number in digits, with a point if it is not whole.
  package var text: String { text(places: 0) }

  /// Returns the number in digits with at least the given number of digits after the point.
  package func text(places least: Int) -> String {
    var digits = Array(String(magnitude).utf8)
    let places = max(-Int(exponent), least)
    if magnitude != 0 {
      digits += repeatElement(UInt8(ascii: "0"), count: places + Int(exponent))
    }
    if places > 0 {
      if digits.count <= places {
        digits.insert(
          contentsOf: repeatElement(UInt8(ascii: "0"), count: places + 1 - digits.count), at: 0)
      }
      digits.insert(UInt8(ascii: "."), at: digits.count - places)
    }
    return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
  }
}
