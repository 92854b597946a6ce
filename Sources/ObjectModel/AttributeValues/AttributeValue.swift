/// A Swift type for the values of attributes.
///
/// An enumeration, an option set or another type with a raw value conforms without further code:
///
///     enum Kind: String, AttributeValue { case leisure, work }
public protocol AttributeValue: Sendable {
  associatedtype Bare: AttributeValue = Self

  /// The attribute type of the values.
  static var attributeType: AttributeType { get }
  /// Whether an attribute of this type may lack a value.
  static var isOptional: Bool { get }

  /// The value as rows store it.
  var storedValue: Value { get }
  /// Creates the value from its stored form in a row; `nil` if the stored form is of another type.
  init?(storedValue: Value)
}

/// A type of attribute values with an order, so that attributes can have bounds.
public protocol BoundedAttributeValue: AttributeValue, Comparable {}

extension AttributeValue {
  /// The type of a property of a snapshot that has such a value.
  public typealias SnapshotMember = Self
  /// False: an attribute of this type must have a value.
  public static var isOptional: Bool { false }
}

extension Optional: AttributeValue where Wrapped: AttributeValue, Wrapped.Bare == Wrapped {
  public typealias Bare = Wrapped
  /// The attribute type of the wrapped values.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// True: an attribute of this type may have no value.
  public static var isOptional: Bool { true }
  /// The wrapped value as rows store it, or ``Value/null``.
  public var storedValue: Value { self?.storedValue ?? .null }

  /// Creates the value from its stored form in a row, or no value from ``Value/null``.
  public init?(storedValue: Value) {
    if storedValue.isNull {
      self = .none
    } else if let wrapped = Wrapped(storedValue: storedValue) {
      self = .some(wrapped)
    } else {
      return nil
    }
  }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  /// The attribute type of the raw values.
  public static var attributeType: AttributeType { RawValue.attributeType }
  /// The raw value as rows store it.
  public var storedValue: Value { rawValue.storedValue }

  /// Creates the case with the stored raw value, or returns `nil`.
  public init?(storedValue: Value) {
    guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}
