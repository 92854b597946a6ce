import ObjectModel

extension FunctionTraits {
  /// The functions of a collection, or of several arguments. In a request with groups they also compute a value from
  /// all objects of a group.
  static let collections: [FunctionTraits] = [
    FunctionTraits(
      .count, 1...Int.max, isAggregate: true,
      type: FunctionArguments.any(.number)
    ) { Operand(elements($0).count) },
    ofNumbers(.sum), ofNumbers(.average, names: ["avg"]),
    FunctionTraits(
      .min, 1...Int.max, isAggregate: true, missing: noValues, type: typeOfElements
    ) { best(.less, of: values($0)) },
    FunctionTraits(
      .max, 1...Int.max, isAggregate: true, missing: noValues, type: typeOfElements
    ) { best(.greater, of: values($0)) },
    ofNumbers(.median),
    FunctionTraits(.mode, 1...Int.max, isAggregate: true, type: typeOfCollection) { arguments in
      let items = values(arguments)
      let counts = items.reduce(into: [Operand: Int]()) { $0[$1, default: 0] += 1 }
      let most = counts.values.max() ?? 0
      return .list(items.distinct.filter { counts[$0] == most })
    },
    ofNumbers(.standardDeviation),
    FunctionTraits(.distinct, 1...1, type: typeOfCollection) { .list($0[0].items.distinct) },
  ]

  private static let noValues = "the collection has no values"

  private static let typeOfElements:
    @Sendable (FunctionArguments) throws(QueryError) -> OperandType =
      { (arguments: FunctionArguments) throws(QueryError) in
        let elements = Set(arguments.types.map(\.element)).subtracting([.null])
        return elements.count == 1 ? elements.first! : .unknown
      }

  private static let typeOfCollection: TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in .collection(arguments[0].element)
  }

  private static func ofNumbers(_ function: Function, names: [String] = []) -> FunctionTraits {
    FunctionTraits(
      function, 1...Int.max, names: names, isAggregate: true,
      missing: function == .sum ? nil : noValues, type: FunctionArguments.ofElements
    ) { compute(function, values($0)) }
  }

  /// Returns the operands of an aggregate: the elements of a single collection, or else the arguments.
  private static func elements(_ arguments: [Operand]) -> [Operand] {
    arguments.count == 1 ? arguments[0].items : arguments
  }

  private static func values(_ arguments: [Operand]) -> [Operand] {
    elements(arguments).filter { !$0.isNull }
  }

  private static func best(_ wanted: Order, of items: [Operand]) -> Operand {
    guard var best = items.first else { return .null }
    for item in items.dropFirst() where order(item, best, []) == wanted { best = item }
    return best
  }

  private static func compute(_ function: Function, _ items: [Operand]) -> Operand {
    let numbers = items.compactMap(\.number)
    guard numbers.count == items.count else { return .null }
    if numbers.isEmpty { return function == .sum ? .value(.integer(0)) : .null }
    switch function {
    case .sum:
      return .value(numbers.dropFirst().reduce(numbers[0]) { Number.sum($0, $1) }.value)
    case .average:
      let total = numbers.dropFirst().reduce(numbers[0]) { Number.sum($0, $1) }
      return .value(Number.quotient(total, numbers.count).value)
    case .median:
      guard !numbers.contains(where: \.isNaN) else { return .null }
      let sorted = numbers.sorted { Number.order($0, $1) == .less }
      let middle = sorted[sorted.count / 2]
      if sorted.count % 2 == 1 { return .value(middle.value) }
      return .value(Number.quotient(Number.sum(sorted[sorted.count / 2 - 1], middle), 2).value)
    default:
      let values = numbers.map(\.double)
      let mean = values.reduce(0, +) / Double(values.count)
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return .value(.double((squares / Double(values.count)).squareRoot()))
    }
  }
}
