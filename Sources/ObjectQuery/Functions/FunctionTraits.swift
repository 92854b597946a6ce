// SAFETY: A value of an enumeration without payloads is one byte, if it has at most 256 cases.

import Foundation
import ObjectModel

/// Everything that the language knows about a function: its names, the types that it takes and returns, and its value.
///
/// To add a function, add a case to ``QueryExpression/Function`` and a row to one of the lists of rows. A function that
/// databases compute too has a row in `SQLFunction` as well. The parser, the printer, the binder and the interpreter
/// read the rows, and need no change.
final class FunctionTraits: Sendable {
  typealias Function = QueryExpression.Function
  /// Returns the type of a result from the arguments; throws if an argument has an unsuitable type.
  typealias TypeRule = @Sendable (FunctionArguments) throws(QueryError) -> OperandType

  let function: Function
  /// The permitted numbers of arguments.
  let counts: ClosedRange<Int>
  /// Names beside Apple's by which a text may call the function, in lower case. A text prints Apple's name.
  let names: [String]
  /// The sign of the operator as which the function is printed, if any.
  let sign: String?
  /// Whether each evaluation may return another value.
  let isRandom: Bool
  /// Whether the function computes one value from a collection, or from all objects of a group.
  let isAggregate: Bool
  /// The usual reason for a result without a value although each argument has one; `nil` if the text shows the reason.
  let missingReason: String?
  /// The position of the argument that names a time zone; `nil` for a function without such an argument.
  let zonePlace: Int?
  /// Returns the type of the result.
  let type: TypeRule
  /// Returns the value; null if an argument has an unsuitable type. The date is the time at which the query began.
  let value: @Sendable ([Operand], Date) -> Operand

  init(
    _ function: Function, _ counts: ClosedRange<Int>, names: [String] = [], sign: String? = nil,
    isRandom: Bool = false, isAggregate: Bool = false, missing: String? = nil,
    zoneAt zonePlace: Int? = nil,
    type: @escaping TypeRule,
    value: @escaping @Sendable ([Operand], Date) -> Operand
  ) {
    self.function = function
    self.counts = counts
    self.names = names
    self.sign = sign
    self.isRandom = isRandom
    self.isAggregate = isAggregate
    missingReason = missing
    self.zonePlace = zonePlace
    self.type = type
    self.value = value
  }

  /// Creates the row of a function whose value does not depend on the time.
  convenience init(
    _ function: Function, _ counts: ClosedRange<Int>, names: [String] = [], sign: String? = nil,
    isRandom: Bool = false, isAggregate: Bool = false, missing: String? = nil,
    zoneAt zonePlace: Int? = nil,
    type: @escaping TypeRule,
    of value: @escaping @Sendable ([Operand]) -> Operand
  ) {
    self.init(
      function, counts, names: names, sign: sign, isRandom: isRandom, isAggregate: isAggregate,
      missing: missing, zoneAt: zonePlace, type: type, value: { (arguments, _) in value(arguments) }
    )
  }

  /// The permitted numbers of arguments in words.
  var countWords: String {
    switch counts.upperBound {
    case .max: "at least one argument"
    case counts.lowerBound: "\(counts.lowerBound) arguments"
    case let most: "\(counts.lowerBound) to \(most) arguments"
    }
  }

  /// The rows of all functions, by the bytes that stand for them in memory.
  ///
  /// Each evaluation looks its function up, and the hash of a function would be that of its name.
  static let all: [FunctionTraits?] = {
    var rows = [FunctionTraits?](repeating: nil, count: 256)
    for row in numbers + bits + collections + texts + dates + anyValues {
      precondition(rows[row.function.byte] == nil, "A function must have one row.")
      rows[row.function.byte] = row
    }
    return rows
  }()
}

extension QueryExpression.Function {
  /// The row of the function.
  var traits: FunctionTraits {
    guard let traits = FunctionTraits.all[byte] else {
      preconditionFailure("Every function must have a row of traits, but \(rawValue) has none.")
    }
    return traits
  }

  fileprivate var byte: Int { unsafe Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The permitted numbers of arguments. A function of any number of values has no upper limit.
  public var argumentCounts: ClosedRange<Int> { traits.counts }

  var isAggregate: Bool { traits.isAggregate }
}

// MARK: - Names

extension QueryExpression.Function {
  /// All names by which functions may be called, in lower case.
  static let names: [String: QueryExpression.Function] = {
    var names: [String: QueryExpression.Function] = [:]
    for function in allCases {
      let name = function.rawValue.lowercased()
      names[name] = function
      let first = String(name.prefix { $0 != ":" })
      names[first] = names[first] ?? function
      names[first + ":"] = names[first + ":"] ?? function
    }
    for function in allCases {
      for name in function.traits.names { names[name] = function }
    }
    return names
  }()

  /// The names to suggest, in a fixed order: the names of each function up to the first colon.
  static let suggestions = names.keys.filter { !$0.contains(":") }.sorted()

  init?(name: String) {
    guard let function = Self.names[name.lowercased()] else { return nil }
    self = function
  }

  /// The name before the bracket. The name of a function with one colon at its end is printed without the colon.
  var printedName: String {
    let isSimple = rawValue.firstIndex(of: ":") == rawValue.indices.last
    return isSimple ? String(rawValue.dropLast()) : rawValue
  }

  /// The name in the words of an error message, as a person writes it: `trunc`, and not `trunc:`.
  var spokenName: String { traits.names.first ?? printedName }
}
