package import JSONText
package import ObjectModel

extension FieldText {
  /// Returns a value as JSON, from which ``value(_:of:)-(JSON,_)`` returns the same value to the last bit.
  package static func json(_ value: Value) -> JSON {
    switch value {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    default:
      let (text, isBare) = text(value)
      return isBare ? .number(text) : .string(text)
    }
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

  /// Returns an object's identifier as JSON contains it.
  package static func identifier(_ key: ObjectKey) -> String { text(key) }

  /// Returns the object of an identifier; `nil` if the text has another form.
  package static func object(_ identifier: String) -> ObjectKey? { key(identifier) }
}
