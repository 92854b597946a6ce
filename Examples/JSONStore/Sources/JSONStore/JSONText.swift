/// Functions that write and read pieces of JSON text.
enum JSONText {
  /// Returns a text in quotes, with its special characters escaped.
  static func quoted(_ text: String) -> String {
    var bytes = [UInt8(ascii: "\"")]
    bytes.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes += (byte < 16 ? "\\u000" : "\\u00").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a text of several lines as a JSON array with one string for each line.
  static func lines(_ text: String) -> String {
    // The text is split by bytes, because a carriage return and a line feed together are one Swift character.
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let quoted = lines.map { JSONText.quoted(String(decoding: $0, as: UTF8.self)) }
    return "[\n\(quoted.joined(separator: ",\n"))]"
  }

  /// Returns JSON from which the same number, bit for bit, is read back. A number that JSON can't express is written as a text.
  static func number(_ value: Double) -> String {
    if value.isFinite, value != 0 || value.sign == .plus { return "\(value)" }
    if value == 0 { return "\"-0\"" }
    if value.isInfinite { return value < 0 ? "\"-infinity\"" : "\"infinity\"" }
    return "\"nan \(String(value.bitPattern, radix: 16))\""
  }

  /// Returns the number that such a text stands for.
  static func number(_ text: String) -> Double? {
    switch text {
    case "-0": return -0.0
    case "infinity": return .infinity
    case "-infinity": return -.infinity
    default:
      guard text.hasPrefix("nan "), let bits = UInt64(text.dropFirst(4), radix: 16) else {
        return nil
      }
      let value = Double(bitPattern: bits)
      return value.isNaN ? value : nil
    }
  }
}
