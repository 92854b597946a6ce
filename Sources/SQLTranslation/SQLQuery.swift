package import Foundation
import ObjectModel
package import Rows

/// A `SELECT` statement, and the values of its parameters.
package struct SQLQuery: Sendable, Hashable {
  package var text: String
  /// The values of the parameters, from the first. The text may leave out some of them.
  package var parameters: [SQLParameter]
}

/// The value of a statement's parameter. No value becomes a part of a statement's text.
package enum SQLParameter: Sendable, Hashable {
  /// An integer of 64 bits.
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  case bytes([UInt8])
  case uuid(UUID)
}

/// A statement that returns rows of values, with the information to make a request's dictionaries from their cells.
package struct SQLTableQuery: Sendable, Hashable {
  package var query: SQLQuery
  /// The names of the values in a dictionary.
  package var names: [String]
  /// The output of each value, in the order of the cells.
  package var values: [SQLOutput]
  /// Whether the rows are groups, which must still be sorted.
  package var isGrouped: Bool
  /// Whether the statement returns all rows. Duplicates, and rows beyond the limit, must still be removed.
  package var isWhole: Bool
}

/// The meaning of a result's cell.
package enum SQLOutput: Sendable, Hashable {
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
package struct NotTranslatable: Error {
  package init() {}
}
