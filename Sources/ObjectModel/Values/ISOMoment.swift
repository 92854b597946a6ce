internal import PropertyLists

/// Moments in ISO 8601 form, exact to the last digit: `2026-01-31`, `2026-01-31T09:30:00.25Z`. Seconds, fractions
/// and a zone are optional. All years of four digits use the Gregorian calendar.
package enum ISOMoment {
  /// Returns the text of a moment given in seconds after 2001-01-01 00:00 UTC, with as many digits as needed. Returns `nil`
  /// when no such text reads back to the last bit.
  ///
  /// - Parameter offset: The seconds by which the clock that the text shows is ahead of UTC. The text is in UTC if they are not
  ///   whole minutes.
  package static func text(_ seconds: Double, ahead offset: Int = 0) -> String? {
    guard seconds.isFinite, abs(seconds) < 3e11, !(seconds == 0 && seconds.sign == .minus) else {
      return nil
    }
    // The shortest digits that read back as the number are sufficient.
    let digits = "\(seconds)"
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, var whole = Int64(parts[0]), parts[1].count <= 17,
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    var fraction = parts[1] == "0" ? "" : String(parts[1])
    if seconds < 0, !fraction.isEmpty {
      // A negative fraction counts forward from the previous whole second.
      guard let below = UInt64(fraction) else { return nil }
      let unit = power(of: fraction.count)
      whole -= 1
      let rest = String(unit - below)
      fraction = String(repeating: "0", count: fraction.count - rest.count) + rest
    }
    var zone = "Z"
    if offset != 0, offset % 60 == 0, CivilDate.writtenSeconds.contains(whole + Int64(offset)) {
      whole += Int64(offset)
      let minutes = abs(offset) / 60
      zone =
        (offset < 0 ? "-" : "+") + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
    }
    guard CivilDate.writtenSeconds.contains(whole) else { return nil }
    return CivilDate.text(ofSecond: whole) + (fraction.isEmpty ? "" : "." + fraction) + zone
  }

  private static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }

  /// Returns the seconds since 2001-01-01 00:00 UTC that the whole text represents; `nil` if the text is not
  /// a moment. A day, and a time without a zone, is in UTC.
  package static func seconds(_ text: String) -> Double? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), let date = CivilDate(year, month, day)
    else { return nil }
    var seconds = date.number * 86_400
    if scanner.isAtEnd { return Double(seconds) }
    guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
      hour < 24, minute < 60
    else { return nil }
    seconds += hour * 3600 + minute * 60
    var fraction: Substring = ""
    if scanner.skip(":") {
      guard let second = scanner.number(2), second < 60 else { return nil }
      seconds += second
      if scanner.skip(".") || scanner.skip(",") {
        fraction = scanner.digits()
        guard !fraction.isEmpty, fraction.count <= 18 else { return nil }
      }
    }
    guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
    return joined(seconds - offset, fraction)
  }

  /// Returns the number with the given whole seconds and the given digits after the point.
  private static func joined(_ whole: Int64, _ fraction: Substring) -> Double? {
    guard !fraction.isEmpty else { return Double(whole) }
    guard let below = UInt64(fraction) else { return nil }
    let unit = Int128(power(of: fraction.count))
    let scaled = Int128(whole) * unit + Int128(below)
    let (quotient, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: unit.magnitude)
    let digits = String(rest)
    return Double(
      (scaled < 0 ? "-" : "") + String(quotient) + "."
        + String(repeating: "0", count: fraction.count - digits.count) + digits)
  }

  private static func power(of count: Int) -> UInt64 {
    (0..<count).reduce(1) { product, _ in product * 10 }
  }
}

/// A scanner of consecutive digits and signs.
private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads a number of exactly `count` digits.
  mutating func number(_ count: Int) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<count {
      guard let digit = rest.first, (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - 0x30)
      rest.removeFirst()
    }
    return number
  }

  mutating func digits() -> Substring {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return Substring(digits)
  }

  /// Reads a zone and returns its offset from UTC in seconds; a missing zone means UTC.
  mutating func zone() -> Int64? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(2), hours < 24 else { return nil }
    _ = skip(":")
    if isAtEnd { return sign * hours * 3600 }
    guard let minutes = number(2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
