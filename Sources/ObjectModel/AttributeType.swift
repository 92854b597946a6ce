/// The type of an attribute's values.
///
/// The raw value is the number in models and version hashes (spec §2.3.1). It equals Core Data's public attribute
/// type number.
public enum AttributeType: Int32, Sendable, Hashable, CaseIterable {
  /// No type. Allowed for transient attributes only.
  case undefined = 0
  /// A signed integer of 16 bits.
  case int16 = 100
  /// A signed integer of 32 bits.
  case int32 = 200
  /// A signed integer of 64 bits.
  case int64 = 300
  /// A decimal number of up to 38 digits.
  case decimal = 400
  /// A floating-point number of 64 bits.
  case double = 500
  /// A floating-point number of 32 bits.
  case float = 600
  case string = 700
  case boolean = 800
  /// A moment, in seconds since 2001-01-01 00:00 UTC.
  case date = 900
  case binary = 1000
  /// A UUID of 16 bytes.
  case uuid = 1100
  /// A URI, stored as its original text.
  case uri = 1200
  /// A value of the application's own type, stored as the bytes from its value transformer.
  case transformable = 1800
  /// The identifier of an object. Allowed for transient attributes only.
  case objectID = 2000
  /// A group of attributes with its own name, see ``CompositeType``.
  case composite = 2100
}

extension AttributeType {
  /// The type's name in a model source file, such as `Integer 64`.
  public var sourceName: String { traits.sourceName }

  /// Creates the type with the given name in a model source file.
  public init?(sourceName: String) {
    guard let type = AttributeType.allCases.first(where: { $0.sourceName == sourceName }) else {
      return nil
    }
    self = type
  }

  /// Whether values of this type are whole numbers.
  public var isInteger: Bool { traits.range != nil }
}
