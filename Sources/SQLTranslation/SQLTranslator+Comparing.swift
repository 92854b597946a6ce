import Foundation
import ObjectModel
package import ObjectQuery
import Rows

// Comparisons mean the same as in a search of the rows: NULL compares with nothing, and "not a number" differs from
// every value.
extension SQLTranslator {
  /// Returns a condition that is true if two values compare as the operator says.
  mutating func compare(
    _ left: SQLScalar, _ operation: QueryPredicate.Operator, _ right: SQLScalar
  ) throws(NotTranslatable) -> String {
    if left.kind == .null || right.kind == .null { return dialect.falseCondition }
    guard left.isComparable(to: right) || left.kind == .decimal || right.kind == .decimal else {
      throw NotTranslatable()
    }
    if left.kind == .object, right.kind == .object {
      return try compare(objects: left, operation, right)
    }
    guard let sign = operation.sign else { throw NotTranslatable() }
    if left.kind == .binary, operation != .equal, operation != .notEqual { throw NotTranslatable() }
    if left.kind == .decimal { return try dialect.compare(decimal: left, operation, right) }
    if right.kind == .decimal {
      return try dialect.compare(decimal: right, operation.turned, left)
    }
    guard left.kind == right.kind || dialect.canCompareNumbers(left, right) else {
      throw NotTranslatable()
    }
    if let column = left.column, let number = right.finiteNumber {
      return dialect.compare(column, operation, right.value, number)
    }
    if let column = right.column, let number = left.finiteNumber {
      return dialect.compare(column, operation.turned, left.value, number)
    }
    guard operation == .notEqual, left.presence != nil || right.presence != nil else {
      return "(\(left.value) \(sign) \(right.value))"
    }
    return
      "(\(left.isPresent) AND \(right.isPresent) AND (\(left.value) = \(right.value)) IS NOT TRUE)"
  }

  private func compare(
    objects left: SQLScalar, _ operation: QueryPredicate.Operator, _ right: SQLScalar
  ) throws(NotTranslatable) -> String {
    let same: String
    // An index can be used only for the plain column.
    var (left, right) = (left, right)
    if right.constant != nil, let column = left.column { left.value = column }
    if left.constant != nil, let column = right.column { right.value = column }
    switch (left.entity, right.entity) {
    case (.none, _), (_, .none): same = dialect.falseCondition
    case (.only(let one), .only(let other)):
      same = one == other ? "(\(left.value) = \(right.value))" : dialect.falseCondition
    case (.numbered(let column), .only(let layout)), (.only(let layout), .numbered(let column)):
      same = "(\(left.value) = \(right.value) AND \(column) = \(try number(of: layout)))"
    case (.numbered(let one), .numbered(let other)):
      same = "(\(left.value) = \(right.value) AND \(one) = \(other))"
    }
    switch operation {
    case .equal: return same
    case .notEqual: return "(\(left.isPresent) AND \(right.isPresent) AND \(same) IS NOT TRUE)"
    default: throw NotTranslatable()
    }
  }

  // MARK: - Constants

  /// Returns a constant, the same for all objects.
  mutating func constant(_ value: Value) throws(NotTranslatable) -> SQLScalar {
    var result: SQLScalar
    switch value {
    case .null: result = SQLScalar(.null, "NULL")
    case .boolean(let flag):
      result = SQLScalar(.integer, try parameter(.integer(flag ? 1 : 0)))
      result.output = .column(.boolean)
      result.isNarrow = true
    case .integer(let number):
      result = SQLScalar(.integer, try parameter(.integer(number)))
      result.output = .column(.int64)
      result.isNarrow = Int32(exactly: number) != nil
    case .float(let number): result = try real(.real, Double(number))
    case .double(let number): result = try real(.real, number)
    case .decimal(let number): return try constant(number)
    case .date(let date):
      // Seconds as a floating-point number may lose some of the date's precision. Only a subtraction shows whether they
      // do.
      let seconds = date.timeIntervalSinceReferenceDate
      guard date.addingTimeInterval(-seconds).timeIntervalSinceReferenceDate == 0 else {
        throw NotTranslatable()
      }
      result = try real(.date, seconds)
    case .string(let text):
      result = SQLScalar(.text, try parameter(.text(text)))
      result.output = .column(.string)
    case .uri(let text):
      result = SQLScalar(.text, try parameter(.text(text)))
      result.output = .column(.uri)
    case .uuid(let uuid):
      result = SQLScalar(.uuid, try parameter(.uuid(uuid)))
      result.output = .column(.uuid)
    case .binary(let data): result = SQLScalar(.binary, try parameter(.bytes(Array(data))))
    case .object(let key):
      result = SQLScalar(.object, try parameter(.integer(Int64(key.number))))
      let isKnown = map.entities[key.entity] != nil && key.number > 0
      result.entity = isKnown ? .only(key.entity) : .none
    }
    result.constant = value
    return result
  }

  private mutating func real(_ kind: SQLScalar.Kind, _ number: Double) throws(NotTranslatable)
    -> SQLScalar
  {
    guard number.isNaN else { return SQLScalar(kind, try parameter(.real(number))) }
    var result = SQLScalar(kind, "NULL")
    result.presence = dialect.trueCondition
    return result
  }

  /// Returns a decimal constant.
  private mutating func constant(_ number: Decimal) throws(NotTranslatable) -> SQLScalar {
    if let whole = Int64(exactly: number.nearestDouble), Decimal(whole) == number {
      return try constant(.integer(whole))
    }
    guard number.isFinite, dialect.canCompare(decimal: number) else { throw NotTranslatable() }
    var result = SQLScalar(.decimal, try parameter(.decimal(number)))
    result.constant = .decimal(number)
    return result
  }
}

extension SQLScalar {
  /// The number of a constant, or the seconds of a constant date; `nil` for "not a number" and all other values.
  fileprivate var finiteNumber: Double? {
    let number: Double? =
      switch constant {
      case .date(let date): date.timeIntervalSinceReferenceDate
      // Rounding an integer does not change its sign.
      case let value?: Number(value)?.double
      case nil: nil
      }
    return number.flatMap { $0.isNaN ? nil : $0 }
  }
}

extension QueryPredicate.Operator {
  /// The comparison operator in SQL; `nil` for operators of texts and collections.
  package var sign: String? {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: rawValue
    default: nil
    }
  }

  /// The operator with the sides exchanged.
  fileprivate var turned: Self {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    default: self
    }
  }
}
