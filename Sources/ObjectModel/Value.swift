public import Foundation

/// One value of one property: what a row holds, what a default is, what a predicate compares.
///
/// Rows never store this type; it is how a single value travels. The three integer types share
/// ``integer(_:)``, and the property's type says how wide the number may be.
public enum Value: Sendable, Hashable {
  /// No value.
  case null
  /// Yes or no.
  case boolean(Bool)
  /// A whole number of any of the three widths.
  case integer(Int64)
  /// A floating-point number of 32 bits.
  case float(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// Text.
  case string(String)
  /// A moment.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A URI, as the text it was given.
  case uri(String)
  /// Bytes: a binary attribute, or what a transformable attribute's transformer made.
  case binary(Data)
  /// Another object of the same store.
  case object(ObjectKey)
}

extension Value {
  /// Whether there is no value.
  public var isNull: Bool { self == .null }
}
