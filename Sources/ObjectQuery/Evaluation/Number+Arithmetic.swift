import Foundation

// Whole numbers stay whole while the result fits in 64 bits, and become floating-point numbers otherwise. Decimal
// numbers stay decimal unless one of the operands is a floating-point number.
extension Number {
  static func sum(_ left: Number, _ right: Number) -> Number {
    compute(.add, left, right) ?? .double(.nan)
  }

  /// Returns a total divided by a count, with the fraction.
  static func quotient(_ total: Number, _ count: Int) -> Number {
    if case .decimal(let total) = total { return .decimal(total / Decimal(count)) }
    return .double(total.double / Double(count))
  }

  /// Returns the value of a function of two numbers, or `nil` for a division by zero.
  static func compute(
    _ function: QueryExpression.Function, _ left: Number, _ right: Number
  ) -> Number? {
    switch (left, right) {
    case (.integer(let one), .integer(let two)):
      if let whole = whole(function, one, two) { return whole.value }
      return real(function, Double(one), Double(two))
    case (.double, _), (_, .double): return real(function, left.double, right.double)
    default: return decimal(function, left.decimal, right.decimal)
    }
  }

  private var decimal: Decimal {
    switch self {
    case .integer(let number): Decimal(number)
    case .double(let number): Decimal(number)
    case .decimal(let number): number
    }
  }

  /// Returns the whole result in a tuple. The value in the tuple is `nil` for a division by zero; the tuple is `nil`
  /// if the result does not fit.
  private static func whole(
    _ function: QueryExpression.Function, _ left: Int64, _ right: Int64
  ) -> (value: Number?, Void)? {
    func fitting(_ result: (partialValue: Int64, overflow: Bool)) -> (value: Number?, Void)? {
      result.overflow ? nil : (.integer(result.partialValue), ())
    }
    switch function {
    case .add: return fitting(left.addingReportingOverflow(right))
    case .subtract: return fitting(left.subtractingReportingOverflow(right))
    case .multiply: return fitting(left.multipliedReportingOverflow(by: right))
    case .divide: return right == 0 ? (nil, ()) : fitting(left.dividedReportingOverflow(by: right))
    case .modulus:
      return right == 0
        ? (nil, ()) : right == -1 ? (.integer(0), ()) : (.integer(left % right), ())
    default: return nil
    }
  }

  private static func real(
    _ function: QueryExpression.Function, _ left: Double, _ right: Double
  ) -> Number? {
    switch function {
    case .add: .double(left + right)
    case .subtract: .double(left - right)
    case .multiply: .double(left * right)
    case .divide: right == 0 ? nil : .double(left / right)
    case .modulus: right == 0 ? nil : .double(fmod(left, right))
    default: .double(pow(left, right))
    }
  }

  private static func decimal(
    _ function: QueryExpression.Function, _ left: Decimal, _ right: Decimal
  ) -> Number? {
    switch function {
    case .add: return .decimal(left + right)
    case .subtract: return .decimal(left - right)
    case .multiply: return .decimal(left * right)
    case .divide: return right == 0 ? nil : .decimal(left / right)
    default: return real(function, left.nearestDouble, right.nearestDouble)
    }
  }

  /// Returns the value of a function of one number.
  static func compute(_ function: QueryExpression.Function, _ number: Number) -> Number? {
    switch (function, number) {
    case (.abs, .integer(let number)):
      number == .min ? .double(-Double(number)) : .integer(Swift.abs(number))
    case (.abs, .decimal(let number)): .decimal(Swift.abs(number))
    case (.floor, .integer), (.ceiling, .integer), (.trunc, .integer): number
    case (.floor, .decimal(let number)): .decimal(number.rounded(.down))
    case (.ceiling, .decimal(let number)): .decimal(number.rounded(.up))
    case (.trunc, .decimal(let number)): .decimal(number.rounded(number < 0 ? .up : .down))
    case (.abs, _): .double(Swift.abs(number.double))
    case (.floor, _): .double(number.double.rounded(.down))
    case (.ceiling, _): .double(number.double.rounded(.up))
    case (.trunc, _): .double(number.double.rounded(.towardZero))
    case (.sqrt, _): .double(number.double.squareRoot())
    case (.log, _): .double(log10(number.double))
    case (.ln, _): .double(Foundation.log(number.double))
    default: .double(Foundation.exp(number.double))
    }
  }
}

extension Decimal {
  /// Returns the number rounded to a whole number.
  fileprivate func rounded(_ mode: RoundingMode) -> Decimal {
    var number = self
    var result = Decimal()
    // SAFETY: Both pointers refer to variables of this function, and are lent for the call.
    unsafe NSDecimalRound(&result, &number, 0, mode)
    return result
  }
}
