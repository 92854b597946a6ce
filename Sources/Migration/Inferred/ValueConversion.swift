import Foundation
import ObjectModel
import Rows

/// The change of an attribute's values from one type to another, where that follows from the types.
///
/// A type that holds every value of the other reads its rows as they are, and needs no conversion
/// (``ColumnKind/widens(to:)``). With the types here most values stay the same and some may not: an integer of 64 bits
/// above 2^53 is no floating-point number. A migration counts such values before it writes anything.
struct ValueConversion: Sendable, Hashable {
  let old: AttributeType
  let new: AttributeType

  /// The conversion between two types; `nil` if the values of the old type are no values of the new type.
  init?(from old: AttributeType, to new: AttributeType) {
    switch (old, new) {
    case (.boolean, .float), (.boolean, .double), (.boolean, .decimal),
      (.int32, .float), (.int64, .float), (.int64, .double),
      (.decimal, .float), (.decimal, .double), (.double, .float),
      (.float, .decimal), (.double, .decimal), (.uuid, .string), (.uuid, .uri):
      (self.old, self.new) = (old, new)
    default: return nil
    }
  }

  /// Returns the value as one of the new type, the nearest one if it is not exactly the same; `nil` if there is none.
  func converted(_ value: Value) -> Value? {
    switch (value, new) {
    case (.null, _): .null
    case (.boolean(let flag), _): number(flag ? 1 : 0)
    case (.integer(let number), .float): .float(Float(number))
    case (.integer(let number), _): .double(Double(number))
    case (.decimal(let decimal), .float):
      .float(NSDecimalNumber(decimal: decimal).floatValue)
    case (.decimal(let decimal), _): .double(NSDecimalNumber(decimal: decimal).doubleValue)
    case (.double(let number), .float): .float(Float(number))
    case (.double(let number), _): ValueConversion.decimal("\(number)", isFinite: number.isFinite)
    case (.float(let number), _): ValueConversion.decimal("\(number)", isFinite: number.isFinite)
    case (.uuid(let uuid), .uri): .uri("urn:uuid:" + uuid.uuidString.lowercased())
    case (.uuid(let uuid), _): .string(uuid.uuidString)
    default: nil
    }
  }

  /// Whether a value stays the same.
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

  /// The decimal number of the shortest text that stands for a floating-point number.
  private static func decimal(_ text: String, isFinite: Bool) -> Value? {
    isFinite
      ? Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) } : nil
  }
}

extension AttributeType {
  /// Whether values of this type become values of another without a written mapping.
  func becomes(_ other: AttributeType) -> Bool {
    self == other || widens(to: other) || ValueConversion(from: self, to: other) != nil
  }
}
