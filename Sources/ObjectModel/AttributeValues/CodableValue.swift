import Foundation

/// A type that attributes store as JSON text, such as an enumeration with associated values.
///
///     enum Stage: CodableValue {
///       case planned
///       case booked(seats: Int)
///     }
///
/// The text has its keys in order, so equal values have equal texts, and a predicate may compare them. A type
/// conforms by naming the protocol, without further code.
/// Arrays of values, and dictionaries from texts to values, are such types. A predicate compares them as a whole; to
/// find objects by an element, declare an entity for the elements and a relationship to it.
public protocol CodableValue: AttributeValue, Codable {}

extension Array: AttributeValue, CodableValue where Element: AttributeValue & Codable {}
extension Dictionary: AttributeValue, CodableValue
where Key == String, Value: AttributeValue & Codable {}

extension CodableValue {
  /// The type of text attributes.
  public static var attributeType: AttributeType { .string }

  /// The value as JSON text.
  ///
  /// - Precondition: The value can be encoded.
  public var storedValue: Value {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do { return .string(String(decoding: try encoder.encode(self), as: UTF8.self)) } catch {
      preconditionFailure("A value of \(Self.self) can't be encoded: \(error)")
    }
  }

  /// Creates the value of a JSON text; `nil` if the text does not decode as the type.
  public init?(storedValue: Value) {
    guard case .string(let text) = storedValue else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let value = try? decoder.decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = value
  }
}
