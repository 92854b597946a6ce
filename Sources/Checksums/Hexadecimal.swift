extension Collection<UInt8> {
  /// The bytes in lower-case hexadecimal, two digits a byte.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Creates the bytes from hexadecimal text, in either case; `nil` if the text is not hexadecimal.
  public init?(hex: some StringProtocol) {
    self.init(hexDigits: String(hex).utf8)
  }

  private init?(hexDigits digits: String.UTF8View) {
    self.init()
    guard digits.count.isMultiple(of: 2) else { return nil }
    reserveCapacity(digits.count / 2)
    var upper: UInt8?
    for digit in digits {
      guard let value = Self.value(ofDigit: digit) else { return nil }
      if let four = upper {
        append(four << 4 | value)
        upper = nil
      } else {
        upper = value
      }
    }
  }

  private static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
