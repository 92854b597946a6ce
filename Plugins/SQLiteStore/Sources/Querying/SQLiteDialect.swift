import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SQLTranslation
import SQLiteFiles

/// SQLite's SQL, for the tables of Core Data.
///
/// A cell of a floating-point number contains bytes if SQLite can't store the value as a number: "not a number" and
/// −0. A decimal number is the nearest floating-point number, or text.
struct SQLiteDialect: SQLDialect {
  /// Whether Quire has written the cells. Other systems write 64 bits even for numbers of 32 bits.
  var isOwn = true

  var keyColumn: String { TableMap.Column.key }
  var entityColumn: String { TableMap.Column.entity }
  var trueCondition: String { "1" }
  var falseCondition: String { "0" }
  var noLimit: String { "-1" }

  /// Returns a numbered parameter, so that an expression with it can appear twice.
  func parameter(_ number: Int, _ value: SQLParameter) -> String { "?\(number)" }

  func complete(_ value: inout SQLScalar, of kind: ColumnKind) {
    let name = value.value
    switch kind.content {
    case .boolean, .integer, .uuid, .object: break
    // The search of the rows rounds numbers of other systems to 32 bits.
    case .float where !isOwn: value = SQLScalar(.opaque, name)
    case .float, .double, .date:
      value.value = """
        (CASE typeof(\(name)) WHEN 'blob' THEN CASE \(name) WHEN \(SQLCell.negativeZero) THEN 0.0 END \
        ELSE \(name) END)
        """
      value.presence = "\(name) IS NOT NULL"
      value.column = name
    // `COLLATE BINARY` overrides the collation that the table declares.
    case .string, .uri: value.value = "\(name) COLLATE BINARY"
    // Other programs may write bytes as text.
    case .binary: value.value = "CAST(\(name) AS BLOB)"
    case .decimal:
      // Numbers of more than 15 digits are written as text.
      value.value = failing(where: "typeof(\(name)) IN ('blob', 'text')", else: name)
      value.presence = "\(name) IS NOT NULL"
      value.column = name
    }
  }

  /// Some rows contain 0 for a reference to no object.
  func reference(_ column: String) -> String { "nullif(\(column), 0)" }

  /// Returns an expression that fails if a flag is 1, and has a value if the flag is 0.
  ///
  /// Used for cells that only a search of the rows can interpret: the failure of the statement starts that search.
  /// SQLite fails to compute the absolute value of the least integer of 64 bits.
  private func failing(where flag: String, else value: String) -> String {
    "CASE WHEN abs(-9223372036854775807 - (\(flag))) THEN \(value) END"
  }

  // MARK: - Numbers

  func greater(_ left: String, _ right: String) -> String { "max(\(left), \(right))" }
  func lesser(_ left: String, _ right: String) -> String { "min(\(left), \(right))" }
  func wide(_ number: String) -> String { "(\(number))" }
  func real(_ number: String) -> String { "CAST(\(number) AS REAL)" }
  func byteCount(of bytes: String) -> String { "length(\(bytes))" }

  func integer(
    _ function: QueryExpression.Function, _ values: [String]
  ) throws(NotTranslatable) -> String {
    switch function {
    case .floor, .ceiling, .trunc: values[0]
    case .onesComplement: "(~\(values[0]))"
    case .bitwiseXor:
      "((\(values[0]) | \(values[1])) & ~(\(values[0]) & \(values[1])))"
    case .leftShift: "(\(values[0]) << \(values[1]))"
    case .rightShift: "(\(values[0]) >> \(values[1]))"
    default: "(\(values[0]) \(try function.sign) \(values[1]))"
    }
  }

  func real(
    _ function: QueryExpression.Function, _ left: String, _ right: String
  ) throws(NotTranslatable) -> String { "(\(left) \(try function.sign) \(right))" }

  // MARK: - Texts

  func text(
    _ function: QueryExpression.Function, _ values: [SQLScalar]
  ) throws(NotTranslatable) -> String {
    switch function {
    case .trim: return "trim(\(values[0].value), \(SQLiteDialect.whiteSpace))"
    case .concat: return "(\(values.map { "(\($0.value))" }.joined(separator: " || ")))"
    case .replace:
      // SQLite replaces no part that begins with U+0000.
      guard let part = values[1].constantText?.utf8, part.first != 0 else {
        throw NotTranslatable()
      }
      return "replace(\(values.map(\.value).joined(separator: ", ")))"
    default: throw NotTranslatable()
    }
  }

  /// A text of all scalars of white space.
  private static let whiteSpace: String = {
    let scalars = (0...0x3000 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
      .filter(\.properties.isWhitespace)
    return "char(\(scalars.map { String($0.value) }.joined(separator: ", ")))"
  }()

  // MARK: - Dates

  func part(
    _ function: QueryExpression.Function, of date: String
  ) throws(NotTranslatable) -> String {
    let second = second(of: date)
    switch function {
    case .year: return written("%Y", second)
    case .month: return written("%m", second)
    case .quarter: return "((\(written("%m", second)) + 2) / 3)"
    case .day: return written("%d", second)
    case .hour: return "(\(rest(of: second, 86_400)) / 3600)"
    case .minute: return "(\(rest(of: second, 3600)) / 60)"
    case .second: return rest(of: second, 60)
    // January 1, 2001, was a Monday.
    case .weekday: return "(\(rest(of: second, 604_800)) / 86400 + 1)"
    default: throw NotTranslatable()
    }
  }

  func start(
    of unit: QueryExpression.CalendarUnit, _ date: String
  ) throws(NotTranslatable) -> String {
    let second = second(of: date)
    switch unit {
    case .year: return "(\(written("%s", second, ", 'start of year'")) - 978307200)"
    case .month: return "(\(written("%s", second, ", 'start of month'")) - 978307200)"
    case .quarter: throw NotTranslatable()
    case .week: return "(\(second) - \(rest(of: second, 604_800)))"
    case .day: return "(\(second) - \(rest(of: second, 86_400)))"
    case .hour: return "(\(second) - \(rest(of: second, 3600)))"
    case .minute: return "(\(second) - \(rest(of: second, 60)))"
    case .second: return second
    }
  }

  /// Returns the whole second before a date; NULL for a date without parts.
  private func second(of date: String) -> String {
    let number = "CAST(\(date) AS REAL)"
    return """
      (CASE WHEN \(number) BETWEEN -9007199254740992.0 AND 9007199254740992.0 \
      THEN CAST(\(number) AS INTEGER) - (\(number) < CAST(\(number) AS INTEGER)) END)
      """
  }

  /// Returns the rest of a division that is rounded down.
  private func rest(of second: String, _ divisor: Int) -> String {
    "((\(second) % \(divisor) + \(divisor)) % \(divisor))"
  }

  /// Returns a number that SQLite's calendar writes for a second. SQLite knows the years 0 to 9999; for another year the
  /// statement fails.
  private func written(_ format: String, _ second: String, _ change: String = "") -> String {
    let isFar = "(\(second) NOT BETWEEN -63145526400 AND 252423993599)"
    let number =
      "CAST(strftime('\(format)', \(second) + 978307200, 'unixepoch'\(change)) AS INTEGER)"
    return "(CASE WHEN \(second) IS NOT NULL THEN \(failing(where: isFar, else: number)) END)"
  }

  // MARK: - Comparisons

  /// SQLite compares integers and floating-point numbers without rounding them.
  func canCompareNumbers(_ left: SQLScalar, _ right: SQLScalar) -> Bool { true }

  /// No two decimal numbers of up to 15 digits have the same nearest floating-point number.
  func canCompare(decimal: Decimal) -> Bool {
    decimal.significand.description.count { $0.isNumber } <= 15
  }

  /// Some cells may be bytes, which SQLite sorts after all numbers.
  func compare(
    _ column: String, _ operation: QueryPredicate.Operator, _ parameter: String, _ number: Double
  ) -> String {
    let isZero = "\(column) = \(SQLCell.negativeZero)"
    switch operation {
    case .equal:
      return number == 0 ? "(\(column) = \(parameter) OR \(isZero))" : "(\(column) = \(parameter))"
    case .notEqual:
      return number == 0
        ? "(\(column) <> \(parameter) AND \(column) <> \(SQLCell.negativeZero))"
        : "(\(column) <> \(parameter))"
    case .lessThan, .lessThanOrEqual:
      let plain = "\(column) \(operation.sign!) \(parameter)"
      let includesZero = operation == .lessThan ? 0 < number : 0 <= number
      return includesZero ? "(\(plain) OR \(isZero))" : "(\(plain))"
    default:
      let plain = "\(column) \(operation.sign!) \(parameter) AND \(column) < X''"
      let includesZero = operation == .greaterThan ? 0 > number : 0 >= number
      return includesZero ? "(\(plain) OR \(isZero))" : "(\(plain))"
    }
  }

  /// A cell contains the nearest floating-point number. It sorts like the decimal number against integers of up to 53
  /// bits, and against decimal numbers of up to 15 digits.
  func compare(
    decimal left: SQLScalar, _ operation: QueryPredicate.Operator, _ right: SQLScalar
  ) throws(NotTranslatable) -> String {
    guard let sign = operation.sign, left.column != nil else { throw NotTranslatable() }
    switch (right.kind, right.constant) {
    case (.integer, .integer(let number)?):
      guard abs(Double(number)) <= 0x1p53 else { throw NotTranslatable() }
      return "(\(left.value) \(sign) \(right.value))"
    case (.integer, .boolean?), (.decimal, .decimal?):
      return "(\(left.value) \(sign) \(right.value))"
    case (.real, _):
      // With a floating-point number, a decimal number is compared as a floating-point number.
      guard operation != .notEqual || right.presence == nil else { throw NotTranslatable() }
      return "(CAST(\(left.value) AS REAL) \(sign) \(right.value))"
    default: throw NotTranslatable()
    }
  }

  /// Texts are compared as bytes, because some text functions of SQLite stop at a NUL character.
  private func bytes(_ text: SQLScalar) -> String { "CAST(\(text.value) AS BLOB)" }

  func contains(_ text: SQLScalar, _ part: SQLScalar) -> String {
    "instr(\(bytes(text)), \(bytes(part))) > 0"
  }

  func begins(_ text: SQLScalar, with part: SQLScalar) -> String {
    "substr(\(bytes(text)), 1, length(\(bytes(part)))) = \(bytes(part))"
  }

  func ends(_ text: SQLScalar, with part: SQLScalar) -> String {
    "substr(\(bytes(text)), -length(\(bytes(part)))) = \(bytes(part))"
  }

  // MARK: - Results

  func sortTerm(_ value: SQLScalar, isAscending: Bool) -> String {
    var term = value.value
    if let column = value.column, value.kind == .real || value.kind == .date {
      // −0.0 is equal to 0.
      term = """
        CASE typeof(\(column)) WHEN 'blob' THEN CASE \(column) WHEN \(SQLCell.negativeZero) THEN 0.0 \
        ELSE X'' END ELSE \(column) END
        """
    }
    return term + (isAscending ? "" : " DESC")
  }

  func realCell(_ column: String, isGroup: Bool) -> String {
    let isOdd = "typeof(\(column)) = 'blob'"
    return failing(where: isGroup ? "max(\(isOdd))" : isOdd, else: column)
  }

  func decimalCell(_ value: SQLScalar) -> String { value.value }

  func groupCheck(_ column: String) -> String {
    failing(where: "max(typeof(\(column)) = 'blob')", else: "1")
  }

  func sum(_ value: SQLScalar) -> String { "coalesce(\(total(value)), 0)" }

  func average(_ value: SQLScalar) -> String {
    "(CAST((\(total(value))) AS REAL) / count(\(value.value)))"
  }

  /// A sum of integers may overflow 64 bits midway, depending on the order. Unless the values are narrow, the sum of
  /// their absolute values is computed first: it overflows in any order, and the statement fails.
  private func total(_ value: SQLScalar) -> String {
    value.isNarrow
      ? "sum(\(value.value))"
      : "CASE WHEN sum(abs(\(value.value))) >= 0 THEN sum(\(value.value)) END"
  }

  func extreme(_ function: String, of value: SQLScalar) throws(NotTranslatable) -> String {
    let odd: String
    switch value.kind {
    // With "not a number" among the values, the result depends on their order.
    case .real, .date: odd = "= 'blob'"
    case .decimal: odd = "IN ('blob', 'text')"
    default: return "\(function)(\(value.value))"
    }
    guard let column = value.column else { throw NotTranslatable() }
    return failing(
      where: "coalesce(max(typeof(\(column)) \(odd)), 0)", else: "\(function)(\(column))")
  }
}

extension SQLiteValue {
  /// Creates the value of a statement's parameter.
  init(_ parameter: SQLParameter) {
    switch parameter {
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .decimal(let number): self = .real(number.nearestDouble)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .blob(bytes)
    case .uuid(let uuid): self = .blob(uuid.bytes)
    }
  }
}
