package import JSONText
package import ObjectModel

/// The values of fields in files.
package enum FieldText {
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
    case .cell(let word): (text, isBare) = (word, mustBeBare(type))
    case .list: throw FieldFault("The value must be \(Self.words(type)), not a list.")
    case .members: throw FieldFault("The value must be \(Self.words(type)), not an object.")
    }
    if isBare == mustBeBare(type) || type.traits.isNumber && !mustBeBare(type),
      type != .objectID, let value = ValueText.exchange.value(text, of: type)
    {
      return value
    }
    let shown = text.count > 60 ? "\(text.prefix(60))…" : text
    throw FieldFault(
      "The value must be \(Self.words(type)), not \(isBare ? shown : "\"\(shown)\"").")
  }

  /// Returns the value of an attribute from JSON; `nil` if the type has no such value.
  package static func value(_ json: JSON, of type: AttributeType) -> Value? {
    let field: FieldValue
    switch json {
    case .null: return .null
    case .boolean(let value): field = .bare(value ? "true" : "false")
    case .number(let digits): field = .bare(digits)
    case .string(let text): field = .text(text)
    case .array, .members: return nil
    }
    return try? value(field, of: type)
  }

  /// Whether JSON contains values of a type without quotation marks. Other numbers may have them.
  private static func mustBeBare(_ type: AttributeType) -> Bool {
    type.traits.content == .boolean || type.traits.content == .integer
  }

  /// Returns the description of a type's values as text.
  private static func words(_ type: AttributeType) -> String {
    switch type.traits.content {
    case .date: "a date in ISO 8601"
    case .binary: "bytes in base64"
    case .uri: "a URI as text"
    case .object, nil: "omitted"
    default: type.traits.words
    }
  }
}

/// A problem with one field, as a sentence.
struct FieldFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
