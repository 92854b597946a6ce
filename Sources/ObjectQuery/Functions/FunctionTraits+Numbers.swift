import Foundation
import ObjectModel

extension FunctionTraits {
  private typealias Types = FunctionArguments

  /// The functions of numbers. Addition and subtraction also take dates, and addition takes texts.
  static let numbers: [FunctionTraits] = [
    FunctionTraits(.add, 2...2, sign: "+", type: typeOfSum) { sum(.add, $0[0], $0[1]) },
    FunctionTraits(.subtract, 2...2, sign: "-", type: typeOfSum) { sum(.subtract, $0[0], $0[1]) },
    ofTwo(.multiply, sign: "*"),
    ofTwo(.divide, sign: "/", missing: "it divides by zero"),
    ofTwo(.modulus, names: ["mod"], missing: "it divides by zero"),
    ofTwo(.power, names: ["power", "pow"], sign: "**"),
    ofOne(.abs), ofOne(.floor), ofOne(.ceiling, names: ["ceil"]),
    // With a unit of the calendar, the function truncates a date.
    FunctionTraits(
      .trunc, 1...3, missing: "the date has no such day or the zone is unknown", zoneAt: 2,
      type: typeOfTruncated
    ) { arguments in
      arguments.count == 1
        ? number(arguments[0]) { Number.compute(.trunc, $0) } : truncatedDate(arguments)
    },
    FunctionTraits(.round, 1...2, type: Types.ofNumbers) { arguments in
      number(arguments[0]) { number in
        guard arguments.count == 2 else { return number.rounded(toPlaces: 0) }
        return arguments[1].number?.integer.map { number.rounded(toPlaces: $0) }
      }
    },
    ofOne(.sqrt), ofOne(.log), ofOne(.ln), ofOne(.exp),
    FunctionTraits(.random, 0...0, isRandom: true, type: Types.ofNumbers) { _ in
      .value(.double(.random(in: 0..<1)))
    },
    FunctionTraits(
      .randomBelow, 1...1, names: ["random:"], isRandom: true, type: Types.ofNumbers
    ) { arguments in
      number(arguments[0]) {
        $0.integer.map { .integer($0 > 0 ? .random(in: 0..<$0) : 0) }
      }
    },
  ]

  /// The functions on the bits of whole numbers.
  static let bits: [FunctionTraits] = [
    ofBits(.bitwiseAnd, "&") { $0 & $1 }, ofBits(.bitwiseOr, "|") { $0 | $1 },
    ofBits(.bitwiseXor, "^") { $0 ^ $1 }, ofBits(.leftShift, "<<") { $0 << $1 },
    ofBits(.rightShift, ">>") { $0 >> $1 },
    FunctionTraits(.onesComplement, 1...1, type: Types.ofNumbers) { arguments in
      arguments[0].number?.integer.map { .value(.integer(~$0)) } ?? .null
    },
  ]

  private static func ofOne(_ function: Function, names: [String] = []) -> FunctionTraits {
    FunctionTraits(function, 1...1, names: names, type: Types.ofNumbers) { arguments in
      number(arguments[0]) { Number.compute(function, $0) }
    }
  }

  private static func ofTwo(
    _ function: Function, names: [String] = [], sign: String? = nil, missing: String? = nil
  ) -> FunctionTraits {
    FunctionTraits(
      function, 2...2, names: names, sign: sign, missing: missing, type: Types.ofNumbers
    ) { arithmetic(function, $0[0], $0[1]) }
  }

  private static func ofBits(
    _ function: Function, _ sign: String, _ compute: @escaping @Sendable (Int64, Int64) -> Int64
  ) -> FunctionTraits {
    FunctionTraits(function, 2...2, sign: sign, type: Types.ofNumbers) { arguments in
      guard let left = arguments[0].number?.integer, let right = arguments[1].number?.integer else {
        return .null
      }
      return .value(.integer(compute(left, right)))
    }
  }

  // MARK: - Values

  private static func number(_ operand: Operand, _ compute: (Number) -> Number?) -> Operand {
    operand.number.flatMap(compute).map { .value($0.value) } ?? .null
  }

  private static func arithmetic(_ function: Function, _ left: Operand, _ right: Operand) -> Operand
  {
    guard let left = left.number, let right = right.number else { return .null }
    return Number.compute(function, left, right).map { .value($0.value) } ?? .null
  }

  private static func sum(_ function: Function, _ left: Operand, _ right: Operand) -> Operand {
    switch (left, right) {
    case (.value(.date(let left)), .value(.date(let right))):
      guard function == .subtract else { return .null }
      return .value(.double(left.timeIntervalSince(right)))
    case (.value(.date(let date)), _):
      guard let seconds = right.number?.double else { return .null }
      return .value(.date(date.addingTimeInterval(function == .add ? seconds : -seconds)))
    case (_, .value(.date(let date))):
      guard function == .add, let seconds = left.number?.double else { return .null }
      return .value(.date(date.addingTimeInterval(seconds)))
    default:
      if function == .add, let left = left.text, let right = right.text {
        return .value(.string(left + right))
      }
      return arithmetic(function, left, right)
    }
  }

  private static let typeOfSum: TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    let isSum = arguments.function == .add
    if arguments[0] == .date {
      if !isSum, arguments[1] == .date { return .number }
      guard arguments[1].isComparable(to: .number) else {
        throw QueryError(
          .typeMismatch,
          "A date can be combined with seconds or another date, not with \(arguments[1].words).")
      }
      return .date
    }
    if isSum, arguments[1] == .date, arguments[0] == .number { return .date }
    if isSum, arguments.types.contains(.text) {
      try arguments.need(.text, "two texts or two numbers")
      return .text
    }
    try arguments.need(.number, "numbers")
    return .number
  }

  private static let typeOfTruncated: TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    guard arguments.types.count > 1 else {
      if arguments[0] == .date {
        throw QueryError(
          .typeMismatch, "TRUNC of a date needs a unit too: TRUNC(x, \"month\").")
      }
      return try Types.ofNumbers(arguments)
    }
    try arguments.need(.date, "a date and a unit", to: 1)
    try arguments.needUnit(at: 1)
    try arguments.needZone(at: 2)
    return .date
  }
}
