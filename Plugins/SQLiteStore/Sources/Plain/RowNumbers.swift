import ObjectModel
import SQLTranslation

/// The numbers of the objects of a table.
///
/// They are the numbers that SQLite gives the rows, if these are positive and not too large. Otherwise a temporary table
/// numbers the rows.
struct RowNumbers {
  private let table: PlainTable
  /// The name of the temporary table, if any.
  private let temporary: String?
  private let offset: Int64
  /// The columns by which the temporary table finds a row.
  private let keys: [String]

  init(_ table: PlainTable, place: Int, least: Int64, greatest: Int64) {
    self.table = table
    let highest = Int64(ObjectKey.highestNumber)
    let isEmpty = greatest < least
    let fits =
      table.hasRowNumbers && (isEmpty || greatest <= highest && least > -highest / 2)
      && (isEmpty || least > 0 || greatest - least < highest)
    keys = table.hasRowNumbers ? [table.numberName] : table.key
    offset = !isEmpty && least < 1 ? 1 - least : 0
    temporary = fits ? nil : "quire_numbers_\(place)"
  }

  /// The statements that make the temporary table.
  var preparation: [String] {
    guard let temporary else { return [] }
    let name = "temp.\(quoted(temporary))"
    let columns = keys.indices.map { "k\($0)" }.joined(separator: ", ")
    let own = keys.map { "x.\(quoted($0))" }.joined(separator: ", ")
    return [
      "DROP TABLE IF EXISTS \(name)",
      "CREATE TEMP TABLE \(quoted(temporary)) (number INTEGER PRIMARY KEY, \(columns))",
      "INSERT INTO \(name) (\(columns)) SELECT \(own) FROM \(quoted(table.name)) x ORDER BY \(own)",
      "CREATE INDEX temp.\(quoted(temporary + "_keys")) ON \(quoted(temporary)) (\(columns))",
    ]
  }

  /// The rows `x` of the table, with what their numbers need, in the order of the numbers.
  var rows: String {
    guard let temporary else { return "\(quoted(table.name)) x NOT INDEXED" }
    return
      "temp.\(quoted(temporary)) n CROSS JOIN \(quoted(table.name)) x ON \(condition("n", "x"))"
  }

  /// The number of a row of ``rows``.
  var number: String { temporary == nil ? number(of: "x") : "n.number" }

  /// Returns the number of any row of the table.
  func number(of alias: String) -> String {
    guard let temporary else {
      let number = "\(alias).\(quoted(table.numberName))"
      return offset == 0 ? number : "(\(number) + \(offset))"
    }
    return
      "(SELECT m.number FROM temp.\(quoted(temporary)) m WHERE \(condition("m", alias)))"
  }

  /// Returns the number of the row to which a reference leads.
  ///
  /// - Parameter alias: The row with the reference.
  func number(of reference: PlainDatabase.Reference) -> String {
    if temporary == nil, let column = table.numberColumn, reference.targets == [column] {
      let value = "x.\(quoted(reference.columns[0]))"
      return offset == 0 ? value : "(\(value) + \(offset))"
    }
    return
      "(SELECT \(number(of: "r")) FROM \(quoted(table.name)) r WHERE \(reference.condition))"
  }

  private func condition(_ numbers: String, _ row: String) -> String {
    keys.enumerated().map { "\(row).\(quoted($1)) = \(numbers).k\($0)" }
      .joined(separator: " AND ")
  }
}
