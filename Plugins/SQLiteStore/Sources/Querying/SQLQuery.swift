import ObjectModel
import Rows
import SQLiteFiles

/// A statement that reads, and what its parameters are bound to.
struct SQLQuery: Sendable, Hashable {
  /// The statement.
  var text: String
  /// The parameters' values, from the first; the text may not need the last of them.
  var parameters: [SQLiteValue]
}

/// A statement that gives rows of values, and how cells become the values of a request's dictionaries.
struct SQLTableQuery: Sendable, Hashable {
  /// The statement.
  var query: SQLQuery
  /// The names of the values.
  var names: [String]
  /// What each value is, in the order of the cells.
  var values: [SQLOutput]
  /// Whether the rows are groups, which have still to be sorted.
  var isGrouped: Bool
  /// Whether the rows are all there are: equal ones and those beyond the limit have still to be left out.
  var isWhole: Bool
}

/// What a cell of a result is.
enum SQLOutput: Sendable, Hashable {
  /// What a column of such a kind holds.
  case column(ColumnKind)
  /// A number that was computed: whole or not, as the cell is.
  case number
  /// An object of the one entity with the given number; the cell has its key.
  case object(UInt16)
  /// An object; the cell has its key, and the cell behind it the number that tables know its entity by.
  case objectAndEntity
}

/// Why there is no statement: SQL does not mean exactly the same, or nobody has made sure that it does.
struct LeftToRows: Error {}
