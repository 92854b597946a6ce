import Foundation
import ObjectModel
import Rows

/// The conversion of an attribute's values from one type to another, if the types alone determine it.
///
/// A type that holds every value of the old type reads the rows as they are, and needs no conversion
/// (``ColumnKind/widens(to:)``). The conversions here may change some values: not every integer above 2^53 is a
/// floating-point number, and not every text is a date. A migration counts such values before it writes anything.
struct ValueConversion: Sendable, Hashable {
  let old: AttributeType
  let new: AttributeType
  /// The precision of the old values, whose texts show it.
  private let precision: Attribute.Precision?

  /// Creates the conversion of an attribute's values; `nil` if values of the old type are not values of the new type.
  init?(from old: Attribute, to new: Attribute) {
    self.init(from: old.type, to: new.type, old.validation.precision)
  }

  /// Creates the conversion between two types; `nil` if values of the old type are not values of the new type.
  init?(
    from old: AttributeType, to new: AttributeType, _ precision: Attribute.Precision? = nil
  ) {
    switch (old, new) {
    case (.boolean, .float), (.boolean, .double), (.boolean, .decimal),
      (.int32, .float), (.int64, .float), (.int64, .double),
      (.decimal, .float), (.decimal, .double), (.double, .float),
      (.float, .decimal), (.double, .decimal), (.uuid, .string), (.uuid, .uri):
      break
    // Texts are those of files of objects, so that a column of text becomes what an import would have made of it.
    case (.string, let type), (let type, .string):
      guard type != .string, ValueConversion.typesWithText.contains(type) else { return nil }
    case (.int32, .int16), (.int64, .int16), (.int64, .int32): break
    default: return nil
    }
    (self.old, self.new, self.precision) = (old, new, precision)
  }

  /// Whether the conversion reads or writes a text as files of objects do.
  var isOfText: Bool { old == .string || new == .string && old != .uuid }

  /// The types whose values are texts in files of objects, besides texts themselves.
  private static let typesWithText: Set<AttributeType> = [
    .boolean, .int16, .int32, .int64, .float, .double, .decimal, .date, .uuid, .uri,
  ]

  /// Returns the value in the new type, or the nearest one if there is no equal value, or `nil`.
  func converted(_ value: Value) -> Value? {
    switch (value, new) {
    case (.null, _): .null
    case (_, .string): .string(ValueText.exchange.text(value, precision))
    case (.string(let text), _): ValueText.exchange.value(text, of: new)
    case (.integer(let number), .int16), (.integer(let number), .int32):
      new.traits.range?.contains(number) == true ? .integer(number) : nil
    case (.boolean(let flag), _): number(flag ? 1 : 0)
    case (.integer(let number), .float): .float(Float(number))
    case (.integer(let number), _): .double(Double(number))
    case (.decimal(let decimal), .float):
      .float(NSDecimalNumber(decimal: decimal).floatValue)
    case (.decimal(let decimal), _): .double(NSDecimalNumber(decimal: decimal).doubleValue)
    case (.double(let number), .float): .float(Float(number))
    case (.double(let number), _): ValueConversion.decimal("\(number)", isFinite: number.isFinite)
    case (.float(let number), _): ValueConversion.decimal("\(number)", isFinite: number.isFinite)
    case (.uuid(let uuid), _): .uri("urn:uuid:" + uuid.uuidString.lowercased())
    default: nil
    }
  }

  /// Whether the conversion keeps a value exactly.
  func isExact(_ value: Value) -> Bool {
    guard let converted = converted(value) else { return false }
    switch (value, converted) {
    case (.integer(let old), .double(let new)): return Int64(exactly: new) == old
    case (.integer(let old), .float(let new)): return Int64(exactly: new) == old
    case (.double(let old), .float(let new)): return Double(new) == old || old.isNaN
    case (.decimal(let old), .double(let new)):
      return ValueConversion.decimal("\(new)", isFinite: new.isFinite) == .decimal(old)
    case (.decimal(let old), .float(let new)):
      return ValueConversion.decimal("\(new)", isFinite: new.isFinite) == .decimal(old)
    default: return true
    }
  }

  private func number(_ number: Int) -> Value {
    switch new {
    case .float: .float(Float(number))
    case .double: .double(Double(number))
    default: .decimal(Decimal(number))
    }
  }

  /// Returns the decimal number that the shortest text of a floating-point number spells.
  private static func decimal(_ text: String, isFinite: Bool) -> Value? {
    isFinite
      ? Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) } : nil
  }
}

extension AttributeType {
  /// Whether values of this type become values of another type without a written mapping.
  func becomes(_ other: AttributeType) -> Bool {
    self == other || widens(to: other) || ValueConversion(from: self, to: other) != nil
  }
}
