/// Moments in ISO 8601 form, exact to the last digit: `2026-01-31`, `2026-01-31T09:30:00.25Z`. Seconds, fractions
/// and a zone are optional. All years of four digits use the Gregorian calendar.
package enum ISOMoment {
  /// The number of days from 0000-03-01 to 2001-01-01.
  private static let daysTo2001: Int64 = 730_791

  // MARK: - Writing

  /// Returns the text of a moment given in seconds after 2001-01-01 00:00 UTC. The text is in UTC, with as many
  /// digits as needed. Returns `nil` when no such text reads back to the last bit.
  package static func text(_ seconds: Double) -> String? {
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
    let day = floorDivide(whole, 86_400)
    let second = whole - day * 86_400
    let (year, month, dayOfMonth) = date(ofDay: day)
    guard (1...9999).contains(year) else { return nil }
    var text = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
    text += padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":"
    text += padded(second % 60, 2)
    return text + (fraction.isEmpty ? "" : "." + fraction) + "Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  // MARK: - Reading

  /// Returns the seconds since 2001-01-01 00:00 UTC that the whole text represents; `nil` when the text is no
  /// moment. A day, and a time without a zone, is in UTC.
  package static func seconds(_ text: String) -> Double? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), (1...12).contains(month),
      day >= 1, day <= dayCount(month, of: year)
    else { return nil }
    var seconds = self.day(year, month, day) * 86_400
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

  // MARK: - Calendar

  private static func power(of count: Int) -> UInt64 {
    (0..<count).reduce(1) { product, _ in product * 10 }
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }

  private static func dayCount(_ month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Returns the number of a day of the Gregorian calendar, counted from 2001-01-01. Years begin in March here, so
  /// that a leap day is the last day of its year.
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = floorDivide(year, 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      - daysTo2001
  }

  private static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = number + daysTo2001
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
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
