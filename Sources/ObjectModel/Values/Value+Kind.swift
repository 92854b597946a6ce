extension Value {
  /// The kinds of values that rows contain. Types that only limit the values differ in ``AttributeTraits/range``.
  package enum Kind: Sendable, Hashable {
    case boolean, integer, float, double, decimal, string, date, uuid, uri, binary, object
  }

  /// The kind of the value; `nil` for ``null``.
  package var kind: Kind? {
    switch self {
    case .null: nil
    case .boolean: .boolean
    case .integer: .integer
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .uri: .uri
    case .binary: .binary
    case .object: .object
    }
  }
}

extension Value.Kind {
  package var isNumber: Bool {
    switch self {
    case .integer, .float, .double, .decimal: true
    case .boolean, .string, .date, .uuid, .uri, .binary, .object: false
    }
  }

  /// The kind in words, as a value is: "a whole number".
  var words: String {
    switch self {
    case .boolean: "a Boolean"
    case .integer: "a whole number"
    case .float: "a 32-bit floating-point number"
    case .double: "a 64-bit floating-point number"
    case .decimal: "a decimal number"
    case .string: "text"
    case .date: "a date"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .binary: "bytes"
    case .object: "an object"
    }
  }
}
