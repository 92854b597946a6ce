import SQLTranslation
import SQLiteFiles

extension SQLiteConnection {
  /// Returns the highest key that was ever given in a table, or 0: by the count in `Z_PRIMARYKEY`, or by the rows, because
  /// another program may have written a row without counting it.
  ///
  /// - Parameter number: The number of the table in `Z_PRIMARYKEY`.
  func lastKey(of number: Int64, in table: String) throws -> Int64 {
    let known =
      try integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(number)]) ?? 0
    let highest = try integer("SELECT max(\"Z_PK\") FROM \(quoted(table))") ?? 0
    return max(known, highest, 0)
  }
}
