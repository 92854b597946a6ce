import Foundation
import ObjectModel

extension Number {
  /// Returns the number rounded to some decimal places. Halves are rounded away from zero.
  ///
  /// A floating-point number is rounded as the shortest decimal number that stands for it: 2.675 becomes 2.68. A whole
  /// number that does not fit in 64 bits becomes a floating-point number.
  func rounded(toPlaces places: Int64) -> Number {
    switch self {
    case .integer(let number):
      guard places < 0 else { return self }
      guard places > -20, let digits = Digits(UInt128(number.magnitude)).rounded(-Int(places))
      else {
        return .integer(0)
      }
      let rounded = number < 0 ? -Int128(digits.value) : Int128(digits.value)
      return Int64(exactly: rounded).map { .integer($0) } ?? .double(Double(rounded))
    case .decimal(let number):
      guard var parts = DecimalParts(number), places < 1000 else { return self }
      let dropped = -Int(parts.exponent) - Int(Swift.max(places, -1000))
      guard dropped > 0 else { return self }
      guard let digits = Digits(parts.magnitude).rounded(dropped), digits.count > 0,
        let exponent = Int8(exactly: Int(parts.exponent) + dropped)
      else { return .decimal(0) }
      (parts.magnitude, parts.exponent) = (digits.count, exponent)
      return .decimal(parts.decimal)
    case .double(let number):
      return .double(Number.rounded(number, places))
    }
  }

  private static func rounded(_ number: Double, _ places: Int64) -> Double {
    // Such numbers are whole, infinite or not numbers.
    guard number.magnitude < 0x1p53 || places < 0, number.isFinite, places < 400 else {
      return number
    }
    let zero = number.sign == .minus ? -0.0 : 0.0
    guard places > -400 else { return zero }
    // The text is digits with a point, and perhaps an exponent behind "e".
    let parts = number.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    let exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count
    guard let magnitude = UInt128(mantissa[0] + fraction) else { return number }
    let dropped = -exponent - Int(places)
    guard dropped > 0 else { return number }
    guard let digits = Digits(magnitude).rounded(dropped),
      let rounded = Double("\(digits.count)e\(exponent + dropped)")
    else { return zero }
    return number.sign == .minus ? -rounded : rounded
  }
}

/// The digits of a decimal number without its sign.
private struct Digits {
  private let magnitude: UInt128

  init(_ magnitude: UInt128) { self.magnitude = magnitude }

  /// Returns the number without its last digits, rounded: as a count of the unit in the last place that remains, and as a
  /// value with zeros for the digits. Returns `nil` if the result is zero because the digits are too many.
  func rounded(_ dropped: Int) -> (count: UInt128, value: UInt128)? {
    // The largest number has 39 digits, and is less than half of the next power of ten.
    guard dropped < 39 else { return nil }
    var unit: UInt128 = 1
    for _ in 0..<dropped { unit *= 10 }
    let (quotient, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
    let count = rest >= unit - rest ? quotient + 1 : quotient
    let (value, isOver) = count.multipliedReportingOverflow(by: unit)
    return (count, isOver ? .max : value)
  }
}
