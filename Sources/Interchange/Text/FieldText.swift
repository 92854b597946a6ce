import Foundation
package import ObjectModel
import Rows

/// Conversions between single values and text.
package enum FieldText {
  /// Returns the text of a value, and whether JSON contains it without quotes.
  package static func text(_ value: Value) -> (text: String, isBare: Bool) {
    switch value {
    case .null: ("null", true)
    case .boolean(let value): (value ? "true" : "false", true)
    case .integer(let number): (String(number), true)
    case .float(let number): (RealText.text(number), number.isFinite)
    case .double(let number): (RealText.text(number), number.isFinite)
    // Decimal numbers are quoted, because most programs read numbers in JSON as floating-point numbers.
    case .decimal(let number): (DecimalParts(number)?.text ?? "nan", false)
    case .string(let text), .uri(let text): (text, false)
    case .date(let date): (MomentText.text(date.timeIntervalSinceReferenceDate), false)
    case .uuid(let uuid): (uuid.uuidString, false)
    case .binary(let bytes): (bytes.base64EncodedString(), false)
    case .object(let key): (text(key), false)
    }
  }

  /// Returns an object's identifier within its store.
  static func text(_ key: ObjectKey) -> String { "\(key.entity)/p\(key.number)" }

  /// Returns the object of an identifier in the form of ``text(_:)-(ObjectKey)``; `nil` if the text has another form.
  static func key(_ text: some StringProtocol) -> ObjectKey? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let entity = UInt16(parts[0]), parts[1].first == "p",
      let number = UInt64(parts[1].dropFirst()), number > 0, number <= ObjectKey.highestNumber
    else { return nil }
    return ObjectKey(entity: entity, number: number)
  }

  /// Returns the value of an attribute from a field.
  ///
  /// - Throws: ``FieldFault`` that states the expected value.
  static func value(_ field: FieldValue, of type: AttributeType) throws(FieldFault) -> Value {
    let text: String
    let isBare: Bool
    switch field {
    case .null: return .null
    case .bare(let word): (text, isBare) = (word, true)
    case .text(let word): (text, isBare) = (word, false)
    case .cell(let word): (text, isBare) = (word, Self.isBare(type))
    case .list: throw FieldFault("The value must be \(Self.words(type)), not a list.")
    case .members: throw FieldFault("The value must be \(Self.words(type)), not an object.")
    }
    guard let value = value(text, isBare, type) else {
      let shown = text.count > 60 ? "\(text.prefix(60))…" : text
      throw FieldFault(
        "The value must be \(Self.words(type)), not \(isBare ? shown : "\"\(shown)\"").")
    }
    return value
  }

  private static func isBare(_ type: AttributeType) -> Bool {
    switch type {
    case .boolean, .int16, .int32, .int64: true
    default: false
    }
  }

  private static func value(_ text: String, _ isBare: Bool, _ type: AttributeType) -> Value? {
    switch type {
    case .int16: isBare ? Int16(text).map { .integer(Int64($0)) } : nil
    case .int32: isBare ? Int32(text).map { .integer(Int64($0)) } : nil
    case .int64: isBare ? Int64(text).map { .integer($0) } : nil
    case .boolean: isBare ? boolean(text).map { .boolean($0) } : nil
    case .float: RealText.float(text).map { .float($0) }
    case .double: RealText.double(text).map { .double($0) }
    case .decimal:
      text == "nan"
        ? .decimal(.nan) : DecimalParts(text: text.utf8.span).map { .decimal($0.decimal) }
    case .string: isBare ? nil : .string(text)
    case .uri: isBare ? nil : .uri(text)
    case .date:
      isBare
        ? nil : MomentText.seconds(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: isBare ? nil : UUID(spelled: text).map { .uuid($0) }
    case .binary, .transformable: isBare ? nil : Data(base64Encoded: text).map { .binary($0) }
    case .undefined, .objectID, .composite: nil
    }
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// Returns the description of a type's values for messages.
  private static func words(_ type: AttributeType) -> String {
    switch type {
    case .int16: "a whole number of 16 bits"
    case .int32: "a whole number of 32 bits"
    case .int64: "a whole number of 64 bits"
    case .boolean: "true or false"
    case .float, .double: "a number"
    case .decimal: "a decimal number"
    case .string: "text"
    case .uri: "a URI as text"
    case .date: "a date in ISO 8601"
    case .uuid: "a UUID"
    case .binary, .transformable: "bytes in base64"
    case .undefined, .objectID, .composite: "omitted"
    }
  }
}

/// A problem with one field, as a sentence.
struct FieldFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
