import ObjectModel
package import ObjectQuery
import Rows

/// A function in SQL: one row of the table of functions that databases compute as a search of the rows does.
///
/// A function without a row is evaluated by a search of the rows.
struct SQLFunction: Sendable {
  typealias Function = QueryExpression.Function

  /// Returns the value of the function; throws if SQL would have another meaning for these arguments.
  let scalar:
    @Sendable (inout SQLTranslator, [BoundExpression], SQLScope) throws(NotTranslatable) ->
      SQLScalar

  /// Creates the row of a function whose arguments are single values.
  private static func ofValues(
    _ function: Function,
    _ make:
      @escaping @Sendable (SQLTranslator, Function, [SQLScalar]) throws(NotTranslatable) ->
      SQLScalar
  ) -> (Function, SQLFunction) {
    (
      function,
      SQLFunction { (walk, arguments, scope) throws(NotTranslatable) in
        var values: [SQLScalar] = []
        for argument in arguments { values.append(try walk.scalar(argument, scope)) }
        return try make(walk, function, values)
      }
    )
  }

  private static func ofCollection(_ function: Function) -> (Function, SQLFunction) {
    (
      function,
      SQLFunction { (walk, arguments, scope) throws(NotTranslatable) in
        guard arguments.count == 1, arguments[0].isCollection, arguments[0].constant == nil else {
          throw NotTranslatable()
        }
        return try walk.aggregate(function, over: try walk.elements(arguments[0], scope))
      }
    )
  }

  private static func ofIntegers(_ function: Function) -> (Function, SQLFunction) {
    ofValues(function) { (walk, function, values) throws(NotTranslatable) in
      guard values.allSatisfy({ $0.kind == .integer && $0.isSurelyWhole }) else {
        throw NotTranslatable()
      }
      var result = SQLScalar(.integer, try walk.dialect.integer(function, values.map(\.value)))
      result.output = .number
      return result
    }
  }

  private static func arithmetic(_ function: Function) -> (Function, SQLFunction) {
    ofValues(function) { (walk, function, values) throws(NotTranslatable) in
      try walk.arithmetic(function, values[0], values[1])
    }
  }

  private static func ofTexts(_ function: Function) -> (Function, SQLFunction) {
    ofValues(function) { (walk, function, values) throws(NotTranslatable) in
      guard values.allSatisfy({ $0.kind == .text }) else { throw NotTranslatable() }
      var result = SQLScalar(.text, try walk.dialect.text(function, values))
      result.output = .column(.string)
      return result
    }
  }

  private static func ofDate(_ function: Function) -> (Function, SQLFunction) {
    ofValues(function) { (walk, function, values) throws(NotTranslatable) in
      // With a zone, only a search of the rows knows the difference to UTC.
      guard values.count == 1, values[0].isStoredDate else { throw NotTranslatable() }
      var result = SQLScalar(.integer, try walk.dialect.part(function, of: values[0].value))
      result.output = .number
      result.isNarrow = true
      return result
    }
  }

  static let all: [Function: SQLFunction] = Dictionary(
    uniqueKeysWithValues: [
      ofCollection(.count), ofCollection(.sum), ofCollection(.average), ofCollection(.min),
      ofCollection(.max),
      ofValues(.noIndex) { (_, _, values) throws(NotTranslatable) in values[0] },
      arithmetic(.add), arithmetic(.subtract), arithmetic(.multiply), arithmetic(.divide),
      ofIntegers(.modulus), ofIntegers(.floor), ofIntegers(.ceiling),
      ofValues(.abs) { (walk, _, values) throws(NotTranslatable) in try walk.absolute(values[0]) },
      ofIntegers(.bitwiseAnd), ofIntegers(.bitwiseOr), ofIntegers(.bitwiseXor),
      ofIntegers(.leftShift), ofIntegers(.rightShift), ofIntegers(.onesComplement),
      (
        .trunc,
        SQLFunction { (walk, arguments, scope) throws(NotTranslatable) in
          try walk.truncated(arguments, scope)
        }
      ),
      (
        .round,
        SQLFunction { (walk, arguments, scope) throws(NotTranslatable) in
          try walk.rounded(arguments, scope)
        }
      ),
      ofValues(.length) { (walk, _, values) throws(NotTranslatable) in
        // SQL counts code points of texts, and not characters.
        guard values[0].kind == .binary else { throw NotTranslatable() }
        var result = SQLScalar(.integer, walk.dialect.byteCount(of: values[0].value))
        result.output = .number
        return result
      },
      ofTexts(.trim), ofTexts(.replace), ofTexts(.concat),
      ofValues(.coalesce) { (walk, _, values) throws(NotTranslatable) in
        try walk.firstPresent(values)
      },
      ofDate(.year), ofDate(.quarter), ofDate(.month), ofDate(.day), ofDate(.weekday),
      ofDate(.hour), ofDate(.minute), ofDate(.second),
    ])
}

extension SQLScalar {
  /// Whether the value is a date of a table. A computed date may be more precise than a number of 64 bits.
  fileprivate var isStoredDate: Bool { kind == .date && column != nil }
}

extension SQLTranslator {
  /// Returns the start of a unit of the calendar, or an integer as it is.
  fileprivate mutating func truncated(
    _ arguments: [BoundExpression], _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLScalar {
    let value = try scalar(arguments[0], scope)
    guard arguments.count > 1 else { return try whole(value) }
    guard arguments.count == 2, value.isStoredDate,
      let unit = arguments[1].constant?.text.flatMap({
        QueryExpression.CalendarUnit(rawValue: $0.lowercased())
      })
    else { throw NotTranslatable() }
    var result = SQLScalar(.date, try dialect.start(of: unit, value.value))
    result.output = .column(.date)
    result.isAlwaysNumber = true
    return result
  }

  /// Returns an integer that is rounded to whole numbers, as it is.
  fileprivate mutating func rounded(
    _ arguments: [BoundExpression], _ scope: SQLScope
  ) throws(NotTranslatable) -> SQLScalar {
    if arguments.count == 2 {
      guard let places = arguments[1].constant?.number, case .integer(0...) = places else {
        throw NotTranslatable()
      }
    }
    return try whole(try scalar(arguments[0], scope))
  }

  private func whole(_ value: SQLScalar) throws(NotTranslatable) -> SQLScalar {
    guard value.kind == .integer, value.isSurelyWhole else { throw NotTranslatable() }
    var result = SQLScalar(.integer, value.value)
    result.output = .number
    result.isNarrow = value.isNarrow
    return result
  }

  /// Returns the first of some values that is not null.
  fileprivate func firstPresent(_ values: [SQLScalar]) throws(NotTranslatable) -> SQLScalar {
    let values = values.filter { $0.kind != .null }
    guard let first = values.first, first.kind != .object, first.kind != .opaque,
      values.allSatisfy({ $0.kind == first.kind && $0.presence == nil })
    else { throw NotTranslatable() }
    guard values.count > 1 else { return first }
    var result = SQLScalar(
      first.kind, "coalesce(\(values.map(\.value).joined(separator: ", ")))")
    result.isNarrow = values.allSatisfy(\.isNarrow)
    result.isSurelyWhole = values.allSatisfy(\.isSurelyWhole)
    if values.allSatisfy({ $0.output == first.output }) { result.output = first.output }
    return result
  }
}

extension SQLDialect {
  package func text(
    _ function: QueryExpression.Function, _ values: [SQLScalar]
  ) throws(NotTranslatable) -> String { throw NotTranslatable() }

  package func part(
    _ function: QueryExpression.Function, of date: String
  ) throws(NotTranslatable) -> String { throw NotTranslatable() }

  package func start(
    of unit: QueryExpression.CalendarUnit, _ date: String
  ) throws(NotTranslatable) -> String { throw NotTranslatable() }
}
