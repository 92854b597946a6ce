import ObjectModel
import Rows
import SQLiteFiles

/// A `SELECT` statement, and the values of its parameters.
struct SQLQuery: Sendable, Hashable {
  /// The statement.
  var text: String
  /// The values of the parameters, from the first. The text may leave out the last of them.
  var parameters: [SQLiteValue]
}

/// A statement that returns rows of values, with the information to make a request's dictionaries from their cells.
struct SQLTableQuery: Sendable, Hashable {
  /// The statement.
  var query: SQLQuery
  /// The names of the values in a dictionary.
  var names: [String]
  /// The output of each value, in the order of the cells.
  var values: [SQLOutput]
  /// Whether the rows are groups, which must still be sorted.
  var isGrouped: Bool
  /// Whether the statement returns all rows. Duplicates, and rows beyond the limit, must still be removed.
  var isWhole: Bool
}

/// The meaning of a result's cell.
enum SQLOutput: Sendable, Hashable {
  /// A value of a column of the given kind.
  case column(ColumnKind)
  /// A computed number: an integer or a floating-point number, depending on the cell.
  case number
  /// An object of the entity with the given layout number; the cell contains the object's key.
  case object(UInt16)
  /// An object: the cell contains the object's key, and the next cell the number of its entity in tables.
  case objectAndEntity
}

/// The error for a request that must be answered by searching the rows: SQL has another meaning, or an equal meaning
/// has not been verified.
struct NotTranslatable: Error {}
