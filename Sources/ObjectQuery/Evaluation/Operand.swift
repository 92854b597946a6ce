package import Foundation
package import ObjectModel

/// The value of an expression during evaluation: one value or several.
package enum Operand: Hashable, Sendable {
  case value(Value)
  case list([Operand])

  static let null = Operand.value(.null)

  init(_ flag: Bool) { self = .value(.boolean(flag)) }
  init(_ number: Int) { self = .value(.integer(Int64(number))) }

  package var isNull: Bool { if case .value(.null) = self { true } else { false } }

  /// The elements of a collection; for a single value, that value, or nothing if it is null.
  package var items: [Operand] {
    switch self {
    case .list(let items): items
    case .value(.null): []
    case .value: [self]
    }
  }

  package var single: Value? { if case .value(let value) = self { value } else { nil } }

  /// The text of a string or a URI.
  package var text: String? {
    switch self {
    case .value(.string(let text)), .value(.uri(let text)): text
    default: nil
    }
  }

  package var object: ObjectKey? {
    if case .value(.object(let key)) = self { key } else { nil }
  }

  package var number: Number? { single.flatMap(Number.init) }
}

/// A number of any kind that a value can have.
package enum Number: Hashable, Sendable {
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)

  package init?(_ value: Value) {
    switch value {
    case .boolean(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let number): self = .integer(number)
    case .float(let number): self = .double(Double(number))
    case .double(let number): self = .double(number)
    case .decimal(let number): self = .decimal(number)
    default: return nil
    }
  }

  var value: Value {
    switch self {
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .decimal(let number): .decimal(number)
    }
  }

  package var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): number.nearestDouble
    }
  }

  package var isNaN: Bool {
    switch self {
    case .integer: false
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    }
  }

  /// The number without its fraction, or `nil` if it does not fit.
  var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number.rounded(.towardZero))
    case .decimal(let number): Int64(exactly: number.nearestDouble.rounded(.towardZero))
    }
  }

  /// Returns the order of two numbers, or `nil` for "not a number". The order is exact if both are whole or binary.
  static func order(_ left: Number, _ right: Number) -> Order? {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): Order(left, right)
    case (.double(let left), .double(let right)):
      left.isNaN || right.isNaN ? nil : Order(left, right)
    case (.integer(let left), .double(let right)): order(left, right)
    case (.double(let left), .integer(let right)): order(right, left)?.reversed
    case (.decimal(let left), .decimal(let right)):
      left.isNaN || right.isNaN ? nil : Order(left, right)
    case (.decimal(let left), .integer(let right)):
      left.isNaN ? nil : Order(left, Decimal(right))
    case (.integer(let left), .decimal(let right)):
      right.isNaN ? nil : Order(Decimal(left), right)
    case (.decimal(let left), .double(let right)):
      left.isNaN || right.isNaN ? nil : Order(left.nearestDouble, right)
    case (.double(let left), .decimal(let right)):
      left.isNaN || right.isNaN ? nil : Order(left, right.nearestDouble)
    }
  }

  /// Returns the order of a whole and a floating-point number, without rounding the whole number.
  private static func order(_ left: Int64, _ right: Double) -> Order? {
    if right.isNaN { return nil }
    if right >= 0x1p63 { return .less }
    if right < -0x1p63 { return .greater }
    let whole = right.rounded(.down)
    let order = Order(left, Int64(whole))
    return order == .same && whole < right ? .less : order
  }
}

extension Decimal {
  package var nearestDouble: Double { Double(description) ?? .nan }
}

/// The order of two values.
enum Order: Int {
  case less = -1
  case same = 0
  case greater = 1

  init<T: Comparable>(_ left: T, _ right: T) {
    self = left < right ? .less : left == right ? .same : .greater
  }

  var reversed: Order { Order(rawValue: -rawValue)! }
}
