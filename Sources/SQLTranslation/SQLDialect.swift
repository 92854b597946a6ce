package import Foundation
package import ObjectQuery
package import Rows

/// The SQL of one kind of database, as far as databases differ.
///
/// Each method either returns SQL that means the same as a search of the rows, or throws ``NotTranslatable``. SQL may
/// also fail while the database runs the statement; then the rows are searched.
package protocol SQLDialect: Sendable {
  /// The column with the key of an object.
  var keyColumn: String { get }
  /// The column with the number of an object's entity.
  var entityColumn: String { get }
  /// A condition that is always true.
  var trueCondition: String { get }
  /// A condition that is never true.
  var falseCondition: String { get }
  /// The limit of a selection that has none.
  var noLimit: String { get }

  /// Returns the text of a numbered parameter. Its value is bound to it.
  func parameter(_ number: Int, _ value: SQLParameter) -> String

  /// Sets the parts of an attribute's value that depend on the form of its cells.
  ///
  /// - Parameter value: The value, with the plain column as its SQL. The presence and the column are not set yet.
  func complete(_ value: inout SQLScalar, of kind: ColumnKind)

  /// Returns the value of a column with the key of a target object; NULL if there is no target.
  func reference(_ column: String) -> String

  // MARK: - Numbers

  /// Returns the greater of two integers.
  func greater(_ left: String, _ right: String) -> String

  /// Returns the lesser of two integers.
  func lesser(_ left: String, _ right: String) -> String

  /// Returns a number as an integer of 64 bits.
  func wide(_ number: String) -> String

  /// Returns a number as a floating-point number.
  func real(_ number: String) -> String

  /// Returns the result of a function of integers. A division by zero results in NULL. A result that does not fit 64
  /// bits is not an integer, or makes the statement fail.
  func integer(
    _ function: QueryExpression.Function, _ values: [String]
  ) throws(NotTranslatable) -> String

  /// Returns the result of an arithmetic operation on two floating-point numbers; NULL if it is "not a number".
  func real(
    _ function: QueryExpression.Function, _ left: String, _ right: String
  ) throws(NotTranslatable) -> String

  /// Returns the result of a function of texts, which compares and counts no characters.
  func text(
    _ function: QueryExpression.Function, _ values: [SQLScalar]
  ) throws(NotTranslatable) -> String

  /// Returns a part of a date in UTC; NULL without a date. The SQL may fail for a year that the database does not know.
  ///
  /// - Parameter date: The seconds since 2001; NULL for "not a number".
  func part(
    _ function: QueryExpression.Function, of date: String
  ) throws(NotTranslatable) -> String

  /// Returns the start of a unit of the calendar in UTC, as ``part(_:of:)`` does: an integer of seconds since 2001.
  func start(
    of unit: QueryExpression.CalendarUnit, _ date: String
  ) throws(NotTranslatable) -> String

  /// Returns the number of bytes of a value.
  func byteCount(of bytes: String) -> String

  // MARK: - Comparisons

  /// Returns whether the database compares an integer with a floating-point number exactly.
  func canCompareNumbers(_ left: SQLScalar, _ right: SQLScalar) -> Bool

  /// Returns whether the database compares a decimal constant exactly with the decimal numbers of a table.
  func canCompare(decimal: Decimal) -> Bool

  /// Returns the comparison of a column of floating-point numbers with a number. The form can use an index of the
  /// column.
  func compare(
    _ column: String, _ operation: QueryPredicate.Operator, _ parameter: String, _ number: Double
  ) -> String

  /// Returns the comparison of a decimal number with another value.
  func compare(
    decimal left: SQLScalar, _ operation: QueryPredicate.Operator, _ right: SQLScalar
  ) throws(NotTranslatable) -> String

  /// Returns the condition that a text contains another text.
  func contains(_ text: SQLScalar, _ part: SQLScalar) throws(NotTranslatable) -> String

  /// Returns the condition that a text begins with another text, which is not a constant.
  func begins(_ text: SQLScalar, with part: SQLScalar) throws(NotTranslatable) -> String

  /// Returns the condition that a text ends with another text.
  func ends(_ text: SQLScalar, with part: SQLScalar) throws(NotTranslatable) -> String

  // MARK: - Results

  /// Returns the term that sorts by a value. As in a search of the rows, NULL is before all values and "not a number"
  /// after them, or the other way round if the order descends.
  func sortTerm(_ value: SQLScalar, isAscending: Bool) -> String

  /// Returns the result cell of a column of floating-point numbers.
  func realCell(_ column: String, isGroup: Bool) -> String

  /// Returns the result cell of a decimal number.
  func decimalCell(_ value: SQLScalar) -> String

  /// Returns a condition that is true, or fails if a group's key is a floating-point number that SQL groups
  /// differently.
  func groupCheck(_ column: String) -> String

  /// Returns the sum of integers; 0 if there are none. If the sum may overflow 64 bits midway, the statement fails.
  func sum(_ value: SQLScalar) -> String

  /// Returns the average of integers.
  func average(_ value: SQLScalar) -> String

  /// Returns the least or the greatest value, by the function `min` or `max`.
  func extreme(_ function: String, of value: SQLScalar) throws(NotTranslatable) -> String
}

extension QueryExpression.Function {
  /// The sign of an operation that has the same sign in each database.
  package var sign: String {
    get throws(NotTranslatable) {
      switch self {
      case .add: "+"
      case .subtract: "-"
      case .multiply: "*"
      case .divide: "/"
      case .modulus: "%"
      case .bitwiseAnd: "&"
      case .bitwiseOr: "|"
      default: throw NotTranslatable()
      }
    }
  }
}
