/// A day of the Gregorian calendar, in which all years have the present rules.
///
/// Foundation's Gregorian calendar has Julian days before 1582, and the files that are written with this one have none.
package struct CivilDate: Equatable {
  package let year: Int64
  package let month: Int64
  package let day: Int64

  /// The number of days from 0000-03-01 to 2001-01-01.
  private static let daysTo2001: Int64 = 730_791

  /// Creates a day; `nil` if the month does not have it.
  package init?(_ year: Int64, _ month: Int64, _ day: Int64) {
    guard (1...12).contains(month), day >= 1, day <= CivilDate.dayCount(month, of: year) else {
      return nil
    }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates the day with a number, counted from 2001-01-01. Years begin in March here, so that a leap day is the last
  /// day of its year.
  package init(number: Int64) {
    let shifted = number + CivilDate.daysTo2001
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  }

  /// The number of the day, counted from 2001-01-01.
  package var number: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.flooredQuotient(400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      - CivilDate.daysTo2001
  }

  /// The day of the week, from 1 for Monday to 7 for Sunday. January 1, 2001, was a Monday.
  package var weekday: Int64 { number - 7 * number.flooredQuotient(7) + 1 }

  private static func dayCount(_ month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension CivilDate {
  /// The first and the last second of the years that four digits express, counted from 2001-01-01 00:00 UTC.
  package static let writtenSeconds: ClosedRange<Int64> = -63_113_904_000...252_423_993_599

  /// Returns the day and the time of a second, as ``append(second:to:)`` writes them.
  package static func text(ofSecond second: Int64) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(19)
    append(second: second, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the day and the time of a second, counted from 2001-01-01 00:00 UTC: `2001-01-01T00:00:00`. The second must be
  /// one of ``writtenSeconds``.
  package static func append(second: Int64, to bytes: inout [UInt8]) {
    let number = second.flooredQuotient(86_400)
    let date = CivilDate(number: number)
    let time = second - number * 86_400
    append(date.year, 4, "-", to: &bytes)
    append(date.month, 2, "-", to: &bytes)
    append(date.day, 2, "T", to: &bytes)
    append(time / 3600, 2, ":", to: &bytes)
    append(time / 60 % 60, 2, ":", to: &bytes)
    append(time % 60, 2, nil, to: &bytes)
  }

  /// Appends a number of a fixed count of digits, and the character behind it.
  package static func append(
    _ number: Int64, _ digits: Int, _ separator: Unicode.Scalar?, to bytes: inout [UInt8]
  ) {
    var divisor: Int64 = [1, 10, 100, 1000][digits - 1]
    for _ in 0..<digits {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
    if let separator { bytes.append(UInt8(ascii: separator)) }
  }
}

extension Int64 {
  package func flooredQuotient(_ divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
