import Foundation

/// A type whose values attributes hold as JSON text, such as an enumeration with associated values.
///
///     enum Stage: CodableValue {
///       case planned
///       case booked(seats: Int)
///     }
///
/// The text has its keys in order, so equal values have equal texts, and a predicate may compare them. The type needs no code
/// but the name of the protocol.
public protocol CodableValue: AttributeValue, Codable {}

extension CodableValue {
  /// Attributes of text hold the values.
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

  /// The value of a JSON text; `nil` if the text is no value of the type.
  public init?(storedValue: Value) {
    guard case .string(let text) = storedValue else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let value = try? decoder.decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = value
  }
}
