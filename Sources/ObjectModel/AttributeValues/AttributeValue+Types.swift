public import Foundation

// Types of Swift and Foundation as attribute values.

extension Bool: AttributeValue {
  public static var attributeType: AttributeType { .boolean }
  /// The value as rows store it.
  public var storedValue: Value { .boolean(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .boolean(let value) = storedValue else { return nil }
    self = value
  }
}

extension Int16: BoundedAttributeValue {
  public static var attributeType: AttributeType { .int16 }
  /// The value as rows store it.
  public var storedValue: Value { .integer(Int64(self)) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .integer(let number) = storedValue, let exact = Int16(exactly: number) else {
      return nil
    }
    self = exact
  }
}

extension Int32: BoundedAttributeValue {
  public static var attributeType: AttributeType { .int32 }
  /// The value as rows store it.
  public var storedValue: Value { .integer(Int64(self)) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .integer(let number) = storedValue, let exact = Int32(exactly: number) else {
      return nil
    }
    self = exact
  }
}

extension Int64: BoundedAttributeValue {
  public static var attributeType: AttributeType { .int64 }
  /// The value as rows store it.
  public var storedValue: Value { .integer(Int64(self)) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .integer(let number) = storedValue, let exact = Int64(exactly: number) else {
      return nil
    }
    self = exact
  }
}

extension Int: BoundedAttributeValue {
  public static var attributeType: AttributeType { .int64 }
  /// The value as rows store it.
  public var storedValue: Value { .integer(Int64(self)) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .integer(let number) = storedValue, let exact = Int(exactly: number) else {
      return nil
    }
    self = exact
  }
}

extension Decimal: BoundedAttributeValue {
  public static var attributeType: AttributeType { .decimal }
  /// The value as rows store it.
  public var storedValue: Value { .decimal(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .decimal(let value) = storedValue else { return nil }
    self = value
  }
}

extension Double: BoundedAttributeValue {
  public static var attributeType: AttributeType { .double }
  /// The value as rows store it.
  public var storedValue: Value { .double(self) }

  /// Creates the value from a value in a row.
  public init?(storedValue: Value) {
    guard case .double(let value) = storedValue else { return nil }
    self = value
  }
}

extension Float: BoundedAttributeValue {
  public static var attributeType: AttributeType { .float }
  /// The value as rows store it.
  public var storedValue: Value { .float(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .float(let value) = storedValue else { return nil }
    self = value
  }
}

extension String: AttributeValue {
  public static var attributeType: AttributeType { .string }
  /// The value as rows store it.
  public var storedValue: Value { .string(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .string(let value) = storedValue else { return nil }
    self = value
  }
}

extension Date: BoundedAttributeValue {
  public static var attributeType: AttributeType { .date }
  /// The value as rows store it.
  public var storedValue: Value { .date(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .date(let value) = storedValue else { return nil }
    self = value
  }
}

extension Data: AttributeValue {
  public static var attributeType: AttributeType { .binary }
  /// The value as rows store it.
  public var storedValue: Value { .binary(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .binary(let value) = storedValue else { return nil }
    self = value
  }
}

extension UUID: AttributeValue {
  public static var attributeType: AttributeType { .uuid }
  /// The value as rows store it.
  public var storedValue: Value { .uuid(self) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .uuid(let value) = storedValue else { return nil }
    self = value
  }
}

extension URL: AttributeValue {
  public static var attributeType: AttributeType { .uri }
  /// The value as rows store it.
  public var storedValue: Value { .uri(absoluteString) }

  /// Creates the value from its stored form in a row.
  public init?(storedValue: Value) {
    guard case .uri(let text) = storedValue else { return nil }
    self.init(string: text)
  }
}
