import JSONText

/// The value of one property of one object, as a file contains it.
enum FieldValue {
  case null
  /// A JSON word without quotes: a number, `true` or `false`.
  case bare(String)
  case text(String)
  /// A cell of comma-separated values, which can be of any type. Its numbers may have a comma in place of the decimal point.
  case cell(String, hasDecimalComma: Bool = false)
  case list([FieldValue])
  case members([(name: String, value: FieldValue)])

  /// Returns the identifiers of a to-many relationship.
  ///
  /// - Throws: ``FieldFault`` if the value is not a list of identifiers.
  func identifiers() throws(FieldFault) -> [String] {
    switch self {
    case .null: return []
    case .cell(let text, _): return text.split(separator: " ").map(String.init)
    case .list(let values):
      var identifiers: [String] = []
      for value in values {
        guard case .text(let text) = value, !text.isEmpty else {
          throw FieldFault("The value must be a list of identifiers as text.")
        }
        identifiers.append(text)
      }
      return identifiers
    default: throw FieldFault("The relationship is to-many, so its value must be a list.")
    }
  }

  /// Returns the identifier of a to-one relationship; `nil` for none.
  ///
  /// - Throws: ``FieldFault`` if the value is not an identifier.
  func identifier() throws(FieldFault) -> String? {
    switch self {
    case .null: return nil
    case .cell(let text, _), .text(let text):
      if text.isEmpty { throw FieldFault("The value must be an identifier, not empty text.") }
      return text
    default:
      throw FieldFault("The relationship is to-one, so its value must be an identifier as text.")
    }
  }
}

extension FieldValue {
  /// Creates a value from JSON.
  init(_ json: JSON) {
    switch json {
    case .null: self = .null
    case .boolean(let value): self = .bare(value ? "true" : "false")
    case .number(let word): self = .bare(word)
    case .string(let text): self = .text(text)
    case .array(let values): self = .list(values.map { FieldValue($0) })
    case .members(let members):
      self = .members(members.map { (name: $0.name, value: FieldValue($0.value)) })
    }
  }
}
