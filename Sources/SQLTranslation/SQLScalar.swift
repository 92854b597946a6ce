package import ObjectModel
import Rows

/// A single value of a bound expression in SQL.
package struct SQLScalar {
  /// The kind of a value. SQL compares only values of the same kind, or numbers.
  package enum Kind {
    case null, integer, real, decimal, text, date, uuid, binary, object
    /// A value of which SQL only knows whether it is null.
    case opaque
  }

  /// The kind of the value.
  package var kind: Kind
  /// The value; NULL if there is none, and for "not a number".
  package var value: String
  /// A condition that is true if there is a value, and false if not; `nil` if a test of `value` for NULL is enough.
  package var presence: String?
  /// The plain column if ``value`` wraps it: for floating-point numbers, dates, decimals and objects.
  package var column: String?
  /// The value, if it is the same for all objects.
  package var constant: Value?
  /// The entity of an object.
  package var entity = SQLEntity.none
  /// The output of the value in a result; `nil` if the value can't be used in a result.
  package var output: SQLOutput?
  /// Whether an integer has so few bits that no sum of such integers overflows 64 bits.
  package var isNarrow = false
  /// Whether an integer is certain to be an integer in SQL too. In some databases, an integer that overflows becomes a
  /// floating-point number.
  package var isSurelyWhole = true

  /// Whether a floating-point number or a date is an ordinary number in SQL wherever it has a value, and neither "not a
  /// number" nor −0.
  package var isAlwaysNumber = false

  package init(_ kind: Kind, _ value: String) { (self.kind, self.value) = (kind, value) }

  /// A condition that is true if there is a value.
  package var isPresent: String { presence.map { "(\($0))" } ?? "(\(value) IS NOT NULL)" }

  /// Whether the value is an integer or a floating-point number.
  var isNumber: Bool { kind == .integer || kind == .real }

  /// The column of a floating-point number or a date, which may contain "not a number".
  var realColumn: String? { kind == .real || kind == .date ? column : nil }

  /// Returns whether SQL may compare the two values.
  func isComparable(to other: SQLScalar) -> Bool {
    kind != .opaque && kind == other.kind || isNumber && other.isNumber
  }
}

/// The entity of an object in SQL.
package enum SQLEntity: Equatable, Sendable {
  /// An entity without a table: no object of the store is equal to this one.
  case none
  /// The entity with the given layout number.
  case only(UInt16)
  /// The entity whose number in tables the given SQL returns.
  case numbered(String)
}

/// A row that a statement can refer to.
struct SQLRow {
  /// The alias of the row in the statement.
  var alias: String
  /// The entity of the object: the object is of this entity, or of one that inherits from it.
  var entity: String
  /// If the row was reached through a link, the column with the key of its object, because the object possibly does not
  /// exist; `nil` for a row that exists.
  var linkedKey: String?
}

/// The rows and groups that an expression can refer to.
struct SQLScope {
  /// The row of the object that is tested.
  var this: SQLRow
  /// The rows of subquery variables, by the variable's slot.
  var slots: [Int: SQLRow] = [:]
  /// The keys of the group, each with one value for the group.
  var groupKeys: [SQLScalar] = []
  var groupAggregates: [SQLScalar] = []
}
