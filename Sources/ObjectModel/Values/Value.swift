public import Foundation

/// One value of one property: in a row, as a default, or in a predicate.
///
/// Rows never store this type; it passes single values between functions. The three integer types share
/// ``integer(_:)``, and the property's type limits the number.
public enum Value: Sendable, Hashable {
  case null
  case boolean(Bool)
  /// A whole number of any of the three widths.
  case integer(Int64)
  /// A floating-point number of 32 bits.
  case float(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case date(Date)
  case uuid(UUID)
  /// A URI, as its original text.
  case uri(String)
  /// Bytes: the value of a binary attribute, or the output of a transformable attribute's transformer.
  case binary(Data)
  /// Another object of the same store.
  case object(ObjectKey)
}

extension Value {
  /// Whether the value is missing.
  public var isNull: Bool { self == .null }
}
