import JSONText
import ObjectModel

/// Values in the JSON form of a model: defaults and bounds.
enum ModelJSONValue {
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

  /// Returns the value of JSON; `nil` if the JSON is not a value of the type, which is then reported.
  static func read(
    _ json: JSON, of type: AttributeType, _ reading: inout ModelJSONReading
  ) -> Value? {
    if let value = value(json, of: type) { return value }
    reading.report(json, insteadOf: words(type))
    return nil
  }

  private static func value(_ json: JSON, of type: AttributeType) -> Value? {
    switch (type.traits.content, json) {
    case (.boolean, .boolean(let value)): return .boolean(value)
    // A decimal number may be a text, because most programs read numbers of JSON as floating-point numbers.
    case (.integer, .number(let text)), (.decimal, .number(let text)),
      (.decimal, .string(let text)),
      (.date, .string(let text)), (.string, .string(let text)), (.uri, .string(let text)),
      (.uuid, .string(let text)), (.binary, .string(let text)), (.object, .string(let text)):
      return ValueText.modelJSON.value(text, of: type)
    // A finite number is one of JSON, and text is any other one.
    case (.float, .number(let text)), (.float, .string(let text)), (.double, .number(let text)),
      (.double, .string(let text)):
      let value = ValueText.modelJSON.value(text, of: type)
      let isNumber = if case .number = json { true } else { false }
      return value.flatMap { ValueText.isBare($0) == isNumber ? $0 : nil }
    // An attribute without a type accepts values of any type.
    case (nil, .boolean(let value)) where type == .undefined: return .boolean(value)
    case (nil, .string(let text)) where type == .undefined: return .string(text)
    case (nil, .number(let digits)) where type == .undefined:
      let isWhole = digits.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
      return value(json, of: isWhole ? .int64 : .double)
    default: return nil
    }
  }

  /// Returns a description of the values of a type, for messages.
  private static func words(_ type: AttributeType) -> String {
    let traits = type.traits
    let example = traits.example.hasPrefix("\"") ? traits.example : "\"\(traits.example)\""
    return switch traits.content {
    case .boolean, .integer, .string: traits.words
    case .float, .double: "\(traits.words), or \"inf\", \"-inf\" or \"nan\""
    case .decimal, .date, .uuid, .uri, .binary: "\(traits.words) as text, such as \(example)"
    case .object: "\(traits.words) as text, such as \"3/p1\""
    case nil where type == .composite: "absent, because the attribute is composite"
    case nil: "true, false, a number or text"
    }
  }
}
