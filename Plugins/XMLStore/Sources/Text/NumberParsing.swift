// Numbers are parsed directly from bytes, without a string in between.

/// Parses numbers (spec §5.4).
enum NumberParsing {
  /// Returns the text without blanks at its ends.
  @_lifetime(copy text)
  static func trimmed(_ text: Span<UInt8>) -> Span<UInt8> {
    var (start, end) = (0, text.count)
    while start < end, text[start] <= 0x20 { start += 1 }
    while end > start, text[end - 1] <= 0x20 { end -= 1 }
    return text.extracting(start..<end)
  }

  /// Returns the whole number that a text spells; `nil` if the text is invalid, or the number has more than 64 bits.
  static func integer(_ text: Span<UInt8>) -> Int64? {
    let text = trimmed(text)
    guard text.count > 0, text.count <= 20 else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    var index = isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0
    guard index < text.count else { return nil }
    var magnitude: UInt64 = 0
    while index < text.count {
      let digit = text[index] &- 0x30
      guard digit <= 9 else { return nil }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      magnitude = sum
      index += 1
    }
    if isNegative {
      return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// The powers of ten that a 64-bit number represents exactly.
  private static let realPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private static let powers: [UInt128] = (0...38).map { (0..<$0).reduce(1) { one, _ in one * 10 } }

  /// Returns the 64-bit number nearest to the text; `nil` if the text is not a number.
  static func double(_ text: Span<UInt8>) -> Double? {
    let text = trimmed(text)
    if let (isNegative, digits, places) = fixed(text) {
      let value = quotient(digits, places)
      return isNegative ? -value : value
    }
    if let special = special(text) { return special }
    return general(text).flatMap { Double($0) }
  }

  /// Returns the 32-bit number nearest to the text; `nil` if the text is not a number.
  static func float(_ text: Span<UInt8>) -> Float? {
    let text = trimmed(text)
    if let (isNegative, digits, places) = fixed(text), digits < 1 << 24, places <= 10 {
      // Both operands are exact, so the quotient is rounded only once.
      let value = Float(UInt32(truncatingIfNeeded: digits)) / Float(realPowers[places])
      return isNegative ? -value : value
    }
    if let bits = pattern(text, digitCount: 8) { return Float(bitPattern: UInt32(bits)) }
    if let special = special(text) { return Float(special) }
    return general(text).flatMap { Float($0) }
  }

  /// Parses digits with at most one point as a whole number and a number of decimals; `nil` if the text is longer or
  /// has another form.
  private static func fixed(
    _ text: Span<UInt8>
  ) -> (isNegative: Bool, digits: UInt128, places: Int)? {
    guard text.count > 0, text.count <= 40 else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    var index = isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0
    var end = text.count
    var point = -1
    // Trailing zeros after the point do not change the value.
    for place in index..<end where text[place] == UInt8(ascii: ".") {
      point = place
      break
    }
    if point >= 0 {
      guard end - index > 1 else { return nil }
      while end > point + 1, text[end - 1] == UInt8(ascii: "0") { end -= 1 }
    } else if index == end {
      return nil
    }
    var small: UInt64 = 0
    var digits: UInt128 = 0
    var count = 0
    while index < end {
      if index != point {
        let digit = text[index] &- 0x30
        guard digit <= 9 else { return nil }
        if count < 19 {
          small = small &* 10 &+ UInt64(digit)
          if count == 18 { digits = UInt128(small) }
        } else {
          digits = digits &* 10 &+ UInt128(digit)
        }
        count += 1
      }
      index += 1
    }
    guard count <= 37 else { return nil }
    if count < 19 { digits = UInt128(small) }
    let places = point >= 0 ? end - point - 1 : 0
    return places <= 20 ? (isNegative, digits, places) : nil
  }

  /// Returns a whole number divided by a power of ten, rounded once.
  private static func quotient(_ digits: UInt128, _ places: Int) -> Double {
    if digits < 1 << 53 {
      // Both operands are exact: powers of ten are exact up to the twenty-second.
      return Double(UInt64(truncatingIfNeeded: digits)) / realPowers[places]
    }
    if places == 0 { return rounded(digits) }
    // The quotient gets as many bits as possible. Its lowest bit stands for the remainder.
    let shift = digits.leadingZeroBitCount
    var (high, rest) = (digits << UInt128(shift)).quotientAndRemainder(dividingBy: powers[places])
    if rest != 0 { high |= 1 }
    return Double(sign: .plus, exponent: -shift, significand: rounded(high))
  }

  /// Returns the 64-bit number nearest to a whole number.
  private static func rounded(_ number: UInt128) -> Double {
    let excess = 64 - number.leadingZeroBitCount
    guard excess > 0 else { return Double(UInt64(number)) }
    var high = UInt64(truncatingIfNeeded: number >> UInt128(excess))
    // The discarded bits matter only if the rest is exactly half of the last place.
    if number & ((1 << UInt128(excess)) - 1) != 0 { high |= 1 }
    return Double(sign: .plus, exponent: excess, significand: Double(high))
  }

  /// Parses `inf`, `-inf`, `nan`, and the bit patterns of all other NaN values (spec §5.4.3).
  private static func special(_ text: Span<UInt8>) -> Double? {
    if let bits = pattern(text, digitCount: 16) { return Double(bitPattern: bits) }
    guard text.count <= 4 else { return nil }
    var letters: [UInt8] = []
    for index in text.indices { letters.append(text[index]) }
    switch String(decoding: letters, as: UTF8.self) {
    case "inf": return .infinity
    case "-inf": return -.infinity
    case "nan": return .nan
    default: return nil
    }
  }

  /// Returns the bits of a text such as `nan(7ff8000000000001)`; `nil` if the text has another form.
  private static func pattern(_ text: Span<UInt8>, digitCount: Int) -> UInt64? {
    guard text.count == digitCount + 5, text[0] == UInt8(ascii: "n"), text[1] == UInt8(ascii: "a"),
      text[2] == UInt8(ascii: "n"), text[3] == UInt8(ascii: "("),
      text[text.count - 1] == UInt8(ascii: ")")
    else { return nil }
    var bits: UInt64 = 0
    for index in 4..<text.count - 1 {
      guard let digit = Character(Unicode.Scalar(text[index])).hexDigitValue, text[index] < 0x80
      else { return nil }
      bits = bits << 4 | UInt64(digit)
    }
    let isNumber =
      digitCount == 16
      ? !Double(bitPattern: bits).isNaN : !Float(bitPattern: UInt32(bits)).isNaN
    return isNumber ? nil : bits
  }

  /// Returns the text of a number in any other form; `nil` if it contains a character that no number has.
  private static func general(_ text: Span<UInt8>) -> String? {
    guard text.count <= 2000 else { return nil }
    var letters: [UInt8] = []
    for index in text.indices {
      switch text[index] {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: letters.append(text[index])
      default: return nil
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
