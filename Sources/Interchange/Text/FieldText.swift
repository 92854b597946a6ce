package import JSONText
package import ObjectModel

/// The values of fields in files.
package enum FieldText {
  /// Returns the value of an attribute from a field.
  ///
  /// - Throws: ``FieldFault`` that names the expected value.
  static func value(_ field: FieldValue, of type: AttributeType) throws(FieldFault) -> Value {
    let traits = type.traits
    // JSON has whole numbers and booleans without quotation marks, and other numbers with or without them.
    let mustBeBare = traits.content == .boolean || traits.content == .integer
    let text: String
    let isBare: Bool
    switch field {
    case .null: return .null
    case .bare(let word): (text, isBare) = (word, true)
    case .text(let word): (text, isBare) = (word, false)
    case .cell(let word, let hasDecimalComma):
      let pointed =
        hasDecimalComma && traits.isNumber
        ? DecimalComma.pointed(word.utf8).map { String(decoding: $0, as: UTF8.self) } : word
      // A wrong number is shown as the file contains it.
      guard let pointed else {
        throw FieldFault(
          "The value must be \(words(traits)) with a decimal comma, not \"\(shown(word))\".")
      }
      (text, isBare) = (pointed, mustBeBare)
    case .list: throw FieldFault("The value must be \(words(traits)), not a list.")
    case .members: throw FieldFault("The value must be \(words(traits)), not an object.")
    }
    if isBare == mustBeBare || traits.isNumber && !mustBeBare, traits.content != .object,
      let value = ValueText.exchange.value(text, of: type)
    {
      return value
    }
    let shown = shown(text)
    throw FieldFault(
      "The value must be \(words(traits)), not \(isBare ? shown : "\"\(shown)\"").")
  }

  private static func shown(_ text: String) -> String {
    text.count > 60 ? "\(text.prefix(60))…" : text
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

  /// Returns the description of a type's values as text.
  private static func words(_ traits: AttributeTraits) -> String {
    switch traits.content {
    case .date: "a date in ISO 8601"
    case .binary: "bytes in base64"
    case .uri: "a URI as text"
    case .object, nil: "omitted"
    default: traits.words
    }
  }
}

/// A problem with one field, as a sentence.
struct FieldFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
