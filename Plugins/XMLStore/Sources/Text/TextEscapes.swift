// SAFETY: Every index is below the count of the span or buffer it is used for.

/// The escapes of texts in the elements and attributes of a document (spec §5.4.1).
///
/// A character that XML can't represent, or would change, is escaped. The escape is `\u` and the four hexadecimal
/// digits of a UTF-16 unit, the lower byte first: `<` is `\u3c00`.
enum TextEscapes {
  /// For each byte, where it may need an escape: 1 in text and in attributes, 2 in attributes only, 0 nowhere.
  static let table: [UInt8] = (0...255).map { byte in
    switch UInt8(byte) {
    case 0x09, 0x0A, 0x22: 2
    case 0..<0x20, 0x3C, 0x3E, 0x26, 0x5C, 0xEF: 1
    default: 0
    }
  }

  /// Returns a text as the value of an XML attribute, with its escapes.
  static func attribute(_ text: String) -> [UInt8] {
    var escaped: [UInt8] = []
    for unit in text.unicodeScalars {
      switch unit.value {
      case 0x3C, 0x3E, 0x26, 0x5C, 0x22, 0..<0x20, 0xFFFE, 0xFFFF:
        escaped += TextEscapes.escape(UInt16(unit.value))
      default: escaped += UTF8.encode(unit)!
      }
    }
    return escaped
  }

  /// Returns the escape of one UTF-16 unit.
  static func escape(_ unit: UInt16) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    let (low, high) = (Int(unit & 0xFF), Int(unit >> 8))
    return [
      0x5C, 0x75, digits[low >> 4], digits[low & 15], digits[high >> 4], digits[high & 15],
    ]
  }

  /// Returns the bytes with all escapes replaced; `nil` if an escape is half of a character.
  ///
  /// A backslash that does not begin an escape stays.
  static func unescaped(_ text: Span<UInt8>) -> [UInt8]? {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var index = 0
    var high: UInt16?
    while index < text.count {
      guard text[index] == 0x5C, let unit = unit(text, at: index) else {
        if high != nil { return nil }
        plain.append(text[index])
        index += 1
        continue
      }
      index += 6
      switch unit {
      case 0xD800..<0xDC00:
        if high != nil { return nil }
        high = unit
      case 0xDC00..<0xE000:
        guard let first = high else { return nil }
        high = nil
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { return nil }
        plain += UTF8.encode(scalar)!
      default:
        guard high == nil, let scalar = Unicode.Scalar(unit) else { return nil }
        plain += UTF8.encode(scalar)!
      }
    }
    return high == nil ? plain : nil
  }

  /// Returns the unit of the escape at an index; `nil` if there is no escape.
  private static func unit(_ text: Span<UInt8>, at index: Int) -> UInt16? {
    guard index + 6 <= text.count, text[index + 1] == 0x75 else { return nil }
    var digits: UInt16 = 0
    for place in index + 2..<index + 6 {
      guard let digit = Character(Unicode.Scalar(text[place])).hexDigitValue, text[place] < 0x80
      else { return nil }
      digits = digits << 4 | UInt16(digit)
    }
    return digits.byteSwapped
  }
}
