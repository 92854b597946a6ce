/// Floating-point numbers as text that preserves every bit.
package enum RealText {
  package static func text(_ number: Double) -> String {
    if number.isFinite { return "\(number)" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    return number.bitPattern == Double.nan.bitPattern
      ? "nan" : "nan:" + String(number.bitPattern, radix: 16)
  }

  package static func text(_ number: Float) -> String {
    if number.isFinite { return "\(number)" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    return number.bitPattern == Float.nan.bitPattern
      ? "nan" : "nan:" + String(number.bitPattern, radix: 16)
  }

  /// Returns the 64-bit number of a whole text; `nil` if the text is not a number, or if its digits are too large for a
  /// finite number.
  package static func double(_ text: String) -> Double? {
    if let number = finite(text, Double.init) { return number }
    guard let word = notFinite(text) else { return nil }
    switch word {
    case .infinite(let isNegative): return isNegative ? -.infinity : .infinity
    case .notANumber(nil): return .nan
    case .notANumber(let digits?):
      guard let bits = UInt64(digits, radix: 16) else { return nil }
      let number = Double(bitPattern: bits)
      return number.isNaN ? number : nil
    }
  }

  /// Returns the 32-bit number of a whole text, under the same rules as ``double(_:)``.
  package static func float(_ text: String) -> Float? {
    if let number = finite(text, Float.init) { return number }
    guard let word = notFinite(text) else { return nil }
    switch word {
    case .infinite(let isNegative): return isNegative ? -.infinity : .infinity
    case .notANumber(nil): return .nan
    case .notANumber(let digits?):
      guard let bits = UInt32(digits, radix: 16) else { return nil }
      let number = Float(bitPattern: bits)
      return number.isNaN ? number : nil
    }
  }

  /// Returns a number written in decimal digits; `nil` if the number is too large to be finite.
  private static func finite<R: BinaryFloatingPoint>(
    _ text: String, _ make: (String) -> R?
  ) -> R? {
    let isDecimal = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
    }
    guard isDecimal, text.utf8.count <= 4096, let number = make(text), number.isFinite else {
      return nil
    }
    return number
  }

  private enum Word {
    case infinite(isNegative: Bool)
    case notANumber(String?)
  }

  private static func notFinite(_ text: String) -> Word? {
    switch text.lowercased() {
    case "nan": .notANumber(nil)
    case "inf", "+inf", "infinity", "+infinity": .infinite(isNegative: false)
    case "-inf", "-infinity": .infinite(isNegative: true)
    case let other: other.hasPrefix("nan:") ? .notANumber(String(other.dropFirst(4))) : nil
    }
  }
}
