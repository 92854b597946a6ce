import ObjectModel

/// The names of types in generated code: in full where the model has a type of the same name.
struct TypeNames {
  private let own: Set<String>

  /// Names beside the given ones, which the code declares itself.
  init(besides own: Set<String>) { self.own = own }

  /// A type, or a function, of the standard library.
  func swift(_ name: String) -> String { own.contains(name) ? "Swift." + name : name }

  /// A type of Foundation.
  func foundation(_ name: String) -> String { own.contains(name) ? "Foundation." + name : name }

  /// A type of Quire.
  func quire(_ name: String) -> String { own.contains(name) ? "Quire." + name : name }

  /// The type of an attribute's values; `nil` for one that has no values in Swift.
  func values(_ type: AttributeType) -> String? {
    switch type {
    case .int16: swift("Int16")
    case .int32: swift("Int32")
    case .int64: swift("Int64")
    case .double: swift("Double")
    case .float: swift("Float")
    case .boolean: swift("Bool")
    case .string: swift("String")
    case .decimal: foundation("Decimal")
    case .date: foundation("Date")
    case .binary, .transformable: foundation("Data")
    case .uuid: foundation("UUID")
    case .uri: foundation("URL")
    case .undefined, .objectID, .composite: nil
    }
  }

  /// The names of types of values.
  static let ofValues: Set<String> = [
    "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
    "UInt64", "Double", "Float", "Decimal", "Bool", "Date", "UUID", "URL", "Data", "Character",
  ]

  /// Whether values of the type are of a type of Foundation.
  static func isFoundation(_ type: AttributeType) -> Bool {
    switch type {
    case .decimal, .date, .binary, .transformable, .uuid, .uri: true
    default: false
    }
  }
}
