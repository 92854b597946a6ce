import Foundation
import ObjectModel
import PropertyLists
import Rows

/// Converts values from their spelling in a document (spec §5.4).
enum XMLValues {
  /// Returns the number of an identifier: the letter z and decimal digits without leading zeros.
  static func identifier(_ text: String) -> UInt64? {
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "z"), digits.count <= 15, !digits.isEmpty,
      digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30,
      let number = UInt64(text.dropFirst()), number <= ObjectKey.highestNumber
    else { return nil }
    return number
  }

  /// Returns an integer, which may have blanks around it.
  static func integer(_ text: [UInt8]) -> Int64? { Int64(trimmed(text)) }

  private static func trimmed(_ text: some Collection<UInt8>) -> String {
    let start = Array(text.drop { $0 <= 0x20 })
    let end = start.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
    return String(decoding: start[..<end], as: UTF8.self)
  }

  /// Returns the value of a kind other than text.
  static func value(_ text: [UInt8], _ kind: ColumnKind) -> Value? {
    let words = trimmed(text)
    switch kind {
    case .boolean: return words == "1" ? .boolean(true) : words == "0" ? .boolean(false) : nil
    case .int16: return Int16(words).map { .integer(Int64($0)) }
    case .int32: return Int32(words).map { .integer(Int64($0)) }
    case .int64: return Int64(words).map { .integer($0) }
    case .float:
      if let bits = pattern(words, digitCount: 8) {
        return .float(Float(bitPattern: UInt32(bits)))
      }
      return number(words).flatMap { Float($0) }.map { .float($0) }
    case .double: return double(words).map { .double($0) }
    case .date: return double(words).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal:
      if words == "NaN" { return .decimal(.nan) }
      return DecimalParts(text: words.utf8.span).map { .decimal($0.decimal) }
    case .uuid: return UUID(spelled: words).map { .uuid($0) }
    case .binary: return Base64.bytes(text.span).map { .binary(Data($0)) }
    case .string, .uri, .reference: return nil
    }
  }

  private static func double(_ words: String) -> Double? {
    if let bits = pattern(words, digitCount: 16) { return Double(bitPattern: bits) }
    return number(words).flatMap { Double($0) }
  }

  /// Returns the words if they are digits with an optional sign, point and exponent, or one of the special names.
  private static func number(_ words: String) -> String? {
    if ["inf", "-inf", "nan"].contains(words) { return words }
    let isSpelled = words.utf8.allSatisfy {
      (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
    }
    return isSpelled ? words : nil
  }

  /// Returns the bits of a "not a number" such as `nan(7ff8000000000001)`; `nil` for bits of a number.
  private static func pattern(_ words: String, digitCount: Int) -> UInt64? {
    guard words.hasPrefix("nan("), words.hasSuffix(")"), words.utf8.count == digitCount + 5 else {
      return nil
    }
    let digits = words.dropFirst(4).dropLast()
    guard digits.allSatisfy(\.isHexDigit), let bits = UInt64(digits, radix: 16) else {
      return nil
    }
    let isNumber =
      digitCount == 16
      ? !Double(bitPattern: bits).isNaN : !Float(bitPattern: UInt32(bits)).isNaN
    return isNumber ? nil : bits
  }

  /// Returns a text without its escapes (spec §5.4.1); `nil` if an escape is half of a character.
  static func unescaped(_ text: [UInt8]) -> String? {
    guard text.contains(0x5C) else { return String(decoding: text, as: UTF8.self) }
    var units: [UInt16] = []
    var plain: [UInt8] = []
    func flush() -> Bool {
      guard !units.isEmpty else { return true }
      guard let words = String(validating: units, as: UTF16.self) else { return false }
      plain += Array(words.utf8)
      units = []
      return true
    }
    var index = 0
    while index < text.count {
      if let unit = unit(text, at: index) {
        units.append(unit)
        index += 6
        continue
      }
      guard flush() else { return nil }
      plain.append(text[index])
      index += 1
    }
    return flush() ? String(decoding: plain, as: UTF8.self) : nil
  }

  /// Returns the UTF-16 unit of the escape at an index; `nil` if an escape does not begin there.
  private static func unit(_ text: [UInt8], at index: Int) -> UInt16? {
    guard text[index] == 0x5C, index + 6 <= text.count, text[index + 1] == 0x75,
      let digits = String(validating: text[index + 2..<index + 6], as: UTF8.self),
      digits.utf8.allSatisfy({ $0 < 0x80 }), digits.allSatisfy(\.isHexDigit),
      let unit = UInt16(digits, radix: 16)
    else { return nil }
    return unit.byteSwapped
  }
}
