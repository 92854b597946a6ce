import Foundation
import ObjectModel
import ObjectQuery
import PostgreSQLConnection
import Rows
import SQLTranslation

/// PostgreSQL's SQL.
///
/// Columns have native types, so the server compares most values as they are. It takes "not a number" for equal to
/// itself and greater than all numbers, so comparisons leave it out. A statement fails where a search of the rows must
/// decide: if an integer overflows 64 bits, or if "not a number" is among the values of a minimum.
struct PostgreSQLDialect: SQLDialect {
  var keyColumn: String { TableMap.PostgreSQLColumn.key }
  var entityColumn: String { TableMap.PostgreSQLColumn.entity }
  var trueCondition: String { "true" }
  var falseCondition: String { "false" }
  var noLimit: String { "ALL" }

  func parameter(_ number: Int, _ value: SQLParameter) -> String {
    switch value {
    case .integer: "$\(number)::bigint"
    case .real: "$\(number)::double precision"
    case .decimal: "$\(number)::numeric"
    case .text: "($\(number)::text COLLATE \"C\")"
    case .bytes: "$\(number)::bytea"
    case .uuid: "$\(number)::uuid"
    }
  }

  func complete(_ value: inout SQLScalar, of kind: ColumnKind) {
    let name = value.value
    switch kind {
    case .boolean: value.value = "\(name)::integer"
    case .float, .double, .date, .decimal:
      value.value = "nullif(\(name), 'NaN')"
      value.presence = "\(name) IS NOT NULL"
      value.column = name
    default: break
    }
  }

  func reference(_ column: String) -> String { column }

  /// Returns an expression that fails if a condition holds, and has a value if not.
  private func failing(where condition: String, else value: String) -> String {
    "CASE WHEN 1 / (CASE WHEN \(condition) THEN 0 ELSE 1 END) = 1 THEN \(value) END"
  }

  /// Returns a condition that holds if a floating-point number is "not a number" or −0.
  private func isOdd(_ column: String) -> String {
    "(\(column) = 'NaN' OR \(column) = 0 AND \(column)::text = '-0')"
  }

  // MARK: - Numbers

  func greater(_ left: String, _ right: String) -> String { "greatest(\(left), \(right))" }
  func lesser(_ left: String, _ right: String) -> String { "least(\(left), \(right))" }
  func wide(_ number: String) -> String { "(\(number))::bigint" }
  func real(_ number: String) -> String { "(\(number))::double precision" }
  func byteCount(of bytes: String) -> String { "octet_length(\(bytes))" }

  func integer(
    _ function: QueryExpression.Function, _ values: [String]
  ) throws(NotTranslatable) -> String {
    let values = values.map { wide($0) }
    // The server shifts by the number of bits modulo 64, so shifts are left to the search of the rows.
    switch function {
    case .floor, .ceiling, .trunc: return values[0]
    case .onesComplement: return "(~\(values[0]))"
    case .bitwiseXor: return "(\(values[0]) # \(values[1]))"
    case .divide, .modulus:
      return "(\(values[0]) \(try function.sign) nullif(\(values[1]), 0))"
    default: return "(\(values[0]) \(try function.sign) \(values[1]))"
    }
  }

  func real(
    _ function: QueryExpression.Function, _ left: String, _ right: String
  ) throws(NotTranslatable) -> String {
    let divisor = function == .divide ? "nullif(\(right), 0)" : right
    return "nullif(\(left) \(try function.sign) \(divisor), 'NaN')"
  }

  // MARK: - Comparisons

  /// The server turns an integer into a floating-point number, which is exact up to 53 bits.
  func canCompareNumbers(_ left: SQLScalar, _ right: SQLScalar) -> Bool {
    func isExact(_ value: SQLScalar) -> Bool {
      guard value.kind == .integer else { return true }
      if case .integer(let number)? = value.constant { return number.magnitude <= 1 << 53 }
      return value.isNarrow
    }
    return isExact(left) && isExact(right)
  }

  func canCompare(decimal: Decimal) -> Bool { true }

  func compare(
    _ column: String, _ operation: QueryPredicate.Operator, _ parameter: String, _ number: Double
  ) -> String {
    let plain = "\(column) \(operation.sign ?? "=") \(parameter)"
    switch operation {
    case .greaterThan, .greaterThanOrEqual: return "(\(plain) AND \(column) < 'NaN')"
    default: return "(\(plain))"
    }
  }

  func compare(
    decimal left: SQLScalar, _ operation: QueryPredicate.Operator, _ right: SQLScalar
  ) throws(NotTranslatable) -> String {
    guard let sign = operation.sign else { throw NotTranslatable() }
    // With a floating-point number, a decimal number is compared as a floating-point number.
    let value = right.kind == .real ? real(left.value) : left.value
    switch right.kind {
    case .integer, .decimal, .real: break
    default: throw NotTranslatable()
    }
    let same = "(\(value) \(sign) \(right.value))"
    guard operation == .notEqual else { return same }
    return "(\(left.isPresent) AND \(right.isPresent) AND (\(value) = \(right.value)) IS NOT TRUE)"
  }

  /// The characters whose stored form is not themselves, or is a part of another one's (spec §14.3.2), can't be found
  /// in a part of a text.
  private func check(_ part: SQLScalar) throws(NotTranslatable) {
    guard let text = part.constantText, !text.utf8.contains(where: { $0 <= 2 }) else {
      throw NotTranslatable()
    }
  }

  func contains(_ text: SQLScalar, _ part: SQLScalar) throws(NotTranslatable) -> String {
    try check(part)
    return "strpos(\(text.value), \(part.value)) > 0"
  }

  func begins(_ text: SQLScalar, with part: SQLScalar) throws(NotTranslatable) -> String {
    "starts_with(\(text.value), \(part.value))"
  }

  func ends(_ text: SQLScalar, with part: SQLScalar) throws(NotTranslatable) -> String {
    try check(part)
    return "right(\(text.value), length(\(part.value))) = \(part.value)"
  }

  // MARK: - Results

  func sortTerm(_ value: SQLScalar, isAscending: Bool) -> String {
    // The order of the server is that of the rows: −0 is equal to 0, and "not a number" is after all numbers.
    (value.column ?? value.value) + (isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
  }

  func realCell(_ column: String, isGroup: Bool) -> String { column }

  func decimalCell(_ value: SQLScalar) -> String { value.column ?? value.value }

  func groupCheck(_ column: String) -> String {
    failing(where: "coalesce(bool_or\(isOdd(column)), false)", else: "true")
  }

  func sum(_ value: SQLScalar) -> String { "coalesce(\(total(value)), 0)" }

  func average(_ value: SQLScalar) -> String {
    "((\(total(value)))::double precision / nullif(count(\(value.value)), 0))"
  }

  /// The server's sums of 64 bits do not overflow, so that the sum of the absolute values, which overflows in any order,
  /// is turned into an integer.
  private func total(_ value: SQLScalar) -> String {
    let number = "(\(value.value))::bigint"
    return value.isNarrow
      ? "sum(\(number))::bigint"
      : "CASE WHEN sum(abs(\(number)::numeric))::bigint >= 0 THEN sum(\(number))::bigint END"
  }

  func extreme(_ function: String, of value: SQLScalar) throws(NotTranslatable) -> String {
    switch value.kind {
    // With "not a number" or −0 among the values, the result depends on their order.
    case .real, .date:
      guard let column = value.column else { throw NotTranslatable() }
      return failing(
        where: "coalesce(bool_or\(isOdd(column)), false)", else: "\(function)(\(column))")
    case .decimal:
      guard let column = value.column else { throw NotTranslatable() }
      return failing(
        where: "coalesce(bool_or(\(column) = 'NaN'), false)", else: "\(function)(\(column))")
    // The server has no minimum of UUIDs.
    case .uuid: throw NotTranslatable()
    default: return "\(function)(\(value.value))"
    }
  }
}

extension PostgreSQLParameter {
  /// Creates the binary form of a parameter's value.
  init(_ value: SQLParameter) {
    switch value {
    case .integer(let number): self.init(number)
    case .real(let number): self.init(number)
    case .decimal(let number): self.init(PostgreSQLNumeric(number))
    case .text(let text): self.init(StoredText.stored(text))
    case .bytes(let bytes): self.init(.bytes, bytes: bytes)
    case .uuid(let uuid): self.init(.uuid, bytes: uuid.bytes)
    }
  }
}
