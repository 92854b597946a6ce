import Foundation
public import XMLEvents

extension XMLPropertyList {
  /// Writes a property list, including its `plist` element.
  ///
  /// - Precondition: ``canHold(_:)`` is true.
  /// - Throws: `XMLError` if a text contains a character that XML can't represent.
  public static func write(_ list: PropertyList, into writer: inout XMLWriter) throws {
    try writer.start("plist", [("version", "1.0")])
    try writeValue(list, into: &writer)
    writer.end()
  }

  /// Whether a list that is written and read back is the same.
  ///
  /// XML can't represent references, sets, null, fractions of a second, NaN values except one, and some characters.
  public static func canHold(_ list: PropertyList) -> Bool {
    switch list {
    case .string(let text): canHold(text)
    case .integer, .boolean, .data: true
    case .unsigned(let value): value > UInt64(Int64.max)
    case .real(let value): !value.isNaN || value.bitPattern == Double.nan.bitPattern
    case .date(let value): dateText(value) != nil
    case .array(let values): values.allSatisfy(canHold)
    case .dictionary(let values): values.allSatisfy { canHold($0) && canHold($1) }
    case .set, .uid, .null: false
    }
  }

  private static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      ($0.value >= 0x20 || $0 == "\t" || $0 == "\n" || $0 == "\r") && $0.value != 0xFFFE
        && $0.value != 0xFFFF
    }
  }

  private static func writeValue(_ list: PropertyList, into writer: inout XMLWriter) throws {
    switch list {
    case .string(let text): try leaf("string", text, &writer)
    case .integer(let value): try leaf("integer", String(value), &writer)
    case .unsigned(let value): try leaf("integer", String(value), &writer)
    case .real(let value): try leaf("real", realText(value), &writer)
    case .boolean(let value): try writer.element(value ? "true" : "false")
    case .date(let value):
      guard let text = dateText(value) else { preconditionFailure("XML can't represent the date.") }
      try leaf("date", text, &writer)
    case .data(let bytes):
      try leaf("data", "\n" + bytes.base64EncodedString(options: lines) + "\n", &writer)
    case .array(let values):
      try writer.start("array")
      for value in values { try writeValue(value, into: &writer) }
      writer.end()
    case .dictionary(let values):
      try writer.start("dict")
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        try leaf("key", key, &writer)
        try writeValue(value, into: &writer)
      }
      writer.end()
    case .set, .uid, .null: preconditionFailure("XML can't represent the list.")
    }
  }

  private static let lines: Data.Base64EncodingOptions = [
    .lineLength76Characters, .endLineWithLineFeed,
  ]

  private static func leaf(
    _ name: String, _ text: String, _ writer: inout XMLWriter
  ) throws {
    try writer.start(name)
    try writer.text(text)
    writer.end()
  }

  private static func realText(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    return "\(value)"
  }

  /// Returns a date in the form `2001-01-01T00:00:00Z`; `nil` for a fraction of a second, or a year outside 0001 to
  /// 9999.
  private static func dateText(_ date: Date) -> String? {
    let interval = date.timeIntervalSinceReferenceDate
    // The bounds of the years 0001 to 9999.
    guard interval == interval.rounded(), interval >= -63_113_904_000, interval < 252_423_993_600,
      interval != 0 || interval.sign == .plus
    else { return nil }
    let seconds = Int(interval)
    let (days, rest) = (seconds.flooredQuotient(86_400), seconds.flooredRest(86_400))
    // The number of days since March 1 of the year 0.
    let shifted = days + 730_791
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted.flooredRest(146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T"
      + "\(digits(rest / 3600, 2)):\(digits(rest / 60 % 60, 2)):\(digits(rest % 60, 2))Z"
  }
}

extension Int {
  fileprivate func flooredQuotient(_ divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }

  fileprivate func flooredRest(_ divisor: Int) -> Int {
    self - flooredQuotient(divisor) * divisor
  }
}
