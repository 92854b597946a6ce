import ObjectModel
import Rows

/// One value of a bound expression as SQL has it.
struct SQLScalar {
  /// What the value is. Values of different kinds are not compared in SQL.
  enum Kind {
    case null, integer, real, decimal, text, date, uuid, binary, object
    /// Of the value only can be told whether there is one.
    case opaque
  }

  var kind: Kind
  /// The value; NULL where there is none, and for "not a number".
  var value: String
  /// Says whether there is a value, where the value itself does not: 1 or 0.
  var presence: String?
  /// The column as it stands, where ``value`` wraps it: for floating-point numbers, dates, decimals and objects.
  var column: String?
  /// The value, where it is the same for all objects.
  var constant: Value?
  /// Of which entity an object is.
  var entity = SQLEntity.none
  /// What the value becomes in a result; `nil` where nobody has made sure.
  var output: SQLOutput?
  /// Whether a whole number has so few bits that no sum of such numbers leaves 64.
  var isNarrow = false
  /// Whether a whole number is that in SQL too, and not one that left 64 bits while it was computed.
  var isSurelyWhole = true

  init(_ kind: Kind, _ value: String) { (self.kind, self.value) = (kind, value) }

  /// A condition that is true where there is a value.
  var isPresent: String { presence.map { "(\($0))" } ?? "(\(value) IS NOT NULL)" }

  /// Whether it is a whole or a floating-point number.
  var isNumber: Bool { kind == .integer || kind == .real }

  /// A floating-point number's or a date's column, some cells of which may be bytes.
  var realColumn: String? { kind == .real || kind == .date ? column : nil }

  /// Whether the two may be compared in SQL.
  func isComparable(to other: SQLScalar) -> Bool {
    kind != .opaque && kind == other.kind || isNumber && other.isNumber
  }
}

/// Of which entity an object is.
enum SQLEntity: Equatable {
  /// Of none that the tables know: no object is that one.
  case none
  /// The one with the given number of its layout.
  case only(UInt16)
  /// The one whose number the given SQL gives, as tables know it.
  case numbered(String)
}

/// A row that a statement has at hand.
struct SQLRow {
  /// What the statement calls it.
  var alias: String
  /// The entity that its object is known to be of, or of one that inherits from it.
  var entity: String
  /// The object's key, where it is known by a link to it and may not be there.
  var linkedKey: String?
}

/// What expressions may speak of where they stand.
struct SQLScope {
  /// The row of the object that is asked.
  var this: SQLRow
  /// The rows of the variables of subqueries.
  var slots: [Int: SQLRow] = [:]
  /// What has one value for a whole group.
  var groupKeys: [SQLScalar] = []
  /// Those of its aggregates.
  var groupAggregates: [SQLScalar] = []
}
