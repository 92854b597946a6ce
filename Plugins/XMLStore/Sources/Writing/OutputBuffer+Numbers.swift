// The writing of numbers (spec §5.4.3).

extension OutputBuffer {
  /// Appends a number with the fewest digits that a reader parses as the same number.
  mutating func append(shortest value: Double) {
    if let (digits, places) = OutputBuffer.scaled(value) {
      if value.sign == .minus { append(UInt8(ascii: "-")) }
      append(digits: digits, places: places)
    } else if value.isNaN, value.bitPattern != Double.nan.bitPattern {
      append("nan(\(OutputBuffer.hexadecimal(value.bitPattern, 16)))")
    } else {
      append("\(value)")
    }
  }

  /// Appends a 32-bit number with the fewest digits that a reader parses as the same number.
  mutating func append(shortest value: Float) {
    if value.isNaN, value.bitPattern != Float.nan.bitPattern {
      append("nan(\(OutputBuffer.hexadecimal(UInt64(value.bitPattern), 8)))")
    } else {
      let text = "\(value)"
      append(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
  }

  /// Appends a number with twenty decimals, as Core Data writes dates. A number below 0.001, or
  /// from 9e18 on, is written with the fewest digits that a reader parses as the same number.
  mutating func append(twentyDecimals value: Double) {
    let magnitude = value.magnitude
    guard magnitude == 0 || (magnitude >= 1e-3 && magnitude < 9e18) else {
      return append(shortest: value)
    }
    if value.sign == .minus { append(UInt8(ascii: "-")) }
    let whole = magnitude.rounded(.towardZero)
    let fraction = magnitude - whole
    var units = UInt64(whole)
    var decimals: UInt128 = 0
    if fraction > 0 {
      // The fraction is `significand / 2^places`, and the product has at most 120 bits.
      let places = 52 - Int(fraction.exponent)
      let significand = UInt128(fraction.significandBitPattern | 1 << 52)
      let product = significand * OutputBuffer.tenToTwenty
      decimals = product >> UInt128(places)
      let rest = product & ((1 << UInt128(places)) - 1)
      let half: UInt128 = 1 << UInt128(places - 1)
      if rest > half || (rest == half && decimals & 1 == 1) { decimals += 1 }
      if decimals == OutputBuffer.tenToTwenty {
        decimals = 0
        units += 1
      }
    }
    append(magnitude: units)
    append(UInt8(ascii: "."))
    let (high, low) = decimals.quotientAndRemainder(dividingBy: 10_000_000_000)
    append(magnitude: UInt64(high), leastDigits: 10)
    append(magnitude: UInt64(low), leastDigits: 10)
  }

  private static let tenToTwenty: UInt128 = 100_000_000_000_000_000_000

  /// Returns a number as a whole number of up to fifteen digits over a power of ten; `nil` if it needs more digits.
  ///
  /// With so few digits, the shortest representation is unique.
  private static func scaled(_ value: Double) -> (digits: UInt64, places: Int)? {
    let magnitude = value.magnitude
    guard magnitude < 1e15 else { return nil }
    var power = 1.0
    for places in 0...6 {
      let product = (magnitude * power).rounded()
      if product >= 1e15 { return nil }
      if product / power == magnitude { return (UInt64(product), places) }
      power *= 10
    }
    return nil
  }

  private mutating func append(digits: UInt64, places: Int) {
    guard places > 0 else { return append(magnitude: digits) }
    var power: UInt64 = 1
    for _ in 0..<places { power *= 10 }
    let (whole, rest) = digits.quotientAndRemainder(dividingBy: power)
    append(magnitude: whole)
    append(UInt8(ascii: "."))
    append(magnitude: rest, leastDigits: places)
  }

  private static func hexadecimal(_ bits: UInt64, _ count: Int) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: count - digits.count) + digits
  }
}
