package import Foundation

/// A decimal number in parts: sign, whole number and power of ten.
///
/// In canonical form the whole number does not end in a zero, and zero is not negative and has the power 0. So
/// equal numbers have equal parts.
package struct DecimalParts: Equatable {
  package var isNegative: Bool
  package var magnitude: UInt128
  package var exponent: Int8

  /// Creates the parts of the given number, in canonical form; `nil` for "not a number".
  package init?(_ decimal: Decimal) {
    guard !decimal.isNaN else { return nil }
    #if canImport(Darwin)
      let m = decimal._mantissa
      magnitude = [m.7, m.6, m.5, m.4, m.3, m.2, m.1, m.0].reduce(0) { $0 << 16 | UInt128($1) }
      isNegative = decimal._isNegative != 0
      exponent = Int8(truncatingIfNeeded: decimal._exponent)
    #else
      // SAFETY: Foundation's decimal consists of 20 bytes of plain integers, and a bit cast to another size would
      // trap. The bytes are the exponent, flags, two reserved bytes, then the magnitude in eight 16-bit parts.
      let words = unsafe unsafeBitCast(decimal, to: Words.self)
      exponent = Int8(truncatingIfNeeded: words.0)
      isNegative = words.0 >> 8 & Flags.negative != 0
      magnitude =
        UInt128(words.1) | UInt128(words.2) << 32 | UInt128(words.3) << 64 | UInt128(words.4) << 96
    #endif
    canonicalize()
  }

  /// Creates the canonical parts of a whole number times a power of ten.
  package init(_ integer: Int64, exponent: Int8) {
    isNegative = integer < 0
    magnitude = UInt128(integer.magnitude)
    self.exponent = exponent
    canonicalize()
  }

  private mutating func canonicalize() {
    if magnitude == 0 {
      self.isNegative = false
      self.exponent = 0
      return
    }
    while exponent < Int8.max {
      let (quotient, rest) = magnitude.quotientAndRemainder(dividingBy: 10)
      if rest != 0 { break }
      magnitude = quotient
      exponent += 1
    }
  }

  /// The number that consists of these parts.
  package var decimal: Decimal {
    var length: UInt32 = 0
    var rest = magnitude
    while rest != 0 {
      rest >>= 16
      length += 1
    }
    #if canImport(Darwin)
      func part(_ i: Int) -> UInt16 { UInt16(truncatingIfNeeded: magnitude >> (16 * UInt128(i))) }
      return Decimal(
        _exponent: Int32(exponent), _length: length, _isNegative: isNegative ? 1 : 0, _isCompact: 0,
        _reserved: 0,
        _mantissa: (
          part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)
        ))
    #else
      let flags = length << 4 | (isNegative ? Flags.negative : 0)
      let words: Words = (
        UInt32(UInt8(bitPattern: exponent)) | flags << 8,
        UInt32(truncatingIfNeeded: magnitude), UInt32(truncatingIfNeeded: magnitude >> 32),
        UInt32(truncatingIfNeeded: magnitude >> 64), UInt32(truncatingIfNeeded: magnitude >> 96)
      )
      // SAFETY: As in the initializer; the length is the length of the magnitude.
      return unsafe unsafeBitCast(words, to: Decimal.self)
    #endif
  }

  #if !canImport(Darwin)
    private typealias Words = (UInt32, UInt32, UInt32, UInt32, UInt32)
    private enum Flags {
      static let negative: UInt32 = 8
    }
  #endif
}

extension DecimalParts {
  /// Returns the number times ten to the power of `scale`; `nil` when the product is not whole or does not fit.
  package func integer(scale: Int) -> Int64? {
    var power = Int(exponent) + scale
    // A positive power never makes the whole number smaller, and a product beyond these bounds could overflow its
    // type.
    guard power >= 0, power <= 18, magnitude <= UInt128(Int64.max) else { return nil }
    var product = magnitude
    while power > 0 {
      product *= 10
      power -= 1
      if product > UInt128(Int64.max) { return nil }
    }
    guard product <= UInt128(Int64.max) else { return nil }
    return isNegative ? -Int64(product) : Int64(product)
  }
}
