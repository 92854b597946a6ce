import TextMatching

/// The arguments of a function when it is bound: their types, and the values that are already known.
struct FunctionArguments {
  let function: QueryExpression.Function
  let types: [OperandType]
  /// The value of each argument that is the same for all objects; `nil` for all other arguments.
  let constants: [Operand?]

  subscript(index: Int) -> OperandType { types[index] }

  func mismatch(_ needs: String, not type: OperandType) -> QueryError {
    QueryError(.typeMismatch, "\"\(function.rawValue)\" needs \(needs), not \(type.words).")
  }

  /// Throws an error unless each argument from a position on may have a type.
  ///
  /// - Parameter words: The required arguments in words.
  func need(
    _ expected: OperandType, _ words: String, from start: Int = 0, to end: Int = .max
  ) throws(QueryError) {
    for (index, type) in types.enumerated() where index >= start && index < end {
      guard type.isComparable(to: expected) else { throw mismatch(words, not: type) }
    }
  }

  /// Throws an error unless each argument is one value and no collection.
  func needSingleValues() throws(QueryError) {
    for type in types where type.isCollection { throw mismatch("single values", not: type) }
  }

  /// Throws an error unless the argument at a position, if it is given, names a time zone.
  func needZone(at index: Int) throws(QueryError) {
    guard index < types.count else { return }
    try need(.text, "the name of a time zone, in quotes,", from: index, to: index + 1)
    guard let text = constants[index]?.text, ZoneClock(named: text) == nil else { return }
    throw QueryError(
      .badArgument,
      """
      The time zone "\(text)" is unknown. Write a name such as "Europe/Berlin", "UTC", or a \
      difference such as "+02:00".
      """, name: text)
  }

  /// Throws an error unless the argument at a position names a unit of the calendar.
  func needUnit(at index: Int) throws(QueryError) {
    try need(.text, "the name of a unit, in quotes,", from: index, to: index + 1)
    guard let text = constants[index]?.text,
      QueryExpression.CalendarUnit(name: text) == nil
    else { return }
    var suggestion = NameSuggestion()
    let names = QueryExpression.CalendarUnit.allCases.map(\.rawValue)
    throw QueryError(
      .badArgument,
      "The unit \"\(text)\" of the calendar is unknown."
        + suggestion.sentence(for: text, among: names)
        + " The units are \(names.map { "\"\($0)\"" }.joined(separator: ", ")).", name: text)
  }
}

extension FunctionArguments {
  /// Returns the rule of a function whose result has one type, whatever its arguments are.
  static func any(_ result: OperandType) -> FunctionTraits.TypeRule {
    { (_: FunctionArguments) throws(QueryError) in result }
  }

  static let ofNumbers: FunctionTraits.TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    try arguments.need(.number, "numbers")
    return .number
  }

  static let ofTexts: FunctionTraits.TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    try arguments.need(.text, "text")
    return .text
  }

  /// Returns the type of a part of a date, which is a number.
  static let ofDate: FunctionTraits.TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    try arguments.need(.date, "a date", to: 1)
    try arguments.needZone(at: 1)
    return .number
  }

  /// Returns the type of an aggregate of numbers.
  static let ofElements: FunctionTraits.TypeRule = {
    (arguments: FunctionArguments) throws(QueryError) in
    for type in arguments.types where !type.element.isComparable(to: .number) {
      throw arguments.mismatch("numbers", not: type)
    }
    return .number
  }
}
