import ObjectModel

/// The spelling of types in generated code. A type is spelled with its module if the model has a type of the same
/// name.
struct TypeNames {
  private let own: Set<String>

  /// Creates the spelling for code that declares the given names itself.
  init(besides own: Set<String>) { self.own = own }

  /// Returns the spelling of a type or a function of the standard library.
  func swift(_ name: String) -> String { own.contains(name) ? "Swift." + name : name }

  /// Returns the spelling of a type of Foundation.
  func foundation(_ name: String) -> String { own.contains(name) ? "Foundation." + name : name }

  /// Returns the spelling of a type of Quire.
  func quire(_ name: String) -> String { own.contains(name) ? "Quire." + name : name }

  /// Returns the type of an attribute's values; `nil` if the attribute type has no values in Swift.
  func values(_ type: AttributeType) -> String? {
    guard let name = type.traits.swiftName else { return nil }
    return type.traits.isOfFoundation ? foundation(name) : swift(name)
  }

  /// The names of value types.
  static let ofValues: Set<String> = [
    "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
    "UInt64", "Double", "Float", "Decimal", "Bool", "Date", "UUID", "URL", "Data", "Character",
  ]

  /// Whether values of the attribute type have a type of Foundation.
  static func isFoundation(_ type: AttributeType) -> Bool { type.traits.isOfFoundation }
}
