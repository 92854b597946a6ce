/// A Swift type whose values attributes hold.
///
/// Conforming an enumeration, an option set or another type with a raw value takes no code:
///
///     enum Kind: String, AttributeValue { case leisure, work }
public protocol AttributeValue: Sendable {
  /// The type without `Optional` around it.
  associatedtype Bare: AttributeValue = Self

  /// The type of attributes that hold these values.
  static var attributeType: AttributeType { get }
  /// Whether there may be no value.
  static var isOptional: Bool { get }

  /// The value as rows hold it.
  var storedValue: Value { get }
  /// The value that rows hold; `nil` if it is none of this type.
  init?(storedValue: Value)
}

/// A type of attribute values that have an order, and so may be bounded.
public protocol BoundedAttributeValue: AttributeValue, Comparable {}

extension AttributeValue {
  /// There must be a value.
  public static var isOptional: Bool { false }
}

extension Optional: AttributeValue where Wrapped: AttributeValue, Wrapped.Bare == Wrapped {
  /// The type inside.
  public typealias Bare = Wrapped
  /// The type of attributes that hold the values inside.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// There may be no value.
  public static var isOptional: Bool { true }
  /// The value as rows hold it; ``Value/null`` for none.
  public var storedValue: Value { self?.storedValue ?? .null }

  /// The value that rows hold, or none.
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
  /// The type of attributes that hold the raw values.
  public static var attributeType: AttributeType { RawValue.attributeType }
  /// The raw value as rows hold it.
  public var storedValue: Value { rawValue.storedValue }

  /// The case whose raw value rows hold; `nil` if there is none.
  public init?(storedValue: Value) {
    guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}
