package import Foundation
internal import PropertyLists

/// The form of dates in a manifest (spec §7.3.2): `2026-11-22T01:13:59.250Z`, in UTC, to the millisecond, in
/// the Gregorian calendar for all years from 1 to 9999.
package enum ManifestDate {
  /// Returns the text of a date. A date outside the years 1 to 9999 becomes the nearest date within.
  package static func text(_ date: Date) -> String {
    let milliseconds = milliseconds(of: date)
    let second = milliseconds.flooredQuotient(1000)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    CivilDate.append(second: second, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    CivilDate.append(milliseconds - second * 1000, 3, "Z", to: &bytes)
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
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard let day = CivilDate(number(0..<4), number(5..<7), number(8..<10)), day.year >= 1,
      hour < 24, minute < 60, second < 60
    else { return nil }
    let time = ((hour * 60 + minute) * 60 + second) * 1000 + number(20..<23)
    return Date(timeIntervalSinceReferenceDate: Double(day.number * 86_400_000 + time) / 1000)
  }

  /// Returns the date as it is read after it was written.
  package static func rounded(_ date: Date) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(milliseconds(of: date)) / 1000)
  }

  private static func milliseconds(of date: Date) -> Int64 {
    let (first, last) = (
      CivilDate.writtenSeconds.lowerBound * 1000, CivilDate.writtenSeconds.upperBound * 1000 + 999
    )
    let exact = (date.timeIntervalSinceReferenceDate * 1000).rounded()
    guard exact > Double(first) else { return first }
    return exact < Double(last) ? Int64(exact) : last
  }
}
