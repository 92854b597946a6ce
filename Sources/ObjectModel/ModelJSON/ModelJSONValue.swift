private import Foundation
import JSONText

/// The JSON form of the values in a model: defaults and bounds.
enum ModelJSONValue {
  /// Returns a value as JSON: a number where JSON has one, text otherwise.
  static func json(_ value: Value) -> JSON {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .number("\(value)")
    case .float(let value): value.isFinite ? .number("\(value)") : .string("\(value)")
    case .double(let value): value.isFinite ? .number("\(value)") : .string("\(value)")
    // Decimals and dates are texts, because most programs read numbers of JSON as floating-point numbers.
    case .decimal(let value): .string(value.isNaN ? notANumber : value.description)
    case .date(let value): .string(text(value.timeIntervalSinceReferenceDate))
    case .string(let value), .uri(let value): .string(value)
    case .uuid(let value): .string(value.uuidString)
    case .binary(let value): .string(value.base64EncodedString())
    case .object(let key): .string("\(key.entity)/p\(key.number)")
    }
  }

  /// Returns the type of a value; `nil` if the JSON of the value shows the type.
  static func type(of value: Value) -> AttributeType? {
    switch value {
    case .null, .boolean, .integer, .string: nil
    case .double(let value): value.isFinite ? nil : .double
    case .float: .float
    case .decimal: .decimal
    case .date: .date
    case .uri: .uri
    case .uuid: .uuid
    case .binary: .binary
    case .object: .objectID
    }
  }

  /// Returns the value of JSON; `nil` if the JSON is no value of the type, which is then reported.
  static func read(
    _ json: JSON, of type: AttributeType, _ reading: inout ModelJSONReading
  ) -> Value? {
    if let value = value(json, of: type) { return value }
    reading.report(json, insteadOf: words(type))
    return nil
  }

  private static func value(_ json: JSON, of type: AttributeType) -> Value? {
    switch (type, json) {
    case (.boolean, .boolean(let value)), (.undefined, .boolean(let value)): .boolean(value)
    case (.int16, .number(let digits)), (.int32, .number(let digits)),
      (.int64, .number(let digits)):
      Int64(digits).map { .integer($0) }
    case (.float, _): number(json, Float.init).map { .float($0) }
    case (.double, _): number(json, Double.init).map { .double($0) }
    case (.decimal, .string(let text)), (.decimal, .number(let text)):
      text == notANumber ? .decimal(.nan) : SourceText.value(text, of: .decimal)
    case (.date, .string(let text)):
      seconds(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.string, .string(let text)), (.uri, .string(let text)), (.uuid, .string(let text)),
      (.binary, .string(let text)), (.transformable, .string(let text)):
      SourceText.value(text, of: type)
    // An attribute without a type accepts values of any type.
    case (.undefined, .string(let text)): .string(text)
    case (.undefined, .number(let digits)):
      digits.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
        ? Int64(digits).map { .integer($0) } : number(json, Double.init).map { .double($0) }
    case (.objectID, .string(let text)): key(text).map { .object($0) }
    default: nil
    }
  }

  /// Returns a floating-point number: a finite number of JSON, or text for any other number.
  private static func number<Number: BinaryFloatingPoint>(
    _ json: JSON, _ parse: (String) -> Number?
  ) -> Number? {
    switch json {
    case .number(let digits): parse(digits).flatMap { $0.isFinite ? $0 : nil }
    case .string(let text): parse(text).flatMap { $0.isFinite ? nil : $0 }
    default: nil
    }
  }

  private static let notANumber = "nan"

  // MARK: - Dates

  private static func text(_ seconds: Double) -> String {
    ISOMoment.text(seconds) ?? "@\(seconds)"
  }

  private static func seconds(_ text: String) -> Double? {
    text.hasPrefix("@") ? Double(text.dropFirst()) : ISOMoment.seconds(text)
  }

  // MARK: - Objects

  private static func key(_ text: String) -> ObjectKey? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let entity = UInt16(parts[0]), parts[1].first == "p",
      let number = UInt64(parts[1].dropFirst()), number <= ObjectKey.highestNumber
    else { return nil }
    return ObjectKey(entity: entity, number: number)
  }

  // MARK: - Messages

  /// Returns a description of the values of a type.
  private static func words(_ type: AttributeType) -> String {
    switch type {
    case .int16, .int32, .int64: "a whole number"
    case .float, .double: "a number, or \"inf\", \"-inf\" or \"nan\""
    case .decimal: "a decimal number as text, such as \"2.50\""
    case .boolean: "true or false"
    case .string: "text"
    case .date: "a date as text, such as \"2026-01-31T09:30:00Z\""
    case .uri: "a URI as text"
    case .uuid: "a UUID as text"
    case .binary, .transformable: "bytes in Base64 as text"
    case .undefined: "true, false, a number or text"
    case .objectID: "an identifier of an object as text, such as \"3/p1\""
    case .composite: "absent, because the attribute is composite"
    }
  }
}
