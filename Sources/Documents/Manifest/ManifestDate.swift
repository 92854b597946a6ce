package import Foundation

/// The form of dates in a manifest (spec §7.3.2): `2026-11-22T01:13:59.250Z`, in UTC, to the millisecond, in
/// the Gregorian calendar for all years from 1 to 9999.
package enum ManifestDate {
  /// Returns the text of a date. A date outside the years 1 to 9999 becomes the nearest date within.
  package static func text(_ date: Date) -> String {
    let milliseconds = milliseconds(of: date)
    // Counted from the year 1 on, no number is negative.
    let (day, time) = (milliseconds - first).quotientAndRemainder(dividingBy: millisecondsOfDay)
    let civil = civil(ofDay: day)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    append(civil.year, 4, "-", to: &bytes)
    append(civil.month, 2, "-", to: &bytes)
    append(civil.day, 2, "T", to: &bytes)
    append(time / 3_600_000, 2, ":", to: &bytes)
    append(time / 60_000 % 60, 2, ":", to: &bytes)
    append(time / 1000 % 60, 2, ".", to: &bytes)
    append(time % 1000, 3, "Z", to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the date of a text, or `nil` if the text does not have exactly this form.
  package static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count == 24 else { return nil }
    for (index, byte) in bytes.enumerated() {
      switch index {
      case 4, 7: guard byte == UInt8(ascii: "-") else { return nil }
      case 10: guard byte == UInt8(ascii: "T") else { return nil }
      case 13, 16: guard byte == UInt8(ascii: ":") else { return nil }
      case 19: guard byte == UInt8(ascii: ".") else { return nil }
      case 23: guard byte == UInt8(ascii: "Z") else { return nil }
      default: guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      }
    }
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard year >= 1, (1...12).contains(month), (1...dayCount(month, year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = dayNumber(year, month, day) - referenceDay
    let time = ((hour * 60 + minute) * 60 + second) * 1000 + number(20..<23)
    return Date(
      timeIntervalSinceReferenceDate: Double(days * millisecondsOfDay + time) / 1000)
  }

  /// Returns the date as it is read after it was written.
  package static func rounded(_ date: Date) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(milliseconds(of: date)) / 1000)
  }

  // MARK: - Days

  private static let millisecondsOfDay = 86_400_000
  /// The number of the day 2001-01-01, from which dates are counted.
  private static let referenceDay = dayNumber(2001, 1, 1)
  private static let first = -referenceDay * millisecondsOfDay
  private static let last = (dayNumber(9999, 12, 31) + 1 - referenceDay) * millisecondsOfDay - 1

  private static func milliseconds(of date: Date) -> Int {
    let exact = (date.timeIntervalSinceReferenceDate * 1000).rounded()
    guard exact > Double(first) else { return first }
    return exact < Double(last) ? Int(exact) : last
  }

  /// Returns the number of days from 0001-01-01 to a day.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let before = year - 1
    let afterFebruary = month > 2 && isLeap(year) ? 1 : 0
    return before * 365 + before / 4 - before / 100 + before / 400
      + daysBeforeMonth[month - 1] + afterFebruary + day - 1
  }

  /// The number of days before each month of a year that is not a leap year.
  private static let daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func dayCount(_ month: Int, _ year: Int) -> Int {
    [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  private static func civil(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
    // 400 years have 146 097 days. The result is the year itself, or at most two years below it.
    var year = max(1, number * 400 / 146_097)
    while dayNumber(year + 1, 1, 1) <= number { year += 1 }
    let day = number - dayNumber(year, 1, 1)
    // No month has more than 31 days, so the month is at least this one.
    var month = day / 31 + 1
    while month < 12, dayNumber(year, month + 1, 1) <= number { month += 1 }
    return (year, month, number - dayNumber(year, month, 1) + 1)
  }

  /// Appends a number of a fixed count of digits, and the character behind it.
  private static func append(
    _ number: Int, _ digits: Int, _ separator: Unicode.Scalar, to bytes: inout [UInt8]
  ) {
    var divisor = [1, 10, 100, 1000][digits - 1]
    for _ in 0..<digits {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
    bytes.append(UInt8(ascii: separator))
  }
}
