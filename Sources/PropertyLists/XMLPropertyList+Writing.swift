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
    guard interval == interval.rounded(), interval != 0 || interval.sign == .plus,
      let second = Int64(exactly: interval), CivilDate.writtenSeconds.contains(second)
    else { return nil }
    return CivilDate.text(ofSecond: second) + "Z"
  }
}
